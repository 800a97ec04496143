//! One machine: its kernel, address spaces, tasks, and the kernel's global variables.

use crate::include::mm_types::{MmInit, MmStruct};
use crate::include::sched::{SignalStruct, TaskStruct};
use crate::k::atomic::AtomicT;
use crate::k::completion::Completion;
use crate::k::engine::{Class, Word, engine};
use crate::k::llist::LlistHead;
use crate::k::lock::{Mutex, Spinlock};
use crate::k::plain::Ghost;
use crate::k::preempt_rt::{RcuHead, RtSpinlock};
use crate::k::wait::WaitQueue;
use crate::k::work::{TimerWheel, Work};
use crate::kernel::freezer::Freezer;
use crate::kernel::mm_init::MmCachep;
use crate::kernel::refrigerator::UserFreezer;
use crate::kernel::sched::core::Cpu;
use crate::mm::memcontrol::{MemCgroup, MemCgroupInit};
use crate::mm::mm_slot::{MmSlots, SlotsInit};
use crate::mm::page_alloc::FreeMemory;
use crate::mm::rmap::Rmap;
use crate::mm::swapfile::Mmlist;
use crate::variant::{Kernel, Rule};

/// Globals of `mm/oom_kill.c`.
#[derive(Clone, Copy, Debug)]
pub struct Oom {
    /// `oom_lock`: one kill at a time.
    pub lock: Mutex,
    /// `oom_killer_disabled`: written under `oom_lock`.
    pub killer_disabled: AtomicT,
    /// `oom_victims`: threads that are marked and have not dropped their mm.
    pub victims: AtomicT,
    /// `oom_victims_wait`.
    pub victims_wait: WaitQueue,
    /// `oom_reaper_list`: changed under the lock, looked at without.
    pub reaper_list: AtomicT,
    /// `oom_reaper_lock`.
    pub reaper_lock: Spinlock,
    /// `oom_reaper_wait`.
    pub reaper_wait: WaitQueue,
    /// Where an allocator waits that tries again and again: bit n is set once mm n has
    /// `MMF_OOM_SKIP`.
    pub skipped: Word,
}

/// RFC: `vm.async_mm_teardown*`.
#[derive(Clone, Copy, Debug)]
pub struct Sysctl {
    /// The static key.
    pub async_mm_teardown: AtomicT,
    /// Smallest RSS that is deferred, in pages.
    pub thresh_pages: u64,
    /// Cap of the pending budget, in pages.
    pub max_pending_pages: AtomicT,
}

/// What a kernel with `CONFIG_PREEMPT_RT` has.
#[derive(Clone, Debug)]
pub struct PreemptRt {
    /// `pgd_lock`, under which a pgd leaves the list of all.
    pub pgd_lock: RtSpinlock,
    /// `mm->delayed_drop` of each mm.
    pub delayed_drop: Vec<RcuHead>,
}

/// Initial values of [`Sysctl`].
#[derive(Clone, Copy, Debug)]
pub struct SysctlInit {
    /// Whether the static key is on.
    pub on: bool,
    /// Threshold in pages.
    pub thresh_pages: u64,
    /// Cap in pages.
    pub max_pending_pages: u64,
}

/// A task to be made: its mm, its thread group, how many others pin it, whether the OOM killer may
/// choose its group.
#[derive(Clone, Copy, Debug)]
pub struct TaskInit {
    /// Index of its mm.
    pub mm: usize,
    /// Index of its thread group.
    pub group: usize,
    /// References that others hold.
    pub pins: u64,
    /// Whether it is a candidate of the OOM killer.
    pub killable: bool,
    /// Whether it is global init.
    pub init: bool,
    /// Whether it does nothing.
    pub stays: bool,
    /// Whether it ends only if it is killed.
    pub unless_killed: bool,
    /// Whether its `oom_score_adj` is `OOM_SCORE_ADJ_MIN`.
    pub oom_score_adj_min: bool,
    /// Whether it is in the memory cgroup.
    pub memcg: bool,
    /// The task that has made it by `vfork()`.
    pub vforked_by: Option<usize>,
    /// Whether somebody waits for the completion of that.
    pub awaited: bool,
    /// Whether its cgroup is frozen, and it with it.
    pub frozen: bool,
    /// Whether it is forked while all is going on.
    pub forked: bool,
    /// Whether it owns a robust futex that somebody waits for.
    pub robust: bool,
    /// Whether it runs on the CPU of a kernel thread.
    pub on_cpu: bool,
}

