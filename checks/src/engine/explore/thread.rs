//! Where a thread stands, and what it has observed.

use mmspec_model::k::engine::{Sleep, Until, Word};

/// What the machine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Words and objects are being made.
    Setup,
    /// Each thread runs up to its first step.
    Starting,
    /// Threads take steps.
    Running,
    /// No thread can move.
    Ended,
    /// The search has seen all that can follow.
    Cut,
    /// A rule is broken.
    Failed,
    /// Threads return without taking steps.
    Draining,
}

/// A step that a thread is about to take.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Word it is on.
    pub word: Word,
    /// Condition under which it can run.
    pub until: Option<Until>,
    /// How it waits for that.
    pub sleep: Sleep,
    /// Name of the primitive.
    pub op: &'static str,
    /// Named constant passed to it, or empty.
    pub arg: &'static str,
    /// Whether it commutes with all that others can do before it.
    pub sole: bool,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// It has not run yet.
    Start,
    /// On its way to its first step. It stays there if it breaks a rule before.
    Begun,
    /// At a step.
    Step(Pending),
    /// Returned.
    Done,
}

/// A thread of the machine.
pub struct ThreadState {
    /// Where it stands.
    pub at: At,
    /// Fingerprint of all it has observed since it last kept nothing.
    history: u64,
    /// Histories at the beginnings of the parts that it is in and of which it will keep nothing.
    enclosing: Vec<u64>,
}

impl ThreadState {
    /// A thread at `at` that has observed nothing.
    pub fn at(at: At) -> Self {
        Self { at, history: 0, enclosing: Vec::new() }
    }

    /// It learns `value`.
    pub fn observe(&mut self, value: u64) {
        self.history = mix(self.history, value);
    }

    /// It keeps nothing of what it has observed, and stands at a numbered place.
    pub fn forget(&mut self, place: u64) {
        self.history = mix(0, place);
    }

    /// A part begins of which it will keep nothing.
    pub fn enclose(&mut self) {
        self.enclosing.push(self.history);
    }

    /// That part ends.
    pub fn disclose(&mut self) {
        self.history = mix(self.enclosing.pop().expect("parts nest"), 1);
    }

    /// Fingerprint of what it has observed and kept.
    pub fn history(&self) -> u64 {
        self.history
    }
}

fn mix(history: u64, value: u64) -> u64 {
    (history.rotate_left(25) ^ value).wrapping_add(0x2545_f491_4f6c_dd1d).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
