//! How often `exit_mmap()` and the OOM reaper wait for each other's page-table locks, over all
//! interleavings: walking the same way once for each page table at most, walking towards each other once
//! in all.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits};
use mmspec::scenario::{Actor, Scenario};
use mmspec_model::variant::Kernel;
use std::collections::BTreeSet;

/// Numbers of waits that some execution comes to, of all executions with `vmas` VMAs in which the reaper
/// reaps.
fn waits(kernel: &str, vmas: usize) -> BTreeSet<u64> {
    let scenario = Scenario::new("walkers", "exit_mmap() and the reaper walk the same VMAs")
        .mm_of_vmas(vmas, 1)
        .page_table_locks()
        .victim(0)
        .actor(Actor::Exit(0))
        .actor(Actor::OomKill);
    let kernel = Kernel::named(kernel).expect("a kernel");
    let report = states::run(Reduction::Dpor, Limits::default(), &scenario.program(kernel), &|_| {});
    assert_eq!(report.effort, Effort::Complete);
    assert_eq!(report.failure.map(|failure| failure.rule), None);
    let reaped = report.outcomes.iter().filter(|outcome| outcome.contains("reaped"));
    let number = |outcome: &String| {
        let (_, rest) = outcome.split_once("waits for page-table locks: ")?;
        rest.split(';').next()?.parse().ok()
    };
    reaped.map(|outcome| number(outcome).expect("it is told")).collect()
}

#[test]
fn upwards_each_page_table_may_be_waited_for() {
    for vmas in 1..=4 {
        assert_eq!(waits("v6.12", vmas), (0..=vmas as u64).collect());
    }
}

#[test]
fn downwards_one_page_table_is_waited_for_at_most() {
    for vmas in 1..=4 {
        for kernel in ["v6.18", "frozen-no-delay-v6"] {
            assert_eq!(waits(kernel, vmas), [0, 1].into());
        }
    }
}
