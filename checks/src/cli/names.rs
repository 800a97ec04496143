//! From names on the command line to what they stand for.

use super::error::CliError;
use mmspec::bugs::{BUGS, Bug};
use mmspec::scenario::{Scenario, library};
use mmspec_model::rules::{self, LockingRule};
use mmspec_model::variant::{KERNELS, Kernel, RULES, Rule};

/// Least likeness of a name that is worth suggesting, of 1.
const ALIKE: f64 = 0.75;
/// Most suggestions.
const SUGGESTIONS: usize = 3;

/// The scenario of this name.
pub fn scenario(name: &str) -> Result<Scenario, CliError> {
    let all = library::all();
    let names = all.iter().map(|s| s.name.as_str());
    library::named(name).ok_or_else(|| unknown("scenario", "list scenarios", name, names))
}

/// The kernel of this name.
pub fn kernel(name: &str) -> Result<Kernel, CliError> {
    Kernel::named(name).ok_or_else(|| unknown("kernel", "list kernels", name, KERNELS.iter().map(|k| k.name)))
}

/// The rule of this name.
pub fn rule(name: &str) -> Result<Rule, CliError> {
    Rule::parse(name).ok_or_else(|| unknown("rule", "list rules", name, RULES.iter().map(|r| r.id)))
}

/// The bug of this number.
pub fn bug(id: &str) -> Result<&'static Bug, CliError> {
    let bug = BUGS.iter().find(|bug| bug.id.eq_ignore_ascii_case(id));
    bug.ok_or_else(|| unknown("bug", "bugs", id, BUGS.iter().map(|bug| &*bug.id)))
}

/// The rule of the reference with this name, or the one that the rule of the model with this name is a
/// part of.
pub fn locking_rule(id: &str) -> Result<&'static LockingRule, CliError> {
    let rule = LockingRule::named(id)
        .or_else(|| Rule::parse(id).and_then(|part| rules::all().find(|r| r.covers(part.info().id))));
    let parts = RULES.iter().map(|r| r.id).filter(|id| id.contains('-'));
    rule.ok_or_else(|| unknown("rule", "rules", id, rules::all().map(|r| r.id).chain(parts)))
}

/// Names in the order of their likeness to `name`, but no stranger.
fn unknown<'a>(
    what: &'static str,
    listed_by: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> CliError {
    let asked = name.to_lowercase();
    let likeness = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let part = asked.len() > 1 && candidate.contains(&asked);
        if part { 1.0 } else { strsim::jaro_winkler(&asked, &candidate) }
    };
    let mut near: Vec<(f64, &str)> = names.map(|n| (likeness(n), n)).filter(|(l, _)| *l >= ALIKE).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near = near.into_iter().take(SUGGESTIONS).map(|(_, n)| n.to_string()).collect();
    CliError::Unknown { what, name: name.into(), near, listed_by }
}
