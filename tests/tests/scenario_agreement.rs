//! The engines and reductions on the scenarios of the library, against each other instead of against
//! pins: what one finishes, another finds too; what one only begins shows nothing else.
//!
//! Each test also counts what was finished and so compared in full, or it could become empty unnoticed.

use mmspec::check::Engine;
use mmspec::engine::shuttle::Scheduler;
use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Loom, Report, Shuttle, views};
use mmspec::manifest::{Manifest, Mutant};
use mmspec::scenario::library;
use mmspec_model::k::program::Setup;
use mmspec_model::variant::Kernel;

/// Executions after which a scenario is too large for the reference, partial-order reduction.
const REFERENCE: u64 = 10_000;
/// Executions of what is compared with it.
const EXECUTIONS: u64 = 20_000;
/// Executions in which a search that finishes finds each mutant.
const MUTANT: u64 = 60_000;
/// Executions of plain search on scenarios with few traces.
const PLAIN: u64 = 200_000;
/// What few means.
const FEW_TRACES: u64 = 10;

/// A scenario on a kernel, explored by partial-order reduction.
struct Pair {
    name: String,
    setup: Setup,
    dpor: Report,
}

fn explore(reduction: Reduction, executions: u64, setup: &Setup) -> Report {
    states::run(reduction, Limits { executions, ..Limits::default() }, setup, &|_| {})
}

/// All scenarios on these kernels that partial-order reduction finishes, and that are not refuted
/// there. It does not finish `suspend_vs_reaper_and_reader`, `suspend_vs_reaper` with `mm_reaper`,
/// `oom_while_queued`, `two_exits_oom_toggle_reaper` and what has four threads of the OOM killer.
fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let refuted = Manifest::committed().mutant;
    let refuted = |scenario: &str, kernel: &str| {
        refuted.iter().any(|m| m.rule.is_empty() && m.scenario == scenario && m.kernel == kernel)
    };
    for kernel in ["v6.12", "rfc-async-teardown"] {
        let kernel = Kernel::named(kernel).expect("a kernel");
        for scenario in library::all().iter().filter(|s| s.applies_to(&kernel)) {
            if refuted(&scenario.name, kernel.name) {
                continue;
            }
            let setup = scenario.program(kernel);
            let dpor = explore(Reduction::Dpor, REFERENCE, &setup);
            let name = format!("{} on {}", scenario.name, kernel.name);
            assert_eq!(dpor.failure.as_ref().map(|f| &f.rule), None, "{name}");
            if dpor.effort == Effort::Complete {
                pairs.push(Pair { name, setup, dpor });
            }
        }
    }
    assert!(pairs.len() >= 38, "only {} scenarios are small enough", pairs.len());
    pairs
}

/// `report` has the outcomes of `pair`, or some of them if a limit stopped it. Whether it has all.
fn agrees(pair: &Pair, report: &Report) -> bool {
    let who = format!("{} {} on {}", report.engine, report.search, pair.name);
    assert_eq!(report.failure.as_ref().map(|f| &f.rule), None, "{who}");
    let expected = &pair.dpor.outcomes;
    match report.effort {
        Effort::Complete => assert_eq!(&report.outcomes, expected, "{who}"),
        _ => assert!(report.outcomes.is_subset(expected), "{who}: {:?}", report.outcomes),
    }
    report.effort == Effort::Complete
}

fn at_least<const N: usize>(counts: [u32; N], least: [u32; N]) {
    let enough = counts.iter().zip(&least).all(|(count, least)| count >= least);
    assert!(enough, "compared {counts:?}, expected at least {least:?}");
}

#[test]
fn reductions_find_the_same_outcomes() {
    let (mut plain, mut hashing, mut asleep) = (0, 0, 0);
    for pair in pairs() {
        let traces = pair.dpor.complete;
        let most = if traces <= FEW_TRACES { PLAIN } else { EXECUTIONS / 4 };
        plain += u32::from(agrees(&pair, &explore(Reduction::Plain, most, &pair.setup)));
        hashing += u32::from(agrees(&pair, &explore(Reduction::Hashing, EXECUTIONS, &pair.setup)));
        let all = explore(Reduction::SleepSets, EXECUTIONS, &pair.setup);
        if agrees(&pair, &all) {
            assert_eq!(all.complete, traces, "traces of {}", pair.name);
            asleep += 1;
        }
    }
    at_least([plain, hashing, asleep], [5, 33, 21]);
}

