//! The `loom` engine: a second opinion on weak memory and data races, by the C11 rules.
//!
//! Exhaustive where it can finish, else bounded by preemptions. What it does not show: load
//! buffering, a failed compare-and-exchange that reads an old value while the newest would have let
//! it succeed, and order by address, data and control dependencies. What it shows wrongly: a plain
//! store between the read and the write of a read-modify-write (its issue 254), and cycles in the
//! order of stores to one word that race with each other. `tests/tests/canaries.rs` has all of them.
//!
//! Thread 0 of a program runs as loom's main thread, and nobody joins anybody: a main thread that
//! only waits for the others multiplies the executions by ten. Stacks are of 32 KiB.

mod memory;
mod place;

use super::environment::{ForeignSetting, refuse_foreign_settings};
use super::native::Native;
use super::native::state::Exploration;
use super::quiet;
use super::report::{Effort, Limits, MAX_STEPS, Report};
use ::loom::model::Builder;
use memory::{Memory, Stop};
use mmspec_model::k::engine::install;
use mmspec_model::k::program::Setup;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

/// Two explorations on two OS threads of one process take longer than one after the other: half of
/// loom's time goes into mapping stacks.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// `search` of the report of a program with more threads than loom has: nothing was explored.
pub const TOO_MANY_THREADS: &str = "too many threads";

/// Whether loom can run a program with so many threads.
pub fn fits(threads: usize) -> bool {
    threads <= ::loom::MAX_THREADS
}

/// The engine and its options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loom {
    /// Most preemptions in one execution; `None` is exhaustive. This bound is loom's: once it is
    /// reached even switches away from a blocked thread are not varied any more.
    pub preemptions: Option<u32>,
    /// When to give up.
    pub limits: Limits,
}

impl Loom {
    /// Explore `setup`. A program that does not fit is not explored: see [`TOO_MANY_THREADS`].
    ///
    /// # Errors
    /// When the environment could change what is explored.
    pub fn run(&self, setup: &Setup) -> Result<Report, ForeignSetting> {
        refuse_foreign_settings()?;
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let search = if self.preemptions.is_some() { "bounded dpor" } else { "dpor" };
        let exploration = Exploration::begin(Report::new("loom", search), self.limits);
        let quiet = quiet::exploring();
        let builder = self.builder();
        let setup = setup.clone();
        let ended = catch_unwind(AssertUnwindSafe(|| builder.check(move || execution(&setup))));
        drop(quiet);
        install(None);
        let effort = match &ended {
            Ok(()) => self.bound().map_or(Effort::Complete, Effort::Bounded),
            Err(payload) => {
                if !payload.is::<Stop>() {
                    let text = quiet::message(payload.as_ref()).unwrap_or_else(|| "panic".into());
                    exploration.state.borrow_mut().fail("panic", text);
                }
                Effort::Unfinished
            }
        };
        Ok(exploration.end(effort))
    }

    /// loom counts preemptions in a byte.
    fn bound(&self) -> Option<u32> {
        self.preemptions.map(|bound| bound.min(u32::from(u8::MAX)))
    }

    /// Every field is set: the defaults come from the environment. Executions and time are counted
    /// here, because loom looks at its own limits every 20,000 executions only.
    fn builder(&self) -> Builder {
        let mut builder = Builder::new();
        builder.max_threads = ::loom::MAX_THREADS;
        // A step is at most three branches (touch, load, choice of the value), and there are ends and parks.
        builder.max_branches = 4 * MAX_STEPS;
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.preemption_bound = self.bound().map(|bound| bound as usize);
        builder.checkpoint_file = None;
        builder.checkpoint_interval = usize::MAX;
        builder.expect_explicit_explore = false;
        builder.location = false;
        builder.log = false;
        builder
    }
}

/// One execution, on loom's main thread.
fn execution(setup: &Setup) {
    let exploration = Exploration::here();
    if !exploration.may_go_on() {
        resume_unwind(Box::new(Stop));
    }
    exploration.begin_execution();
    let engine = Rc::new(Native::new(Memory::default(), exploration.clone()));
    install(Some(engine.clone()));
    let program = setup();
    if !fits(program.threads.len()) {
        let mut state = exploration.state.borrow_mut();
        (state.report.search, state.report.executions) = (TOO_MANY_THREADS, 0);
        drop(state);
        resume_unwind(Box::new(Stop));
    }
    exploration.start_threads(&program);
    for (index, thread) in program.threads.iter().enumerate().skip(1) {
        let (engine, body) = (engine.clone(), thread.body.clone());
        ::loom::thread::spawn(move || engine.run_thread(index, &*body));
    }
    engine.run_thread(0, &*program.threads[0].body);
}
