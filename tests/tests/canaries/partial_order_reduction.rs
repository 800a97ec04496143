//! What loom's partial-order reduction leaves out.

use crate::loom_shows;
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
use loom::thread;
use std::sync::Arc;

const GONE: &str = "loom notices a load behind a later access by another thread (issues 166, 392): loads need not \
                    touch() any more in checks/src/engine/loom/place.rs";

#[test]
fn a_get_hides_an_earlier_load() {
    let shown = loom_shows(|| {
        let users = Arc::new(AtomicU64::new(1));
        let theirs = users.clone();
        let getter = thread::spawn(move || {
            let get = |n| (n != 0).then_some(n + 1);
            theirs.fetch_update(Relaxed, Relaxed, get).is_ok()
        });
        let seen = users.load(Relaxed);
        getter.join().expect("does not panic");
        seen.to_string()
    });
    assert!(shown.has("1") && !shown.has("2"), "{GONE}");
}

#[test]
fn a_test_before_a_set_bit_hides_an_earlier_test() {
    let shown = loom_shows(|| {
        let flags = Arc::new(AtomicU64::new(0));
        let theirs = flags.clone();
        let setter = thread::spawn(move || {
            if theirs.load(Relaxed) & 1 == 0 {
                theirs.fetch_or(1, Relaxed);
            }
        });
        let seen = flags.load(Relaxed);
        setter.join().expect("does not panic");
        seen.to_string()
    });
    assert!(shown.has("0") && !shown.has("1"), "{GONE}");
}

#[test]
fn the_order_of_unrelated_steps_is_not_varied() {
    let shown = loom_shows(|| {
        let order = Arc::new(std::sync::Mutex::new(String::new()));
        let [x, y] = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
        let theirs = order.clone();
        let other = thread::spawn(move || {
            x.store(1, Relaxed);
            theirs.lock().expect("no panic").push('x');
        });
        y.store(1, Relaxed);
        order.lock().expect("no panic").push('y');
        other.join().expect("does not panic");
        order.lock().expect("no panic").clone()
    });
    assert_eq!(shown.outcomes.len(), 1, "loom varies the order of independent steps: Ghost words may go");
}
