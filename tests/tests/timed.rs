//! The timed engine runs the same program as the others: what it comes to is one of the outcomes that
//! they prove to be all.

use mmspec::engine::timed::{Costs, run};
use mmspec::manifest::Manifest;
use mmspec::scenario::{Actor, Scenario, library};
use mmspec_model::variant::{Kernel, Rule};

fn kernel(name: &str) -> Kernel {
    Kernel::named(name).expect("a kernel")
}

/// Machines on which different things happen at the same time.
fn machines() -> impl Iterator<Item = (usize, Costs)> {
    let slow_pages = Costs { page_ps: 1_000_000, rest: 100_000, hand_over: 500, ..Costs::ASSUMED };
    let slow_wakes = Costs { wake: 1_000_000, atomic: 100, ..slow_pages };
    let eager_timers = Costs { timer: 0, ..slow_pages };
    let costs = [Costs::ASSUMED, slow_pages, slow_wakes, eager_timers];
    [1, 2, 3, 16].into_iter().flat_map(move |cpus| costs.map(|costs| (cpus, costs)))
}

#[test]
fn outcomes_are_among_those_that_states_proves() {
    let manifest = Manifest::committed();
    for row in &manifest.check {
        let (scenario, kernel) = row.subject();
        for (cpus, costs) in machines() {
            let ran = run(&scenario.program(kernel), cpus, costs);
            let run = format!("{} on {}, {cpus} CPUs, {costs:?}", row.scenario, row.kernel);
            assert_eq!(ran.fault, None, "{run}");
            assert!(row.outcomes.contains(&ran.outcome), "{run}: {}", ran.outcome);
        }
    }
    assert!(manifest.check.len() > 50, "only {} rows", manifest.check.len());
}

/// One execution a machine misses most races; what needs no race is found.
#[test]
fn what_breaks_without_a_race_is_found() {
    let missing_wake_up = kernel("rfc-async-teardown").without(Rule::A9);
    let scenario = library::named("exit_to_mm_reaper").expect("in the library");
    let ran = run(&scenario.program(missing_wake_up), 2, Costs::ASSUMED);
    let (rule, what) = ran.fault.expect("the reaper sleeps on");
    assert_eq!((rule.as_str(), what.as_str()), ("A9", "mm0 is queued and never torn down"));
}

#[test]
fn a_run_is_the_same_each_time() {
    let scenario = library::named("two_exits_oom_toggle_reaper").expect("in the library");
    for (cpus, costs) in machines() {
        let once = || run(&scenario.program(kernel("rfc-async-teardown")), cpus, costs);
        assert_eq!(once(), once());
    }
}

fn exits(tasks: usize, pages: u64) -> Scenario {
    (0..tasks).fold(Scenario::new("exits", "tasks exit at once"), |scenario, t| {
        scenario.mm(pages).task(t).actor(Actor::Exit(t))
    })
}

#[test]
fn tasks_share_a_cpu_and_spin_for_the_page_allocator() {
    let costs = Costs { page_ps: 100_000, locked_percent: 50, ..Costs::ASSUMED };
    // In percent of what one task needs.
    let last = |tasks, cpus| {
        let ran = run(&exits(tasks, 63_000).program(kernel("v6.12")), cpus, costs);
        let ended = ran.threads.iter().filter_map(|t| t.ended).max().expect("they exit");
        (ended / 63_000, ran.threads.iter().map(|t| t.cpu).sum::<u64>() / 63_000)
    };
    let about = |(wall, cpu): (u64, u64), expected: (u64, u64)| {
        let near = |found: u64, expected: u64| found.abs_diff(expected) * 30 <= expected;
        assert!(near(wall, expected.0) && near(cpu, expected.1), "{wall} {cpu} and not {expected:?}");
    };
    about(last(1, 1), (100, 100));
    about(last(4, 1), (400, 400));
    about(last(2, 2), (100, 200));
    // Half of a page is spent under the lock: more than two CPUs only spin.
    about(last(4, 4), (200, 800));
}

#[test]
fn more_tasks_than_a_wait_queue_has_bits_exit_to_the_reaper() {
    let scenario = exits(40, 3).limits(2, 120);
    let ran = run(&scenario.program(kernel("rfc-async-teardown")), 8, Costs::ASSUMED);
    assert_eq!(ran.fault, None);
    assert_eq!(ran.outcome.matches("torn down by mm_reaper, queued").count(), 40, "{}", ran.outcome);
}
