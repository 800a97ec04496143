//! From a failure to a trace file, and back to the engines.

mod derive;
mod order;
mod replay;

pub use derive::{Weak, minimal};
pub use replay::{Attempt, By, ReplayError, Searched, attempt, engines, program, replay};

use crate::check::Checked;
use crate::engine::Failure;
use crate::engine::explore::record::Decision;
use crate::scenario::Scenario;
use mmspec_model::variant::Kernel;
use mmspec_traces::{FORMAT, Step, TraceFile, VERSION};

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
        at_end: failure.at_end,
        tasks: report.tasks.clone(),
        schedule: failure.decisions.iter().map(step_of).collect(),
        events: failure.events.clone(),
    }
}

/// `traces/corpus/<rule>/<scenario>-<kernel>[-without-<rule>].json`: where the repository keeps the trace of
/// `kernel` breaking `rule` in `scenario`.
pub fn corpus_path(scenario: &str, kernel: &Kernel, rule: &str) -> String {
    let without: Vec<&str> = kernel.broken().iter().map(|r| r.info().id).collect();
    format!("traces/corpus/{}.json", mmspec_traces::corpus::name(rule, scenario, kernel.name, &without))
}

fn step_of(decision: &Decision) -> Step {
    Step {
        task: decision.thread,
        alternative: decision.alternative,
        function: decision.function.clone(),
        step: decision.step.clone(),
        arg: decision.arg.clone(),
        word: decision.word.clone(),
    }
}
