//! The kernels: released ones, and proposals.
//!
//! A kernel is its choices at the variation points. Everything else is as in 6.12, whatever its
//! version: an old kernel is here for the sake of what it did differently there.

use super::outsiders::{
    CoreDump, ExecKsm, KsmScan, KsmUnlock, OdpPut, Retract, SvaPin, SvmFlush, UffdPin, UffdWriteProtect,
};
use super::points::{
    ExitMmap, FaultAround, FinishFault, FrozenDelay, Gathers, GiveUp, Guarded, MemcgOom, MmCache, Mrelease,
    Munlock, NotifierMode, Queue, ReapedFaults, ReaperFlush, ReaperPin, Teardown, Thaw, UnkillableSharer,
    VforkDone, Vforked, Vmas, Walk, Walkers, WhileFrozen,
};
use super::{Kernel, Status};

const V6_12: Kernel = Kernel {
    name: "v6.12",
    about: "Linux 6.12: exit_mmap() unmaps under the read lock, sets MMF_OOM_SKIP, frees under the write lock",
    exit_mmap: ExitMmap::ReadFlagWrite,
    guarded: Guarded::All,
    vmas: Vmas::Tree,
    munlock: Munlock::AtZap,
    reaper_pin: ReaperPin::Task,
    reaper_flush: ReaperFlush::PerVma,
    reaped_faults: ReapedFaults::All,
    fault_around: FaultAround::Untested,
    finish_fault: FinishFault::BeforeLock,
    gathers: Gathers::Counted,
    notifiers: NotifierMode::NonBlocking,
    memcg_oom: MemcgOom::FailsDying,
    vforked: Vforked::PassedOver,
    vfork_done: VforkDone::BeforeDetach,
    unkillable_sharer: UnkillableSharer::Killed,
    give_up: GiveUp::Flag,
    queue: Queue::TicketTimer,
    thaw: Thaw::OneThread,
    frozen_delay: FrozenDelay::Same,
    mrelease: Mrelease::UnderLock,
    walk: Walk::Ascending,
    walkers: Walkers::Users,
    mm_cache: MmCache::Percpu,
    teardown: Teardown::Inline,
    while_frozen: WhileFrozen::Queue,
    uffd_pin: UffdPin::Count,
    uffd_writeprotect: UffdWriteProtect::Users,
    sva_pin: SvaPin::Count,
    odp_put: OdpPut::Async,
    svm_flush: SvmFlush::WqRelease,
    core_dump: CoreDump::Snapshot,
    ksm_scan: KsmScan::TestFirst,
    ksm_unlock: KsmUnlock::MmapFirst,
    exec_ksm: ExecKsm::UnderLock,
    retract: Retract::PageTableLock,
    reap_retries: 2,
    status: Status::Current,
    removed: 0,
};

const V4_6: Kernel = Kernel {
    name: "v4.6",
    about: "the first OOM reaper: it owns an mm_users while it reaps",
    exit_mmap: ExitMmap::NoLock,
    guarded: Guarded::VictimTask,
    vmas: Vmas::List,
    munlock: Munlock::BeforeUnmap,
    reaper_pin: ReaperPin::Users,
    reaper_flush: ReaperFlush::Never,
    reaped_faults: ReapedFaults::Untested,
    gathers: Gathers::Alone,
    notifiers: NotifierMode::Blocking,
    memcg_oom: MemcgOom::BeforeLock,
    vforked: Vforked::Candidates,
    unkillable_sharer: UnkillableSharer::Spared,
    give_up: GiveUp::Leave,
    queue: Queue::ListOnce,
    mm_cache: MmCache::AtomicRss,
    mrelease: Mrelease::Absent,
    uffd_pin: UffdPin::Users,
    core_dump: CoreDump::Unlocked,
    ksm_unlock: KsmUnlock::ListFirst,
    exec_ksm: ExecKsm::Untold,
    status: Status::Version,
    ..V6_12
};

