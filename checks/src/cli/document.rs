//! What `check --format json` writes: one document, the same whether it is the gate or not.

use super::finding::{Finding, Word};
use cpu_time::ProcessTime;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// All results of a `check`.
#[derive(Debug, Serialize)]
pub struct Document {
    /// Always `mmspec-check`.
    pub format: &'static str,
    /// Rises when the meaning of a field changes or a field goes.
    pub version: u32,
    /// Each engine on each scenario and kernel.
    pub checks: Vec<Finding>,
    /// In the gate: each rule taken away.
    pub mutants: Vec<MutantFinding>,
    /// What was not run because it takes long.
    pub left_for_deep: Vec<Subject>,
    /// In numbers.
    pub summary: Summary,
}

/// A mutant and what was found.
#[derive(Clone, Debug, Serialize)]
pub struct MutantFinding {
    /// Rule taken away.
    pub rule: String,
    /// What the mutant does instead.
    pub does: &'static str,
    /// Rule that must break.
    pub breaks: String,
    /// What was found.
    pub finding: Finding,
}

/// What an engine was to be run on.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    /// Kernel.
    pub kernel: String,
    /// Scenario.
    pub scenario: String,
    /// Engine.
    pub engine: &'static str,
}

/// A check in numbers.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// For each engine, number of checks by verdict.
    pub verdicts: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// Mutants that break the rule meant.
    pub mutants_refuted: usize,
    /// Findings other than expected.
    pub unexpected: usize,
    /// Executions of all searches that decided.
    pub executions: u64,
    /// States of all searches that count them.
    pub states: u64,
    /// Time from start to end, in seconds.
    pub wall_seconds: f64,
    /// CPU time of all cores, in seconds.
    pub cpu_seconds: f64,
}

impl Document {
    /// The document of a check that began at `start`.
    pub fn new(
        checks: Vec<Finding>,
        mutants: Vec<MutantFinding>,
        left_for_deep: Vec<Subject>,
        start: Instant,
    ) -> Self {
        let mut summary = Summary {
            wall_seconds: start.elapsed().as_secs_f64(),
            cpu_seconds: ProcessTime::now().as_duration().as_secs_f64(),
            mutants_refuted: mutants.iter().filter(|m| m.finding.unexpected.is_none()).count(),
            ..Summary::default()
        };
        for finding in &checks {
            let verdicts = summary.verdicts.entry(finding.engine.name()).or_default();
            *verdicts.entry(finding.verdict.text()).or_default() += 1;
        }
        for finding in checks.iter().chain(mutants.iter().map(|m| &m.finding)) {
            summary.executions += finding.executions;
            summary.states += finding.states.unwrap_or(0);
            summary.unexpected += usize::from(finding.unexpected.is_some());
        }
        Self { format: "mmspec-check", version: 1, checks, mutants, left_for_deep, summary }
    }

    /// Number of checks by `engine` that ended in one of `verdicts`.
    pub fn count(&self, engine: &str, verdicts: &[Word]) -> usize {
        let found = self.summary.verdicts.get(engine);
        verdicts.iter().filter_map(|v| found?.get(v.text())).sum()
    }
}
