//! What every engine is given and reports, in the same terms.

use super::explore::record::Decision;
use mmspec_model::event::Event;
use std::collections::BTreeSet;
use std::time::Duration;

/// When an engine gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most executions (deterministic, so preferred).
    pub executions: u64,
    /// Most time.
    pub time: Duration,
    /// Go on after a deadlock or a bad end state and list it among the outcomes (to compare
    /// engines); a rule broken on the way always stops.
    pub collect: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { executions: u64::MAX, time: Duration::from_hours(1), collect: false }
    }
}

/// Steps in one execution after which it is taken for a livelock.
pub const MAX_STEPS: usize = 5_000;

/// How far an engine went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Every execution, or an equivalent of it, was seen.
    Complete,
    /// Every execution with at most so many preemptions.
    Bounded(u32),
    /// Random executions with this seed.
    Sampled {
        /// Seed of the random choices.
        seed: u64,
    },
    /// Stopped by a limit.
    Unfinished,
}

/// A broken rule and how to get there.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Rule of the reference, or `race`, `uaf`, `deadlock`, `lock`, `livelock`, `panic`.
    pub rule: String,
    /// One sentence.
    pub what: String,
    /// Thread (and, on weak memory, its alternative) chosen at each decision.
    pub schedule: Vec<u16>,
    /// Times a thread was interrupted that could have run on; 0 where the engine does not know.
    pub preemptions: u32,
    /// Whether it was found when no thread could move any more.
    pub at_end: bool,
    /// The execution, step by step.
    pub events: Vec<Event>,
    /// Its schedule by named steps, from the in-house engines and, if `states` could follow it, from
    /// shuttle.
    pub decisions: Vec<Decision>,
}

/// What one engine found on one program.
#[derive(Clone, Debug)]
pub struct Report {
    /// `states`, `views`, `loom`, `shuttle`.
    pub engine: &'static str,
    /// How it searched (`dpor`, `hashing`, `plain`, `dfs`, `random+pct`, ...).
    pub search: &'static str,
    /// How far it went.
    pub effort: Effort,
    /// Executions started.
    pub executions: u64,
    /// Executions that ran to their end (for `dpor`: the number of Mazurkiewicz traces).
    pub complete: u64,
    /// Distinct states (`hashing` only).
    pub states: u64,
    /// Steps executed, re-executed prefixes included.
    pub steps: u64,
    /// CPU time of the exploring thread, in seconds.
    pub seconds: f64,
    /// Names of the program's threads.
    pub tasks: Vec<String>,
    /// End outcomes seen.
    pub outcomes: BTreeSet<String>,
    /// Coverage goals reached.
    pub goals: BTreeSet<&'static str>,
    /// First (or minimal) failure.
    pub failure: Option<Failure>,
}

impl Report {
    /// An empty report of `engine`.
    pub fn new(engine: &'static str, search: &'static str) -> Self {
        Self {
            engine,
            search,
            effort: Effort::Unfinished,
            executions: 0,
            complete: 0,
            states: 0,
            steps: 0,
            seconds: 0.0,
            tasks: Vec::new(),
            outcomes: BTreeSet::new(),
            goals: BTreeSet::new(),
            failure: None,
        }
    }
}
