//! `check --kernel all`: a matrix of scenarios and kernels.
//!
//! Kernels that choose alike at every variation point are one program: they are explored once.

use super::args::{CheckArgs, Format};
use super::error::CliError;
use super::jobs::{self, Job};
use super::screen::Screen;
use super::{Exit, expected};
use mmspec::bugs;
use mmspec::check::{Checked, Engine, Options, check};
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::engine::{ForeignSetting, Limits};
use mmspec::manifest::Manifest;
use mmspec::matrix::{self, Expected};
use mmspec::scenario::{Scenario, library};
use mmspec::verdict::Verdict;
use mmspec_model::variant::{KERNELS, Kernel, Status};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// More than any cell takes.
const TIME: Duration = Duration::from_hours(1);

/// A cell to be explored: scenario and kernel by their places.
type Place = (usize, usize);

/// What is known of a cell.
#[derive(Clone, Serialize)]
struct Found {
    scenario: String,
    kernel: &'static str,
    verdict: String,
    executions: u64,
    unexpected: Option<String>,
    #[serde(skip)]
    short: String,
}

/// Explore every scenario on every kernel.
pub fn run(args: &CheckArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let start = Instant::now();
    refuse_foreign_settings()?;
    let manifest = expected::parse(expected::TEXT, Path::new(expected::PATH))?;
    let expectations = expectations(&manifest);
    let scenarios = library::all();
    let is_deep = |scenario: &str, kernel: &str| {
        expectations.get(&(scenario.into(), kernel.into())).is_none_or(Expected::is_deep)
    };
    let mut places: Vec<Place> = Vec::new();
    for (k, kernel) in KERNELS.iter().enumerate().filter(|(k, _)| first_alike(*k) == *k) {
        for (s, scenario) in scenarios.iter().enumerate().filter(|(_, s)| s.applies_to(kernel)) {
            if args.deep || !is_deep(&scenario.name, kernel.name) {
                places.push((s, k));
            }
        }
    }
    let limits = Limits { time: args.time.unwrap_or(TIME), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let jobs: Vec<_> = places.iter().map(|&(s, k)| job(&scenarios[s], KERNELS[k], &options)).collect();
    let mut found: BTreeMap<Place, Found> = BTreeMap::new();
    jobs::run(&jobs, |index, checked| {
        let place = places[index];
        let (scenario, kernel) = (scenarios[place.0].name.clone(), KERNELS[place.1].name);
        let expected = expectations.get(&(scenario.clone(), kernel.into()));
        found.insert(place, Found::new(scenario, kernel, &checked?, expected));
        Ok(())
    })?;
    if args.format == Format::Json {
        screen.json(&found.values().collect::<Vec<_>>())?;
    } else {
        print(&scenarios, &found, screen)?;
        conclude(&found, start, screen)?;
    }
    let unexpected = found.values().any(|f| f.unexpected.is_some());
    Ok(if unexpected { Exit::Unexpected } else { Exit::AsExpected })
}

/// What is expected of each scenario on each kernel, by the two files.
fn expectations(manifest: &Manifest) -> BTreeMap<(String, String), Expected> {
    let mut all = BTreeMap::new();
    for row in &manifest.check {
        if let Some(pin) = &row.states {
            let expected = Expected::Complete { executions: pin.executions, deep: pin.deep };
            all.insert((row.scenario.clone(), row.kernel.clone()), expected);
        }
    }
    for mutant in manifest.mutant.iter().filter(|m| m.rule.is_empty()) {
        let expected = Expected::Violated(mutant.breaks.clone());
        all.insert((mutant.scenario.clone(), mutant.kernel.clone()), expected);
    }
    for cell in matrix::committed() {
        all.insert((cell.scenario.name, cell.kernel.name.into()), cell.expected);
    }
    all
}

/// The first kernel that chooses as that at `k` does.
fn first_alike(k: usize) -> usize {
    KERNELS.iter().position(|other| other.differences(&KERNELS[k]).is_empty()).unwrap_or(k)
}

fn job<'a>(
    scenario: &'a Scenario,
    kernel: Kernel,
    options: &'a Options,
) -> Job<'a, Result<Checked, ForeignSetting>> {
    Job {
        subject: format!("{} on {}", scenario.name, kernel.name),
        engine: Engine::States,
        explore: Box::new(move |progress| check(scenario, kernel, Engine::States, options, progress)),
    }
}

impl Found {
    fn new(scenario: String, kernel: &'static str, checked: &Checked, expected: Option<&Expected>) -> Self {
        let short = match &checked.verdict {
            Verdict::Violated { rule, .. } => if rule == "deadlock" { "dead" } else { rule }.to_string(),
            Verdict::Complete => "ok".into(),
            Verdict::Vacuous(_) => "vac".into(),
            _ => "?".into(),
        };
        let unexpected = match expected {
            Some(expected) => expected.unlike(checked),
            None => Some(format!("nothing is expected, found {}", checked.verdict)),
        };
        Self {
            scenario,
            kernel,
            verdict: checked.verdict.to_string(),
            executions: checked.report.executions,
            unexpected,
            short,
        }
    }
}

/// Heading of a column: the version, or a letter for a proposal.
fn heading(k: usize) -> String {
    let kernel = &KERNELS[k];
    if let Some(version) = kernel.name.strip_prefix('v') {
        return version.replace("-rc1", "rc");
    }
    let proposals = KERNELS[..k].iter().filter(|k| !k.name.starts_with('v')).count();
    char::from(b'A' + proposals as u8).to_string()
}

