//! Where loom's memory differs from C11 and from the kernel's.

use crate::loom_shows;
use loom::sync::atomic::{
    AtomicU64, Ordering, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence,
};
use loom::thread;
use std::sync::Arc;

fn words<const N: usize>() -> [Arc<AtomicU64>; N] {
    [(); N].map(|()| Arc::new(AtomicU64::new(0)))
}

fn store_buffering(order: Ordering, barrier: bool) -> crate::Shown {
    loom_shows(move || {
        let [x, y] = words();
        let side = move |mine: &AtomicU64, other: &AtomicU64| {
            mine.store(1, if order == SeqCst { SeqCst } else { Relaxed });
            if barrier {
                fence(SeqCst);
            }
            other.load(order)
        };
        let (x1, y1) = (x.clone(), y.clone());
        let first = thread::spawn(move || side(&x1, &y1));
        let second = side(&y, &x);
        format!("{} {second}", first.join().expect("does not panic"))
    })
}

#[test]
fn sequentially_consistent_accesses_are_not() {
    assert!(
        store_buffering(SeqCst, false).has("0 0"),
        "loom honours SeqCst accesses (issue 180): Full may use them"
    );
    assert!(!store_buffering(Relaxed, true).has("0 0"), "fence(SeqCst) is what smp_mb() is made of");
}

#[test]
fn loads_are_not_delayed_past_later_stores() {
    let shown = loom_shows(|| {
        let [x, y] = words();
        let (x1, y1) = (x.clone(), y.clone());
        let first = thread::spawn(move || {
            let seen = x1.load(Relaxed);
            y1.store(1, Relaxed);
            seen
        });
        let seen = y.load(Relaxed);
        x.store(1, Relaxed);
        format!("{} {seen}", first.join().expect("does not panic"))
    });
    assert!(!shown.has("1 1"), "loom explores load buffering: take it off the list in engine/loom.rs");
}

#[test]
fn a_failed_exchange_sees_the_newest_value_only() {
    let shown = loom_shows(|| {
        let [owner, flag] = words();
        let (owner1, flag1) = (owner.clone(), flag.clone());
        let setter = thread::spawn(move || {
            owner1.store(1, Relaxed);
            flag1.store(1, Relaxed);
        });
        let set = flag.load(Relaxed);
        let failed = owner.compare_exchange(1, 2, AcqRel, Relaxed).is_err();
        setter.join().expect("does not panic");
        format!("{set} {failed}")
    });
    assert!(
        !shown.has("1 true"),
        "a failed compare_exchange reads old values: Place::compare_exchange in engine/loom/place.rs can start with one"
    );
}

#[test]
fn a_store_slips_into_a_read_modify_write() {
    let shown = loom_shows(|| {
        let [word] = words();
        let theirs = word.clone();
        let storer = thread::spawn(move || theirs.store(1, Relaxed));
        let swapped = word.swap(2, Relaxed);
        storer.join().expect("does not panic");
        // The swap that found 0 went first, so that the store stays.
        format!("{swapped} {}", word.load(Relaxed))
    });
    assert!(
        shown.has("0 2"),
        "loom keeps read-modify-writes atomic against stores (issue 254): atomic_set() may be a store"
    );
}

#[test]
fn the_order_of_racing_stores_is_not_transitive() {
    let shown = loom_shows(|| {
        let [word] = words();
        let theirs = word.clone();
        let storer = thread::spawn(move || {
            theirs.store(1, Relaxed);
            fence(SeqCst);
            theirs.store(2, Relaxed);
        });
        word.store(3, Relaxed);
        fence(SeqCst);
        let seen = word.load(Relaxed);
        storer.join().expect("does not panic");
        format!("{seen} {}", word.load(Relaxed))
    });
    // 3 was before 1, and 1 before 2: the end is 2.
    assert!(
        shown.has("1 1"),
        "loom orders racing stores transitively: loom_shuttle_agree.rs may let two threads store to a flag"
    );
}

#[test]
fn values_older_than_seven_stores_are_forgotten() {
    let shown = loom_shows(|| {
        let [word, flag] = words();
        let (word1, flag1) = (word.clone(), flag.clone());
        let storer = thread::spawn(move || {
            (1..=8).for_each(|n| word1.store(n, Relaxed));
            flag1.store(1, Relaxed);
        });
        let seen = flag.load(Relaxed);
        let outcome = format!("{seen} {}", word.load(Relaxed));
        storer.join().expect("does not panic");
        outcome
    });
    assert!(shown.has("1 2") && !shown.has("1 1") && !shown.has("1 0"), "loom remembers more than 7 stores");
}

#[test]
fn a_dependency_orders_nothing() {
    let shown = loom_shows(|| {
        let [x, y] = words();
        let (x1, y1) = (x.clone(), y.clone());
        let first = thread::spawn(move || {
            x1.store(2, Relaxed);
            y1.store(1, Release);
        });
        let seen = y.load(Relaxed);
        if seen == 1 {
            x.store(seen, Relaxed);
        }
        first.join().expect("does not panic");
        format!("{seen} {}", x.load(Relaxed))
    });
    assert!(shown.has("1 2"), "loom knows dependencies: take them off the list in engine/loom.rs");
}