/// What a program needs of the machine; what it does not need is no step.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each says whether a thing exists")]
pub struct Features {
    /// The OOM killer runs.
    pub oom: bool,
    /// Somebody reads `->mm` without `task_lock()`.
    pub lockless_mm: bool,
    /// The freezer runs.
    pub freezer: bool,
    /// There is asynchronous I/O.
    pub aio: bool,
    /// Somebody is interrupted while page directories are listed.
    pub pgd_lock: bool,
    /// Kills made while memory waits in the queue are told apart.
    pub needless_kills: bool,
    /// The OOM killer may run twice and kill different mms.
    pub two_kills: bool,
    /// Objects of the slab cache of `mm_struct`s; 0 if nobody forks.
    pub mm_slots: usize,
    /// Structs that are allocated from it.
    pub forks: usize,
    /// Somebody allocates again and again until the victim may be forgotten.
    pub stuck_allocator: bool,
    /// Somebody waits until the memory of an mm is free.
    pub needs_memory: bool,
    /// Somebody calls `membarrier()`.
    pub membarrier: bool,
    /// Somebody finds mm 0 through a page of it; `Some(false)` if its VMA is not linked yet.
    pub rmap: Option<bool>,
    /// Swap is switched off, for whose sake mm 0 may be on a list.
    pub swapoff: bool,
    /// KSM runs.
    pub ksm: Option<SlotsInit>,
    /// khugepaged runs.
    pub khugepaged: Option<SlotsInit>,
    /// A kernel thread runs on a CPU of its own; `Some(true)` if it has borrowed mm 0, or takes it over from
    /// a task there.
    pub cpu: Option<bool>,
    /// The task that waits for the child that it has made by `vfork()`.
    pub vfork: Option<usize>,
    /// The kernel has `CONFIG_PREEMPT_RT`.
    pub preempt_rt: bool,
    /// The caller of `process_mrelease()` is killed.
    pub kills_mrelease: bool,
    /// The memory cgroup, if there is one.
    pub memcg: Option<MemCgroupInit>,
}

/// The machine.
#[derive(Debug)]
pub struct System {
    /// Which kernel it runs.
    pub kernel: Kernel,
    /// Address spaces.
    pub mms: Vec<MmStruct>,
    /// Tasks.
    pub tasks: Vec<TaskStruct>,
    /// Thread groups.
    pub signals: Vec<SignalStruct>,
    /// Whether the OOM killer may choose the task.
    pub killable: Vec<bool>,
    /// Whether the OOM killer runs.
    pub has_oom: bool,
    /// Whether there is asynchronous I/O.
    pub has_aio: bool,
    /// `pgd_lock`, if somebody is interrupted under it.
    pub pgd_lock: Option<Spinlock>,
    /// Whether somebody allocates again and again until the victim may be forgotten.
    pub has_stuck_allocator: bool,
    /// What the kernel has for `CONFIG_PREEMPT_RT`.
    pub preempt_rt: Option<PreemptRt>,
    /// What a parent waits for until its vforked child is done.
    pub vfork: Option<Completion>,
    /// Whether the caller of `process_mrelease()` is killed.
    pub kills_mrelease: bool,
    /// Where a task waits for the answer of a server in user space: 1 once it has answered or died.
    pub fuse_reply: Word,
    /// The memory cgroup, if there is one.
    pub memcg: Option<MemCgroup>,
    /// Whether the OOM killer may kill two mms.
    pub two_kills: bool,
    /// Globals of the OOM killer.
    pub oom: Oom,
    /// User memory of mm 0 that its threads share without locks, if somebody calls `membarrier()`.
    pub user_word: Option<AtomicT>,
    /// How mm 0 is found through a page of it.
    pub rmap: Option<Rmap>,
    /// Where swapoff finds mm 0.
    pub mmlist: Option<Mmlist>,
    /// `ksm_mm_head` and `ksm_scan`.
    pub ksm: Option<MmSlots>,
    /// `khugepaged_scan`.
    pub khugepaged: Option<MmSlots>,
    /// CPU of a kernel thread.
    pub cpu: Option<Cpu>,
    /// Where those wait who need the memory of an mm.
    pub free_memory: FreeMemory,
    /// Timers.
    pub timers: TimerWheel,
    /// `mm->async_put_work` of each mm.
    pub async_put_work: Vec<Work>,
    /// RFC: settings.
    pub sysctl: Sysctl,
    /// RFC: pages charged for queued mms.
    pub mm_pending: AtomicT,
    /// RFC: queued mms.
    pub mm_reaper_list: LlistHead,
    /// RFC: where `mm_reaper` sleeps.
    pub mm_reaper_wait: WaitQueue,
    /// Where `mm_struct`s come from, in programs that fork.
    pub mm_cachep: Option<MmCachep>,
    /// What frozen user tasks need.
    pub user_freezer: UserFreezer,
    /// Whether there are any.
    pub has_frozen: bool,
    /// Whether a robust futex is waited for.
    pub has_robust: bool,
    /// The robust futex, in memory that its owner shares with the waiter: 1 once it was handed over.
    pub robust_futex: Word,
    /// The freezer.
    pub freezer: Freezer,
    /// What a thread that is not freezable sees of it.
    pub no_freezer: Freezer,
    /// Specification: 1 once a victim was marked while another mm was queued.
    pub needless_kill: Ghost,
    /// Whether that is watched.
    pub watch_needless_kills: bool,
}

