//! What memory does: which values a read may return, what a write leaves, and which accesses of
//! ordinary memory race.

pub mod races;
pub mod sc;
pub mod view;
pub mod views;

use super::footprint::Access;
use mmspec_model::k::engine::{Class, Fault, Object, Order, Rmw, Until, Word};

/// Result of one access.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Value found.
    pub before: u64,
    /// Value left.
    pub after: u64,
    /// What the thread learns.
    pub ret: u64,
    /// How it touched its word.
    pub access: Access,
    /// Rule that the access breaks.
    pub fault: Option<Fault>,
}

/// What some thread may still touch; of the rest, only final values matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relevant {
    /// Words, by index; the last bit stands for all from there on.
    pub words: u128,
    /// Objects that may still be freed, likewise.
    pub objects: u64,
}

impl Relevant {
    /// Everything.
    pub const ALL: Self = Self { words: u128::MAX, objects: u64::MAX };

    /// Whether the word with this index may still be touched.
    pub fn word(&self, index: usize) -> bool {
        self.words >> index.min(127) & 1 == 1
    }

    /// Whether the object with this index may still be freed.
    pub fn object(&self, index: usize) -> bool {
        self.objects >> index.min(63) & 1 == 1
    }
}

/// Picks one of `n` alternatives; each will be explored.
pub type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

/// A memory model, as a machine that threads take steps on.
pub trait Memory {
    /// Whether other threads may do something between an access and a full barrier behind it that
    /// they could not have done before both.
    const FENCE_IS_A_STEP: bool;
    /// Add a word (while a program is set up).
    fn add_word(&mut self, class: Class, owner: Object, init: u64);
    /// Add an object (while a program is set up).
    fn add_object(&mut self);
    /// Back to the initial state, for `threads` threads.
    fn reset(&mut self, threads: usize);
    /// Whether a step that waits for `until` on the Sync word can run.
    fn ready(&self, word: Word, until: Until) -> bool;
    /// Read.
    fn load(&mut self, thread: usize, word: Word, order: Order, choose: Choose) -> Done;
    /// Write.
    fn store(&mut self, thread: usize, word: Word, value: u64, order: Order, choose: Choose) -> Done;
    /// Read-modify-write.
    fn rmw(&mut self, thread: usize, word: Word, order: Order, rmw: &Rmw, choose: Choose) -> Done;
    /// Barrier.
    fn fence(&mut self, thread: usize, order: Order);
    /// Free an object: a write to all of it.
    fn free(&mut self, thread: usize, object: Object) -> Option<Fault>;
    /// A thread has finished: it will never look at memory again.
    fn finish(&mut self, thread: usize);
    /// Newest value.
    fn peek(&self, word: Word) -> u64;
    /// Whether an object is freed.
    fn freed(&self, object: Object) -> bool;
    /// Write everything that the future depends on, in a canonical form.
    fn write_state(&mut self, relevant: &Relevant, out: &mut Vec<u8>);
}
