//! The scenarios of the gate, small ones first.

use super::Actor::{
    AllocateAndExit, AllocateUnderMmapLock, CompleteAioAfter, Exit, ExitGroup, ExitWhenKilled, GetTaskMm,
    GetTaskMmAsync, KillAndMrelease, LowerCap, OomDisable, OomKill, ProcMem, Suspend, Toggle,
};
use super::Scenario;

/// All scenarios.
pub fn all() -> Vec<Scenario> {
    let mut scenarios = references();
    scenarios.extend(oom());
    scenarios.extend(deferred());
    scenarios
}

/// The scenario of this name.
pub fn named(name: &str) -> Option<Scenario> {
    all().into_iter().find(|s| s.name == name)
}

/// The two reference counts.
fn references() -> Vec<Scenario> {
    vec![
        Scenario::new("two_sharers_exit", "two CLONE_VM sharers exit: one of them tears down")
            .mm(3)
            .task(0)
            .task(0)
            .actor(Exit(0))
            .actor(Exit(1))
            .reaches_async("an mm is queued"),
        Scenario::new(
            "exit_vs_get_task_mm",
            "a task exits while a reader takes its mm through get_task_mm()",
        )
        .mm(3)
        .task(0)
        .actor(Exit(0))
        .actor(GetTaskMm(0))
        .reaches("a reader gets the mm")
        .reaches("a reader finds no mm")
        .reaches_async("an mm is queued"),
        Scenario::new("exit_vs_proc_mem", "a task exits while a holder of /proc/PID/mem reads")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(ProcMem(0))
            .reaches("/proc/PID/mem is read")
            .reaches("/proc/PID/mem is at its end")
            .reaches_async("mm_reaper tears down"),
        Scenario::new("exit_vs_mmput_async", "the last use may be dropped where teardown is not allowed")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(GetTaskMmAsync(0))
            .reaches("mmput_async() was the last drop"),
        Scenario::new("exit_vs_mrelease", "a killed task exits while process_mrelease() reaps it")
            .inline_only()
            .mm(3)
            .task(0)
            .actor(ExitWhenKilled(0))
            .actor(KillAndMrelease(0))
            .reaches("process_mrelease() reaps")
            .reaches("process_mrelease() finds MMF_OOM_SKIP")
            .reaches("process_mrelease() returns -ESRCH")
            .reaches_async("an mm is queued"),
        Scenario::new(
            "sharers_vs_two_readers",
            "two sharers exit while one task has a reader and its mm a /proc file",
        )
        .mm(3)
        .task(0)
        .task(0)
        .actor(Exit(0))
        .actor(Exit(1))
        .actor(GetTaskMm(0))
        .actor(ProcMem(0))
        .reaches("a reader gets the mm")
        .reaches("/proc/PID/mem is at its end"),
    ]
}

/// The OOM killer and its reaper.
fn oom() -> Vec<Scenario> {
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
        Scenario::new("reader_of_a_victim", "a reader holds the victim's mm and may drop it last")
            .mm(3)
            .victim(0)
            .actor(Exit(0))
            .actor(GetTaskMm(0))
            .actor(OomKill)
            .reaches("a reader gets the mm")
            .reaches("the reaper reaps"),
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

/// Asynchronous teardown.
fn deferred() -> Vec<Scenario> {
    let scenario = |name: &str, about: &str| Scenario::new(name, about).async_only();
    vec![
        scenario("exit_to_mm_reaper", "a large task exits and mm_reaper tears it down")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .reaches("mm_reaper tears down"),
        scenario(
            "small_mm_stays_inline",
            "an mm below the threshold is torn down inline, a large one is queued",
        )
        .mm(1)
        .mm(3)
        .task(0)
        .task(1)
        .actor(Exit(0))
        .actor(Exit(1))
        .reaches("the mm is below the threshold")
        .reaches("an mm is queued"),
        scenario("exit_vs_toggle", "the sysctl is turned off and on while a task exits")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(Toggle)
            .reaches("the sysctl is off")
            .reaches("an mm is queued"),
        scenario("backpressure", "two mms exit of which only one fits the pending budget")
            .mm(3)
            .mm(3)
            .task(0)
            .task(1)
            .limits(2, 4)
            .actor(Exit(0))
            .actor(Exit(1))
            .reaches("the budget is used up")
            .reaches("mm_reaper tears down"),
        scenario("lower_cap_under_load", "the cap is lowered below what is pending while two mms exit")
            .mm(3)
            .mm(3)
            .task(0)
            .task(1)
            .limits(2, 6)
            .actor(Exit(0))
            .actor(Exit(1))
            .actor(LowerCap(3))
            .reaches("the budget is used up")
            .reaches("mm_reaper tears down"),
        scenario("queued_mm_vs_mrelease", "process_mrelease() reaps an mm that is queued")
            .mm(3)
            .task(0)
            .actor(ExitWhenKilled(0))
            .actor(KillAndMrelease(0))
            .reaches("process_mrelease() reaps")
            .reaches("mm_reaper tears down"),
        scenario("suspend_with_backlog", "the machine suspends while an mm is queued")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(Suspend)
            .reaches("mm_reaper tears down"),
        scenario("stuck_aio", "the I/O of one exiting mm completes only once the other mm is torn down")
            .mm_with_aio(3)
            .mm(3)
            .task(0)
            .task(1)
            .actor(Exit(0))
            .actor(Exit(1))
            .actor(CompleteAioAfter(0, 1))
            .reaches("mm_reaper tears down"),
        scenario(
            "oom_while_queued",
            "memory is short while an mm waits in the queue and another process runs",
        )
        .mm(3)
        .mm(3)
        .victim(0)
        .victim(1)
        .actor(Exit(0))
        .actor(Exit(1))
        .actor(OomKill)
        .watching_needless_kills()
        .reaches("an mm is queued")
        .reaches("a victim is marked"),
        scenario(
            "two_exits_oom_toggle_reaper",
            "two mms, three exiting tasks, the OOM killer, both reapers, a reader and a sysctl toggler",
        )
        .mm(3)
        .mm(3)
        .victim(0)
        .task(0)
        .task(1)
        .limits(2, 4)
        .actor(Exit(0))
        .actor(Exit(1))
        .actor(Exit(2))
        .actor(OomKill)
        .actor(GetTaskMm(0))
        .actor(Toggle)
        .reaches("the reaper reaps")
        .reaches("the budget is used up")
        .reaches("the sysctl is off")
        .reaches("mm_reaper tears down")
        .reaches("a reader gets the mm")
        .reaches("the mm is an OOM victim's"),
    ]
}
