//! Drift: whether a Linux source tree still has the functions that the model mirrors.
//!
//! `drift.toml` pins them: a hash of the tokens of each, and the order of the calls that matter.

mod compare;
mod extract;
mod find;
mod pin;
mod tokens;
mod tree;

pub use compare::{Finding, Status, compare, find_all};
pub use find::{Found, label};
pub use pin::{PinError, Pinned, pin};
pub use tree::{Tree, TreeError};

use crate::manifest::Manifest;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The pins, as committed.
const TEXT: &str = include_str!("../../drift.toml");

/// All pins.
///
/// # Panics
/// On first use, when `drift.toml` is malformed.
pub static PINS: LazyLock<Pins> =
    LazyLock::new(|| toml::from_str(TEXT).unwrap_or_else(|error| panic!("checks/drift.toml: {error}")));

/// What is known of the functions that the model mirrors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// Kernels of the model, each with the version of the tree that its hashes were taken from.
    pub tree: BTreeMap<String, String>,
    /// The functions.
    pub function: Vec<Function>,
}

/// A function that the model mirrors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// File of the kernel.
    pub file: String,
    /// File of the model.
    pub model: String,
    /// Rules that it keeps.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Scenarios that execute it, if no rule leads to one.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// The calls that matter, in their order: C tokens each, or several with ` or ` between.
    #[serde(default)]
    calls: Vec<String>,
    /// The same, for kernels where they are others.
    #[serde(default)]
    calls_in: BTreeMap<String, Vec<String>>,
    /// For each kernel that has the function, hash of its tokens.
    pub hash: BTreeMap<String, String>,
}

impl Pins {
    /// The kernel to compare a tree of this version with: the newest that is not newer than it.
    pub fn nearest(&self, version: &str) -> Option<&str> {
        let tree = numbers(version)?;
        let names = self.tree.keys().filter_map(|name| Some((numbers(name.strip_prefix('v')?)?, name)));
        names.filter(|(kernel, _)| *kernel <= tree).max().map(|(_, name)| &**name)
    }
}

impl Function {
    /// The calls that matter, in the order in which `kernel` has them.
    pub fn calls(&self, kernel: &str) -> &[String] {
        self.calls_in.get(kernel).unwrap_or(&self.calls)
    }

    /// Every call that matters somewhere.
    fn all_calls(&self) -> BTreeSet<&String> {
        self.calls.iter().chain(self.calls_in.values().flatten()).collect()
    }

    /// Scenarios that execute it: those that are named, and those that refute its rules' mutants.
    pub fn scenarios(&self, manifest: &Manifest) -> BTreeSet<String> {
        let refuting = manifest.mutant.iter().filter(|m| self.rules.contains(&m.rule));
        refuting.map(|m| m.scenario.clone()).chain(self.scenarios.iter().cloned()).collect()
    }
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
