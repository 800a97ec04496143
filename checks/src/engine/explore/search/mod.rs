//! The order in which executions are tried.

pub mod dpor;
pub mod named;
pub mod replay;
pub mod tree;

use super::footprint::Footprint;
use mmspec_model::k::engine::{Until, Word};

/// A point at which some thread must be chosen.
pub struct Point<'a> {
    /// Bit mask of the threads that can take a step; never 0.
    pub enabled: u32,
    /// The only thread worth trying, if its step commutes with all that others can do meanwhile.
    pub sole: Option<usize>,
    /// Thread of the previous step.
    pub last: Option<usize>,
    /// Fingerprint of the state.
    pub state: &'a mut dyn FnMut() -> u128,
    /// Threads that suffice: whatever the others do first commutes with what these do next.
    pub persistent: &'a mut dyn FnMut() -> u32,
    /// The step that a thread stands before.
    pub offer: &'a dyn Fn(usize) -> Offer,
}

/// The step that a thread stands before, by name; empty if it has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Primitive.
    pub step: &'static str,
    /// Named constant passed to it, or empty.
    pub arg: &'static str,
    /// Word.
    pub word: String,
}

/// A thread that can never move again in this execution.
#[derive(Clone, Copy)]
pub struct Blocked {
    /// The thread.
    pub thread: usize,
    /// Word that it waits on.
    pub word: Word,
    /// What it waits for.
    pub until: Until,
}

/// A strategy. One execution is `begin`, then `decide` and `step_done` in turn, then `end`.
pub trait Search {
    /// A new execution starts.
    fn begin(&mut self);
    /// Thread to run next, or `None` to cut the execution: all that follows is covered elsewhere.
    fn decide(&mut self, at: Point) -> Option<usize>;
    /// One of `n` alternatives of the running step.
    fn choose(&mut self, n: usize) -> usize;
    /// The chosen thread has taken its step.
    fn step_done(&mut self, thread: usize, footprint: &Footprint);
    /// No thread can move any more, or the search has cut the execution; these threads wait.
    fn end(&mut self, blocked: &[Blocked]);
    /// This execution broke a rule. Whether to go on, for one that does so in fewer steps.
    fn shorten(&mut self) -> bool {
        false
    }
    /// Prepare the next execution; `false` when all are done.
    fn advance(&mut self) -> bool;
    /// Forget everything and start again.
    fn restart(&mut self) {}
    /// Decisions of this execution so far.
    fn schedule(&self) -> Vec<u16>;
    /// Threads interrupted in this execution although they could have run on.
    fn preemptions(&self) -> u32;
    /// Distinct states seen, if it counts them.
    fn states(&self) -> u64 {
        0
    }
    /// The preemption bound, if some execution was left out because of it.
    fn hit_bound(&self) -> Option<u32> {
        None
    }
}

/// First thread to try: run on rather than switch.
fn prefer(last: Option<usize>, among: u32) -> usize {
    match last {
        Some(t) if among >> t & 1 == 1 => t,
        _ => among.trailing_zeros() as usize,
    }
}
