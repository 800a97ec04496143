//! A trace on the model as it is now: followed where an engine can be led, searched for where not.

use super::derive::{Weak, follow_on_states, follow_on_views};
use crate::check::Engine;
use crate::engine::explore::follow::{Followed, follow, words};
use crate::engine::explore::footprint::MAX_THREADS;
use crate::engine::explore::memory::sc::Sc;
use crate::engine::explore::memory::view::MAX_ATOMICS;
use crate::engine::explore::memory::views::Views;
use crate::engine::explore::record::Decision;
use crate::engine::explore::search::named::{Divergence, Wanted};
use crate::engine::{Effort, ForeignSetting, Limits, Loom, loom};
use crate::scenario::{Scenario, library};
use mmspec_model::k::engine::Class;
use mmspec_model::k::program::Setup;
use mmspec_model::variant::{Kernel, Rule};
use mmspec_traces::{Step, TraceFile};
use std::time::Duration;
use thiserror::Error;

/// Steps that the model may have more or less than a schedule before the two are called different.
const MOST_EDITS: usize = 12;

/// Why a trace cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// No such kernel.
    #[error("unknown kernel \"{0}\"; `mmspec list kernels` shows those there are")]
    Kernel(String),
    /// No such rule.
    #[error("unknown rule \"{0}\"; `mmspec list rules` shows those there are")]
    Rule(String, usize),
    /// No such scenario.
    #[error("unknown scenario \"{0}\"; `mmspec list scenarios` shows those there are")]
    Scenario(String),
    /// No such engine.
    #[error("unknown engine \"{0}\"; `mmspec list engines` shows those there are")]
    Engine(String),
    /// Random schedules cannot be led.
    #[error("shuttle takes random schedules and cannot follow one; its traces are replayed on states")]
    Random,
    /// The program is too large.
    #[error("{0} can run {1} at most, and this scenario has {2}")]
    TooLarge(&'static str, &'static str, usize),
    /// A variable of loom is set.
    #[error(transparent)]
    Foreign(#[from] ForeignSetting),
}

impl ReplayError {
    /// Field of the trace that is wrong, and the index in it if it is a list.
    pub fn field(&self) -> Option<(&'static str, Option<usize>)> {
        match self {
            Self::Kernel(_) => Some(("kernel", None)),
            Self::Rule(_, index) => Some(("without", Some(*index))),
            Self::Scenario(_) => Some(("scenario", None)),
            Self::Engine(_) => Some(("engine", None)),
            Self::Random | Self::TooLarge(..) | Self::Foreign(_) => None,
        }
    }
}

/// Where the order of the steps came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The schedule of the trace.
    Schedule,
    /// Its events.
    Events,
}

/// What was done with a trace.
pub enum Attempt {
    /// It was followed step by step.
    Followed {
        /// How that went.
        followed: Box<Followed>,
        /// By what.
        by: By,
        /// Entry of the trace's schedule or events that each position of a [`Divergence`] is.
        places: Vec<usize>,
        /// Where it first did not fit, if it was left there, to be joined again.
        first: Option<Divergence>,
    },
    /// It is no execution of the engine's memory model.
    Weak(Weak),
    /// An engine that cannot be led searched for the same violation.
    Searched(Searched),
}

/// What loom found when it searched for a violation.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Rule broken first, with a sentence.
    pub fault: Option<(String, String)>,
    /// Preemptions of the last search: as many as the violation takes by loom's count; `None` if they
    /// were not bounded.
    pub preemptions: Option<u32>,
    /// Executions of all searches.
    pub executions: u64,
    /// Whether the last search was given up.
    pub unfinished: bool,
}

/// The program that `trace` was found on.
///
/// # Errors
/// When the trace names something that does not exist.
pub fn program(trace: &TraceFile) -> Result<Setup, ReplayError> {
    World::of(trace).map(|world| world.setup)
}

/// What a trace is about.
struct World {
    scenario: Scenario,
    kernel: Kernel,
    setup: Setup,
}

impl World {
    fn of(trace: &TraceFile) -> Result<Self, ReplayError> {
        let unknown = || ReplayError::Kernel(trace.kernel.clone());
        let mut kernel = Kernel::named(&trace.kernel).ok_or_else(unknown)?;
        for (index, id) in trace.without.iter().enumerate() {
            let rule = Rule::parse(id).ok_or_else(|| ReplayError::Rule(id.clone(), index))?;
            kernel = kernel.without(rule);
        }
        let unknown = || ReplayError::Scenario(trace.scenario.clone());
        let scenario = library::named(&trace.scenario).ok_or_else(unknown)?;
        let setup = scenario.program(kernel);
        Ok(Self { scenario, kernel, setup })
    }

    /// Whether `engine` can run it.
    fn fits(&self, engine: Engine) -> Result<(), ReplayError> {
        let threads = self.scenario.threads(&self.kernel);
        match engine {
            Engine::Loom if !loom::fits(threads) => {
                return Err(ReplayError::TooLarge("loom", "5 threads", threads));
            }
            Engine::States | Engine::Views if threads > MAX_THREADS => {
                return Err(ReplayError::TooLarge(engine.name(), "16 threads", threads));
            }
            _ => {}
        }
        if engine == Engine::Views {
            let words = words(&self.setup);
            let atomics = words.iter().filter(|(_, class)| *class == Class::Atomic).count();
            if atomics > MAX_ATOMICS {
                return Err(ReplayError::TooLarge("views", "48 atomic words", atomics));
            }
        }
        Ok(())
    }
}

