//! Coroutines that run one job after another on a stack of their own.
//!
//! A coroutine is never unwound or thrown away half-way: whoever uses it lets each job return.

use generator::{Generator, Gn};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Stack of one coroutine, in machine words: the deepest call chain of the model, formatted panics
/// included, with room to spare.
const STACK_WORDS: usize = 32 * 1024;

thread_local! {
    static JOB: RefCell<Option<Rc<dyn Fn()>>> = const { RefCell::new(None) };
    static FINISHED: RefCell<Option<Result<(), String>>> = const { RefCell::new(None) };
}

/// A coroutine of this OS thread.
pub struct Coroutine {
    generator: Generator<'static, (), ()>,
}

/// Why a coroutine gave back control.
pub enum Paused {
    /// It called [`suspend`].
    Suspended,
    /// Its job returned, or panicked with a message.
    Finished(Result<(), String>),
}

impl Default for Coroutine {
    fn default() -> Self {
        Self::new()
    }
}

impl Coroutine {
    /// A coroutine without a job.
    #[allow(
        deprecated,
        reason = "the scope that replaces yield_with() cannot be reached from deep inside the model"
    )]
    pub fn new() -> Self {
        let generator = Gn::<()>::new_opt(STACK_WORDS, || {
            while let Some(job) = JOB.take() {
                let result = catch_unwind(AssertUnwindSafe(|| job()));
                drop(job);
                FINISHED.set(Some(result.map_err(|payload| panic_text(payload.as_ref()))));
                generator::yield_with(());
            }
        });
        Self { generator }
    }

    /// Run `job` until it suspends or returns. Only when the previous job has finished.
    pub fn start(&mut self, job: Rc<dyn Fn()>) -> Paused {
        JOB.set(Some(job));
        self.resume()
    }

    /// Run on until the job suspends again or returns.
    pub fn resume(&mut self) -> Paused {
        self.generator.resume();
        FINISHED.take().map_or(Paused::Suspended, Paused::Finished)
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            JOB.set(None);
            self.generator.resume();
        }
    }
}

/// Give back control to whoever resumed the running coroutine.
#[allow(deprecated, reason = "see Coroutine::new")]
pub fn suspend() {
    generator::yield_with(());
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "panic".into())
}
