//! Ghost words and coverage goals.

use crate::{dfs, failure, loom, mm, outcomes, program, sampled, setup, thread};
use mmspec_model::k::atomic::{AtomicT, atomic_inc, atomic_inc_not_zero, read_once};
use mmspec_model::k::engine::Fault;
use mmspec_model::k::goal;
use mmspec_model::k::plain::{Ghost, ghost_mark};
use mmspec_model::k::program::Setup;
use std::collections::BTreeSet;

/// Two threads step on words of their own; `late` may not have been there before `early`.
fn ghost_order(same_word: bool) -> Setup {
    setup(move || {
        let (mm, order) = (mm(), Ghost::new(mm(), "order"));
        let [x, y] = ["x", "y"].map(|name| AtomicT::new(mm, name, 0));
        let fault = Fault { rule: "R0", what: "late comes before early" };
        let early = thread("early", move || {
            atomic_inc(x);
            ghost_mark(order, 1, 0, 2, fault);
        });
        let late = thread("late", move || {
            if !same_word {
                atomic_inc(y);
                ghost_mark(order, 2, 0, 0, fault);
            } else if read_once(x) == 1 {
                ghost_mark(order, 2, 0, 0, fault);
            }
        });
        program(vec![early, late], String::new)
    })
}

#[test]
fn a_ghost_ties_unrelated_steps() {
    for report in [loom(&ghost_order(false)), dfs(&ghost_order(false))] {
        assert_eq!(failure(&report).rule, "R0");
    }
}

#[test]
fn a_ghost_belongs_to_the_step_before_it() {
    for report in [loom(&ghost_order(true)), dfs(&ghost_order(true))] {
        assert_eq!(report.failure.as_ref().map(|failure| &failure.what), None);
    }
}

#[test]
fn a_goal_that_is_out_of_reach_is_not_reported() {
    let setup = setup(|| {
        let mm = mm();
        let users = AtomicT::new(mm, "mm_users", 0);
        let getter = thread("getter", move || {
            goal(if atomic_inc_not_zero(users) { "revived" } else { "dead" });
        });
        program(vec![getter], move || users.peek().to_string())
    });
    for report in [loom(&setup), dfs(&setup), sampled(&setup, 10)] {
        assert_eq!(report.goals, BTreeSet::from(["dead"]));
        assert_eq!(outcomes(&report), ["0"]);
    }
}
