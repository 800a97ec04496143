//! What a thread, a message or a lock knows: a lower bound on the messages of each word, and a
//! vector clock of what happened before.

use crate::engine::explore::footprint::{Clock, MAX_THREADS, join};

/// Most Atomic words of a program.
pub const MAX_ATOMICS: usize = 48;

/// A view. Joins are componentwise maxima.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// For each Atomic word, position of the newest message known.
    pub at: [u8; MAX_ATOMICS],
    /// Happens-before, for races on ordinary memory and uses of freed objects.
    pub hb: Clock,
}

impl View {
    /// Knows nothing.
    pub const NONE: Self = Self { at: [0; MAX_ATOMICS], hb: [0; MAX_THREADS] };

    /// Learn all that `other` knows.
    pub fn join(&mut self, other: &Self) {
        self.join_positions(other);
        join(&mut self.hb, &other.hb);
    }

    /// Learn of messages only: what a barrier pairs up, without happens-before.
    pub fn join_positions(&mut self, other: &Self) {
        for (mine, theirs) in self.at.iter_mut().zip(&other.at) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Know of message `position` of the word in `slot`.
    pub fn raise(&mut self, slot: usize, position: usize) {
        self.at[slot] = self.at[slot].max(position as u8);
    }
}
