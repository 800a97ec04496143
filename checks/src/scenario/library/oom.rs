//! The OOM killer and its reaper.

use crate::scenario::Actor::{
    AllocateAndExit, AllocateInDriver, AllocatePgd, AllocateUnderMmapLock, BornUnlessKilled, Exit,
    ExitAndAllocate, ExitGroup, ExitWhenKilled, FaultUntilKilled, ForkAndExitWhenKilled, GetTaskMm,
    GetTaskMmAsync, OomDisable, OomKill, ReadOwnMemory, Suspend,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "exit_vs_reaper",
            "a task exits while the OOM killer chooses it and the reaper comes for it",
        )
        .mm(3)
        .victim(0)
        .actor(Exit(0))
        .actor(OomKill)
        .reaches("the reaper reaps")
        .reaches("the reaper finds the mmap lock taken")
        .reaches("the reaper gives up")
        .reaches("the reaper finds MMF_OOM_SKIP")
        .reaches("the reaper's timer finds nothing to do")
        .reaches("a candidate has no mm any more")
        .reaches_async("the mm is an OOM victim's"),
        Scenario::new(
            "sharer_exits_last",
            "the victim's mm is shared by a task of another group that may drop last",
        )
        .mm(3)
        .victim(0)
        .task(0)
        .actor(ExitWhenKilled(0))
        .actor(Exit(1))
        .actor(OomKill)
        .reaches("the reaper reaps")
        .reaches_async("the mm is an OOM victim's"),
        Scenario::new(
            "sharer_runs_until_killed",
            "a sharer of the victim's mm exits only when it is killed too",
        )
        .mm(3)
        .victim(0)
        .task(0)
        .actor(ExitWhenKilled(0))
        .actor(ExitWhenKilled(1))
        .actor(OomKill)
        .reaches("a sharer outside the thread group is killed"),
        Scenario::new("fork_of_a_victim", "a victim makes a process that shares its mm while it is killed")
            .inline_only()
            .mm(1)
            .victim(0)
            .task(0)
            .actor(ForkAndExitWhenKilled(0, 1))
            .actor(BornUnlessKilled(1))
            .actor(OomKill)
            .reaches("a sharer outside the thread group is killed")
            .reaches("fork fails in a task that is killed"),
        Scenario::new("threads_of_a_victim", "both threads of a victim exit while it is marked and reaped")
            .mm(3)
            .victim(0)
            .thread()
            .actor(Exit(0))
            .actor(Exit(1))
            .actor(OomKill)
            .reaches("the reaper reaps")
            .reaches("the reaper finds MMF_OOM_SKIP"),
        Scenario::new("exiting_group_vs_reaper", "the OOM killer chooses a group that is exiting anyway")
            .mm(3)
            .victim(0)
            .actor(ExitGroup(0))
            .actor(OomKill)
            .reaches("the victim is dying anyway")
            .reaches("the reaper reaps")
            .reaches_async("the mm is an OOM victim's"),
        Scenario::new("victim_allocates", "a victim that is dying fails to allocate and marks itself")
            .mm(3)
            .victim(0)
            .actor(AllocateAndExit(0))
            .actor(OomKill)
            .reaches("the allocating task is dying")
            .reaches("the reaper ticket is taken already")
            .reaches("a victim is still being waited for"),
        Scenario::new(
            "bystander_exits",
            "a process that shares nothing with the victim exits while its sharers are looked for",
        )
        .inline_only()
        .mm(0)
        .mm(0)
        .victim(0)
        .task(1)
        .actor(ExitWhenKilled(0))
        .actor(Exit(1))
        .actor(OomKill)
        .reaches("the mm of a process that shares nothing is compared")
        .reaches("the reaper reaps"),
        Scenario::new("victim_faults", "a victim takes a page fault in user mode while it is killed")
            .inline_only()
            .mm(3)
            .victim(0)
            .actor(FaultUntilKilled(0))
            .actor(OomKill)
            .reaches("a victim allocates from the reserves")
            .reaches("the reaper reaps"),
        Scenario::new("reader_of_a_victim", "a reader holds the victim's mm and may drop it last")
            .mm(3)
            .victim(0)
            .actor(Exit(0))
            .actor(GetTaskMm(0))
            .actor(OomKill)
            .reaches("a reader gets the mm")
            .reaches("the reaper reaps"),
        Scenario::new(
            "async_reader_of_a_victim",
            "the victim's last use and its last mm_count may both be dropped where that is left to a worker",
        )
        .inline_only()
        .mm(3)
        .victim(0)
        .actor(ExitWhenKilled(0))
        .actor(GetTaskMmAsync(0))
        .actor(OomKill)
        .reaches("mmput_async() was the last drop")
        .reaches("mmdrop_async() was the last drop"),
        Scenario::new(
            "timer_drops_the_victim_last",
            "the reaper's timer gives up the victim's last reference, while it interrupts a fork or another task",
        )
        .inline_only()
        .mm(3)
        .victim(0)
        .actor(ExitWhenKilled(0))
        .actor(AllocatePgd)
        .actor(OomKill)
        .reaches("a timer interrupts a holder of pgd_lock")
        .reaches("mmdrop_async() was the last drop"),
        Scenario::new(
            "allocator_holds_the_lock",
            "whoever fails to allocate holds the lock that the victim needs to exit",
        )
        .mm(3)
        .victim(0)
        .actor(ExitWhenKilled(0))
        .actor(AllocateUnderMmapLock(0))
        .reaches("an allocator waits for a victim that waits for its lock")
        .reaches("the reaper gives up"),
        Scenario::new("driver_allocates", "a driver that mirrors the victim fails to allocate under its notifier's lock")
            .inline_only()
            .mirrored_mm(3)
            .victim(0)
            .actor(ExitWhenKilled(0))
            .actor(AllocateInDriver(0))
            .reaches("a driver waits for a victim that waits for its lock")
            .reaches("a notifier refuses to be reaped"),
        Scenario::new(
            "sharer_with_a_dead_leader", "the leader of a sharing group exits, its other thread does not")
            .inline_only()
            .mm(3)
            .victim(0)
            .task(0)
            .thread()
            .actor(ExitWhenKilled(0))
            .actor(Exit(1))
            .actor(ExitWhenKilled(2))
            .actor(OomKill)
            .reaches("a sharer outside the thread group is killed"),
        Scenario::new("init_shares_the_victims_mm", "global init uses the mm of the victim")
            .inline_only()
            .mm(3)
            .victim(0)
            .task(0)
            .init()
            .actor(ExitWhenKilled(0))
            .actor(ReadOwnMemory(1))
            .actor(OomKill)
            .reaches("global init uses the victim's mm"),
        Scenario::new("allocation_after_exit_mm", "a dying task fails to allocate after it has left its mm")
            .inline_only()
            .mm(3)
            .victim(0)
            .actor(ExitAndAllocate(0))
            .actor(OomKill)
            .reaches("the allocating task has left its mm"),
        Scenario::new("two_allocators", "two allocators run the OOM killer, and there are two to be chosen")
            .inline_only()
            .mm(1)
            .mm(1)
            .victim(0)
            .victim(1)
            .actor(Exit(0))
            .actor(OomKill)
            .actor(OomKill)
            .reaches("a victim is still being waited for"),
        Scenario::new("victim_vs_oom_disable", "suspend waits until victims have dropped their mm")
            .mm(3)
            .victim(0)
            .actor(Exit(0))
            .actor(OomKill)
            .actor(OomDisable)
            .reaches("the OOM killer is disabled")
            .reaches("a victim is marked"),
        Scenario::new("suspend_vs_reaper", "the machine suspends while a victim is reaped")
            .mm(3)
            .victim(0)
            .actor(Exit(0))
            .actor(OomKill)
            .actor(Suspend)
            .reaches("the reaper reaps")
            .reaches("the OOM killer is disabled"),
        Scenario::new("suspend_vs_reaper_and_reader", "a reader keeps the victim's mm alive, so that the reaper may reap after suspend has waited for victims")
            .inline_only()
            .mm(3)
            .victim(0)
            .actor(Exit(0))
            .actor(GetTaskMm(0))
            .actor(OomKill)
            .actor(Suspend)
            .reaches("the reaper reaps")
            .reaches("a reader gets the mm"),
    ]
}
