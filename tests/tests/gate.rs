//! The proof gate: each row of checks/manifest.toml and engine is one test, and so is each mutant, and
//! each cell of checks/matrix.toml.
//!
//! A row passes if the verdict, the end outcomes and the counts are as pinned. Rows marked `deep`
//! take longer than a gate may: they are ignored here and run with `--ignored`. The cheap ones come
//! first, so that a broken model fails within a second; `MMSPEC_FAIL_FAST=1` ends the run there.

use libtest_mimic::{Arguments, Failed, Trial};
use mmspec::bugs::{self, BUGS};
use mmspec::check::{Checked, Engine, Options};
use mmspec::engine::ForeignSetting;
use mmspec::manifest::{Manifest, Mutant, Row};
use mmspec::matrix::{self, Cell, Expected};
use mmspec_model::variant::{KERNELS, RULES, Status};

/// Where verdicts without a count are put among the others, which go by executions.
const UNCOUNTED: u64 = 1000;

fn main() {
    let manifest = Manifest::committed();
    let mut trials = vec![
        (0, Trial::test("manifest::covers_every_rule_and_scenario", covers_everything)),
        (0, Trial::test("matrix::shows_every_bug_and_its_fix", shows_every_bug)),
    ];
    for row in manifest.check {
        for engine in [Engine::States, Engine::Views, Engine::Loom] {
            if let Some(pin) = row.pin(engine) {
                let (executions, deep) = (pin.executions, pin.deep);
                trials.push((executions, check(row.clone(), engine).with_ignored_flag(deep)));
            }
        }
    }
    trials.extend(manifest.mutant.into_iter().map(|m| (UNCOUNTED, mutant(m))));
    trials.extend(matrix::committed().into_iter().map(cell));
    trials.sort_by_key(|(executions, _)| *executions);
    let trials = trials.into_iter().map(|(_, trial)| trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(row: Row, engine: Engine) -> Trial {
    let name = format!("{}::{}::{}", row.kernel, row.scenario, engine.name());
    Trial::test(name, move || judge(row.run(engine, &Options::default(), &|_| {})))
}

fn mutant(mutant: Mutant) -> Trial {
    let name =
        format!("{}::without_{}::{}::{}", mutant.kernel, mutant.rule, mutant.scenario, mutant.engine.name());
    Trial::test(name, move || judge(mutant.run(&Options::default(), &|_| {})))
}

fn cell(cell: Cell) -> (u64, Trial) {
    let executions = match cell.expected {
        Expected::Complete { executions, .. } => executions,
        Expected::Violated(_) => UNCOUNTED,
    };
    let deep = cell.expected.is_deep();
    let trial = Trial::test(format!("{}::{}", cell.kernel.name, cell.scenario.name), move || {
        judge(cell.run(&Options::default(), &|_| {}))
    });
    (executions, trial.with_ignored_flag(deep))
}

/// A failure of what is not as expected. Where nobody waits for the rest, it is the last thing said.
fn judge(checked: Result<(Checked, Option<String>), ForeignSetting>) -> Result<(), Failed> {
    let (_, unexpected) = checked.map_err(|error| error.to_string())?;
    let Some(text) = unexpected else { return Ok(()) };
    if std::env::var_os("MMSPEC_FAIL_FAST").is_some() {
        eprintln!("{text}");
        std::process::exit(101);
    }
    Err(text.into())
}

/// Each bug is in the matrix, where its scenario breaks its rule on all kernels that have it and not
/// on the one that mends it; and nothing else is broken there.
fn shows_every_bug() -> Result<(), Failed> {
    let (cells, mutants) = (matrix::committed(), Manifest::committed().mutant);
    let find = |kernel: &str, scenario: &str| {
        cells.iter().find(|c| c.kernel.name == kernel && c.scenario.name == scenario).map(|c| &c.expected)
    };
    for bug in &*BUGS {
        let broken = Expected::Violated(bug.rule.clone());
        if let Some(rule) = &bug.without {
            let shows = |m: &Mutant| {
                (&m.rule, &m.kernel, &m.scenario, &m.breaks) == (rule, &bug.fixed, &bug.scenario, &bug.rule)
            };
            if !mutants.iter().any(shows) {
                return Err(format!("{} has no mutant in the manifest", bug.id).into());
            }
            continue;
        }
        for kernel in &bug.kernels {
            if find(kernel, &bug.scenario) != Some(&broken) {
                return Err(format!("{} is not shown by {} on {kernel}", bug.id, bug.scenario).into());
            }
        }
        if find(&bug.fixed, &bug.scenario).is_none_or(|found| *found == broken) {
            return Err(format!("{} is not mended on {}", bug.id, bug.fixed).into());
        }
    }
    for cell in &cells {
        if let Expected::Violated(rule) = &cell.expected
            && bugs::explaining(cell.kernel.name, rule).next().is_none()
        {
            return Err(format!("no bug explains {rule} on {}", cell.kernel.name).into());
        }
    }
    Ok(())
}

/// Every rule has a mutant, and every scenario a row for `states` on every kernel that it applies to,
/// alternative designs aside.
fn covers_everything() -> Result<(), Failed> {
    let manifest = Manifest::committed();
    for rule in RULES {
        if !manifest.mutant.iter().any(|m| m.rule == rule.id) {
            return Err(format!("rule {} has no mutant", rule.id).into());
        }
    }
    for kernel in KERNELS.iter().filter(|k| matches!(k.status, Status::Current | Status::Proposal)) {
        for scenario in mmspec::scenario::library::all().iter().filter(|s| s.applies_to(kernel)) {
            let refutes =
                |m: &Mutant| m.rule.is_empty() && m.kernel == kernel.name && m.scenario == scenario.name;
            if manifest.mutant.iter().any(refutes) {
                continue;
            }
            let row = manifest.check.iter().find(|r| r.kernel == kernel.name && r.scenario == scenario.name);
            if row.and_then(|r| r.states.as_ref()).is_none() {
                return Err(format!("{} on {} has no row for states", scenario.name, kernel.name).into());
            }
        }
    }
    Ok(())
}
