//! Kernel threads.

use super::engine::{Note, engine};

/// The endless loop of a kernel thread. One turn must keep nothing for the next (it is an `Fn`), so
/// that an idle thread is the same state however much it has done.
pub fn run_loop(turn: impl Fn()) {
    while !engine().stopping() {
        engine().note(Note::Forget(1));
        turn();
    }
}
