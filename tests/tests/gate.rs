//! The proof gate: each row of checks/manifest.toml and engine is one test, and so is each mutant.
//!
//! A row passes if the verdict, the end outcomes and the counts are as pinned. Rows marked `deep`
//! take longer than a gate may: they are ignored here and run with `--ignored`.

use libtest_mimic::{Arguments, Failed, Trial};
use mmspec::check::{Engine, Options};
use mmspec::manifest::{Manifest, Mutant, Row};

fn main() {
    let manifest = Manifest::committed();
    let mut trials = vec![Trial::test("manifest::covers_every_rule_and_scenario", covers_everything)];
    for row in manifest.check {
        for engine in [Engine::States, Engine::Views, Engine::Loom] {
            if let Some(pin) = row.pin(engine) {
                let deep = pin.deep;
                trials.push(check(row.clone(), engine).with_ignored_flag(deep));
            }
        }
    }
    trials.extend(manifest.mutant.into_iter().map(mutant));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(row: Row, engine: Engine) -> Trial {
    let name = format!("{}::{}::{}", row.kernel, row.scenario, engine.name());
    Trial::test(name, move || {
        let (_, unexpected) =
            row.run(engine, &Options::default(), &|_| {}).map_err(|e| Failed::from(e.to_string()))?;
        unexpected.map_or(Ok(()), |text| Err(text.into()))
    })
}

fn mutant(mutant: Mutant) -> Trial {
    let name =
        format!("{}::without_{}::{}::{}", mutant.kernel, mutant.rule, mutant.scenario, mutant.engine.name());
    Trial::test(name, move || {
        let (_, unexpected) =
            mutant.run(&Options::default(), &|_| {}).map_err(|e| Failed::from(e.to_string()))?;
        unexpected.map_or(Ok(()), |text| Err(text.into()))
    })
}

/// Every rule has a mutant, and every scenario a row for `states` on every kernel that it applies to,
/// alternative designs aside.
fn covers_everything() -> Result<(), Failed> {
    let manifest = Manifest::committed();
    for rule in mmspec_model::variant::RULES {
        if !manifest.mutant.iter().any(|m| m.rule == rule.id) {
            return Err(format!("rule {} has no mutant", rule.id).into());
        }
    }
    for kernel in mmspec_model::variant::KERNELS.iter().filter(|k| !k.alternative) {
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
