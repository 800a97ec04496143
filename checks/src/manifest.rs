//! `manifest.toml`: what each check is expected to find, counts included. One row and engine is one
//! test of the gate.

use crate::check::{Checked, Engine, Options, check};
use crate::engine::ForeignSetting;
use crate::scenario::{Scenario, library};
use crate::verdict::Verdict;
use mmspec_model::variant::{Kernel, Rule};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The manifest, as committed.
const TEXT: &str = include_str!("../manifest.toml");

/// All expectations.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Scenarios that hold.
    #[serde(default)]
    pub check: Vec<Row>,
    /// Rules that are necessary.
    #[serde(default)]
    pub mutant: Vec<Mutant>,
}

/// A scenario on a kernel that keeps all rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// Scenario.
    pub scenario: String,
    /// All end outcomes.
    pub outcomes: BTreeSet<String>,
    /// Expectation of `states`.
    pub states: Option<Pin>,
    /// Expectation of `views`.
    pub views: Option<Pin>,
    /// Expectation of `loom`.
    pub loom: Option<Pin>,
}

/// What one engine must find, to the count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// How it searched.
    pub search: String,
    /// Executions.
    pub executions: u64,
    /// Executions that ran to their end.
    pub complete: u64,
    /// Distinct states.
    #[serde(default)]
    pub states: u64,
    /// Bound, if it cannot finish without.
    pub preemptions: Option<u32>,
    /// Too slow for every day: runs with `--deep`.
    #[serde(default)]
    pub deep: bool,
    /// Outcomes that only weak memory shows.
    #[serde(default)]
    pub extra: BTreeSet<String>,
}

/// A rule taken away, and the rule that then breaks; or a proposal that breaks one as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Rule taken away; empty if the kernel is refuted as it is.
    #[serde(default)]
    pub rule: String,
    /// Kernel.
    pub kernel: String,
    /// Scenario that shows it.
    pub scenario: String,
    /// Engine that finds it.
    pub engine: Engine,
    /// Rule of the report.
    pub breaks: String,
}

impl Manifest {
    /// The manifest, as committed.
    ///
    /// # Panics
    /// When it is malformed.
    pub fn committed() -> Self {
        toml::from_str(TEXT).unwrap_or_else(|error| panic!("checks/manifest.toml: {error}"))
    }
}

impl Row {
    /// What `engine` is expected to find, if it is asked at all.
    pub fn pin(&self, engine: Engine) -> Option<&Pin> {
        match engine {
            Engine::States => self.states.as_ref(),
            Engine::Views => self.views.as_ref(),
            Engine::Loom => self.loom.as_ref(),
            Engine::Shuttle => None,
        }
    }

    /// The scenario and the kernel.
    ///
    /// # Panics
    /// When the manifest names one that does not exist.
    pub fn subject(&self) -> (Scenario, Kernel) {
        subject(&self.scenario, &self.kernel)
    }

    /// Check with `engine`, and what is not as expected.
    ///
    /// # Errors
    /// As [`check`].
    pub fn run(
        &self,
        engine: Engine,
        options: &Options,
        progress: &dyn Fn(u64),
    ) -> Result<(Checked, Option<String>), ForeignSetting> {
        let (scenario, kernel) = self.subject();
        let pin = self.pin(engine);
        let options = Options { preemptions: pin.and_then(|p| p.preemptions), ..*options };
        let checked = check(&scenario, kernel, engine, &options, progress)?;
        let unexpected = pin.and_then(|pin| self.unexpected(pin, &checked));
        Ok((checked, unexpected))
    }

    fn unexpected(&self, pin: &Pin, checked: &Checked) -> Option<String> {
        let report = &checked.report;
        let expected = pin.preemptions.map_or(Verdict::Complete, Verdict::Bounded);
        if checked.verdict != expected {
            return Some(format!("expected {expected}, found {}", checked.verdict));
        }
        let outcomes: BTreeSet<String> = self.outcomes.union(&pin.extra).cloned().collect();
        let wrong = if pin.preemptions.is_some() {
            !report.outcomes.is_subset(&outcomes)
        } else {
            report.outcomes != outcomes
        };
        if wrong {
            return Some(format!("expected the outcomes {outcomes:#?}, found {:#?}", report.outcomes));
        }
        let found = Pin { deep: pin.deep, extra: pin.extra.clone(), ..Pin::of(checked, pin.preemptions) };
        (found != *pin)
            .then(|| format!("counts have changed: expected {}, found {}", pin.line(), found.line()))
    }
}

impl Pin {
    /// The pin that `checked` would pass.
    pub fn of(checked: &Checked, preemptions: Option<u32>) -> Self {
        let report = &checked.report;
        Self {
            search: report.search.into(),
            executions: report.executions,
            complete: report.complete,
            states: report.states,
            preemptions,
            deep: false,
            extra: BTreeSet::new(),
        }
    }

    /// As it stands in the manifest.
    pub fn line(&self) -> String {
        let mut line = format!(
            "{{ search = {:?}, executions = {}, complete = {}",
            self.search, self.executions, self.complete
        );
        if self.states > 0 {
            let _ = write!(line, ", states = {}", self.states);
        }
        if let Some(k) = self.preemptions {
            let _ = write!(line, ", preemptions = {k}");
        }
        if self.deep {
            line.push_str(", deep = true");
        }
        if !self.extra.is_empty() {
            let _ = write!(line, ", extra = {:?}", self.extra.iter().collect::<Vec<_>>());
        }
        line + " }"
    }
}

impl Mutant {
    /// The scenario, and the kernel without the rule.
    ///
    /// # Panics
    /// When the manifest names something that does not exist.
    pub fn subject(&self) -> (Scenario, Kernel) {
        let (scenario, kernel) = subject(&self.scenario, &self.kernel);
        if self.rule.is_empty() {
            return (scenario, kernel);
        }
        let rule = Rule::parse(&self.rule).unwrap_or_else(|| panic!("manifest: no rule {}", self.rule));
        (scenario, kernel.without(rule))
    }

    /// Check, and what is not as expected.
    ///
    /// # Errors
    /// As [`check`].
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Fn(u64),
    ) -> Result<(Checked, Option<String>), ForeignSetting> {
        let (scenario, kernel) = self.subject();
        let checked = check(&scenario, kernel, self.engine, options, progress)?;
        let unexpected = match &checked.verdict {
            Verdict::Violated { rule, .. } if *rule == self.breaks => None,
            other => Some(format!("expected VIOLATED {}, found {other}", self.breaks)),
        };
        Ok((checked, unexpected))
    }
}

fn subject(scenario: &str, kernel: &str) -> (Scenario, Kernel) {
    let found = library::named(scenario).unwrap_or_else(|| panic!("manifest: no scenario {scenario}"));
    (found, Kernel::named(kernel).unwrap_or_else(|| panic!("manifest: no kernel {kernel}")))
}
