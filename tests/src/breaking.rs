//! Small random programs that may break rules, with kernel threads where they need some: to compare
//! what searches say about a broken rule.

use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test_ordered, atomic_inc, atomic_inc_not_zero, atomic_read, read_once,
    refcount_dec_and_test, refcount_inc, smp_load_acquire, smp_store_release,
};
use mmspec_model::k::engine::{Object, Order, Site, engine};
use mmspec_model::k::kthread::run_loop;
use mmspec_model::k::llist::{LlistHead, llist_add, llist_del_all, llist_empty};
use mmspec_model::k::lock::{
    Mutex, RwSem, Spinlock, down_read, down_write, mutex_lock, mutex_unlock, spin_lock, spin_unlock, up_read,
    up_write,
};
use mmspec_model::k::plain::{Plain, read, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use mmspec_model::k::wait::{WaitQueue, wake_up};
use mmspec_model::k::work::{
    Timer, TimerWheel, Work, add_timer, process_one_work, run_timer_softirq, schedule_work,
};
use mmspec_model::kernel::freezer::{Freezer, wait_event_freezable};
use std::rc::Rc;
use std::sync::Arc;

/// One statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Read the shared plain variable.
    Look,
    /// Read and write it.
    Change,
    /// Change it under the spinlock.
    Spin,
    /// Change it under the mutex.
    Mutexed,
    /// Read it under the semaphore.
    ReadSem,
    /// Change it under the semaphore.
    WriteSem,
    /// Release what was done.
    Publish,
    /// Read it if somebody has published, by an acquire (`true`) or a relaxed load.
    Follow(bool),
    /// Increment a counter that orders nothing.
    Inc,
    /// Use the object, reference or not.
    Use,
    /// Read a plain variable in it.
    Inspect,
    /// Take a reference to the object, which must be there.
    Get,
    /// Take one without looking.
    Grab,
    /// Take one if it is there, use the object, give it back.
    Borrow,
    /// Give back a reference, the last frees; ordered (`true`) or not.
    Put(bool),
    /// Free the object.
    Free,
    /// Queue the work item.
    Schedule,
    /// Arm one of two timers.
    Arm(bool),
    /// Add to the list of the freezable kernel thread, and wake it.
    Feed,
    /// Freeze it, and thaw it.
    Freeze,
    /// Read the counter that the kernel threads increment.
    Count,
}

struct Vars {
    plain: Plain,
    spin: Spinlock,
    mutex: Mutex,
    sem: RwSem,
    published: AtomicT,
    counter: AtomicT,
    object: Object,
    inside: AtomicT,
    field: Plain,
    references: AtomicT,
    work: Work,
    wheel: TimerWheel,
    list: LlistHead,
    queue: WaitQueue,
    freezer: Freezer,
}

fn vars() -> Vars {
    let o = engine().new_object("", 0);
    let object = engine().new_object("object", 0);
    Vars {
        plain: Plain::new(o, "p", 0),
        spin: Spinlock::new(o, "spin"),
        mutex: Mutex::new(o, "mutex"),
        sem: RwSem::new(o, "sem", false),
        published: AtomicT::new(o, "published", 0),
        counter: AtomicT::new(o, "counter", 0),
        object,
        inside: AtomicT::new(object, "x", 0),
        field: Plain::new(object, "field", 0),
        references: AtomicT::new(o, "references", 2),
        work: Work::new(o, "work"),
        wheel: TimerWheel::new(o, "wheel"),
        list: LlistHead::new(o, "list", 15),
        queue: WaitQueue::new(o, "queue"),
        freezer: Freezer::new(o, true),
    }
}

fn change(v: &Vars) -> u64 {
    let old = read(v.plain);
    write(v.plain, old + 1);
    old
}

fn put(v: &Vars, ordered: bool) -> u64 {
    let last = if ordered {
        refcount_dec_and_test(v.references, "reference")
    } else {
        atomic_dec_and_test_ordered(v.references, Order::Relaxed)
    };
    if last {
        engine().free(v.object, Site::here("free"));
    }
    u64::from(last)
}

