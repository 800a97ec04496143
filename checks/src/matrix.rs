//! `matrix.toml`: what `states` is expected to find on each kernel that is looked at for the sake of
//! history. The other kernels are in `manifest.toml`, with all engines.

use crate::check::{Checked, Engine, Options, check};
use crate::engine::ForeignSetting;
use crate::scenario::{Scenario, library};
use crate::verdict::Verdict;
use mmspec_model::variant::Kernel;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The matrix, as committed.
const TEXT: &str = include_str!("../matrix.toml");

/// What is expected of a scenario on a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It holds, and that takes so many executions.
    Complete {
        /// Executions.
        executions: u64,
        /// Too slow for every day.
        deep: bool,
    },
    /// The kernel breaks this rule: it did in history, or a proposal does.
    Violated(String),
}

/// A scenario on a kernel, and what is expected.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The kernel.
    pub kernel: Kernel,
    /// The scenario.
    pub scenario: Scenario,
    /// What is expected.
    pub expected: Expected,
}

/// All cells, as committed.
///
/// # Panics
/// When `matrix.toml` is malformed or names something that does not exist.
pub fn committed() -> Vec<Cell> {
    let kernels: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(TEXT).unwrap_or_else(|error| panic!("checks/matrix.toml: {error}"));
    let scenarios: BTreeMap<String, Scenario> =
        library::all().into_iter().map(|s| (s.name.clone(), s)).collect();
    let cell = |kernel: &str, scenario: &str, expected: &str| Cell {
        kernel: Kernel::named(kernel).unwrap_or_else(|| panic!("matrix: no kernel {kernel}")),
        scenario: scenarios
            .get(scenario)
            .cloned()
            .unwrap_or_else(|| panic!("matrix: no scenario {scenario}")),
        expected: expected.parse().unwrap_or_else(|error| panic!("matrix: {kernel}, {scenario}: {error}")),
    };
    let cells = kernels.iter().flat_map(|(kernel, row)| row.iter().map(move |(s, e)| (kernel, s, e)));
    let cells = cells.map(|(kernel, scenario, expected)| cell(kernel, scenario, expected));
    cells.collect()
}

impl Cell {
    /// Check with `states`, and what is not as expected.
    ///
    /// # Errors
    /// As [`check`].
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Fn(u64),
    ) -> Result<(Checked, Option<String>), ForeignSetting> {
        let checked = check(&self.scenario, self.kernel, Engine::States, options, progress)?;
        let unexpected = self.expected.unlike(&checked);
        Ok((checked, unexpected))
    }
}

impl Expected {
    /// What `checked` would pass as; `None` for what nobody should expect.
    pub fn of(checked: &Checked, deep: bool) -> Option<Self> {
        match &checked.verdict {
            Verdict::Complete => Some(Self::Complete { executions: checked.report.executions, deep }),
            Verdict::Violated { rule, .. } => Some(Self::Violated(rule.clone())),
            _ => None,
        }
    }

    /// In what `checked` is not as expected.
    pub fn unlike(&self, checked: &Checked) -> Option<String> {
        let deep = self.is_deep();
        let found = Self::of(checked, deep);
        (found.as_ref() != Some(self)).then(|| {
            let found = found.map_or_else(|| checked.verdict.to_string(), |found| found.to_string());
            format!("expected {self}, found {found}")
        })
    }

    /// Whether it takes long.
    pub fn is_deep(&self) -> bool {
        matches!(self, Self::Complete { deep: true, .. })
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete { executions, deep } => {
                write!(f, "COMPLETE {executions}{}", if *deep { " deep" } else { "" })
            }
            Self::Violated(rule) => write!(f, "VIOLATED {rule}"),
        }
    }
}

impl FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let executions = |n: &str| n.parse().map_err(|_| format!("{n:?} is not a number of executions"));
        match words[..] {
            ["COMPLETE", n] => Ok(Self::Complete { executions: executions(n)?, deep: false }),
            ["COMPLETE", n, "deep"] => Ok(Self::Complete { executions: executions(n)?, deep: true }),
            ["VIOLATED", rule] => Ok(Self::Violated(rule.into())),
            _ => Err(format!("{text:?} is neither \"COMPLETE n\" nor \"VIOLATED RULE\"")),
        }
    }
}
