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
    /// The task takes a page fault in user mode, at any time, and runs on until it gets SIGKILL, then exits.
    FaultUntilKilled(usize),
    /// The first task makes the second one, which shares its mm, then runs until it gets SIGKILL, and exits.
    ForkAndExitWhenKilled(usize, usize),
    /// The task runs once it is made, until it gets SIGKILL, if it gets one, then exits.
    BornUnlessKilled(usize),
    /// The task runs until it gets SIGKILL, if it gets one, then exits.
    StayUnlessKilled(usize),
    /// The task's group exits, and the task fails to allocate once it has left its mm.
    ExitAndAllocate(usize),
    /// The task reads its own memory, at any time, and goes on for ever.
    ReadOwnMemory(usize),
    /// The task runs in user mode and reads its memory twice, then exits: it has not noticed SIGKILL yet.
    ReadTwiceAndExit(usize),
    /// The task reads a page in user mode, discards it with `madvise(MADV_DONTNEED)`, reads it again, and
    /// exits.
    ReadDiscardReadAndExit(usize),
    /// The task discards the page too, and exits.
    DiscardAndExit(usize),
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
    /// Somebody holds it open too, and faults a huge page in.
    FaultByProcMem(usize),
    /// Somebody opens `/proc/PID/mem` of the task and needs the memory of its mm before he closes it.
    HoldProcMem(usize),
    /// Somebody has a userfaultfd of the mm and needs the memory of that before he closes it.
    HoldUserfaultfd(usize),
    /// Somebody has a userfaultfd that faults of the mm wait for, and closes it.
    CloseUserfaultfd(usize),
    /// The task touches a page that is for the userfaultfd to fill, and exits.
    FaultAndExit(usize),
    /// Somebody write-protects memory of the mm through a userfaultfd and closes that.
    WriteProtect(usize),
    /// A device that shares the mm is unbound.
    UnbindDevice(usize),
    /// A device that mirrors the mm faults a page in.
    FaultInDevice(usize),
    /// The work item of a GPU that mirrors the mm works on its ranges.
    WorkOnRanges(usize),
    /// KSM gives up the pages that it has merged.
    UnmergeKsm,
    /// ksmd looks for pages to merge.
    ScanKsm,
    /// khugepaged scans the mms that it has heard of.
    ScanHuge,
    /// khugepaged makes small pages of a file large, which mm 0 maps.
    CollapseFile,
    /// The task dumps core, and exits.
    DumpAndExit(usize),
    /// Somebody registers memory of the mm with a userfaultfd.
    RegisterUserfaultfd(usize),
    /// A worker that has borrowed the mm calls `madvise()`.
    MadviseFromWorker(usize),
    /// khugepaged makes small pages of the mm large.
    CollapseHuge(usize),
    /// A fork fails while it copies VMAs to this mm, its child's.
    ForkFailsHalfway(usize),
    /// An exec fails, with this mm new: before its stack is mapped if there are no VMAs, else after.
    ExecFails(usize),
    /// A uprobe is registered for a file that mm 0 maps.
    RegisterUprobe,
    /// A driver registers a notifier of the mm, of which it has an `mm_count`.
    RegisterNotifier(usize),
    /// A driver unregisters its notifier of the mm.
    UnregisterNotifier(usize),
    /// A driver removes its notifier of a range of the mm.
    RemoveInterval(usize),
    /// Reclaim unmaps and frees a page of mm 0, which it finds through the page.
    ReclaimPage,
    /// Swap is switched off.
    Swapoff,
    /// A guest that mirrors the mm reads a page.
    GuestReads(usize),
    /// A kernel thread that has borrowed mm 0 becomes a process.
    ExecOnBorrowedMm,
    /// A kernel thread uses the mm, of which it has an `mm_count`.
    UseMm(usize),
    /// A thread of mm 0 calls `membarrier()` while this task exits, looks at its memory, and exits too.
    MembarrierAndExit(usize, usize),
    /// The task writes to memory that it shares, and exits.
    WriteAndExit(usize),
    /// The task writes a page of its memory to where others read it, and may be killed meanwhile.
    WritePage(usize),
    /// The task reads from elsewhere into a part of a page, and may be killed meanwhile.
    FillPage(usize),
    /// The same, and then it writes that part to where others read it.
    PassPageOn(usize),
    /// A kernel thread that has borrowed the mm acts upon what it finds in a page.
    ActOnPage(usize),
    /// The task unmaps memory twice, and exits.
    UnmapAndExit(usize),
    /// An invalidation of memory of the task ends, and it exits.
    InvalidateAndExit(usize),
    /// The task runs on the CPU of a kernel thread for a while, and exits.
    PreemptAndExit(usize),
    /// The task exits on a CPU that a kernel thread takes over with its mm, and then a user task of a new mm.
    ExitOnCpu(usize),
    /// The task waits for the child that it has made by `vfork()`, and exits.
    VforkAndExit(usize),
    /// The task opens a GPU while that is reset, and exits.
    OpenDeviceAndExit(usize),
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
    /// A fork puts its page directory on the list of all, and timers may interrupt it there.
    AllocatePgd,
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
            | Self::FaultUntilKilled(t)
            | Self::BornUnlessKilled(t)
            | Self::ForkAndExitWhenKilled(t, _)
            | Self::ExitAndAllocate(t)
            | Self::ReadTwiceAndExit(t)
            | Self::ReadDiscardReadAndExit(t)
            | Self::DiscardAndExit(t)
            | Self::OpenDeviceAndExit(t)
            | Self::DumpAndExit(t)
            | Self::WriteAndExit(t)
            | Self::MembarrierAndExit(t, _)
            | Self::UnmapAndExit(t)
            | Self::InvalidateAndExit(t)
            | Self::PreemptAndExit(t)
            | Self::ExitOnCpu(t)
            | Self::VforkAndExit(t)
            | Self::FaultAndExit(t)
            | Self::MmapServedFile(t)
            | Self::ChargeAndExit(t)
            | Self::BrkAndFault(t)
            | Self::AllocateAndExit(t) => Some(t),
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
            Self::Exit(t)
            | Self::ExitGroup(t)
            | Self::ExitAndAllocate(t)
            | Self::ReadTwiceAndExit(t)
            | Self::WriteAndExit(t)
            | Self::UnmapAndExit(t)
            | Self::InvalidateAndExit(t)
            | Self::PreemptAndExit(t)
            | Self::ExitOnCpu(t)
            | Self::FaultAndExit(t)
            | Self::OpenDeviceAndExit(t) => format!("T{t} exit"),
            Self::MembarrierAndExit(t, _) => format!("T{t} membarrier"),
            Self::VforkAndExit(t) => format!("T{t} vfork"),
            Self::ExitWhenKilled(t) | Self::StayUnlessKilled(t) => format!("T{t} killed"),
            Self::ForkAndExitWhenKilled(t, _) => format!("T{t} forks"),
            Self::BornUnlessKilled(t) => format!("T{t} child"),
            Self::ReadDiscardReadAndExit(t) | Self::DiscardAndExit(t) => format!("T{t} madvise"),
            Self::ReadOwnMemory(t) | Self::FillPage(t) => format!("T{t} reads"),
            Self::AllocateAndExit(t) => format!("T{t} allocates"),
            Self::OomKill | Self::OomKillTwice(_) => "OOM killer".into(),
            Self::AllocateInDriver(mm)
            | Self::WorkInDriver(mm)
            | Self::RegisterNotifier(mm)
            | Self::UnregisterNotifier(mm)
            | Self::RemoveInterval(mm) => {
                format!("driver of mm{mm}")
            }
            Self::ChargeAndExit(t) => format!("T{t} charges"),
            Self::BrkAndFault(t) | Self::FaultUntilKilled(t) => format!("T{t} faults"),
            Self::OomHandler(..) => "OOM handler".into(),
            Self::MmapServedFile(t) => format!("T{t} maps"),
            Self::KillServer(_) => "kill of the server".into(),
            Self::AllocateUnderMmapLock(t) => format!("allocator on T{t}"),
            Self::GetTaskMm(t) => format!("reader of T{t}"),
            Self::GetTaskMmAsync(t) => format!("async reader of T{t}"),
            Self::ProcMem(mm) | Self::FaultByProcMem(mm) => format!("/proc mem of mm{mm}"),
            Self::HoldProcMem(t) => format!("/proc mem of T{t}"),
            Self::HoldUserfaultfd(mm)
            | Self::CloseUserfaultfd(mm)
            | Self::WriteProtect(mm)
            | Self::RegisterUserfaultfd(mm) => {
                format!("userfaultfd of mm{mm}")
            }
            Self::UnbindDevice(mm) | Self::FaultInDevice(mm) => format!("device on mm{mm}"),
            Self::WorkOnRanges(mm) => format!("GPU work on mm{mm}"),
            Self::UnmergeKsm => "KSM".into(),
            Self::ScanKsm => "ksmd".into(),
            Self::ScanHuge | Self::CollapseFile | Self::CollapseHuge(_) => "khugepaged".into(),
            Self::DumpAndExit(t) => format!("T{t} dumps"),
            Self::MadviseFromWorker(mm) => format!("worker on mm{mm}"),
            Self::RegisterUprobe => "uprobe".into(),
            Self::ReclaimPage => "reclaim".into(),
            Self::Swapoff => "swapoff".into(),
            Self::GuestReads(mm) => format!("guest on mm{mm}"),
            Self::ExecFails(_) => "exec that fails".into(),
            Self::ExecOnBorrowedMm => "exec".into(),
            Self::UseMm(mm) => format!("kthread on mm{mm}"),
            Self::WritePage(t) => format!("T{t} writes"),
            Self::PassPageOn(t) => format!("T{t} copies"),
            Self::ActOnPage(mm) => format!("vhost on mm{mm}"),
            Self::Kill(t) => format!("kill of T{t}"),
            Self::KillAndMrelease(t) | Self::KillAndMreleaseAsServer(t) => format!("mrelease of T{t}"),
            Self::Fork | Self::AllocatePgd => "fork".into(),
            Self::ForkFails | Self::ForkFailsHalfway(_) => "fork that fails".into(),
            Self::CpuOffline => "cpu offline".into(),
            Self::FutexWait => "futex waiter".into(),
            Self::Toggle | Self::LowerCap(_) => "sysctl".into(),
            Self::Suspend => "suspend".into(),
            Self::OomDisable => "oom disable".into(),
            Self::CompleteAio(_) | Self::CompleteAioAfter(..) => "aio completion".into(),
        }
    }
}
