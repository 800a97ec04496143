//! The kernel's primitives, with its names and its memory order, over [`Engine`].
//!
//! Nothing here knows about address spaces. There are no guards: `down_read()` and `up_read()` are
//! calls, as in C.

pub mod atomic;
pub mod bitops;
pub mod completion;
pub mod engine;
pub mod kthread;
pub mod llist;
pub mod lock;
pub mod plain;
pub mod preempt_rt;
pub mod program;
pub mod srcu;
pub mod wait;
pub mod work;

pub use engine::Engine;

/// A kernel function on the call stack of a thread, for traces. Ends when it is dropped.
#[must_use = "the call ends when this is dropped"]
pub struct Call(());

/// Enter the kernel function `name`.
pub fn call(name: &'static str) -> Call {
    engine::engine().note(engine::Note::Enter(name));
    Call(())
}

impl Drop for Call {
    fn drop(&mut self) {
        engine::engine().note(engine::Note::Leave);
    }
}

/// Run `f`, of which nothing is kept: it returns nothing, and must not write what it captures. Two
/// runs that differ only in what happened inside are the same afterwards.
pub fn enclosed(f: impl Fn()) {
    engine::engine().note(engine::Note::Enclose);
    f();
    engine::engine().note(engine::Note::Disclose);
}

/// A coverage goal is reached: the scenario gets to its race.
pub fn goal(name: &'static str) {
    engine::engine().note(engine::Note::Goal(name));
}
