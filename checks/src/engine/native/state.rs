//! What is known about one exploration, and about the execution that is running.

use super::log::{Entry, Log, Step, is_decided};
use crate::engine::explore::record::Names;
use crate::engine::report::{Effort, Failure, Limits, Report};
use cpu_time::ThreadTime;
use mmspec_model::k::engine::{Site, Sleep, Until, Word};
use mmspec_model::k::program::{Ending, Program};
use std::cell::RefCell;
use std::rc::Rc;

/// What the running execution is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Words are made, threads take steps.
    Running,
    /// The end was judged; threads return without taking steps.
    Over,
    /// A rule is broken: nothing more happens.
    Broken,
}

/// A blocking step.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Its word.
    pub word: Word,
    /// When it may run.
    pub until: Until,
    /// Whether a run may end while it waits.
    pub sleep: Sleep,
    /// Operation and place.
    pub site: Site,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    /// Before its first step.
    Starting,
    /// At or between steps that do not block.
    Running,
    /// At a blocking step.
    Waiting(Wait),
    /// Returned.
    Finished,
}

/// Everything but the memory.
pub struct State {
    /// Names of words and objects.
    pub names: Names,
    /// Whether each object is freed.
    pub freed: Vec<bool>,
    /// Where each thread stands.
    pub stands: Vec<Stand>,
    /// What the execution is doing.
    pub phase: Phase,
    /// Judge of its end.
    pub judge: Option<Rc<dyn Fn() -> Ending>>,
    /// Steps taken in this execution.
    pub steps: usize,
    /// Thread that last took each lock, for reports of deadlocks.
    pub takers: Vec<Option<usize>>,
    /// What happened in this execution.
    pub log: Log,
    /// First broken rule.
    pub fault: Option<(String, String)>,
    /// Whether it was found when no thread could move any more.
    pub at_end: bool,
    /// What is reported in the end.
    pub report: Report,
}

impl State {
    /// Thread `thread` broke a rule.
    pub fn fail(&mut self, rule: &str, what: String) {
        self.fault.get_or_insert_with(|| (rule.to_string(), what));
        self.phase = Phase::Broken;
    }

    /// Count a step of `thread` and log it.
    pub fn log_step(&mut self, thread: usize, step: Step) {
        self.steps += 1;
        self.report.steps += u64::from(is_decided(self.names.words[step.word.0 as usize].1));
        self.log.push(thread, Entry::Step(step));
    }

    /// Who waits for what although no thread can move; `None` if all that wait are idle.
    pub fn deadlock(&self) -> Option<String> {
        let mut waits = Vec::new();
        for (thread, stand) in self.stands.iter().enumerate() {
            if let Stand::Waiting(Wait { word, sleep: Sleep::Held, site, .. }) = *stand {
                let taker = self.takers[word.0 as usize];
                let tasks = &self.report.tasks;
                let taker = taker.map_or(String::new(), |t| format!(", last taken by {}", tasks[t]));
                waits.push(format!(
                    "{} waits in {}({}){taker}",
                    tasks[thread],
                    site.op,
                    self.names.word(word)
                ));
            }
        }
        (!waits.is_empty()).then(|| waits.join("; "))
    }

    fn failure(&self) -> Option<Failure> {
        let (rule, what) = self.fault.clone()?;
        Some(Failure {
            rule,
            what,
            schedule: self.log.schedule(&self.names),
            preemptions: self.log.preemptions(),
            at_end: self.at_end,
            events: self.log.events(&self.names),
            decisions: Vec::new(),
        })
    }
}

/// One exploration, shared by all its executions.
pub struct Exploration {
    /// When to give up.
    pub limits: Limits,
    start: ThreadTime,
    /// What is known; never borrowed across a switch of threads.
    pub state: RefCell<State>,
}

thread_local! {
    static HERE: RefCell<Option<Rc<Exploration>>> = const { RefCell::new(None) };
}

/// Executions between two looks at the clock.
const CLOCK_INTERVAL: u64 = 32;

impl Exploration {
    /// Start an exploration on this OS thread.
    pub fn begin(report: Report, limits: Limits) -> Rc<Self> {
        let state = State {
            names: Names::default(),
            freed: Vec::new(),
            stands: Vec::new(),
            phase: Phase::Running,
            judge: None,
            steps: 0,
            takers: Vec::new(),
            log: Log::default(),
            fault: None,
            at_end: false,
            report,
        };
        let exploration = Rc::new(Self { limits, start: ThreadTime::now(), state: RefCell::new(state) });
        HERE.set(Some(exploration.clone()));
        exploration
    }

    /// The exploration of this OS thread. loom and shuttle want closures that could be sent to
    /// another thread, so these find it here instead of capturing it.
    pub fn here() -> Rc<Self> {
        HERE.with_borrow(Clone::clone).expect("an exploration is running")
    }

    /// Whether another execution may start: no rule is broken and no limit reached.
    pub fn may_go_on(&self) -> bool {
        let state = self.state.borrow();
        let executions = state.report.executions;
        let late = || executions.is_multiple_of(CLOCK_INTERVAL) && self.start.elapsed() > self.limits.time;
        state.fault.is_none() && executions < self.limits.executions && !late()
    }

    /// Start an execution: nothing of the previous one is left.
    pub fn begin_execution(&self) {
        let mut state = self.state.borrow_mut();
        state.report.executions += 1;
        state.phase = Phase::Running;
        state.names.words.clear();
        state.names.objects.clear();
        state.freed.clear();
        state.stands.clear();
        state.takers.clear();
        state.log.clear();
        state.judge = None;
        state.steps = 0;
    }

    /// The words of `program` exist: its threads may start.
    pub fn start_threads(&self, program: &Program) {
        let mut state = self.state.borrow_mut();
        if state.report.tasks.is_empty() {
            state.report.tasks = program.threads.iter().map(|t| t.name.clone()).collect();
        }
        let (threads, words) = (program.threads.len(), state.names.words.len());
        state.stands.resize(threads, Stand::Starting);
        state.takers.resize(words, None);
        state.judge = Some(program.judge.clone());
    }

    /// The exploration is over, and went as far as `effort` unless a rule is broken.
    pub fn end(&self, effort: Effort) -> Report {
        let mut state = self.state.borrow_mut();
        state.report.failure = state.failure();
        if state.report.failure.is_none() {
            state.report.effort = effort;
        }
        state.report.seconds = self.start.elapsed().as_secs_f64();
        // The judge may own what lives as long as this exploration.
        state.judge = None;
        HERE.set(None);
        state.report.clone()
    }
}
