//! How fast the in-house engines are: whole searches, and executions a second of the coroutine machine
//! under all of them. Searches do the same work each time, so few samples are enough.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mmspec::check::{Engine, Options, check};
use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, views};
use mmspec::scenario::library;
use mmspec::verdict::Verdict;
use mmspec_model::variant::Kernel;
use mmspec_tests::peers::{Config, program};
use std::time::Duration;

/// Actors and mms of the protocol that other checkers were given too.
const PEERS: [(usize, usize); 6] = [(4, 1), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2)];
/// Weak memory has many more states: what takes seconds is left out.
const PEERS_ON_VIEWS: [(usize, usize); 4] = [(4, 1), (5, 1), (5, 2), (6, 1)];
/// Scenarios of the gate: readers of two mm counts, the OOM reaper, the budget.
const SCENARIOS: [(&str, &str); 3] = [
    ("v6.12", "sharers_vs_two_readers"),
    ("rfc-async-teardown", "exit_vs_reaper"),
    ("rfc-async-teardown", "lower_cap_under_load"),
];
/// Executions of which the speed of the machine is taken.
const EXECUTIONS: u64 = 2_000;

fn peers(c: &mut Criterion) {
    let mut group = c.benchmark_group("peers");
    for (actors, mms) in PEERS {
        let setup = program(Config::new(actors, mms));
        for (name, reduction) in [("dpor", Reduction::Dpor), ("hashing", Reduction::Hashing)] {
            group.bench_function(format!("states/{name}/{actors} actors, {mms} mms"), |b| {
                b.iter(|| {
                    let report = states::run(reduction, Limits::default(), &setup, &|_| {});
                    assert_eq!(report.effort, Effort::Complete);
                });
            });
        }
    }
    for (actors, mms) in PEERS_ON_VIEWS {
        let setup = program(Config::new(actors, mms));
        group.bench_function(format!("views/{actors} actors, {mms} mms"), |b| {
            b.iter(|| {
                let report = views::run(Limits::default(), &setup, &|_| {});
                assert_eq!(report.effort, Effort::Complete);
            });
        });
    }
}

fn scenarios(c: &mut Criterion) {
    let mut group = c.benchmark_group("scenarios");
    for (kernel, name) in SCENARIOS {
        let kernel = Kernel::named(kernel).expect("a kernel");
        let scenario = library::named(name).expect("a scenario");
        group.bench_function(format!("states/{}/{name}", kernel.name), |b| {
            b.iter(|| {
                let checked = check(&scenario, kernel, Engine::States, &Options::default(), &|_| {});
                assert_eq!(checked.expect("no foreign settings").verdict, Verdict::Complete);
            });
        });
    }
}

/// Plain search does nothing but execute: what is left is the machine and its coroutines.
fn machine(c: &mut Criterion) {
    let mut group = c.benchmark_group("machine");
    let limits = Limits { executions: EXECUTIONS, ..Limits::default() };
    for actors in [4, 9] {
        let setup = program(Config::new(actors, 1));
        group.throughput(Throughput::Elements(EXECUTIONS));
        group.bench_function(format!("executions/{actors} actors"), |b| {
            b.iter(|| states::run(Reduction::Plain, limits, &setup, &|_| {}));
        });
    }
}

criterion_group! {
    name = engines;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = peers, scenarios, machine
}
criterion_main!(engines);
