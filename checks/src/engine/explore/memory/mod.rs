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
    fn write_state(&mut self, out: &mut Vec<u8>);
}
