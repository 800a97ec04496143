//! The loom and shuttle engines on programs small enough to know every answer.

use mmspec::engine::shuttle::Scheduler;
use mmspec::engine::{Effort, Failure, Limits, Loom, Report, Shuttle};
use mmspec_model::event::Kind;
use mmspec_model::k::atomic::{
    AtomicT, atomic_inc, read_once, smp_load_acquire, smp_mb, smp_store_release, write_once,
};
use mmspec_model::k::engine::{Object, Sleep, engine};
use mmspec_model::k::lock::{
    RwSem, Spinlock, down_read_trylock, down_write, spin_lock, spin_unlock, up_read, up_write,
};
use mmspec_model::k::plain::{Plain, read, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use mmspec_model::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wait_event, wake_up};
use mmspec_model::k::work::{Work, process_one_work, schedule_work};
use mmspec_model::k::{call, goal};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

fn setup(make: impl Fn() -> Program + Send + Sync + 'static) -> Setup {
    Arc::new(make)
}

fn mm() -> Object {
    engine().new_object("mm", 0)
}

fn thread(name: &str, body: impl Fn() + 'static) -> Thread {
    Thread { name: name.into(), body: Rc::new(body) }
}

/// A program whose outcome is told by `outcome`.
fn program(threads: Vec<Thread>, outcome: impl Fn() -> String + 'static) -> Program {
    Program { threads, judge: Rc::new(move || Ending { outcome: outcome(), faults: Vec::new() }) }
}

/// What a thread has seen, for the judge.
#[derive(Clone, Default)]
struct Seen(Rc<Cell<u64>>);

fn loom(setup: &Setup) -> Report {
    let report = Loom::default().run(setup).expect("no settings from outside");
    assert!(report.failure.is_some() || report.effort == Effort::Complete, "{report:?}");
    report
}

fn dfs(setup: &Setup) -> Report {
    let shuttle = Shuttle { scheduler: Scheduler::Dfs, limits: Limits::default() };
    let report = shuttle.run(setup).expect("no settings from outside");
    assert!(report.failure.is_some() || report.effort == Effort::Complete, "{report:?}");
    report
}

fn sampled(setup: &Setup, runs: u64) -> Report {
    let shuttle = Shuttle { scheduler: Scheduler::Portfolio { seed: 1, runs }, limits: Limits::default() };
    shuttle.run(setup).expect("no settings from outside")
}

fn outcomes(report: &Report) -> Vec<&str> {
    assert!(report.failure.is_none(), "{:?}", report.failure);
    report.outcomes.iter().map(String::as_str).collect()
}

fn failure(report: &Report) -> &Failure {
    report.failure.as_ref().unwrap_or_else(|| panic!("{} found nothing: {report:?}", report.engine))
}

fn store_buffering(barrier: bool) -> Setup {
    setup(move || {
        let mm = mm();
        let [x, y] = ["x", "y"].map(|name| AtomicT::new(mm, name, 0));
        let seen = [Seen::default(), Seen::default()];
        let side = |name, mine, other, seen: &Seen| {
            let seen = seen.clone();
            thread(name, move || {
                write_once(mine, 1);
                if barrier {
                    smp_mb();
                }
                seen.0.set(read_once(other));
            })
        };
        let threads = vec![side("P0", x, y, &seen[0]), side("P1", y, x, &seen[1])];
        program(threads, move || format!("{} {}", seen[0].0.get(), seen[1].0.get()))
    })
}

#[test]
fn store_buffering_needs_a_barrier_on_weak_memory() {
    assert_eq!(outcomes(&loom(&store_buffering(false))), ["0 0", "0 1", "1 0", "1 1"]);
    assert_eq!(outcomes(&loom(&store_buffering(true))), ["0 1", "1 0", "1 1"]);
    assert_eq!(outcomes(&dfs(&store_buffering(false))), ["0 1", "1 0", "1 1"]);
}

