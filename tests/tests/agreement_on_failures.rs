//! The reductions of the states engine hide no broken rule and invent none: on random programs with
//! races, frees, work items, timers and a kernel thread that is frozen, either every search finds a
//! rule broken or none does.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report, views};
use mmspec_tests::breaking::{Act, program};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use std::cell::Cell;

/// Ordinary memory, with and without locks: nothing but `race` can be found.
const MEMORY: [Act; 10] = [
    Act::Look,
    Act::Change,
    Act::Spin,
    Act::Mutexed,
    Act::ReadSem,
    Act::WriteSem,
    Act::Publish,
    Act::Follow(true),
    Act::Follow(false),
    Act::Inc,
];

/// An object with two references: `uaf`, `double-free`, and references that are not there.
const OBJECT: [Act; 10] = [
    Act::Use,
    Act::Inspect,
    Act::Get,
    Act::Grab,
    Act::Borrow,
    Act::Put(true),
    Act::Put(true),
    Act::Put(false),
    Act::Free,
    Act::Spin,
];

/// Kernel threads: R13, R33.
const KTHREADS: [Act; 6] =
    [Act::Schedule, Act::Arm(false), Act::Arm(true), Act::Feed, Act::Freeze, Act::Count];

fn threads(acts: &'static [Act]) -> impl Strategy<Value = Vec<Vec<Act>>> {
    let thread = move |most| proptest::collection::vec(select(acts), 1..=most);
    prop_oneof![
        proptest::collection::vec(thread(4), 2),
        proptest::collection::vec(thread(2), 3),
        proptest::collection::vec(thread(1), 4),
    ]
}

fn run(reduction: Reduction, threads: &[Vec<Act>]) -> Report {
    let limits = Limits { collect: true, executions: 5_000, ..Limits::default() };
    states::run(reduction, limits, &program(threads.to_vec()), &|_| {})
}

/// All searches that finish agree, with no other rules broken than `rules`. Counts programs on which two
/// at least have finished, first those that hold, then those that do not.
fn agree(threads: &[Vec<Act>], rules: &[&str], count: &[Cell<u32>; 2]) -> TestCaseResult {
    let searches = [Reduction::Dpor, Reduction::Hashing, Reduction::SleepSets, Reduction::Plain];
    let reports = searches.map(|reduction| run(reduction, threads));
    let finished = || reports.iter().filter(|r| r.failure.is_some() || r.effort == Effort::Complete);
    for report in finished() {
        let first = finished().next().expect("there is one");
        prop_assert_eq!(
            report.failure.is_some(),
            first.failure.is_some(),
            "{}, {}",
            report.search,
            first.search
        );
        if let Some(failure) = &report.failure {
            prop_assert!(rules.contains(&failure.rule.as_str()), "{:?}", failure);
        } else {
            prop_assert_eq!(&report.outcomes, &first.outcomes, "{}, {}", report.search, first.search);
        }
    }
    let [dpor, _, asleep, _] = &reports;
    if asleep.effort == Effort::Complete && dpor.effort == Effort::Complete {
        prop_assert_eq!(dpor.complete, asleep.complete, "traces");
    }
    if finished().count() > 1 {
        count[usize::from(reports.iter().any(|r| r.failure.is_some()))].update(|n| n + 1);
    }
    Ok(())
}

/// The searches agree on so many programs of these statements, at `least` so many of which hold and do
/// not.
fn on_programs_of(acts: &'static [Act], rules: &[&str], cases: u32, least: [u32; 2]) {
    let count = [Cell::new(0), Cell::new(0)];
    let config = ProptestConfig {
        cases,
        max_shrink_iters: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(threads in threads(acts))| agree(&threads, rules, &count)?);
    let [holds, broken] = count.each_ref().map(Cell::get);
    println!("{cases} programs: {holds} hold, {broken} do not");
    assert!(holds >= least[0] && broken >= least[1], "{holds} programs hold, {broken} do not");
}

#[test]
fn races() {
    on_programs_of(&MEMORY, &["race"], 500, [75, 200]);
}

#[test]
fn uses_of_freed_objects() {
    on_programs_of(&OBJECT, &["uaf", "double-free", "reference", "R10"], 500, [75, 150]);
}

#[test]
fn kernel_threads() {
    on_programs_of(&KTHREADS, &["R13", "R33"], 150, [20, 30]);
}

/// Whether a reference is there to be taken can depend on an increment that does not look.
#[test]
fn a_reference_that_is_there_again_too_late() {
    let threads = [vec![Act::Put(true), Act::Put(true), Act::Grab], vec![Act::Get]];
    for reduction in [Reduction::Plain, Reduction::Dpor, Reduction::SleepSets, Reduction::Hashing] {
        let failure = run(reduction, &threads).failure;
        assert_eq!(failure.map(|f| f.rule).as_deref(), Some("reference"), "{reduction:?}");
    }
}

/// Ordinary memory is no step: these break a rule on the way to the first one.
#[test]
fn rules_broken_before_the_first_step() {
    for (threads, rule) in [
        (vec![vec![Act::Look], vec![Act::Change]], "race"),
        (vec![vec![Act::Spin], vec![Act::Look], vec![Act::Change, Act::Inc], vec![Act::Change]], "race"),
        (vec![vec![Act::Free, Act::Use], vec![Act::Inspect, Act::Inspect]], "uaf"),
        (vec![vec![Act::Use], vec![Act::Free, Act::Free]], "double-free"),
    ] {
        for reduction in [Reduction::Plain, Reduction::Dpor, Reduction::SleepSets, Reduction::Hashing] {
            let failure = run(reduction, &threads).failure.expect("a broken rule");
            assert_eq!((failure.rule.as_str(), failure.schedule.len()), (rule, 0), "{threads:?}");
        }
        let failure = views::run(Limits::default(), &program(threads), &|_| {}).failure;
        assert_eq!(failure.expect("a broken rule").rule, rule);
    }
}
