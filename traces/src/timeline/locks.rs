//! Who holds which lock, and who waits for it.

use super::Moment;
use super::order::{LockStep, lock_step};
use crate::file::TraceFile;
use crate::table::words::{lvalue, only_queues};
use mmspec_model::event::{Event, Kind};
use std::collections::HashMap;

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Its word, as in C.
    pub name: String,
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By one of several readers.
    Read,
    /// Alone.
    Write,
    /// Not yet: the task waits.
    Waits,
}

/// A stretch of steps for which a task holds a lock or waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Index in [`Timeline::locks`](super::Timeline::locks).
    pub lock: usize,
    /// Index of the task.
    pub task: usize,
    /// How.
    pub mode: Mode,
    /// Step that takes it, or arrives at it.
    pub from: usize,
    /// Step that gives it up, or takes it at last; `None` if the trace ends before.
    pub until: Option<usize>,
}

/// Locks and holds of `file`.
pub fn locks(file: &TraceFile, steps: &[Moment]) -> (Vec<Lock>, Vec<Hold>) {
    let mut found = Found::default();
    for (number, step) in steps.iter().enumerate() {
        let e = &file.events[step.event];
        if let Some((what, reads)) = lock_step(e)
            && e.kind != Kind::Ghost
            && e.kind != Kind::Fence
        {
            found.step(e, number, what, reads);
        }
    }
    (found.locks, found.holds)
}

#[derive(Default)]
struct Found {
    locks: Vec<Lock>,
    index: HashMap<String, usize>,
    holds: Vec<Hold>,
    /// The hold or wait of each task on each lock that goes on.
    open: HashMap<(usize, usize), usize>,
}

impl Found {
    fn step(&mut self, e: &Event, number: usize, what: LockStep, reads: bool) {
        let name = lvalue(e);
        let next = self.locks.len();
        let lock = *self.index.entry(name.clone()).or_insert(next);
        if lock == next {
            self.locks.push(Lock { name });
        }
        let mode = if reads { Mode::Read } else { Mode::Write };
        match what {
            LockStep::Give => self.close(lock, e.task, number),
            LockStep::Downgrade => self.open(lock, e.task, number, Mode::Read),
            LockStep::Take if waits(e) => {
                let waiting = |&hold: &usize| self.holds[hold].mode == Mode::Waits;
                if !self.open.get(&(lock, e.task)).is_some_and(waiting) {
                    self.open(lock, e.task, number, Mode::Waits);
                }
            }
            LockStep::Take if e.kind == Kind::Write && e.before != e.after => {
                self.open(lock, e.task, number, mode);
            }
            LockStep::Take => {}
        }
    }

    fn close(&mut self, lock: usize, task: usize, number: usize) {
        if let Some(hold) = self.open.remove(&(lock, task)) {
            self.holds[hold].until = Some(number);
        }
    }

    fn open(&mut self, lock: usize, task: usize, from: usize, mode: Mode) {
        self.close(lock, task, from);
        self.open.insert((lock, task), self.holds.len());
        self.holds.push(Hold { lock, task, mode, from, until: None });
    }
}

/// Whether the task cannot take the lock yet. One that queues in an rwsem changes its high half only.
pub fn waits(e: &Event) -> bool {
    e.kind == Kind::Waits || only_queues(e)
}
