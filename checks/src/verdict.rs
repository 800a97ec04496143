//! Honest words for what an exploration has shown.

use crate::engine::{Effort, Report};
use std::fmt;

/// What is known after a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every execution was covered, none breaks a rule, and each goal is reached: proved.
    Complete,
    /// The same for every execution with at most so many preemptions.
    Bounded(u32),
    /// The same for so many random executions.
    Sampled {
        /// Executions.
        runs: u64,
        /// Seed.
        seed: u64,
    },
    /// No rule is broken, but these goals were never reached: the scenario shows nothing.
    Vacuous(Vec<String>),
    /// A rule is broken.
    Violated {
        /// The rule.
        rule: String,
        /// How.
        what: String,
    },
    /// Stopped by a limit.
    Inconclusive,
}

impl Verdict {
    /// Judge a report of a scenario that must reach `goals`.
    pub fn of<'a>(report: &Report, goals: impl IntoIterator<Item = &'a str>) -> Self {
        if let Some(failure) = &report.failure {
            return Self::Violated { rule: failure.rule.clone(), what: failure.what.clone() };
        }
        let missing: Vec<String> =
            goals.into_iter().filter(|goal| !report.goals.contains(goal)).map(ToString::to_string).collect();
        match report.effort {
            Effort::Unfinished => Self::Inconclusive,
            _ if !missing.is_empty() => Self::Vacuous(missing),
            Effort::Complete => Self::Complete,
            Effort::Bounded(preemptions) => Self::Bounded(preemptions),
            Effort::Sampled { seed } => Self::Sampled { runs: report.executions, seed },
        }
    }

    /// Whether it speaks for the kernel, as far as it goes.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Complete | Self::Bounded(_) | Self::Sampled { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => write!(f, "COMPLETE"),
            Self::Bounded(k) => write!(f, "BOUNDED({k})"),
            Self::Sampled { runs, seed } => write!(f, "SAMPLED({runs}, seed {seed})"),
            Self::Vacuous(missing) => write!(f, "VACUOUS: never reaches \"{}\"", missing.join("\", \"")),
            Self::Violated { rule, what } => write!(f, "VIOLATED {rule}: {what}"),
            Self::Inconclusive => write!(f, "INCONCLUSIVE"),
        }
    }
}
