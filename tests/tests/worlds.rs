//! Random worlds: small ones exhausted on every kernel, large ones sampled, and proof that broken
//! kernels do not survive them.
//!
//! The worlds are the same in every run. `PROPTEST_CASES=20000 cargo test --test worlds` draws new
//! ones, and more. A failure is shrunk and printed as code for the library of scenarios.

use mmspec::engine::shuttle::Scheduler;
use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report, Shuttle};
use mmspec::scenario::{Actor, Scenario};
use mmspec::worlds;
use mmspec_model::variant::{KERNELS, Kernel, Rule, Status};
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;
use std::ops::RangeInclusive;

/// Executions after which a small world counts as unfinished.
const EXECUTIONS: u64 = 4_000;

/// Schedules of a large world.
const SCHEDULES: u64 = 300;

/// Run `test` on so many worlds; the failure with the smallest world that still has it.
fn run(
    cases: u32,
    worlds: &impl Strategy<Value = Scenario>,
    test: impl Fn(Scenario) -> Result<(), TestCaseError>,
) -> Result<(), String> {
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    let cases = more.unwrap_or(cases);
    let config = Config { cases, max_shrink_iters: 1000, failure_persistence: None, ..Config::default() };
    let mut runner = match more {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    runner.run(worlds, test).map_err(|error| match error {
        TestError::Fail(why, world) => format!("{why}\n{}", world.to_rust()),
        TestError::Abort(why) => why.to_string(),
    })
}

/// Fail with the text as it is.
fn passed(result: Result<(), String>) {
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Every schedule of a world, an execution limit aside.
fn exhaust(reduction: Reduction, executions: u64, kernel: Kernel, world: &Scenario) -> Report {
    let limits = Limits { executions, ..Limits::default() };
    states::run(reduction, limits, &world.program(kernel), &|_| {})
}

/// The task that an actor makes exit.
fn exits(actor: &Actor) -> Option<usize> {
    match *actor {
        Actor::Exit(t) | Actor::ExitGroup(t) | Actor::ExitWhenKilled(t) | Actor::AllocateAndExit(t) => {
            Some(t)
        }
        _ => None,
    }
}

fn is_well_formed(world: &Scenario, threads: RangeInclusive<usize>) -> Result<(), TestCaseError> {
    let mut exiting: Vec<usize> = world.actors.iter().filter_map(exits).collect();
    exiting.sort_unstable();
    prop_assert_eq!(exiting, (0..world.tasks.len()).collect::<Vec<_>>(), "each task exits once");
    for (i, mm) in world.mms.iter().enumerate() {
        prop_assert!(world.tasks.iter().any(|t| t.mm == i), "mm{} has no user", i);
        let completers = world.actors.iter().filter(|a| **a == Actor::CompleteAio(i)).count();
        prop_assert_eq!(completers as u64, mm.aio, "all I/O completes");
    }
    let kernel = Kernel::named("rfc-async-teardown").expect("the kernel with all threads");
    prop_assert!(threads.contains(&world.threads(&kernel)), "{} threads", world.threads(&kernel));
    prop_assert!(world.mms.len() <= 15, "llist holds 15 entries");
    prop_assert!(!world.to_rust().starts_with("//"), "the builder can say it");
    Ok(())
}

#[test]
fn worlds_are_well_formed() {
    passed(run(2000, &worlds::small(), |world| is_well_formed(&world, 2..=6)));
    passed(run(2000, &worlds::large(), |world| is_well_formed(&world, 8..=32)));
}

/// The failure of a report, with the kernel that it is about.
fn verdict(kernel: Kernel, report: &Report) -> Result<(), TestCaseError> {
    let Some(failure) = &report.failure else { return Ok(()) };
    let broken = kernel.broken().first().map_or(String::new(), |rule| format!(" without {}", rule.info().id));
    let (rule, what) = (&failure.rule, &failure.what);
    Err(TestCaseError::fail(format!("{}{broken}, {}: {rule}: {what}", kernel.name, report.search)))
}

/// How many worlds were tried, and how many of them were too large to finish.
#[derive(Default)]
struct Count {
    tried: Cell<u32>,
    unfinished: Cell<u32>,
    hashed: Cell<u32>,
}

fn increment(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

fn small_worlds_are_safe_on(kernel: &str) {
    let kernel = Kernel::named(kernel).expect("a kernel");
    let count = Count::default();
    let result = run(120, &worlds::small(), |world| {
        increment(&count.tried);
        let reduced = exhaust(Reduction::Dpor, EXECUTIONS, kernel, &world);
        verdict(kernel, &reduced)?;
        if reduced.effort != Effort::Complete {
            increment(&count.unfinished);
            return Ok(());
        }
        let hashed = exhaust(Reduction::Hashing, EXECUTIONS / 2, kernel, &world);
        verdict(kernel, &hashed)?;
        if hashed.effort == Effort::Complete {
            increment(&count.hashed);
            prop_assert_eq!(hashed.outcomes, reduced.outcomes, "hashing and dpor, {}", kernel.name);
        }
        Ok(())
    });
    let (tried, unfinished, hashed) = (count.tried.get(), count.unfinished.get(), count.hashed.get());
    println!("{}: {tried} worlds, {unfinished} unfinished, {hashed} hashed too", kernel.name);
    passed(result);
    assert!(unfinished * 3 <= tried, "{unfinished} of {tried} worlds are too large");
    assert!(hashed * 2 >= tried, "only {hashed} of {tried} worlds were finished by both reductions");
}

#[test]
fn small_worlds_are_safe_on_released_kernels() {
    small_worlds_are_safe_on("v6.12");
}

#[test]
fn small_worlds_are_safe_with_async_teardown() {
    small_worlds_are_safe_on("rfc-async-teardown");
}

#[test]
fn small_worlds_are_safe_when_all_of_teardown_is_deferred() {
    small_worlds_are_safe_on("rfc-async-teardown-all");
}

#[test]
fn small_worlds_are_safe_when_frozen_exits_are_inline() {
    small_worlds_are_safe_on("rfc-async-teardown-inline-frozen");
}

/// Random and PCT schedules of a large world.
fn sample(kernel: Kernel, world: &Scenario) -> Report {
    let scheduler = Scheduler::Portfolio { seed: 0, runs: SCHEDULES };
    let shuttle = Shuttle { scheduler, limits: Limits::default() };
    shuttle.run(&world.program(kernel)).expect("no foreign settings")
}

/// Kernels that are said to hold in any world; of older ones that is not said.
fn claimed() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().filter(|k| k.status != Status::Version)
}

#[test]
fn large_worlds_are_safe() {
    let result = run(20, &worlds::large(), |world| {
        claimed().try_for_each(|&kernel| verdict(kernel, &sample(kernel, &world)))
    });
    passed(result);
}

/// Some world must show that `kernel` breaks `rule`, by one of the reports `told`, with three actors at
/// most once it is shrunk.
fn refute(kernel: &str, rule: Rule, told: &[&str]) {
    let kernel = Kernel::named(kernel).expect("a kernel").without(rule);
    let refuted = run(1000, &worlds::small(), |world| {
        let report = exhaust(Reduction::Dpor, EXECUTIONS / 4, kernel, &world);
        let meant = report.failure.as_ref().is_some_and(|failure| told.contains(&failure.rule.as_str()));
        if meant { verdict(kernel, &report) } else { Ok(()) }
    });
    let shown = refuted.expect_err(&format!("no world refutes {} without {}", kernel.name, rule.info().id));
    println!("{shown}");
    assert!((1..=3).contains(&shown.matches(".actor(").count()), "{shown}");
}

#[test]
fn worlds_refute_broken_reference_counts() {
    refute("v6.12", Rule::R1, &["R1", "uaf"]);
    refute("v6.12", Rule::R2, &["R1"]);
    refute("v6.12", Rule::R4, &["R1", "R38", "uaf"]);
    refute("rfc-async-teardown", Rule::R10, &["R10", "uaf"]);
    refute("v6.12", Rule::O1, &["uaf", "race"]);
    refute("v6.12", Rule::O2, &["uaf", "race"]);
}

#[test]
fn worlds_refute_broken_page_table_protection() {
    refute("v6.12", Rule::R22, &["uaf"]);
    refute("v6.12", Rule::R23Set, &["R23"]);
    refute("v6.12", Rule::R23Test, &["R23"]);
}

#[test]
fn worlds_refute_broken_oom_killers() {
    refute("v6.12", Rule::R33, &["R33"]);
    refute("v6.12", Rule::R34, &["uaf", "task"]);
    refute("v6.12", Rule::R35, &["R35", "deadlock"]);
    refute("v6.12", Rule::R38, &["R38"]);
    refute("v6.12", Rule::R40, &["R40"]);
    refute("v6.12", Rule::R42, &["uaf"]);
    refute("v6.12", Rule::R43, &["deadlock"]);
    refute("v6.12", Rule::I7, &["uaf"]);
}

#[test]
fn worlds_refute_broken_async_teardown() {
    for (rule, told) in [
        (Rule::A1, "A3"),
        (Rule::A3Late, "A3"),
        (Rule::A3PerTask, "A3"),
        (Rule::A6, "A9"),
        (Rule::A8Charge, "A8"),
        (Rule::A8Early, "A8"),
        (Rule::A8Uncharge, "A8"),
        (Rule::A9, "A9"),
        (Rule::O24, "A9"),
        (Rule::R37, "R37"),
    ] {
        refute("rfc-async-teardown", rule, &[told]);
    }
}