const V4_9: Kernel = Kernel {
    name: "v4.9",
    about: "the reaper's mmput() is left to a worker; a victim that cannot be reaped is given up",
    vforked: Vforked::PassedOver,
    unkillable_sharer: UnkillableSharer::Killed,
    give_up: GiveUp::Flag,
    reaper_pin: ReaperPin::UsersAsync,
    ksm_unlock: KsmUnlock::MmapFirst,
    reaped_faults: ReapedFaults::KernelThreads,
    retract: Retract::NoTest,
    uffd_pin: UffdPin::Count,
    ..V4_6
};

const V4_14: Kernel = Kernel {
    name: "v4.14",
    about: "the reaper owns no use: a victim's exit_mmap() cycles through the write lock",
    exit_mmap: ExitMmap::Cycle,
    reaped_faults: ReapedFaults::All,
    gathers: Gathers::Counted,
    notifiers: NotifierMode::Avoided,
    reaper_pin: ReaperPin::Task,
    ..V4_9
};

const V4_17: Kernel = Kernel {
    name: "v4.17",
    about: "exit_mmap() of a victim's mm reaps first; victims are known by their mm",
    exit_mmap: ExitMmap::ReapThenCycle,
    guarded: Guarded::VictimMm,
    reaper_flush: ReaperFlush::PerVma,
    ..V4_14
};

const V5_4: Kernel = Kernel {
    name: "v5.4",
    about: "notifiers are called without waiting, and one ticket an mm leads to the reaper",
    notifiers: NotifierMode::NonBlocking,
    memcg_oom: MemcgOom::UnderLock,
    queue: Queue::Ticket,
    core_dump: CoreDump::StillValid,
    ..V4_17
};

const V5_15_RC: Kernel = Kernel {
    name: "v5.15-rc1",
    about: "process_mrelease() as merged: it walks whatever exit_mmap() does",
    core_dump: CoreDump::Snapshot,
    mrelease: Mrelease::CountPin,
    retract: Retract::TestExit,
    uffd_writeprotect: UffdWriteProtect::Count,
    sva_pin: SvaPin::Nothing,
    odp_put: OdpPut::Inline,
    svm_flush: SvmFlush::NotifierRelease,
    ..V5_4
};

const V5_15: Kernel = Kernel {
    name: "v5.15",
    about: "process_mrelease() owns an mm_users",
    mrelease: Mrelease::UsersPin,
    uffd_writeprotect: UffdWriteProtect::Users,
    ..V5_15_RC
};

const V5_17_RC: Kernel = Kernel {
    name: "v5.17-rc1",
    about: "exit_mmap() frees under the write lock, and process_mrelease() relies on it",
    exit_mmap: ExitMmap::ReapThenWrite,
    memcg_oom: MemcgOom::FailsDying,
    mrelease: Mrelease::UnderLock,
    ..V5_15
};

const V5_17: Kernel = Kernel {
    name: "v5.17",
    about: "the same, and the list of VMAs is empty once they are freed",
    vmas: Vmas::ListReset,
    ..V5_17_RC
};

const V5_18: Kernel = Kernel {
    name: "v5.18",
    about: "victims come to the reaper after 2 s; pages are munlocked as they are unmapped",
    munlock: Munlock::AtZap,
    queue: Queue::TicketTimer,
    svm_flush: SvmFlush::WqRelease,
    ..V5_17
};

const V6_1: Kernel = Kernel {
    name: "v6.1",
    about: "VMAs in a tree; one way through exit_mmap() for every mm",
    mm_cache: MmCache::AtomicRss,
    ksm_scan: KsmScan::IterateFirst,
    exec_ksm: ExecKsm::Untold,
    retract: Retract::TestExit,
    status: Status::Version,
    ..V6_12
};

const V6_2: Kernel = Kernel {
    name: "v6.2",
    about: "counters in per-CPU memory, acquired after the arch context",
    mm_cache: MmCache::PercpuLeaky,
    ..V6_1
};

const V6_18: Kernel = Kernel {
    name: "v6.18",
    about: "all threads of a victim are thawed; the reaper walks downwards",
    thaw: Thaw::Process,
    walk: Walk::Descending,
    mm_cache: MmCache::Percpu,
    exec_ksm: ExecKsm::UnderLock,
    ksm_scan: KsmScan::TestFirst,
    retract: Retract::PageTableLock,
    ..V6_2
};

