//! One execution, by a schedule of named steps: it survives edits of the model that do not concern
//! it, and says where it no longer fits.

use super::{Blocked, Offer, Point, Search};
use crate::engine::explore::footprint::Footprint;
use crate::engine::explore::machine::FENCE;
use crate::engine::explore::record::Decision;
use std::cell::RefCell;
use std::rc::Rc;

/// How far ahead a step of the model is looked for in the schedule before it is taken for a new one.
const WINDOW: usize = 8;

/// A step that the schedule asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who, and the step that it has to stand before.
    pub decision: Decision,
    /// Value that it has to find; `None` if any will do. An alternative that gives it is then tried for.
    pub before: Option<u64>,
}

impl Wanted {
    fn fits(&self, offer: &Offer) -> bool {
        let Decision { step, arg, word, .. } = &self.decision;
        step == offer.step && word == &offer.word && (arg.is_empty() || arg == offer.arg)
    }
}

/// What keeps a thread from taking its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Value of the word that it waits on.
    pub value: u64,
    /// Thread that last took that lock, or was last woken there.
    pub taker: Option<usize>,
}

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
    /// If not, why.
    pub obstacle: Option<Obstacle>,
    /// The step fits, but the value that it finds does not: the one asked for, and the one found.
    pub values: Option<(u64, u64)>,
}

/// Where a thread stands at a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The step that it stands before.
    pub offer: Offer,
    /// Whether that could run.
    pub can_run: bool,
}

/// Where the model leaves the schedule, and joins it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It takes a step that the schedule has not.
    New {
        /// Position of the schedule, from 0.
        at: usize,
        /// Who.
        thread: usize,
        /// The step.
        offer: Offer,
    },
    /// It does not take a step of the schedule.
    Gone {
        /// Position of that step, from 0.
        at: usize,
    },
}

/// What happened on the way.
#[derive(Debug, Default)]
pub struct Path {
    /// Where it ended before the schedule did, or the other way round.
    pub divergence: Option<Divergence>,
    /// Where it left the schedule for some steps.
    pub edits: Vec<Edit>,
    /// Where each thread stood at each decision.
    pub stands: Vec<Vec<Stand>>,
    /// For each step taken, its position in the schedule, if it is there.
    pub positions: Vec<Option<usize>>,
}

/// Follows a schedule of named steps.
pub struct Named {
    schedule: Vec<Wanted>,
    threads: usize,
    /// How many edits are put up with.
    most_edits: usize,
    path: Rc<RefCell<Path>>,
    at: usize,
    /// Step of the schedule that is being taken.
    taken: Option<usize>,
    /// For each step of the schedule, the alternative tried and how many there are.
    alternatives: Vec<(usize, usize)>,
    /// Step of the schedule that found another value than it had to.
    mismatch: Option<usize>,
}

impl Named {
    /// Follow `schedule` in a program of `threads` threads, with at most so many edits; what happens is
    /// left in `path`.
    pub fn new(schedule: Vec<Wanted>, threads: usize, most_edits: usize, path: Rc<RefCell<Path>>) -> Self {
        let alternatives = schedule.iter().map(|w| (w.decision.alternative as usize, 1)).collect();
        Self { schedule, threads, most_edits, path, at: 0, taken: None, alternatives, mismatch: None }
    }

    fn next(&mut self, path: &mut Path, stands: &[Stand]) -> Option<usize> {
        loop {
            let at = self.at;
            let Some(wanted) = self.schedule.get(at) else {
                diverge(path, at, None, None);
                return None;
            };
            let thread = wanted.decision.thread;
            let stand = stands.get(thread);
            if let Some(stand) = stand
                && wanted.fits(&stand.offer)
                && stand.can_run
            {
                self.at += 1;
                self.taken = Some(at);
                return Some(thread);
            }
            let changed = stand.filter(|stand| !wanted.fits(&stand.offer));
            if let Some(stand) = changed
                && path.edits.len() < self.most_edits
            {
                if self.is_gone(at, thread, &stand.offer) {
                    path.edits.push(Edit::Gone { at });
                    self.at += 1;
                    continue;
                }
                if stand.can_run {
                    path.edits.push(Edit::New { at, thread, offer: stand.offer.clone() });
                    self.taken = None;
                    return Some(thread);
                }
            }
            diverge(path, at, Some(wanted), stand);
            return None;
        }
    }

    /// Whether `thread`, which does not stand before step `at`, has gone on to a later one.
    fn is_gone(&self, at: usize, thread: usize, offer: &Offer) -> bool {
        let rest = self.schedule[at + 1..].iter().filter(|w| w.decision.thread == thread);
        offer.step.is_empty() || rest.take(WINDOW).any(|wanted| wanted.fits(offer))
    }
}

fn diverge(path: &mut Path, at: usize, wanted: Option<&Wanted>, stand: Option<&Stand>) {
    path.divergence = Some(Divergence {
        at,
        expected: wanted.map(|w| w.decision.clone()),
        offered: stand.map(|s| s.offer.clone()),
        enabled: stand.is_some_and(|s| s.can_run),
        obstacle: None,
        values: None,
    });
}

impl Search for Named {
    fn begin(&mut self) {
        (self.at, self.taken, self.mismatch) = (0, None, None);
        self.path.take();
    }

    fn decide(&mut self, at: Point) -> Option<usize> {
        let path = self.path.clone();
        let mut path = path.borrow_mut();
        let stand = |t: usize| Stand { offer: (at.offer)(t), can_run: at.enabled >> t & 1 == 1 };
        let stands: Vec<Stand> = (0..self.threads).map(stand).collect();
        let chosen = if self.mismatch.is_some() { None } else { self.next(&mut path, &stands) };
        path.stands.push(stands);
        path.positions.extend(chosen.map(|_| self.taken));
        chosen
    }

    fn choose(&mut self, n: usize) -> usize {
        let Some(step) = self.taken else { return 0 };
        let (alternative, of) = &mut self.alternatives[step];
        *of = n;
        (*alternative).min(n - 1)
    }

    fn step_done(&mut self, _: usize, footprint: &Footprint) {
        let Some(at) = self.taken else { return };
        let Wanted { decision, before: Some(wanted) } = &self.schedule[at] else { return };
        // A barrier that goes with the step stands before it, and touches no word.
        let own = footprint.iter().find(|touch| touch.word != FENCE);
        if let Some(found) = own.map(|touch| touch.before).filter(|found| found != wanted) {
            self.mismatch = Some(at);
            self.path.borrow_mut().divergence = Some(Divergence {
                at,
                expected: Some(decision.clone()),
                offered: None,
                enabled: true,
                obstacle: None,
                values: Some((*wanted, found)),
            });
        }
    }

    fn end(&mut self, _: &[Blocked]) {}

    fn advance(&mut self) -> bool {
        let Some((alternative, of)) = self.mismatch.map(|at| &mut self.alternatives[at]) else {
            return false;
        };
        *alternative += 1;
        *alternative < *of
    }

    fn schedule(&self) -> Vec<u16> {
        Vec::new()
    }

    fn preemptions(&self) -> u32 {
        0
    }
}
