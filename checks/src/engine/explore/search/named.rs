//! One execution, by a schedule of named steps: it survives edits of the model that do not concern
//! it, and says where it no longer fits.

use super::{Blocked, Offer, Point, Search};
use crate::engine::explore::footprint::Footprint;
use crate::engine::explore::record::Decision;
use std::cell::RefCell;
use std::rc::Rc;

/// Where a schedule no longer fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Position in the schedule, from 0.
    pub at: usize,
    /// What the schedule asks for; `None` past its end.
    pub expected: Option<Decision>,
    /// What that thread stands before, if it exists.
    pub offered: Option<Offer>,
    /// Whether that step could run.
    pub enabled: bool,
}

/// Follows a schedule of named steps.
pub struct Named {
    schedule: Vec<Decision>,
    at: usize,
    threads: usize,
    diverged: Rc<RefCell<Option<Divergence>>>,
}

impl Named {
    /// Follow `schedule` in a program of `threads` threads; a divergence is left in `diverged`.
    pub fn new(schedule: Vec<Decision>, threads: usize, diverged: Rc<RefCell<Option<Divergence>>>) -> Self {
        Self { schedule, at: 0, threads, diverged }
    }
}

impl Search for Named {
    fn begin(&mut self) {
        self.at = 0;
    }

    fn decide(&mut self, at: Point) -> Option<usize> {
        let position = self.at;
        self.at += 1;
        let expected = self.schedule.get(position).cloned();
        let thread = expected.as_ref().map(|d| d.thread).filter(|t| *t < self.threads);
        let offered = thread.map(at.offer);
        let enabled = thread.is_some_and(|t| at.enabled >> t & 1 == 1);
        let fits =
            matches!((&expected, &offered), (Some(e), Some(o)) if e.step == o.step && e.word == o.word);
        if fits && enabled {
            return thread;
        }
        self.diverged.borrow_mut().get_or_insert(Divergence { at: position, expected, offered, enabled });
        None
    }

    fn choose(&mut self, n: usize) -> usize {
        let wanted =
            self.at.checked_sub(1).and_then(|i| self.schedule.get(i)).map_or(0, |d| d.alternative as usize);
        wanted.min(n - 1)
    }

    fn step_done(&mut self, _: usize, _: &Footprint) {}

    fn end(&mut self, _: &[Blocked]) {}

    fn advance(&mut self) -> bool {
        false
    }

    fn schedule(&self) -> Vec<u16> {
        Vec::new()
    }

    fn preemptions(&self) -> u32 {
        0
    }
}
