//! What one engine found on one scenario: a line of the tables, an entry of the JSON document.

use indicatif::HumanCount;
use mmspec::check::{Checked, Engine};
use mmspec::counterexample::trace_file;
use mmspec::engine::loom;
use mmspec::scenario::Scenario;
use mmspec::verdict::Verdict;
use mmspec_model::variant::Kernel;
use mmspec_traces::TraceFile;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// What one engine found on one scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Kernel.
    pub kernel: String,
    /// Rules taken away from it.
    pub without: Vec<String>,
    /// Scenario.
    pub scenario: String,
    /// Threads of its program.
    pub threads: usize,
    /// Engine.
    pub engine: Engine,
    /// What is known now.
    pub verdict: Word,
    /// With `BOUNDED`: most preemptions of the executions that were explored.
    pub bound: Option<u32>,
    /// With `SAMPLED`: seed of the random schedules.
    pub seed: Option<u64>,
    /// With `VACUOUS`: goals that were never reached.
    pub missing_goals: Vec<String>,
    /// With `VIOLATED`: what broke.
    pub violation: Option<Violation>,
    /// With `INCONCLUSIVE`: why nothing is known.
    pub reason: Option<&'static str>,
    /// How the engine searched (`dpor`, `hashing`, ...).
    pub search: &'static str,
    /// Executions started.
    pub executions: u64,
    /// Executions that ran to their end.
    pub complete_executions: u64,
    /// Distinct states, where the search counts them.
    pub states: Option<u64>,
    /// Steps executed.
    pub steps: u64,
    /// All ends that were seen, in words.
    pub outcomes: BTreeSet<String>,
    /// CPU time of the search that decided, in seconds.
    pub cpu_seconds: f64,
    /// Time until the verdict, all searches included, in seconds.
    pub wall_seconds: f64,
    /// In the gate: in what it differs from the manifest.
    pub unexpected: Option<String>,
    /// The counterexample.
    #[serde(skip)]
    pub counterexample: Option<TraceFile>,
}

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Word {
    /// Proved.
    Complete,
    /// Holds as far as a bound of preemptions.
    Bounded,
    /// Holds in all random schedules.
    Sampled,
    /// Does not reach what it is about.
    Vacuous,
    /// A rule is broken.
    Violated,
    /// A limit was reached.
    Inconclusive,
}

impl Word {
    /// As it is printed.
    pub fn text(self) -> &'static str {
        match self {
            Self::Complete => "COMPLETE",
            Self::Bounded => "BOUNDED",
            Self::Sampled => "SAMPLED",
            Self::Vacuous => "VACUOUS",
            Self::Violated => "VIOLATED",
            Self::Inconclusive => "INCONCLUSIVE",
        }
    }
}

/// A broken rule.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    /// The rule, or `race`, `uaf`, `deadlock`, `lock`, `livelock`, `panic`.
    pub rule: String,
    /// How it broke.
    pub what: String,
    /// Preemptions of the counterexample: the fewest there are, if `states` was given no bound or has
    /// shortened what shuttle found.
    pub preemptions: u32,
    /// Steps of the counterexample.
    pub steps: usize,
    /// Trace file, if one was written.
    pub trace: Option<PathBuf>,
}

impl Finding {
    /// What `checked` says about `scenario` on `kernel`, after `wall`.
    pub fn new(
        scenario: &Scenario,
        kernel: &Kernel,
        engine: Engine,
        checked: &Checked,
        wall: Duration,
    ) -> Self {
        let (report, verdict) = (&checked.report, &checked.verdict);
        let violation = report.failure.as_ref().map(|failure| Violation {
            rule: failure.rule.clone(),
            what: failure.what.clone(),
            preemptions: failure.preemptions,
            steps: failure.events.len(),
            trace: None,
        });
        Self {
            kernel: kernel.name.into(),
            without: kernel.broken().iter().map(|rule| rule.info().id.to_string()).collect(),
            scenario: scenario.name.clone(),
            threads: scenario.threads(kernel),
            engine,
            verdict: word(verdict),
            bound: if let Verdict::Bounded(k) = verdict { Some(*k) } else { None },
            seed: if let Verdict::Sampled { seed, .. } = verdict { Some(*seed) } else { None },
            missing_goals: if let Verdict::Vacuous(missing) = verdict { missing.clone() } else { Vec::new() },
            violation,
            reason: (*verdict == Verdict::Inconclusive).then(|| reason(report.search)),
            search: report.search,
            executions: report.executions,
            complete_executions: report.complete,
            states: (report.states > 0).then_some(report.states),
            steps: report.steps,
            outcomes: report.outcomes.clone(),
            cpu_seconds: report.seconds,
            wall_seconds: wall.as_secs_f64(),
            unexpected: None,
            counterexample: report.failure.as_ref().map(|f| trace_file(scenario, kernel, checked, f)),
        }
    }

    /// What was explored, by whom.
    pub fn subject(&self) -> String {
        let without = if self.without.is_empty() { "" } else { " without " };
        let (scenario, kernel, engine) = (&self.scenario, &self.kernel, self.engine.name());
        format!("{scenario} on {kernel}{without}{}, by {engine}", self.without.join(", "))
    }

    /// The verdict with what belongs to it, but not how a rule broke.
    pub fn verdict_text(&self) -> String {
        let word = self.verdict.text();
        match (self.bound, &self.violation) {
            (Some(bound), _) => format!("{word}({bound})"),
            (_, Some(violation)) => format!("{word} {}", violation.rule),
            _ => word.into(),
        }
    }

    /// How much was explored, or what the counterexample takes.
    pub fn effort_text(&self) -> String {
        let executions = format!("{} executions", HumanCount(self.executions));
        if let Some(violation) = &self.violation {
            let plural = if violation.preemptions == 1 { "" } else { "s" };
            return format!("{} preemption{plural}, {} steps", violation.preemptions, violation.steps);
        }
        if !self.missing_goals.is_empty() {
            return format!("{executions}, never \"{}\"", self.missing_goals.join("\", \""));
        }
        match (self.reason, self.seed, self.states) {
            (Some(reason), _, _) => format!("{executions}: {reason}"),
            (_, Some(seed), _) => format!("{executions}, seed {seed}"),
            (_, _, Some(states)) => format!("{executions}, {} states", HumanCount(states)),
            _ => executions,
        }
    }
}

fn word(verdict: &Verdict) -> Word {
    match verdict {
        Verdict::Complete => Word::Complete,
        Verdict::Bounded(_) => Word::Bounded,
        Verdict::Sampled { .. } => Word::Sampled,
        Verdict::Vacuous(_) => Word::Vacuous,
        Verdict::Violated { .. } => Word::Violated,
        Verdict::Inconclusive => Word::Inconclusive,
    }
}

fn reason(search: &str) -> &'static str {
    if search == loom::TOO_MANY_THREADS {
        "more threads than loom can run"
    } else {
        "the limit was reached; --time gives it more"
    }
}
