//! Partial-order reduction runs each Mazurkiewicz trace to its end once, and plain search each
//! interleaving: on programs for which both can be counted by hand.
//!
//! A trace is told by the order of its dependent steps. Two steps of different threads are dependent
//! if they touch one word, unless both read, both add blindly (and check the same), both drop references
//! of which neither is the last, or both are readers of a lock (`docs/engines.md`). Executions that
//! sleep sets stop early are not counted: source sets may start some for nothing.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report};
use mmspec_model::k::engine::{Object, Word, engine};
use mmspec_model::k::plain::{Plain, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use std::rc::Rc;
use std::sync::Arc;

#[path = "traces_by_hand/benchmarks.rs"]
mod benchmarks;
#[path = "traces_by_hand/locks.rs"]
mod locks;
#[path = "traces_by_hand/waiting.rs"]
mod waiting;
#[path = "traces_by_hand/words.rs"]
mod words;

/// What a thread does with the variables; it returns what it has learned.
type Body<V> = Arc<dyn Fn(&V) -> u64 + Send + Sync>;

fn body<V>(f: impl Fn(&V) -> u64 + Send + Sync + 'static) -> Body<V> {
    Arc::new(f)
}

/// `n` threads, numbered from 0.
fn each<V: 'static>(n: u64, f: impl Fn(&V, u64) -> u64 + Copy + Send + Sync + 'static) -> Vec<Body<V>> {
    (0..n).map(|i| body(move |v: &V| f(v, i))).collect()
}

/// The program of these threads over the variables that `make` makes. Its outcome is all of memory in
/// the end, with what each thread has learned.
fn program<V: 'static>(make: impl Fn(Object) -> V + Send + Sync + 'static, bodies: Vec<Body<V>>) -> Setup {
    Arc::new(move || {
        let vars = Rc::new(make(engine().new_object("", 0)));
        let own = engine().new_object("", 1);
        let thread = |(i, body): (usize, &Body<V>)| {
            let (vars, body, seen) = (vars.clone(), body.clone(), Plain::new(own, "seen", 0));
            Thread { name: format!("t{i}"), body: Rc::new(move || write(seen, 1 + body(&vars))) }
        };
        let threads: Vec<Thread> = bodies.iter().enumerate().map(thread).collect();
        // Words are numbered as they are made.
        let words = 0..Plain::new(own, "end", 0).0.0;
        let judge = move || {
            let memory: Vec<u64> = words.clone().map(|w| engine().peek(Word(w))).collect();
            Ending { outcome: format!("{memory:x?}"), faults: Vec::new() }
        };
        Program { threads, judge: Rc::new(judge) }
    })
}

/// Deadlocks are among the outcomes.
fn explore(reduction: Reduction, setup: &Setup) -> Report {
    let limits = Limits { collect: true, executions: 1_000_000, ..Limits::default() };
    let report = states::run(reduction, limits, setup, &|_| {});
    assert!(report.failure.is_none(), "{reduction:?}: {:?}", report.failure);
    assert_eq!(report.effort, Effort::Complete, "{reduction:?}");
    report
}

/// The program has so many traces. For programs that are too large for plain search.
fn assert_traces(setup: &Setup, traces: u64) -> Report {
    let dpor = explore(Reduction::Dpor, setup);
    assert_eq!(dpor.complete, traces, "traces");
    assert_eq!(explore(Reduction::Hashing, setup).outcomes, dpor.outcomes);
    dpor
}

/// The program has so many traces and interleavings.
fn assert_counts(setup: &Setup, traces: u64, interleavings: u64) {
    let dpor = assert_traces(setup, traces);
    let plain = explore(Reduction::Plain, setup);
    assert_eq!((plain.complete, plain.executions), (interleavings, interleavings), "interleavings");
    assert_eq!(plain.outcomes, dpor.outcomes);
    let asleep = explore(Reduction::SleepSets, setup);
    assert_eq!((asleep.complete, asleep.outcomes), (traces, dpor.outcomes), "sleep sets alone");
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// Interleavings of `threads` threads with `steps` steps each that never wait.
fn multinomial(threads: u64, steps: u64) -> u64 {
    factorial(threads * steps) / factorial(steps).pow(threads as u32)
}