/// Columns: versions in their order, then proposals.
fn columns() -> Vec<usize> {
    let is_version = |k: &usize| KERNELS[*k].name.starts_with('v');
    let (mut versions, proposals): (Vec<usize>, Vec<usize>) = (0..KERNELS.len()).partition(is_version);
    // v6.12 stands first in the list, because it is what the rest is measured by.
    let current = versions.iter().position(|&k| KERNELS[k].status == Status::Current);
    if let (Some(current), Some(next)) = (current, versions.iter().position(|&k| KERNELS[k].name == "v6.18"))
    {
        let moved = versions.remove(current);
        versions.insert(next - usize::from(current < next), moved);
    }
    [versions, proposals].concat()
}

fn print(
    scenarios: &[Scenario],
    found: &BTreeMap<Place, Found>,
    screen: &mut Screen,
) -> Result<(), CliError> {
    let columns = columns();
    let width = scenarios.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let line = |name: &str, cells: &[String]| {
        let mut line = format!("{name:width$}");
        for (cell, &column) in cells.iter().zip(&columns) {
            let _ = write!(line, " {cell:>w$}", w = heading(column).len().max(4));
        }
        line
    };
    screen.line(line("scenario", &columns.iter().map(|&k| heading(k)).collect::<Vec<_>>()))?;
    for (s, scenario) in scenarios.iter().enumerate() {
        let cell = |&k: &usize| match found.get(&(s, first_alike(k))) {
            _ if !scenario.applies_to(&KERNELS[k]) => "-".to_string(),
            Some(found) => found.short.clone() + if found.unexpected.is_some() { "!" } else { "" },
            None => "deep".to_string(),
        };
        screen.line(line(&scenario.name, &columns.iter().map(cell).collect::<Vec<_>>()))?;
    }
    screen.line("")?;
    for &k in columns.iter().filter(|&&k| !KERNELS[k].name.starts_with('v')) {
        screen.line(format_args!("{} {}: {}", heading(k), KERNELS[k].name, KERNELS[k].about))?;
    }
    screen.line("ok: COMPLETE; a rule, uaf, rss, dead(lock): VIOLATED; -: does not apply; deep: --deep")
}

fn conclude(found: &BTreeMap<Place, Found>, start: Instant, screen: &mut Screen) -> Result<(), CliError> {
    screen.line("\nWhat is broken, and what mended it:")?;
    let broken: BTreeSet<(usize, &str)> = found
        .iter()
        .filter(|(_, f)| f.verdict.starts_with("VIOLATED"))
        .map(|((_, k), f)| (*k, if f.short == "dead" { "deadlock" } else { f.short.as_str() }))
        .collect();
    for (k, rule) in broken {
        for bug in bugs::explaining(KERNELS[k].name, rule) {
            screen.line(format_args!(
                "  {:23} {:9} {:4} {} ({})",
                KERNELS[k].name, rule, bug.id, bug.what, bug.fix
            ))?;
        }
    }
    let of = |prefix: &str| found.values().filter(|f| f.verdict.starts_with(prefix)).count();
    screen.line(format_args!(
        "\n{} cells explored: {} COMPLETE, {} VIOLATED; {:.1} s",
        found.len(),
        of("COMPLETE"),
        of("VIOLATED"),
        start.elapsed().as_secs_f64()
    ))?;
    for found in found.values() {
        if let Some(text) = &found.unexpected {
            screen.line(format_args!("{} on {}: {text}", found.scenario, found.kernel))?;
        }
    }
    if found.values().all(|f| f.unexpected.is_none()) {
        screen.line("All as expected.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{columns, expectations, expected, first_alike, heading};
    use mmspec::matrix;
    use mmspec::scenario::library;
    use mmspec_model::variant::KERNELS;
    use std::path::Path;

    #[test]
    fn columns_are_versions_in_their_order_then_proposals() {
        let headings: Vec<String> = columns().into_iter().map(heading).collect();
        assert_eq!(headings[..4], ["4.6", "4.9", "4.14", "4.17"]);
        assert_eq!(headings[10..16], ["6.1", "6.2", "6.12", "6.18", "7.0", "7.1"]);
        assert_eq!(headings[16..], ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"]);
        assert_eq!(headings.len(), KERNELS.len());
    }

    #[test]
    fn kernels_that_choose_alike_are_one() {
        let first = |name| KERNELS[first_alike(KERNELS.iter().position(|k| k.name == name).unwrap())].name;
        assert_eq!((first("v7.1"), first("v6.18"), first("v6.12")), ("v6.18", "v6.18", "v6.12"));
    }

    /// Alternative designs are not pinned for the largest scenarios.
    #[test]
    fn something_is_expected_of_nearly_every_cell() {
        let manifest = expected::parse(expected::TEXT, Path::new(expected::PATH)).unwrap();
        let expectations = expectations(&manifest);
        let all = KERNELS.iter().flat_map(|k| {
            let scenarios = library::all().into_iter().filter(|s| s.applies_to(k));
            scenarios.map(|s| (s.name, k.name.to_string()))
        });
        let missing: Vec<_> = all.filter(|cell| !expectations.contains_key(cell)).collect();
        assert!(missing.iter().all(|(scenario, _)| scenario == "two_exits_oom_toggle_reaper"), "{missing:?}");
        assert!(matrix::committed().len() > 700);
    }
}
