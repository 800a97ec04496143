//! OOM victims in a frozen cgroup, and what a victim still does with its memory.

use crate::scenario::Actor::{ExitWhenKilled, FutexWait, OomKill};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("frozen_victim", "the OOM killer chooses a task that is frozen")
            .inline_only()
            .mm(3)
            .victim(0)
            .frozen()
            .actor(ExitWhenKilled(0))
            .actor(OomKill)
            .reaches("the reaper reaps"),
        Scenario::new("frozen_threads_of_a_victim", "both threads of the victim are frozen")
            .inline_only()
            .mm(3)
            .victim(0)
            .frozen()
            .thread()
            .actor(ExitWhenKilled(0))
            .actor(ExitWhenKilled(1))
            .actor(OomKill)
            .reaches("the reaper reaps"),
        Scenario::new("frozen_sharer_of_a_victim", "a frozen task of another group shares the victim's mm")
            .inline_only()
            .mm(3)
            .victim(0)
            .task(0)
            .frozen()
            .actor(ExitWhenKilled(0))
            .actor(ExitWhenKilled(1))
            .actor(OomKill)
            .reaches("a sharer outside the thread group is killed")
            .reaches("the reaper reaps"),
        Scenario::new(
            "robust_futex_of_a_victim",
            "the victim owns a robust futex that another process waits for",
        )
        .inline_only()
        .mm(3)
        .victim(0)
        .robust()
        .actor(ExitWhenKilled(0))
        .actor(FutexWait)
        .actor(OomKill)
        .reaches("a robust futex is handed over"),
        Scenario::new("robust_futex_of_a_frozen_victim", "the same, and the victim is frozen")
            .inline_only()
            .mm(3)
            .victim(0)
            .frozen()
            .robust()
            .actor(ExitWhenKilled(0))
            .actor(FutexWait)
            .actor(OomKill)
            .reaches("a robust futex is handed over"),
    ]
}
