//! The code of actors that copy from user memory and pass on what they find.

use super::{Body, forget};
use crate::scenario::{Actor, Scenario};
use mmspec_model::include::mm_types::MmStruct;
use mmspec_model::k::engine::{Fault, engine};
use mmspec_model::k::goal;
use mmspec_model::kernel::fork::mmput;
use mmspec_model::mm::fault::{Content, User, copy_from_user, copy_to_user};
use mmspec_model::system::System;

/// What `actor` runs, if it is one of these.
pub(super) fn body(scenario: &Scenario, actor: Actor) -> Body {
    match actor {
        Actor::WritePage(t) => {
            let mm = scenario.tasks[t].mm;
            Box::new(move |sys| write(sys, &sys.mms[mm], 0))
        }
        Actor::FillPage(t) => {
            let mm = scenario.tasks[t].mm;
            Box::new(move |sys| {
                read(sys, &sys.mms[mm], t as u32);
            })
        }
        Actor::PassPageOn(t) => {
            let mm = scenario.tasks[t].mm;
            Box::new(move |sys| {
                if read(sys, &sys.mms[mm], t as u32) {
                    write(sys, &sys.mms[mm], t as u32);
                }
            })
        }
        Actor::ActOnPage(mm) => Box::new(move |sys| {
            let mm = &sys.mms[mm];
            match copy_from_user(sys, mm, User::KernelThread, 0) {
                Some(Content::Data) => goal("a kernel thread finds data"),
                Some(Content::Zeros) => {
                    lost("a kernel thread takes the zeros of a new page for what the process has written");
                }
                Some(Content::OfFile) => {
                    lost("a kernel thread takes what a file holds for what the process has written");
                }
                None => goal("a kernel thread gets -EFAULT"),
            }
            forget(1);
            mmput(sys, mm, None);
        }),
        _ => unreachable!("an actor of another file"),
    }
}

/// `read()` into a part of a page: whether it has filled that.
fn read(sys: &System, mm: &MmStruct, part: u32) -> bool {
    let filled = copy_to_user(sys, mm, User::Thread, part);
    goal(if filled { "read() has filled its part of a page" } else { "read() returns -EFAULT" });
    filled
}

/// `write()` of a part of a page that the caller, or somebody before him, has filled. Nobody looks for SIGKILL
/// between the fault and the copy, as `pipe_write()` does not.
fn write(sys: &System, mm: &MmStruct, part: u32) {
    match copy_from_user(sys, mm, User::Thread, part) {
        Some(Content::Data) => goal("write() copies data"),
        Some(Content::Zeros) => lost("zeros are written in place of what was in memory"),
        Some(Content::OfFile) => {
            lost("what a file holds is written elsewhere in place of what was in memory");
        }
        None => goal("write() returns -EFAULT"),
    }
}

fn lost(what: &'static str) {
    engine().fault(Fault { rule: "R30", what });
}