const V7_0: Kernel = Kernel { name: "v7.0", about: "as 6.18 in what is modelled", ..V6_18 };

const V7_1: Kernel = Kernel { name: "v7.1", about: "as 6.18 in what is modelled", ..V6_18 };

const RFC: Kernel = Kernel {
    name: "rfc-async-teardown",
    about: "exit_mm() calls mmput_exit(): the final drop may hand the mm to mm_reaper after the inline hooks",
    teardown: Teardown::Async,
    status: Status::Proposal,
    ..V6_12
};

/// All kernels: versions in their order, then proposals.
pub const KERNELS: &[Kernel] = &[
    V6_12,
    RFC,
    Kernel {
        name: "rfc-async-teardown-all",
        about: "the same, but all of __mmput() is deferred, exit_aio() included",
        teardown: Teardown::AsyncAll,
        status: Status::Alternative,
        ..RFC
    },
    Kernel {
        name: "rfc-async-teardown-inline-frozen",
        about: "the same as rfc-async-teardown, but exits tear down inline while the freezer is active",
        while_frozen: WhileFrozen::Inline,
        status: Status::Alternative,
        ..RFC
    },
    V4_6,
    V4_9,
    V4_14,
    V4_17,
    V5_4,
    V5_15_RC,
    V5_15,
    V5_17_RC,
    V5_17,
    V5_18,
    V6_1,
    V6_2,
    V6_18,
    V7_0,
    V7_1,
    Kernel {
        name: "write-lock-2021",
        about: "5.15 with exit_mmap() under the write lock throughout and process_mrelease() under the read lock",
        exit_mmap: ExitMmap::Write,
        guarded: Guarded::All,
        mrelease: Mrelease::UnderLock,
        vmas: Vmas::ListReset,
        ..V5_15
    },
    Kernel {
        name: "frozen-no-delay-v6",
        about: "6.12 with a reaper that does not wait for a frozen victim, and walks downwards",
        frozen_delay: FrozenDelay::None,
        walk: Walk::Descending,
        mm_cache: MmCache::Percpu,
        exec_ksm: ExecKsm::UnderLock,
        ksm_scan: KsmScan::TestFirst,
        retract: Retract::PageTableLock,
        ..V6_1
    },
    Kernel {
        name: "rfc-slab-ctor",
        about: "7.1 with a constructor that allocates the per-CPU memory of an mm, as posted",
        mm_cache: MmCache::CtorAsPosted,
        ..V7_1
    },
    Kernel {
        name: "rfc-slab-ctor-fixed",
        about: "the same with the label of a failed charge corrected",
        mm_cache: MmCache::CtorCorrected,
        ..V7_1
    },
    Kernel {
        name: "count-walkers-2026",
        about: "exit_mmap() under the write lock throughout, /proc walkers own an mm_count only",
        exit_mmap: ExitMmap::Write,
        walkers: Walkers::Count,
        ..V7_1
    },
    Kernel {
        name: "count-walkers-read-lock",
        about: "the same walkers, but exit_mmap() unmaps under the read lock",
        walkers: Walkers::Count,
        ..V7_1
    },
    Kernel {
        name: "late-vfork-done",
        about: "7.1 with complete_vfork_done() after the child has left the mm of its parent",
        status: Status::Alternative,
        vfork_done: VforkDone::AfterDetach,
        ..V7_1
    },
    Kernel {
        name: "stable-fault-around",
        about: "7.1 with a fault-around that tests MMF_UNSTABLE under the page-table lock",
        status: Status::Alternative,
        fault_around: FaultAround::Tested,
        ..V7_1
    },
    Kernel {
        name: "stable-file-faults",
        about: "the same, and finish_fault() tests it under the lock too",
        status: Status::Alternative,
        fault_around: FaultAround::Tested,
        finish_fault: FinishFault::UnderLock,
        ..V7_1
    },
];