fn message_passing(ordered: bool) -> Setup {
    setup(move || {
        let mm = mm();
        let [data, flag] = ["data", "flag"].map(|name| AtomicT::new(mm, name, 0));
        let seen = [Seen::default(), Seen::default()];
        let judged = seen.clone();
        let sender = thread("sender", move || {
            write_once(data, 1);
            if ordered { smp_store_release(flag, 1) } else { write_once(flag, 1) }
        });
        let receiver = thread("receiver", move || {
            seen[0].0.set(if ordered { smp_load_acquire(flag) } else { read_once(flag) });
            seen[1].0.set(read_once(data));
        });
        program(vec![sender, receiver], move || format!("{} {}", judged[0].0.get(), judged[1].0.get()))
    })
}

#[test]
fn message_passing_needs_release_and_acquire_on_weak_memory() {
    assert_eq!(outcomes(&loom(&message_passing(false))), ["0 0", "0 1", "1 0", "1 1"]);
    assert_eq!(outcomes(&loom(&message_passing(true))), ["0 0", "0 1", "1 1"]);
    assert_eq!(outcomes(&dfs(&message_passing(false))), ["0 0", "0 1", "1 1"]);
}

/// Two threads add to a plain counter.
fn two_adders(locked: bool) -> Setup {
    setup(move || {
        let mm = mm();
        let (lock, counter) = (Spinlock::new(mm, "lock"), Plain::new(mm, "counter", 0));
        let adder = |name| {
            thread(name, move || {
                let _call = call("add");
                if locked {
                    spin_lock(lock);
                }
                write(counter, read(counter) + 1);
                if locked {
                    spin_unlock(lock);
                }
            })
        };
        program(vec![adder("A"), adder("B")], move || counter.peek().to_string())
    })
}

#[test]
fn a_spinlock_excludes() {
    assert_eq!(outcomes(&loom(&two_adders(true))), ["2"]);
    assert_eq!(outcomes(&dfs(&two_adders(true))), ["2"]);
}

#[test]
fn without_the_lock_loom_sees_the_race_and_shuttle_its_effect() {
    let report = loom(&two_adders(false));
    let race = failure(&report);
    assert_eq!(race.rule, "race");
    assert!(race.what.ends_with("(mm0->counter)"), "{}", race.what);
    assert_eq!(outcomes(&sampled(&two_adders(false), 100)), ["1", "2"]);
}

/// A sleeper that queues before it tests, or (the bug) tests before it queues.
fn sleeper(lost: bool) -> Setup {
    setup(move || {
        let mm = mm();
        let (queue, done) = (WaitQueue::new(mm, "wait"), AtomicT::new(mm, "done", 0));
        let sleeper = thread("sleeper", move || {
            if !lost {
                wait_event(queue, Sleep::Held, || read_once(done) == 1);
            } else if read_once(done) == 0 {
                prepare_to_wait(queue);
                schedule(queue, Sleep::Held);
                finish_wait(queue);
            }
        });
        let waker = thread("waker", move || {
            write_once(done, 1);
            wake_up(queue);
        });
        program(vec![sleeper, waker], || "woken".into())
    })
}

#[test]
fn a_sleeper_that_queues_first_is_always_woken() {
    assert_eq!(outcomes(&loom(&sleeper(false))), ["woken"]);
    assert_eq!(outcomes(&dfs(&sleeper(false))), ["woken"]);
    assert_eq!(outcomes(&sampled(&sleeper(false), 1000)), ["woken"]);
}

#[test]
fn a_sleeper_that_tests_first_misses_the_wake_up() {
    for report in [loom(&sleeper(true)), dfs(&sleeper(true)), sampled(&sleeper(true), 1000)] {
        let deadlock = failure(&report);
        assert_eq!(deadlock.rule, "deadlock");
        assert!(deadlock.what.contains("sleeper waits in schedule(mm0->wait)"), "{}", deadlock.what);
        let last = deadlock.events.last().expect("there are events");
        assert_eq!((last.task, last.step.as_str(), last.kind), (0, "schedule", Kind::Waits));
    }
}