/// `kthread` is the number of the freezable kernel thread.
fn run(v: &Vars, act: Act, kthread: usize) -> u64 {
    let mut seen = 0;
    match act {
        Act::Look => seen = read(v.plain),
        Act::Change => seen = change(v),
        Act::Spin => {
            spin_lock(v.spin);
            seen = change(v);
            spin_unlock(v.spin);
        }
        Act::Mutexed => {
            mutex_lock(v.mutex);
            seen = change(v);
            mutex_unlock(v.mutex);
        }
        Act::ReadSem => {
            down_read(v.sem, "down_read");
            seen = read(v.plain);
            up_read(v.sem, "up_read");
        }
        Act::WriteSem => {
            down_write(v.sem, "down_write");
            seen = change(v);
            up_write(v.sem, "up_write");
        }
        Act::Publish => smp_store_release(v.published, 1),
        Act::Follow(acquire) => {
            let published = if acquire { smp_load_acquire(v.published) } else { read_once(v.published) };
            if published != 0 {
                seen = 1 + read(v.plain);
            }
        }
        Act::Inc => atomic_inc(v.counter),
        Act::Use => atomic_inc(v.inside),
        Act::Inspect => seen = read(v.field),
        Act::Get => refcount_inc(v.references, "reference"),
        Act::Grab => atomic_inc(v.references),
        Act::Borrow => {
            if atomic_inc_not_zero(v.references) {
                seen = 1 + read(v.field);
                atomic_inc(v.inside);
                seen += 2 * put(v, true);
            }
        }
        Act::Put(ordered) => seen = put(v, ordered),
        Act::Free => engine().free(v.object, Site::here("free")),
        Act::Schedule => schedule_work(v.work),
        Act::Arm(second) => add_timer(Timer { wheel: v.wheel, nr: second.into() }),
        Act::Feed => {
            seen = u64::from(llist_add(0, v.list));
            wake_up(v.queue);
        }
        Act::Freeze => {
            v.freezer.freeze_kernel_threads(&[(kthread, v.queue)]);
            seen = atomic_read(v.counter);
            v.freezer.thaw_kernel_threads();
        }
        Act::Count => seen = atomic_read(v.counter),
    }
    seen
}

/// The freezable kernel thread: counts what it is fed.
fn feed_on(v: &Vars) {
    run_loop(|| {
        wait_event_freezable(v.queue, &v.freezer, (false, true), || !llist_empty(v.list));
        if !engine().stopping() {
            for _ in llist_del_all(v.list) {
                atomic_inc(v.counter);
            }
        }
    });
}

/// The program whose thread `i` runs the statements `threads[i]`, followed by the kernel threads that
/// these need. Its outcomes are what threads have seen, and the counters in the end.
pub fn program(threads: Vec<Vec<Act>>) -> Setup {
    Arc::new(move || {
        let v = Rc::new(vars());
        let own = engine().new_object("", 1);
        let seen: Vec<Plain> = threads.iter().map(|_| Plain::new(own, "seen", 0)).collect();
        let needs = |any: fn(&Act) -> bool| threads.iter().flatten().any(any);
        let kthread = threads.len();
        let mut all: Vec<Thread> = Vec::new();
        let mut add = |name: String, body: Rc<dyn Fn()>| all.push(Thread { name, body });
        for (i, acts) in threads.iter().enumerate() {
            let (v, seen, acts) = (v.clone(), seen[i], acts.clone());
            let body = move || {
                for &act in &acts {
                    let value = run(&v, act, kthread);
                    write(seen, read(seen) * 16 + value + 1);
                }
            };
            add(format!("t{i}"), Rc::new(body));
        }
        if needs(|a| matches!(a, Act::Feed | Act::Freeze)) {
            let v = v.clone();
            add("kthread".into(), Rc::new(move || feed_on(&v)));
        }
        if needs(|a| *a == Act::Schedule) {
            let v = v.clone();
            let body = move || process_one_work(v.work, || atomic_inc(v.counter));
            add("kworker".into(), Rc::new(body));
        }
        if needs(|a| matches!(a, Act::Arm(_))) {
            let v = v.clone();
            let body = move || {
                // The second timer has more to do, so that the two are told apart.
                run_timer_softirq(v.wheel, |nr| {
                    for _ in 0..=nr {
                        atomic_inc(v.counter);
                    }
                });
            };
            add("softirq".into(), Rc::new(body));
        }
        let judge = move || {
            let seen: Vec<u64> = seen.iter().map(|p| p.peek()).collect();
            let counters = [v.counter, v.references, v.inside].map(AtomicT::peek);
            let outcome = format!("{seen:x?} {counters:?} {} {}", v.plain.peek(), engine().freed(v.object));
            Ending { outcome, faults: Vec::new() }
        };
        Program { threads: all, judge: Rc::new(judge) }
    })
}
