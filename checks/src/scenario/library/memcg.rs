//! A memory cgroup at its limit.

use crate::scenario::Actor::{
    BrkAndFault, ChargeAndExit, ExitWhenKilled, OomDisable, OomHandler, OomKill, StayUnlessKilled,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "memcg_oom_in_user_space",
            "a task of a cgroup at its limit waits for an OOM handler in user space that looks at it",
        )
        .inline_only()
        .memcg_with_handler(2)
        .mm(1)
        .mm(1)
        .task(0)
        .in_memcg()
        .task(1)
        .in_memcg()
        .actor(BrkAndFault(0))
        .actor(ExitWhenKilled(1))
        .actor(OomHandler(0, 1))
        .reaches("brk() fails at the limit")
        .reaches("a page fault has waited for the handler")
        .reaches("a charge succeeds"),
        Scenario::new(
            "threads_of_a_memcg_victim",
            "both threads of a process charge a page to their cgroup, which is over its limit with another one",
        )
        .inline_only()
        .memcg(1)
        .mm(1)
        .mm(1)
        .victim(0)
        .in_memcg()
        .thread()
        .victim(1)
        .in_memcg()
        .actor(ChargeAndExit(0))
        .actor(ChargeAndExit(1))
        .actor(StayUnlessKilled(2))
        .reaches("a dying task does not start a memcg OOM kill")
        .reaches("the reaper reaps"),
        Scenario::new("memcg_kill_vs_oom_disable", "a cgroup kills while suspend disables the OOM killer")
            .inline_only()
            .memcg(1)
            .mm(1)
            .victim(0)
            .in_memcg()
            .actor(ChargeAndExit(0))
            .actor(OomDisable)
            .reaches("the OOM killer is disabled")
            .reaches("a victim is marked"),
        Scenario::new(
            "memcg_kill_vs_global_kill",
            "a cgroup and the machine run out of memory at the same time",
        )
        .inline_only()
        .memcg(1)
        .mm(1)
        .mm(1)
        .victim(0)
        .victim(1)
        .in_memcg()
        .actor(ChargeAndExit(1))
        .actor(OomKill)
        .reaches("a victim is still being waited for"),
    ]
}
