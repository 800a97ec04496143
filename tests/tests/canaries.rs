//! Known gaps of loom 0.7 and shuttle 0.9, each shown to exist today.
//!
//! The engines work around them or list them as limits. A canary that fails is good news: the gap is
//! gone, and its message says what can be simplified or strengthened.

#[path = "canaries/limits.rs"]
mod limits;
#[path = "canaries/locks.rs"]
mod locks;
#[path = "canaries/memory.rs"]
mod memory;
#[path = "canaries/partial_order_reduction.rs"]
mod partial_order_reduction;
#[path = "canaries/sampling.rs"]
mod sampling;

use loom::model::Builder;
use mmspec::engine::quiet;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// What an exploration of a closure has shown.
#[derive(Debug, Default)]
struct Shown {
    executions: usize,
    outcomes: BTreeSet<String>,
    panic: Option<String>,
}

impl Shown {
    fn has(&self, outcome: &str) -> bool {
        self.outcomes.contains(outcome)
    }
}

/// Every setting in code, as the engine does it.
fn exhaustive() -> Builder {
    let mut builder = Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = 1_000;
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.preemption_bound = None;
    builder.checkpoint_file = None;
    builder.checkpoint_interval = usize::MAX;
    builder.expect_explicit_explore = false;
    builder.location = false;
    builder.log = false;
    builder
}

/// Collects what `run` shows; it gets a closure that notes an outcome and one that counts.
fn collect<R>(
    program: impl Fn() -> String + Send + Sync + 'static,
    run: impl FnOnce(Box<dyn Fn() + Send + Sync>) -> R,
) -> Shown {
    let shown = Arc::new(Mutex::new(Shown::default()));
    let noted = shown.clone();
    let body = move || {
        noted.lock().expect("no panic while noting").executions += 1;
        let outcome = program();
        noted.lock().expect("no panic while noting").outcomes.insert(outcome);
    };
    let quiet = quiet::exploring();
    let ended = catch_unwind(AssertUnwindSafe(|| run(Box::new(body))));
    drop(quiet);
    let mut shown = std::mem::take(&mut *shown.lock().expect("no panic while noting"));
    shown.panic = ended.err().map(|payload| quiet::message(payload.as_ref()).unwrap_or_default());
    shown
}

fn loom(builder: &Builder, program: impl Fn() -> String + Send + Sync + 'static) -> Shown {
    collect(program, |body| builder.check(body))
}

fn loom_shows(program: impl Fn() -> String + Send + Sync + 'static) -> Shown {
    let shown = loom(&exhaustive(), program);
    assert_eq!(shown.panic, None);
    shown
}

const CHILD: &str = "MMSPEC_CANARY_CHILD";

fn in_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Run one test of this binary in a process of its own.
fn child(test: &str, settings: &[(&str, &str)]) -> Output {
    let binary = std::env::current_exe().expect("this binary has a path");
    let mut command = Command::new(binary);
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, "1").envs(settings.iter().copied());
    command.output().expect("this binary can be started")
}
