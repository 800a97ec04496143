//! What shows that a locking rule is needed, and where it is proved: from the manifest, the matrix and the
//! bugs of history.

use crate::bugs::{BUGS, Bug};
use crate::check::Engine;
use crate::manifest::{Manifest, Mutant, Pin, Row};
use mmspec_model::rules::LockingRule;
use mmspec_model::variant::RULES;
use mmspec_traces::corpus;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is known of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// Ways to break it in the model, and what comes of each.
    pub mutants: Vec<Refuted>,
    /// Bugs of history that broke it, by their kernel.
    pub bugs: Vec<Broken>,
    /// Where it is proved: the scenarios above on kernels that keep it.
    pub proved: Vec<Proved>,
}

/// A mutant.
#[derive(Clone, Debug, Serialize)]
pub struct Refuted {
    /// Name of the part that is taken away (`R23-set`).
    pub id: String,
    /// What it says.
    pub statement: &'static str,
    /// What the mutant does instead.
    pub without: &'static str,
    /// Scenario that refutes it.
    pub scenario: String,
    /// Kernel.
    pub kernel: String,
    /// Engine that finds it.
    pub engine: &'static str,
    /// Rule that the report names.
    pub breaks: String,
    /// Its counterexample in `traces/corpus/`, if that is kept.
    pub trace: Option<String>,
}

/// A kernel that breaks the rule.
#[derive(Clone, Debug, Serialize)]
pub struct Broken {
    /// Number of the bug.
    pub id: String,
    /// What went wrong.
    pub what: String,
    /// Commit that fixed it.
    pub fix: String,
    /// Scenario that shows it.
    pub scenario: String,
    /// The kernel.
    pub kernel: String,
    /// Its counterexample in `traces/corpus/`.
    pub trace: Option<String>,
}

/// A scenario on a kernel that keeps the rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Proved {
    /// Scenario.
    pub scenario: String,
    /// Kernel.
    pub kernel: String,
    /// Verdict of each engine that was asked, with the number of executions.
    pub verdicts: Vec<(&'static str, String)>,
}

impl Proof {
    /// What is known of `rule`, by what is committed.
    pub fn of(rule: &LockingRule, manifest: &Manifest) -> Self {
        let mutants: Vec<Refuted> = manifest.mutant.iter().filter_map(|m| Refuted::of(rule, m)).collect();
        let bugs: Vec<Broken> = BUGS
            .iter()
            .filter(|bug| bug.without.is_none() && rule.covers(&bug.rule))
            .map(Broken::of)
            .collect();
        let scenarios: BTreeSet<&str> =
            mutants.iter().map(|m| &*m.scenario).chain(bugs.iter().map(|b| &*b.scenario)).collect();
        let rows = manifest.check.iter().filter(|row| scenarios.contains(&*row.scenario));
        let mut proved: Vec<Proved> = rows.map(Proved::of).collect();
        proved.sort();
        Self { mutants, bugs, proved }
    }

    /// Whether taking the rule away, or a kernel that breaks it, is refuted.
    pub fn is_needed(&self) -> bool {
        !self.mutants.is_empty() || !self.bugs.is_empty()
    }

    /// Names of what is taken away, each once.
    pub fn parts(&self) -> BTreeSet<&str> {
        self.mutants.iter().map(|m| &*m.id).collect()
    }

    /// In a word or two: the mutants, the bugs, or none.
    pub fn by(&self) -> String {
        let mut by: Vec<String> = self.parts().into_iter().map(Into::into).collect();
        by.extend(self.bugs.iter().map(|bug| format!("bug {}", bug.id)));
        by.join(", ")
    }
}

impl Refuted {
    fn of(rule: &LockingRule, mutant: &Mutant) -> Option<Self> {
        let info = RULES.iter().find(|info| info.id == mutant.rule && rule.covers(info.id))?;
        let name = corpus::name(&mutant.breaks, &mutant.scenario, &mutant.kernel, &[info.id]);
        Some(Self {
            id: info.id.into(),
            statement: info.statement,
            without: info.without,
            scenario: mutant.scenario.clone(),
            kernel: mutant.kernel.clone(),
            engine: mutant.engine.name(),
            breaks: mutant.breaks.clone(),
            trace: corpus::table(&name).map(|_| name),
        })
    }
}

impl Broken {
    fn of(bug: &Bug) -> Self {
        let kernel = bug.kernels().0.name;
        let name = corpus::name(&bug.rule, &bug.scenario, kernel, &[]);
        Self {
            id: bug.id.clone(),
            what: bug.what.clone(),
            fix: bug.fix.clone(),
            scenario: bug.scenario.clone(),
            kernel: kernel.into(),
            trace: corpus::table(&name).map(|_| name),
        }
    }
}

impl Proved {
    fn of(row: &Row) -> Self {
        let engines = [Engine::States, Engine::Views, Engine::Loom];
        let verdicts = engines.iter().filter_map(|&e| Some((e.name(), verdict(row.pin(e)?)))).collect();
        Self { scenario: row.scenario.clone(), kernel: row.kernel.clone(), verdicts }
    }
}

fn verdict(pin: &Pin) -> String {
    let deep = if pin.deep { " (--deep)" } else { "" };
    match pin.preemptions {
        Some(k) => format!("BOUNDED({k}) {}{deep}", pin.executions),
        None => format!("COMPLETE {}{deep}", pin.executions),
    }
}
