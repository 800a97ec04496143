//! `pin --matrix`: what `states` finds now on the kernels of history becomes what the gate expects.

use super::error::CliError;
use super::jobs::{self, Job};
use super::pin::replace;
use super::screen::Screen;
use super::{Exit, expected, names};
use mmspec::bugs;
use mmspec::check::{Engine, Options, check};
use mmspec::engine::{ForeignSetting, Limits};
use mmspec::matrix::{self, Expected};
use mmspec::scenario::{Scenario, library};
use mmspec::verdict::Verdict;
use mmspec_model::variant::{KERNELS, Kernel, Status};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const PATH: &str = "checks/matrix.toml";
/// What takes more executions is deep.
const DEEP: u64 = 100_000;
/// What takes longer is not pinned.
const TIME: Duration = Duration::from_mins(10);

/// Explore all, and write down what is found.
pub fn run(only: &[String], screen: &mut Screen) -> Result<Exit, CliError> {
    let path = Path::new(PATH);
    let text = expected::read(path)?;
    let only = only.iter().map(|name| names::scenario(name)).collect::<Result<Vec<_>, _>>()?;
    let stay = !only.is_empty();
    let scenarios = if stay { only } else { library::all() };
    let options = Options { limits: Limits { time: TIME, ..Limits::default() }, ..Options::default() };
    let places: Vec<(&Kernel, &Scenario)> = KERNELS
        .iter()
        .filter(|k| k.status == Status::Version)
        .flat_map(|kernel| scenarios.iter().filter(|s| s.applies_to(kernel)).map(move |s| (kernel, s)))
        .collect();
    // Kernels that choose alike are one program.
    let alike = |&(k, s): &(&Kernel, &Scenario)| {
        places.iter().position(|(other, t)| t.name == s.name && other.differences(k).is_empty())
    };
    let first: Vec<(usize, usize)> =
        places.iter().enumerate().map(|(i, place)| (i, alike(place).unwrap_or(i))).collect();
    let explored: Vec<usize> = first.iter().filter(|(i, first)| i == first).map(|(i, _)| *i).collect();
    let jobs: Vec<_> = explored.iter().map(|&i| job(places[i].0, places[i].1, &options)).collect();
    let mut rows: BTreeMap<String, BTreeMap<String, Expected>> = BTreeMap::new();
    for cell in matrix::committed().into_iter().filter(|_| stay) {
        rows.entry(cell.kernel.name.into()).or_default().insert(cell.scenario.name, cell.expected);
    }
    let mut refused = Vec::new();
    jobs::run(&jobs, |index, found| {
        let (kernel, scenario) = places[explored[index]];
        let (verdict, executions) = found?;
        let expected = match verdict {
            Verdict::Complete => Expected::Complete { executions, deep: executions > DEEP },
            Verdict::Violated { rule, .. } if bugs::explaining(kernel.name, &rule).next().is_some() => {
                Expected::Violated(rule)
            }
            other => {
                refused.push(format!("{} on {}: {other}", scenario.name, kernel.name));
                return Ok(());
            }
        };
        for (i, _) in first.iter().filter(|(_, first)| *first == explored[index]) {
            let row = rows.entry(places[*i].0.name.into()).or_default();
            row.insert(scenario.name.clone(), expected.clone());
        }
        Ok(())
    })?;
    replace(path, &text, &written(&rows))?;
    screen.line(format_args!("{PATH}: {} cells", rows.values().map(BTreeMap::len).sum::<usize>()))?;
    if refused.is_empty() {
        return Ok(Exit::AsExpected);
    }
    screen.line("Not pinned, because it is not known, or no bug in checks/bugs.toml explains it:")?;
    refused.iter().try_for_each(|line| screen.line(format_args!("  {line}")))?;
    Ok(Exit::Unexpected)
}

fn job<'a>(
    kernel: &'a Kernel,
    scenario: &'a Scenario,
    options: &'a Options,
) -> Job<'a, Result<(Verdict, u64), ForeignSetting>> {
    Job {
        subject: format!("{} on {}", scenario.name, kernel.name),
        engine: Engine::States,
        explore: Box::new(move |progress| {
            let checked = check(scenario, *kernel, Engine::States, options, progress)?;
            Ok((checked.verdict, checked.report.executions))
        }),
    }
}

fn written(rows: &BTreeMap<String, BTreeMap<String, Expected>>) -> String {
    let mut text = String::from(
        "# What `states` finds on each kernel of history: written by `mmspec pin --matrix`.\n\
         # The number is that of executions; what is VIOLATED is explained in checks/bugs.toml.\n",
    );
    for kernel in KERNELS {
        let Some(row) = rows.get(kernel.name) else { continue };
        write!(text, "\n[{:?}]\n", kernel.name).expect("memory is there");
        for (scenario, expected) in row {
            writeln!(text, "{scenario} = \"{expected}\"").expect("memory is there");
        }
    }
    text
}