/// Engine that found `trace`.
fn finder(trace: &TraceFile) -> Result<Engine, ReplayError> {
    let engines = [Engine::States, Engine::Views, Engine::Loom, Engine::Shuttle];
    let found = engines.into_iter().find(|engine| engine.name() == trace.engine);
    found.ok_or_else(|| ReplayError::Engine(trace.engine.clone()))
}

/// Engines on which `trace` is tried if none is asked for: one after the other, until it is reproduced.
///
/// # Errors
/// When the trace names another engine than there are.
pub fn engines(trace: &TraceFile) -> Result<Vec<Engine>, ReplayError> {
    Ok(match finder(trace)? {
        Engine::States | Engine::Shuttle => vec![Engine::States],
        Engine::Views => vec![Engine::Views],
        Engine::Loom => vec![Engine::States, Engine::Views, Engine::Loom],
    })
}

/// Follow the schedule of `trace`, without any leniency, on the engine that made it.
///
/// # Errors
/// When the trace names something that does not exist, or the engine cannot run its world.
pub fn replay(trace: &TraceFile) -> Result<Followed, ReplayError> {
    let engine = engines(trace)?[0];
    let world = World::of(trace)?;
    world.fits(engine)?;
    Ok(follow_schedule(trace, engine, 0, &world.setup))
}

/// Try to reproduce `trace` on `engine`; searches take up to `time`.
///
/// # Errors
/// When the trace names something that does not exist, or the engine cannot run its world.
pub fn attempt(trace: &TraceFile, engine: Engine, time: Duration) -> Result<Attempt, ReplayError> {
    let finder = finder(trace)?;
    let world = World::of(trace)?;
    world.fits(engine)?;
    let made_by = if finder == Engine::Shuttle { Engine::States } else { finder };
    let setup = &world.setup;
    let by_events = |(followed, places): (Followed, Vec<usize>)| Attempt::Followed {
        followed: followed.into(),
        by: By::Events,
        places,
        first: None,
    };
    match engine {
        Engine::Shuttle => Err(ReplayError::Random),
        Engine::Loom => Ok(Attempt::Searched(search_by_loom(setup, time)?)),
        _ if engine == made_by && !trace.schedule.is_empty() => Ok(by_schedule(trace, engine, setup)),
        Engine::States => Ok(follow_on_states(&trace.events, setup).map_or_else(Attempt::Weak, by_events)),
        Engine::Views => Ok(by_events(follow_on_views(&trace.events, setup))),
    }
}

fn by_schedule(trace: &TraceFile, engine: Engine, setup: &Setup) -> Attempt {
    let places = (0..trace.schedule.len()).collect();
    let strict = follow_schedule(trace, engine, 0, setup);
    let by = By::Schedule;
    if strict.fault.is_none() && strict.divergence.is_some() {
        let lenient = follow_schedule(trace, engine, MOST_EDITS, setup);
        // What else breaks off the path of the trace is another finding.
        if lenient.fault.as_ref().is_none_or(|(rule, _)| *rule == trace.rule) {
            return Attempt::Followed { followed: lenient.into(), by, places, first: strict.divergence };
        }
    }
    Attempt::Followed { followed: strict.into(), by, places, first: None }
}

fn follow_schedule(trace: &TraceFile, engine: Engine, edits: usize, setup: &Setup) -> Followed {
    let wanted = trace.schedule.iter().map(|step| Wanted { decision: decision_of(step), before: None });
    let schedule = wanted.collect();
    if engine == Engine::Views {
        follow(Views::default(), schedule, edits, setup)
    } else {
        follow(Sc::default(), schedule, edits, setup)
    }
}

fn decision_of(step: &Step) -> Decision {
    Decision {
        thread: step.task,
        function: step.function.clone(),
        step: step.step.clone(),
        arg: step.arg.clone(),
        word: step.word.clone(),
        alternative: step.alternative,
    }
}

/// loom has no schedule by names: search with more and more preemptions until a rule breaks.
fn search_by_loom(setup: &Setup, time: Duration) -> Result<Searched, ForeignSetting> {
    let mut spent = Duration::ZERO;
    let mut searched = Searched { fault: None, preemptions: None, executions: 0, unfinished: true };
    let bounds = (0..=BOUNDS).map(Some).chain([None]);
    for preemptions in bounds {
        let left = time.saturating_sub(spent);
        if left.is_zero() {
            break;
        }
        let limits = Limits { time: left, ..Limits::default() };
        let report = Loom { preemptions, limits }.run(setup)?;
        searched.preemptions = preemptions;
        searched.executions += report.executions;
        spent += Duration::from_secs_f64(report.seconds);
        searched.fault = report.failure.map(|failure| (failure.rule, failure.what));
        searched.unfinished = searched.fault.is_none() && report.effort == Effort::Unfinished;
        if searched.fault.is_some() || searched.unfinished {
            break;
        }
    }
    Ok(searched)
}

/// Most preemptions before loom searches without a bound.
const BOUNDS: u32 = 6;
