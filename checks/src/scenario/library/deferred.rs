//! Asynchronous teardown.

use crate::scenario::Actor::{
    CompleteAioAfter, Exit, ExitWhenKilled, GetTaskMm, KillAndMrelease, LowerCap, OomKill, Suspend, Toggle,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
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
