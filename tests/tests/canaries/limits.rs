//! Limits of loom, and what sets them.

use crate::{child, exhaustive, in_child, loom, loom_shows};
use loom::model::Builder;
use loom::sync::atomic::{AtomicU64, Ordering::AcqRel};
use loom::thread;
use std::sync::Arc;

/// Two threads that meet twice on one word.
fn contended() -> String {
    let word = Arc::new(AtomicU64::new(0));
    let theirs = word.clone();
    let other = thread::spawn(move || [(); 2].map(|()| theirs.fetch_add(1, AcqRel)));
    let mine = [(); 2].map(|()| word.fetch_add(1, AcqRel));
    other.join().expect("does not panic");
    format!("{mine:?}")
}

#[test]
fn a_sixth_thread_is_refused() {
    let crowd = |n: usize| {
        loom(&exhaustive(), move || {
            (1..n).for_each(|_| drop(thread::spawn(|| {})));
            String::new()
        })
    };
    assert_eq!(crowd(5).panic, None);
    assert!(crowd(6).panic.is_some(), "loom runs more than 5 threads: more scenarios fit");
}

#[test]
fn a_bound_of_no_preemption_is_one_execution() {
    let mut builder = exhaustive();
    builder.preemption_bound = Some(0);
    assert!(loom_shows(contended).executions > 1);
    // Switching at the end of a thread preempts nobody.
    assert_eq!(
        loom(&builder, contended).executions,
        1,
        "loom varies free switches: bound 0 means something now"
    );
}

#[test]
fn limits_are_looked_at_once_in_an_interval() {
    let mut builder = exhaustive();
    builder.max_permutations = Some(2);
    let all = loom_shows(contended).executions;
    assert_eq!(loom(&builder, contended).executions, all, "loom obeys max_permutations at once");
    builder.checkpoint_interval = 1;
    assert_eq!(loom(&builder, contended).executions, 1);
}

#[test]
fn the_environment_bounds_an_exhaustive_run_that_still_passes() {
    let output = child("limits::child_counts_executions", &[("LOOM_MAX_PREEMPTIONS", "0")]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("executions: 1\n"),
        "loom ignores its environment: engine/environment.rs may go; {text}"
    );
}

#[test]
#[ignore = "run with settings by the_environment_bounds_an_exhaustive_run_that_still_passes"]
fn child_counts_executions() {
    if in_child() {
        println!("executions: {}", loom(&Builder::new(), contended).executions);
    }
}
