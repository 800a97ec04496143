//! What a scenario's threads do.

use serde::{Deserialize, Serialize};

/// What somebody does, concurrently with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Actor {
    /// The task exits, at any time.
    Exit(usize),
    /// The task's whole group exits: it is dying before it has left its mm.
    ExitGroup(usize),
    /// The task runs until it gets SIGKILL, then exits.
    ExitWhenKilled(usize),
    /// The task runs until it gets SIGKILL, if it gets one, then exits.
    StayUnlessKilled(usize),
    /// The task's group exits, and the task fails to allocate once it has left its mm.
    ExitAndAllocate(usize),
    /// The task reads its own memory, at any time, and goes on for ever.
    ReadOwnMemory(usize),
    /// The task runs in user mode and reads its memory twice, then exits: it has not noticed SIGKILL yet.
    ReadTwiceAndExit(usize),
    /// The task fails to allocate while its group exits, so that the OOM killer runs in its context.
    AllocateAndExit(usize),
    /// The task charges a page to its cgroup, which is at its limit, then exits.
    ChargeAndExit(usize),
    /// The task grows its heap, takes a page fault, then exits. Its cgroup is at its limit, and OOM is left
    /// to user space.
    BrkAndFault(usize),
    /// The handler in user space: once told that a task waits, it reads the memory of the first task and
    /// kills the second.
    OomHandler(usize, usize),
    /// An allocation outside the model runs the OOM killer.
    OomKill,
    /// An allocation outside the model runs the OOM killer, waits until the victim on this mm need not be
    /// waited for, and runs it again.
    OomKillTwice(usize),
    /// Somebody holds the mmap lock of the task's mm for writing while he allocates; the OOM killer
    /// runs, and he tries again until its victim need not be waited for.
    AllocateUnderMmapLock(usize),
    /// A driver that mirrors the mm holds the lock of its notifier while it allocates; the OOM killer runs,
    /// and the driver tries again until the victim need not be waited for.
    AllocateInDriver(usize),
    /// Somebody reads the task's memory through `get_task_mm()`.
    GetTaskMm(usize),
    /// The same, and drops with `mmput_async()`.
    GetTaskMmAsync(usize),
    /// Somebody holds `/proc/PID/mem` open (an `mm_count`) and reads it once.
    ProcMem(usize),
    /// Somebody kills the task's group.
    Kill(usize),
    /// Somebody kills the task's group and calls `process_mrelease()`.
    KillAndMrelease(usize),
    /// A server in user space does that, and then answers the requests of the task; if it is killed, they
    /// fail.
    KillAndMreleaseAsServer(usize),
    /// Somebody kills the server, which may wait for the mmap lock of this mm. It is pinned for him.
    KillServer(usize),
    /// The task maps a file of the server: it holds its mmap lock for writing until it has an answer, even
    /// if it is killed meanwhile, then exits.
    MmapServedFile(usize),
    /// A driver that mirrors the mm does something under the lock of its notifier.
    WorkInDriver(usize),
    /// A new mm is made by `dup_mm()`, and dropped again.
    Fork,
    /// The same, but the last allocation of `mm_init()` fails.
    ForkFails,
    /// A CPU goes offline.
    CpuOffline,
    /// Another process waits for the robust futex.
    FutexWait,
    /// Turns `vm.async_mm_teardown` off and on again.
    Toggle,
    /// Lowers `vm.async_mm_teardown_max_pending_pages` to this many pages.
    LowerCap(u64),
    /// Freezes kernel threads, suspends devices, resumes and thaws.
    Suspend,
    /// Disables the OOM killer as suspend does, and enables it again.
    OomDisable,
    /// The I/O in flight on this mm completes.
    CompleteAio(usize),
    /// It completes only when the pages of the other mm are free.
    CompleteAioAfter(usize, usize),
}

impl Actor {
    /// The task that it is, if that comes to its end.
    pub fn task_that_ends(&self) -> Option<usize> {
        match *self {
            Self::Exit(t)
            | Self::ExitGroup(t)
            | Self::ExitWhenKilled(t)
            | Self::StayUnlessKilled(t)
            | Self::ExitAndAllocate(t)
            | Self::ReadTwiceAndExit(t)
            | Self::MmapServedFile(t)
            | Self::ChargeAndExit(t)
            | Self::BrkAndFault(t)
            | Self::AllocateAndExit(t) => Some(t),
            _ => None,
        }
    }

    /// The mm that it owns an `mm_count` of from the start.
    pub(super) fn pins(&self) -> Option<usize> {
        match *self {
            Self::ProcMem(mm)
            | Self::AllocateInDriver(mm)
            | Self::WorkInDriver(mm)
            | Self::KillServer(mm) => Some(mm),
            _ => None,
        }
    }

    /// Whether it calls `process_mrelease()`.
    pub fn mreleases(&self) -> bool {
        matches!(self, Self::KillAndMrelease(_) | Self::KillAndMreleaseAsServer(_))
    }

    /// Whether the OOM killer runs in its context.
    pub fn runs_oom_killer(&self) -> bool {
        self.oom_kills() > 0
    }

    /// How often the OOM killer runs in its context.
    pub(super) fn oom_kills(&self) -> u64 {
        match self {
            Self::OomKillTwice(_) => 2,
            Self::OomKill
            | Self::ChargeAndExit(_)
            | Self::AllocateAndExit(_)
            | Self::ExitAndAllocate(_)
            | Self::AllocateUnderMmapLock(_)
            | Self::AllocateInDriver(_) => 1,
            _ => 0,
        }
    }

    /// Name of its thread.
    pub(super) fn label(self) -> String {
        match self {
            Self::Exit(t) | Self::ExitGroup(t) | Self::ExitAndAllocate(t) | Self::ReadTwiceAndExit(t) => {
                format!("T{t} exit")
            }
            Self::ExitWhenKilled(t) | Self::StayUnlessKilled(t) => format!("T{t} killed"),
            Self::ReadOwnMemory(t) => format!("T{t} reads"),
            Self::AllocateAndExit(t) => format!("T{t} allocates"),
            Self::ChargeAndExit(t) => format!("T{t} charges"),
            Self::BrkAndFault(t) => format!("T{t} faults"),
            Self::OomHandler(..) => "OOM handler".into(),
            Self::OomKill | Self::OomKillTwice(_) => "OOM killer".into(),
            Self::MmapServedFile(t) => format!("T{t} maps"),
            Self::KillServer(_) => "kill of the server".into(),
            Self::WorkInDriver(mm) | Self::AllocateInDriver(mm) => format!("driver of mm{mm}"),
            Self::AllocateUnderMmapLock(t) => format!("allocator on T{t}"),
            Self::GetTaskMm(t) => format!("reader of T{t}"),
            Self::GetTaskMmAsync(t) => format!("async reader of T{t}"),
            Self::ProcMem(mm) => format!("/proc mem of mm{mm}"),
            Self::Kill(t) => format!("kill of T{t}"),
            Self::KillAndMrelease(t) | Self::KillAndMreleaseAsServer(t) => format!("mrelease of T{t}"),
            Self::Fork => "fork".into(),
            Self::ForkFails => "fork that fails".into(),
            Self::CpuOffline => "cpu offline".into(),
            Self::FutexWait => "futex waiter".into(),
            Self::Toggle | Self::LowerCap(_) => "sysctl".into(),
            Self::Suspend => "suspend".into(),
            Self::OomDisable => "oom disable".into(),
            Self::CompleteAio(_) | Self::CompleteAioAfter(..) => "aio completion".into(),
        }
    }
}
