//! Races on ordinary memory and uses of freed objects, judged by vector clocks, for any memory model
//! that can say what happens before an access.

use crate::engine::explore::footprint::{Clock, MAX_THREADS};
use mmspec_model::k::engine::Fault;

const ZERO: Clock = [0; MAX_THREADS];

/// Two unordered accesses of ordinary memory.
pub const RACE: Fault =
    Fault { rule: "race", what: "two unordered accesses of ordinary memory, one of them a write" };
/// An access after the free.
pub const FREED: Fault = Fault { rule: "uaf", what: "a freed object is used" };
/// An access that nothing orders before the free.
pub const IN_USE: Fault =
    Fault { rule: "uaf", what: "an object is freed while an access to it is not ordered before" };
/// A second free.
pub const TWICE: Fault = Fault { rule: "double-free", what: "an object is freed twice" };

/// Accesses of one variable that a later one may race with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variable {
    writer: usize,
    written: u16,
    reads: Clock,
}

impl Variable {
    /// `thread` reads, knowing `now`.
    pub fn read(&mut self, thread: usize, now: &Clock) -> Option<Fault> {
        self.reads[thread] = now[thread];
        (self.written > now[self.writer]).then_some(RACE)
    }

    /// `thread` writes, knowing `now`.
    pub fn write(&mut self, thread: usize, now: &Clock) -> Option<Fault> {
        let race = self.written > now[self.writer] || unseen(&self.reads, now);
        *self = Self { writer: thread, written: now[thread], reads: ZERO };
        race.then_some(RACE)
    }
}

/// Accesses of one object's words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocation {
    /// Whether it is freed.
    pub freed: bool,
    accesses: Clock,
}

impl Allocation {
    /// `thread` touches a word of it.
    pub fn touch(&mut self, thread: usize, now: &Clock) -> Option<Fault> {
        if self.freed {
            return Some(FREED);
        }
        self.accesses[thread] = now[thread];
        None
    }

    /// `thread` frees it, knowing `now`.
    pub fn free(&mut self, now: &Clock) -> Option<Fault> {
        if self.freed {
            return Some(TWICE);
        }
        let in_use = unseen(&self.accesses, now);
        *self = Self { freed: true, accesses: ZERO };
        in_use.then_some(IN_USE)
    }
}

fn unseen(accesses: &Clock, now: &Clock) -> bool {
    accesses.iter().zip(now).any(|(access, known)| access > known)
}

/// The epochs that some check may still compare with. Only how a clock stands to these matters, so
/// that states are written with ranks in place of epochs.
pub struct Epochs([Vec<u16>; MAX_THREADS]);

impl Epochs {
    /// Epochs held by these variables and objects.
    pub fn of<'a>(
        variables: impl Iterator<Item = &'a Variable>,
        objects: impl Iterator<Item = &'a Allocation>,
    ) -> Self {
        let mut epochs: [Vec<u16>; MAX_THREADS] = Default::default();
        let mut add = |clock: &Clock| {
            for (list, &epoch) in epochs.iter_mut().zip(clock).filter(|(_, e)| **e > 0) {
                list.push(epoch);
            }
        };
        for variable in variables {
            add(&variable.reads);
            add(&write_clock(variable));
        }
        objects.for_each(|o| add(&o.accesses));
        for list in &mut epochs {
            list.sort_unstable();
            list.dedup();
        }
        Self(epochs)
    }

    /// Write how `clock` stands to the epochs.
    pub fn write(&self, clock: &Clock, out: &mut Vec<u8>) {
        for (list, &epoch) in self.0.iter().zip(clock).filter(|(l, _)| !l.is_empty()) {
            out.push(list.partition_point(|&e| e <= epoch) as u8);
        }
    }

    /// Write a variable.
    pub fn write_variable(&self, variable: &Variable, out: &mut Vec<u8>) {
        self.write(&write_clock(variable), out);
        self.write(&variable.reads, out);
    }

    /// Write an object.
    pub fn write_allocation(&self, object: &Allocation, relevant: bool, out: &mut Vec<u8>) {
        out.push(u8::from(object.freed));
        if relevant {
            self.write(&object.accesses, out);
        }
    }
}

fn write_clock(variable: &Variable) -> Clock {
    let mut clock = ZERO;
    clock[variable.writer] = variable.written;
    clock
}
