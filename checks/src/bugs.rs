//! `bugs.toml`: bugs of history that the model shows.

use crate::check::Engine;
use crate::counterexample::corpus_path;
use mmspec_model::variant::{Kernel, Rule};
use serde::{Deserialize, Serialize};
use std::iter::successors;
use std::sync::LazyLock;

/// The bugs, as committed.
const TEXT: &str = include_str!("../bugs.toml");

/// All bugs.
///
/// # Panics
/// On first use, when `bugs.toml` is malformed.
pub static BUGS: LazyLock<Vec<Bug>> = LazyLock::new(|| {
    let file: File = toml::from_str(TEXT).unwrap_or_else(|error| panic!("checks/bugs.toml: {error}"));
    file.bug
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    bug: Vec<Bug>,
}

/// A bug.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// Its number in the catalogue.
    pub id: String,
    /// What went wrong.
    pub what: String,
    /// Commit that brought it, where that is told.
    pub cause: Option<String>,
    /// Commit that fixed it, or what else did.
    pub fix: String,
    /// Affected versions, from the first to the last one before the fix; `-` if that is not known.
    pub span: String,
    /// Kernels that have it, the one nearest to the fix first; none if `without` says what has it.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Rule without which the fixed kernel has it.
    pub without: Option<String>,
    /// The nearest kernel that does not have it.
    pub fixed: String,
    /// Scenario that shows it.
    pub scenario: String,
    /// Engine that shows it.
    #[serde(default = "states")]
    pub engine: Engine,
    /// Rule that breaks.
    pub rule: String,
}

/// What shows nearly all of them.
fn states() -> Engine {
    Engine::States
}

impl Bug {
    /// Where its counterexample is kept, from the root of the repository.
    pub fn trace(&self) -> String {
        corpus_path(&self.scenario, &self.kernels().0, &self.rule)
    }

    /// The bug whose fix brought it.
    fn brought_by(&self) -> Option<&'static Self> {
        let cause = self.cause.as_deref()?;
        BUGS.iter().find(|bug| bug.fix.starts_with(cause))
    }

    /// A kernel that has it, and the one that does not.
    ///
    /// # Panics
    /// When `bugs.toml` names a kernel or a rule that does not exist.
    pub fn kernels(&self) -> (Kernel, Kernel) {
        let kernel = |name| Kernel::named(name).unwrap_or_else(|| panic!("{}: no kernel {name}", self.id));
        let fixed = kernel(&self.fixed);
        let broken = match &self.without {
            Some(rule) => {
                fixed.without(Rule::parse(rule).unwrap_or_else(|| panic!("{}: no rule {rule}", self.id)))
            }
            None => kernel(&self.kernels[0]),
        };
        (broken, fixed)
    }
}

/// Bugs in a row, each of which was brought by the fix of the one before; the first by a commit, if one is
/// told.
pub fn chains() -> Vec<Vec<&'static Bug>> {
    let ends = BUGS.iter().filter(|bug| {
        bug.cause.is_some() && !BUGS.iter().any(|next| next.brought_by().is_some_and(|b| b.id == bug.id))
    });
    ends.map(|end| {
        let mut chain: Vec<_> = successors(Some(end), |bug| bug.brought_by()).collect();
        chain.reverse();
        chain
    })
    .collect()
}

/// The bugs that explain why `kernel` breaks `rule`.
pub fn explaining(kernel: &str, rule: &str) -> impl Iterator<Item = &'static Bug> {
    BUGS.iter().filter(move |bug| bug.rule == rule && bug.kernels.iter().any(|k| k == kernel))
}
