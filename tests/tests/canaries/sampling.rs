//! What shuttle cannot see, or not with one scheduler.

use crate::{Shown, collect};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicU64, Ordering::Relaxed};
use shuttle::sync::{Arc, Mutex};
use shuttle::{Config, FailurePersistence, Runner, thread};

fn shuttle_shows(
    scheduler: impl Scheduler + 'static,
    program: impl Fn() -> String + Send + Sync + 'static,
) -> Shown {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    let run = |body| Runner::new(scheduler, config).run(body);
    let shown = collect(program, run);
    assert_eq!(shown.panic, None);
    shown
}

#[test]
fn every_order_is_sequentially_consistent() {
    let shown = shuttle_shows(DfsScheduler::new(None, false), || {
        let [x, y] = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
        let (x1, y1) = (x.clone(), y.clone());
        let first = thread::spawn(move || {
            x1.store(1, Relaxed);
            y1.load(Relaxed)
        });
        y.store(1, Relaxed);
        let second = x.load(Relaxed);
        format!("{} {second}", first.join().expect("does not panic"))
    });
    assert!(
        shown.has("1 1") && !shown.has("0 0"),
        "shuttle explores weak memory: engine/shuttle.rs must pass the orders on"
    );
}

#[test]
fn a_relaxed_drop_is_never_noticed() {
    let shown = shuttle_shows(RandomScheduler::new_from_seed(1, 2_000), || {
        let (users, data) = (Arc::new(AtomicU64::new(2)), Arc::new(AtomicU64::new(0)));
        let (users1, data1) = (users.clone(), data.clone());
        let holder = thread::spawn(move || {
            data1.store(1, Relaxed);
            users1.fetch_sub(1, Relaxed);
        });
        let last = users.fetch_sub(1, Relaxed) == 1;
        let seen = data.load(Relaxed);
        holder.join().expect("does not panic");
        format!("{last} {seen}")
    });
    assert!(shown.has("true 1") && !shown.has("true 0"), "shuttle explores relaxed drops");
}

#[test]
fn pct_alone_misses_what_random_finds() {
    let trylock = || {
        let lock = Arc::new(Mutex::new(()));
        let theirs = lock.clone();
        let other = thread::spawn(move || drop(theirs.lock().expect("not poisoned")));
        let locked = lock.try_lock().is_ok();
        other.join().expect("does not panic");
        locked.to_string()
    };
    assert!(shuttle_shows(RandomScheduler::new_from_seed(1, 1_000), trylock).has("false"));
    let pct = shuttle_shows(PctScheduler::new_from_seed(1, 3, 1_000), trylock);
    assert!(!pct.has("false"), "PCT finds it too: the portfolio may do with less");
}
