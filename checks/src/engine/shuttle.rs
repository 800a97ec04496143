//! The `shuttle` engine: random and PCT schedules of programs too large to exhaust.
//!
//! Memory is sequentially consistent whatever order an access asks for, so this engine sees neither
//! weak memory nor data races, and a freed object only when it is used afterwards. Sampled schedules
//! therefore interleave accesses of ordinary memory too: what a race leads to may still be seen.
//! Depth-first search takes the same steps as the in-house engines and reduces nothing: it counts
//! interleavings, as a check of the engines that do not.

mod memory;
mod steering;

use super::environment::{ForeignSetting, refuse_foreign_settings};
use super::native::Native;
use super::native::state::Exploration;
use super::quiet;
use super::report::{Effort, Limits, Report};
use ::shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler as Choice};
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use memory::Memory;
use mmspec_model::k::engine::install;
use mmspec_model::k::program::{Setup, Thread};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use steering::{Progress, Steered, engine, set_engine};

/// Stack of one thread; shuttle uses stacks again, so that room costs nothing.
const STACK_BYTES: usize = 256 * 1024;

/// Fewest change points of PCT that find most known bugs.
const PCT_DEPTH: usize = 3;

/// Who chooses the next thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Depth-first search of all interleavings.
    Dfs,
    /// Half of the runs by uniform choice, half by PCT: a quarter each with 3 change points and with
    /// as many as there are threads. Neither finds everything that the other does.
    Portfolio {
        /// Seed of all choices.
        seed: u64,
        /// Executions in all.
        runs: u64,
    },
}

/// The engine and its options.
#[derive(Clone, Copy, Debug)]
pub struct Shuttle {
    /// Who chooses.
    pub scheduler: Scheduler,
    /// When to give up.
    pub limits: Limits,
}

impl Shuttle {
    /// Explore `setup`.
    ///
    /// # Errors
    /// When the environment could change what is explored.
    pub fn run(&self, setup: &Setup) -> Result<Report, ForeignSetting> {
        refuse_foreign_settings()?;
        let (search, effort) = match self.scheduler {
            Scheduler::Dfs => ("dfs", Effort::Complete),
            Scheduler::Portfolio { seed, .. } => ("random+pct", Effort::Sampled { seed }),
        };
        let exploration = Exploration::begin(Report::new("shuttle", search), self.limits);
        let quiet = quiet::exploring();
        let finished = match self.scheduler {
            Scheduler::Dfs => explore(&exploration, DfsScheduler::new(None, false), false, setup).exhausted,
            Scheduler::Portfolio { seed, runs } => portfolio(&exploration, seed, runs as usize, setup),
        };
        drop(quiet);
        set_engine(None);
        BODIES.take();
        install(None);
        Ok(exploration.end(if finished { effort } else { Effort::Unfinished }))
    }
}

fn portfolio(exploration: &Rc<Exploration>, seed: u64, runs: usize, setup: &Setup) -> bool {
    let pct = runs / 2;
    let deep = pct / 2;
    let random = explore(exploration, RandomScheduler::new_from_seed(seed, runs - pct), true, setup);
    if random.had_choice {
        // PCT panics where there is nothing to choose; then one execution is all there is.
        let depth = exploration.state.borrow().stands.len().max(PCT_DEPTH);
        explore(exploration, PctScheduler::new_from_seed(seed, PCT_DEPTH, pct - deep), true, setup);
        explore(exploration, PctScheduler::new_from_seed(seed, depth, deep), true, setup);
    }
    !random.had_choice || exploration.state.borrow().report.executions == runs as u64
}

fn explore(
    exploration: &Rc<Exploration>,
    choice: impl Choice + 'static,
    plain_is_a_step: bool,
    setup: &Setup,
) -> Progress {
    let progress = Rc::new(Cell::new(Progress::default()));
    let steered = Steered::new(choice, exploration.clone(), progress.clone());
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::None;
    config.max_time = None;
    config.silence_warnings = true;
    let setup = setup.clone();
    let run = || Runner::new(steered, config).run(move || execution(&setup, plain_is_a_step));
    if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
        let text = quiet::message(payload.as_ref()).unwrap_or_else(|| "panic".into());
        exploration.state.borrow_mut().fail("panic", text);
    }
    progress.get()
}

thread_local! {
    /// shuttle wants thread bodies that could be sent to another OS thread: they are found here.
    static BODIES: RefCell<Vec<Thread>> = const { RefCell::new(Vec::new()) };
}

/// One execution, on shuttle's main thread.
fn execution(setup: &Setup, plain_is_a_step: bool) {
    let exploration = Exploration::here();
    let native = Rc::new(Native::new(Memory::new(plain_is_a_step), exploration.clone()));
    set_engine(Some(native.clone()));
    install(Some(native));
    let program = setup();
    let threads = program.threads.len();
    exploration.start_threads(&program);
    BODIES.set(program.threads);
    for index in 1..threads {
        ::shuttle::thread::spawn(move || run_thread(index));
    }
    run_thread(0);
}

fn run_thread(index: usize) {
    let body = BODIES.with_borrow(|bodies| bodies[index].body.clone());
    engine().run_thread(index, &*body);
}