/// shuttle goes through all interleavings, as plain search does, over its own threads and atomics.
#[test]
fn shuttle_finds_the_same_interleavings() {
    let mut finished = 0;
    for pair in pairs().iter().filter(|pair| pair.dpor.complete <= FEW_TRACES) {
        let limits = Limits { executions: EXECUTIONS, ..Limits::default() };
        let shuttle = Shuttle { scheduler: Scheduler::Dfs, limits };
        let report = shuttle.run(&pair.setup).expect("no settings from outside");
        if agrees(pair, &report) {
            let plain = explore(Reduction::Plain, EXECUTIONS, &pair.setup);
            assert_eq!(report.executions, plain.executions, "interleavings of {}", pair.name);
            finished += 1;
        }
    }
    at_least([finished], [3]);
}

/// No scenario has an outcome that only weak memory shows, by either model of it.
#[test]
fn weak_memory_shows_nothing_more() {
    let manifest = Manifest::committed();
    let (mut by_views, mut by_loom) = (0, 0);
    for pair in pairs() {
        let is_meant = |name: &str, kernel: &str| pair.name == format!("{name} on {kernel}");
        let row = manifest.check.iter().find(|row| is_meant(&row.scenario, &row.kernel)).expect("a row");
        let limits = Limits { executions: EXECUTIONS, ..Limits::default() };
        if row.pin(Engine::Views).is_some_and(|pin| pin.executions < EXECUTIONS) {
            assert!(agrees(&pair, &views::run(limits, &pair.setup, &|_| {})), "{}", pair.name);
            by_views += 1;
        }
        if row.pin(Engine::Loom).is_some_and(|pin| pin.preemptions.is_none() && pin.executions < EXECUTIONS) {
            let report =
                Loom { preemptions: None, limits }.run(&pair.setup).expect("no settings from outside");
            assert!(agrees(&pair, &report), "{}", pair.name);
            by_loom += 1;
        }
    }
    at_least([by_views, by_loom], [19, 11]);
}

/// Rules that another search may break first than the one that the manifest has.
///
/// Without R4 a reader takes a reference that is not there any more. Where the mm is freed already
/// this is `uaf` before it is a reference taken from 0.
const BREAKS_TOO: [(&str, &str); 1] = [("R4", "uaf")];

fn is_meant(mutant: &Mutant, rule: &str) -> bool {
    rule == mutant.breaks || BREAKS_TOO.contains(&(&mutant.rule, rule))
}

/// A search either finds the rule broken or has not finished. The two that `check` rests on finish.
#[test]
fn mutants_break_the_same_rule_by_every_reduction() {
    let (mut plain, mut asleep, mut mutants) = (0, 0, 0);
    for mutant in Manifest::committed().mutant.iter().filter(|m| m.engine == Engine::States) {
        let (scenario, kernel) = mutant.subject();
        let setup = scenario.program(kernel);
        let broken = |reduction| {
            let report = explore(reduction, MUTANT, &setup);
            let who = format!("{reduction:?}, {} without {} on {}", scenario.name, mutant.rule, kernel.name);
            assert!(report.effort != Effort::Complete, "{who}: holds");
            report.failure.inspect(|failure| assert!(is_meant(mutant, &failure.rule), "{who}: {failure:?}"))
        };
        for reduction in [Reduction::Dpor, Reduction::Hashing] {
            assert!(broken(reduction).is_some(), "{reduction:?} finds nothing without {}", mutant.rule);
        }
        plain += u32::from(broken(Reduction::Plain).is_some());
        asleep += u32::from(broken(Reduction::SleepSets).is_some());
        mutants += 1;
    }
    at_least([mutants, plain, asleep], [30, 10, 26]);
}
