//! The code of a task that dumps core, and of those who change its address space.

use super::{Body, forget};
use crate::scenario::{Actor, Scenario};
use mmspec_model::fs::coredump::{collapse_huge_page, do_coredump, do_madvise, userfaultfd_register};
use mmspec_model::include::mm_types::MmStruct;
use mmspec_model::include::sched_mm::mmdrop;
use mmspec_model::kernel::exit::do_exit;
use mmspec_model::system::System;

/// What `actor` runs, if it is one of these.
pub(super) fn body(scenario: &Scenario, actor: Actor) -> Body {
    match actor {
        Actor::DumpAndExit(t) => {
            let mm = scenario.tasks[t].mm;
            Box::new(move |sys| {
                do_coredump(sys, &sys.mms[mm]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::RegisterUserfaultfd(mm) => with_struct(mm, userfaultfd_register),
        Actor::MadviseFromWorker(mm) => with_struct(mm, do_madvise),
        Actor::CollapseHuge(mm) => with_struct(mm, collapse_huge_page),
        _ => unreachable!("an actor of another file"),
    }
}

/// Somebody who owns an `mm_count` from the start.
fn with_struct(mm: usize, changes: impl Fn(&System, &MmStruct) + 'static) -> Body {
    Box::new(move |sys| {
        changes(sys, &sys.mms[mm]);
        forget(1);
        mmdrop(sys, &sys.mms[mm]);
    })
}
