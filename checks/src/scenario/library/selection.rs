//! Whom the OOM killer may choose.

use crate::scenario::Actor::{Exit, ExitWhenKilled, OomKill, OomKillTwice, StayUnlessKilled};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("oom_score_adj_min", "the OOM killer comes first to a task that it must not choose")
            .inline_only()
            .mm(1)
            .mm(1)
            .victim(0)
            .oom_score_adj_min()
            .victim(1)
            .actor(StayUnlessKilled(1))
            .actor(OomKill)
            .reaches("a task with OOM_SCORE_ADJ_MIN is passed over"),
        Scenario::new(
            "vforked_child",
            "the OOM killer comes first to a child that uses the mm of global init until exec()",
        )
        .inline_only()
        .mm(1)
        .mm(1)
        .victim(0)
        .vforked_by(1)
        .task(0)
        .init()
        .victim(1)
        .actor(StayUnlessKilled(0))
        .actor(StayUnlessKilled(2))
        .actor(OomKill)
        .reaches("a vforked child is passed over"),
        Scenario::new(
            "vforked_child_exits",
            "a vforked child of a task with OOM_SCORE_ADJ_MIN exits while the OOM killer comes to it",
        )
        .inline_only()
        .mm(1)
        .mm(1)
        .victim(0)
        .vforked_by(1)
        .task(0)
        .oom_score_adj_min()
        .victim(1)
        .actor(Exit(0))
        .actor(StayUnlessKilled(2))
        .actor(OomKill)
        .reaches("a vforked child is passed over"),
        Scenario::new(
            "candidate_with_a_dead_leader",
            "the only candidate is a group whose leader exits and whose other thread does not",
        )
        .inline_only()
        .mm(1)
        .victim(0)
        .thread()
        .actor(Exit(0))
        .actor(ExitWhenKilled(1))
        .actor(OomKill)
        .reaches("the reaper reaps"),
        Scenario::new(
            "sharer_of_a_reaped_victim",
            "the victim's memory is not enough, and neither it nor a sharer of its mm can exit",
        )
        .inline_only()
        .mm(1)
        .mm(1)
        .victim(0)
        .victim(0)
        .victim(1)
        .actor(StayUnlessKilled(2))
        .actor(OomKillTwice(0))
        .reaches("a candidate whose mm has MMF_OOM_SKIP is passed over")
        .reaches("the reaper reaps"),
    ]
}