impl System {
    /// Boot.
    pub fn new(
        kernel: Kernel,
        mms: &[MmInit],
        tasks: &[TaskInit],
        sysctl: SysctlInit,
        features: Features,
    ) -> Self {
        let globals = engine().new_object("", 0);
        let timers = TimerWheel::new(globals, "timers");
        let groups = tasks.iter().map(|t| t.group + 1).max().unwrap_or(0);
        let forks = tasks.iter().any(|t| t.forked);
        let group_size = |g: usize| tasks.iter().filter(|t| t.group == g).count() as u64;
        let mms: Vec<MmStruct> = mms.iter().enumerate().map(|(i, &init)| MmStruct::new(i, init)).collect();
        let task = |(i, t): (usize, &TaskInit)| TaskStruct::new(i, t, features.lockless_mm, timers);
        let runs = |(i, t): (usize, &TaskInit)| if t.robust && !t.frozen { 1 << i } else { 0 };
        let busy = tasks.iter().enumerate().map(runs).sum();
        Self {
            kernel,
            tasks: tasks.iter().enumerate().map(task).collect(),
            signals: (0..groups).map(|g| SignalStruct::new(g, group_size(g), forks)).collect(),
            killable: tasks.iter().map(|t| t.killable).collect(),
            has_oom: features.oom,
            has_aio: features.aio,
            pgd_lock: features.pgd_lock.then(|| Spinlock::new(globals, "pgd_lock")),
            has_stuck_allocator: features.stuck_allocator,
            vfork: features.vfork.map(|parent| Completion::new(globals, parent)),
            preempt_rt: features.preempt_rt.then(|| PreemptRt {
                pgd_lock: RtSpinlock::new(globals, "pgd_lock"),
                delayed_drop: mms.iter().map(|mm| RcuHead::new(mm.object, "delayed_drop")).collect(),
            }),
            kills_mrelease: features.kills_mrelease,
            fuse_reply: engine().new_word("fuse_reply", Class::Sync, globals, 0),
            memcg: features.memcg.map(|init| MemCgroup::new(globals, init)),
            two_kills: features.two_kills,
            oom: Oom {
                lock: Mutex::new(globals, "oom_lock"),
                killer_disabled: AtomicT::new_or_plain(
                    globals,
                    "oom_killer_disabled",
                    0,
                    !kernel.keeps(Rule::R38Disable) || !kernel.keeps(Rule::R38Memcg),
                ),
                victims: AtomicT::new(globals, "oom_victims", 0),
                victims_wait: WaitQueue::new(globals, "oom_victims_wait"),
                reaper_list: AtomicT::new(globals, "oom_reaper_list", 0),
                reaper_lock: Spinlock::new(globals, "oom_reaper_lock"),
                reaper_wait: WaitQueue::new(globals, "oom_reaper_wait"),
                skipped: engine().new_word("skipped", Class::Sync, globals, 0),
            },
            user_word: features.membarrier.then(|| AtomicT::new(globals, "user_word", 0)),
            rmap: features.rmap.map(|linked| Rmap::new(globals, linked)),
            mmlist: features.swapoff.then(|| Mmlist::new(globals, &mms[0])),
            ksm: features.ksm.map(|init| MmSlots::new(globals, "ksm_mmlist_lock", "ksm_scan.mm_slot", init)),
            khugepaged: features
                .khugepaged
                .map(|init| MmSlots::new(globals, "khugepaged_mm_lock", "khugepaged_scan.mm_slot", init)),
            cpu: features.cpu.map(|lazy| Cpu::new(globals, lazy)),
            free_memory: FreeMemory::new(globals, features.needs_memory),
            timers,
            async_put_work: mms.iter().map(|mm| Work::new(mm.object, "async_put_work")).collect(),
            sysctl: Sysctl {
                async_mm_teardown: AtomicT::new(globals, "vm.async_mm_teardown", u64::from(sysctl.on)),
                thresh_pages: sysctl.thresh_pages,
                max_pending_pages: AtomicT::new(
                    globals,
                    "vm.async_mm_teardown_max_pending_pages",
                    sysctl.max_pending_pages,
                ),
            },
            mm_pending: AtomicT::new(globals, "mm_pending", 0),
            mm_reaper_list: LlistHead::new(globals, "mm_reaper_list", mms.len()),
            mm_reaper_wait: WaitQueue::new(globals, "mm_reaper_wait"),
            mm_cachep: (features.mm_slots > 0)
                .then(|| MmCachep::new(globals, features.mm_slots, features.forks)),
            user_freezer: UserFreezer::new(globals, busy),
            has_frozen: tasks.iter().any(|t| t.frozen),
            has_robust: tasks.iter().any(|t| t.robust),
            robust_futex: engine().new_word("futex", Class::Sync, globals, 0),
            freezer: Freezer::new(globals, features.freezer),
            no_freezer: Freezer::new(globals, false),
            needless_kill: Ghost::new(globals, "needless_kill"),
            watch_needless_kills: features.needless_kills,
            mms,
        }
    }

    /// Threads of group `signal`.
    pub fn threads_of(&self, signal: usize) -> impl Iterator<Item = &TaskStruct> {
        self.tasks.iter().filter(move |t| t.signal == signal)
    }

    /// First thread of each group.
    pub fn group_leaders(&self) -> impl Iterator<Item = &TaskStruct> {
        (0..self.signals.len()).filter_map(|g| self.threads_of(g).next())
    }
}
