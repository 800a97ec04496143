//! Why locks are made of words: loom's own have gaps.

use crate::{child, exhaustive, in_child, loom, loom_shows};
use loom::sync::{Mutex, RwLock};
use loom::thread;
use std::sync::Arc;

#[test]
fn a_trylock_never_fails_inside_a_write_section() {
    let shown = loom_shows(|| {
        let lock = Arc::new(RwLock::new(()));
        let theirs = lock.clone();
        let writer = thread::spawn(move || drop(theirs.write().expect("not poisoned")));
        let locked = lock.try_read().is_ok();
        writer.join().expect("does not panic");
        locked.to_string()
    });
    assert!(
        !shown.has("false"),
        "loom explores try_read() inside a write section: its RwLock may do for RwSem"
    );
}

#[test]
fn two_trylocks_are_called_a_deadlock() {
    let shown = loom(&exhaustive(), || {
        let lock = Arc::new(Mutex::new(()));
        let theirs = lock.clone();
        let other = thread::spawn(move || std::mem::forget(theirs.try_lock()));
        std::mem::forget(lock.try_lock());
        other.join().expect("does not panic");
        String::new()
    });
    let text = shown.panic.expect("try_lock() no longer waits (issue 376): loom's Mutex may do for trylocks");
    assert!(text.contains("deadlock"), "{text}");
    assert!(
        text.contains("Id(0)") && !text.contains("Mutex"),
        "a deadlock report now names more than thread ids"
    );
}

#[test]
fn two_trylocks_with_guards_abort_the_process() {
    let output = child("locks::child_two_trylocks_with_guards", &[]);
    assert!(!output.status.success(), "loom survives a deadlock among guards (issue 376)");
    assert_eq!(output.status.code(), None, "killed by a signal: {output:?}");
}

#[test]
#[ignore = "aborts: run by two_trylocks_with_guards_abort_the_process"]
fn child_two_trylocks_with_guards() {
    if !in_child() {
        return;
    }
    loom_shows(|| {
        let lock = Arc::new(RwLock::new(()));
        let theirs = lock.clone();
        let other = thread::spawn(move || drop(theirs.try_write()));
        let guard = lock.try_write();
        other.join().expect("does not panic");
        drop(guard);
        String::new()
    });
}

#[test]
fn the_end_of_a_wait_for_a_thread_is_taken_from_any_unpark() {
    let shown = loom(&exhaustive(), || {
        let main = thread::current();
        thread::spawn(move || main.unpark()).join().expect("does not panic");
        String::new()
    });
    assert!(shown.panic.is_some(), "loom tells an unpark from the end of a thread (issues 249, 422)");
}

#[test]
fn nobody_is_woken_without_reason() {
    let shown = loom(&exhaustive(), || {
        let sleeper = thread::spawn(thread::park);
        sleeper.join().expect("does not panic");
        String::new()
    });
    assert!(shown.panic.is_some(), "loom's park() wakes spuriously: engine/native must test again after it");
}
