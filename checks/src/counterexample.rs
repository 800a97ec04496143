//! From a failure to a trace file, and back to the engine.

use crate::check::{Checked, Engine};
use crate::engine::Failure;
use crate::engine::explore::memory::sc::Sc;
use crate::engine::explore::memory::views::Views;
use crate::engine::explore::record::Decision;
use crate::engine::explore::{Followed, follow};
use crate::scenario::{Scenario, library};
use mmspec_model::variant::{Kernel, Rule};
use mmspec_traces::{FORMAT, Step, TraceFile, VERSION};
use thiserror::Error;

/// The trace file of a violation.
pub fn trace_file(scenario: &Scenario, kernel: &Kernel, checked: &Checked, failure: &Failure) -> TraceFile {
    let report = &checked.report;
    TraceFile {
        format: FORMAT.into(),
        version: VERSION,
        kernel: kernel.name.into(),
        without: kernel.broken().iter().map(|r| r.info().id.to_string()).collect(),
        scenario: scenario.name.clone(),
        engine: report.engine.into(),
        search: report.search.into(),
        rule: failure.rule.clone(),
        what: failure.what.clone(),
        preemptions: failure.preemptions,
        tasks: report.tasks.clone(),
        schedule: failure.decisions.iter().map(step_of).collect(),
        events: failure.events.clone(),
    }
}

/// `traces/corpus/<rule>/<scenario>-<kernel>[-without-<rule>].json`: where the repository keeps the trace of
/// `kernel` breaking `rule` in `scenario`.
pub fn corpus_path(scenario: &str, kernel: &Kernel, rule: &str) -> String {
    let without: Vec<String> = kernel.broken().iter().map(|r| format!("-without-{}", r.info().id)).collect();
    let path = format!("traces/corpus/{rule}/{scenario}-{}{}.json", kernel.name, without.concat());
    path.to_lowercase()
}

fn step_of(decision: &Decision) -> Step {
    Step {
        task: decision.thread,
        alternative: decision.alternative,
        function: decision.function.clone(),
        step: decision.step.clone(),
        word: decision.word.clone(),
    }
}

/// Why a trace cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// No such kernel.
    #[error("unknown kernel \"{0}\"; `mmspec list kernels` shows those there are")]
    Kernel(String),
    /// No such rule.
    #[error("unknown rule \"{0}\"; `mmspec list rules` shows those there are")]
    Rule(String),
    /// No such scenario.
    #[error("unknown scenario \"{0}\"; `mmspec list scenarios` shows those there are")]
    Scenario(String),
    /// The engine keeps no schedule by named steps.
    #[error("a trace of {0} has no schedule to replay; find it again with --engine states or views")]
    Engine(String),
}

/// Replay `trace` on the model as it is now.
///
/// # Errors
/// When the trace names something that does not exist, or has no schedule.
pub fn replay(trace: &TraceFile) -> Result<Followed, ReplayError> {
    let mut kernel = Kernel::named(&trace.kernel).ok_or_else(|| ReplayError::Kernel(trace.kernel.clone()))?;
    for id in &trace.without {
        kernel = kernel.without(Rule::parse(id).ok_or_else(|| ReplayError::Rule(id.clone()))?);
    }
    let scenario =
        library::named(&trace.scenario).ok_or_else(|| ReplayError::Scenario(trace.scenario.clone()))?;
    let schedule = trace.schedule.iter().map(|step| Decision {
        thread: step.task,
        function: step.function.clone(),
        step: step.step.clone(),
        word: step.word.clone(),
        alternative: step.alternative,
    });
    let (schedule, setup) = (schedule.collect(), scenario.program(kernel));
    if trace.engine == Engine::States.name() {
        Ok(follow(Sc::default(), schedule, &setup))
    } else if trace.engine == Engine::Views.name() {
        Ok(follow(Views::default(), schedule, &setup))
    } else {
        Err(ReplayError::Engine(trace.engine.clone()))
    }
}