#[test]
fn two_locks_in_opposite_order_deadlock() {
    let setup = setup(|| {
        let mm = mm();
        let locks = ["a", "b"].map(|name| Spinlock::new(mm, name));
        let taker = |name, first: Spinlock, second: Spinlock| {
            thread(name, move || {
                spin_lock(first);
                spin_lock(second);
                spin_unlock(second);
                spin_unlock(first);
            })
        };
        program(vec![taker("T0", locks[0], locks[1]), taker("T1", locks[1], locks[0])], String::new)
    });
    for report in [loom(&setup), dfs(&setup)] {
        let deadlock = failure(&report);
        assert_eq!(deadlock.rule, "deadlock");
        let t0 = "T0 waits in spin_lock(mm0->b), last taken by T1";
        let t1 = "T1 waits in spin_lock(mm0->a), last taken by T0";
        assert_eq!(deadlock.what, format!("{t0}; {t1}"));
    }
}

#[test]
fn a_run_may_end_with_a_kernel_thread_idle() {
    let setup = setup(|| {
        let global = engine().new_object("", 0);
        let (work, done) = (Work::new(global, "work"), AtomicT::new(global, "done", 0));
        let queuer = thread("queuer", move || schedule_work(work));
        let worker = thread("kworker", move || process_one_work(work, || atomic_inc(done)));
        let idle = Work::new(global, "never");
        let sleeper = thread("idle", move || process_one_work(idle, || atomic_inc(done)));
        program(vec![queuer, worker, sleeper], move || format!("done {}", done.peek()))
    });
    assert_eq!(outcomes(&loom(&setup)), ["done 1"]);
    assert_eq!(outcomes(&dfs(&setup)), ["done 1"]);
    assert_eq!(outcomes(&sampled(&setup, 100)), ["done 1"]);
}

#[test]
fn a_trylock_fails_inside_a_write_section() {
    let setup = setup(|| {
        let mm = mm();
        let sem = RwSem::new(mm, "mmap_lock", true);
        let writer = thread("writer", move || {
            down_write(sem, "mmap_write_lock");
            up_write(sem, "mmap_write_unlock");
        });
        let seen = Seen::default();
        let judged = seen.clone();
        let reader = thread("reader", move || {
            if down_read_trylock(sem, "mmap_read_trylock") {
                seen.0.set(1);
                up_read(sem, "mmap_read_unlock");
            } else {
                seen.0.set(0);
                goal("trylock fails");
            }
        });
        program(vec![writer, reader], move || judged.0.get().to_string())
    });
    for report in [loom(&setup), dfs(&setup)] {
        assert_eq!(outcomes(&report), ["0", "1"]);
        assert_eq!(report.goals, BTreeSet::from(["trylock fails"]));
    }
}

#[test]
fn a_failed_trylock_orders_nothing() {
    let setup = setup(|| {
        let mm = mm();
        let (sem, data) = (RwSem::new(mm, "mmap_lock", true), Plain::new(mm, "data", 0));
        let writer = thread("writer", move || {
            down_write(sem, "mmap_write_lock");
            write(data, 1);
            up_write(sem, "mmap_write_unlock");
            down_write(sem, "mmap_write_lock");
            up_write(sem, "mmap_write_unlock");
        });
        let reader = thread("reader", move || {
            if !down_read_trylock(sem, "mmap_read_trylock") {
                read(data);
            }
        });
        program(vec![writer, reader], String::new)
    });
    assert_eq!(failure(&loom(&setup)).rule, "race");
}

#[path = "loom_shuttle/lifetime.rs"]
mod lifetime;
#[path = "loom_shuttle/reporting.rs"]
mod reporting;
#[path = "loom_shuttle/specification.rs"]
mod specification;
