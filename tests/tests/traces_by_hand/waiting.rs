//! Wait queues, work items, timers and counting semaphores: steps that wait for others.

use super::{assert_counts, body, each, factorial, program};
use mmspec_model::k::atomic::{AtomicT, write_once};
use mmspec_model::k::bitops::{Bit, Flags, set_bit, test_bit};
use mmspec_model::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use mmspec_model::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wake_up};
use mmspec_model::k::work::{
    Timer, TimerWheel, Work, add_timer, process_one_work, run_timer_softirq, schedule_work,
};

const READY: Bit = Bit { nr: 0, name: "READY" };

#[derive(Clone, Copy)]
struct Hall {
    queue: WaitQueue,
    flags: Flags,
}

fn hall(o: Object) -> Hall {
    Hall { queue: WaitQueue::new(o, "queue"), flags: Flags::new(o, "flags", &[READY]) }
}

fn consumer(v: Hall, test_first: bool) -> u64 {
    let early = test_first && test_bit(READY, v.flags);
    prepare_to_wait(v.queue);
    let ready = early || !test_first && test_bit(READY, v.flags);
    if !ready {
        schedule(v.queue, Sleep::Held);
    }
    finish_wait(v.queue);
    u64::from(ready)
}

fn producer(v: Hall) -> u64 {
    set_bit(READY, v.flags);
    wake_up(v.queue);
    0
}

/// The consumer queues (Q), tests (T), sleeps if it must (S), leaves (L); the producer sets the flag
/// (F) and wakes (W).
///
/// F before T: W is before Q, before L or after it, 3 traces; F has 2 places, before or after Q, from
/// which W can be at 4 or 3: 7 interleavings. T before F: all that can follow is Q T F W S L. In all 4
/// traces and 8 interleavings.
#[test]
fn a_consumer_that_queues_first() {
    let bodies = vec![body(|v: &Hall| consumer(*v, false)), body(|v: &Hall| producer(*v))];
    assert_counts(&program(hall, bodies), 4, 8);
}

/// A consumer that tests before it queues.
///
/// F before T: W before Q, before L or after it, 3 traces; F is the first of all, and W has 4 places.
/// T before F: Q is before W, in 1 trace and 2 interleavings (Q F W, F Q W); or behind it, and the
/// consumer sleeps for ever, in 1 trace and 1 interleaving. In all 5 and 7.
#[test]
fn a_consumer_that_misses_its_wake_up() {
    let bodies = vec![body(|v: &Hall| consumer(*v, true)), body(|v: &Hall| producer(*v))];
    assert_counts(&program(hall, bodies), 5, 7);
}

/// The kworker's write and that of another thread: 2 traces. The other's is at one of 4 places among
/// queueing the item, taking it, and writing.
#[test]
fn a_work_item() {
    type Vars = (Work, AtomicT);
    let vars = |o: Object| (Work::new(o, "work"), AtomicT::new(o, "x", 0));
    let bodies = vec![
        body(|(work, _): &Vars| {
            schedule_work(*work);
            0
        }),
        body(|(work, x): &Vars| {
            process_one_work(*work, || write_once(*x, 1));
            0
        }),
        body(|(_, x): &Vars| {
            write_once(*x, 2);
            0
        }),
    ];
    assert_counts(&program(vars, bodies), 2, 4);
}

/// All steps are on the wheel. Two timers are armed in one of 2 orders, and the first of them expires
/// before the second is armed, or both expire after that, in the order of their numbers: 4.
#[test]
fn two_timers() {
    let mut bodies = each(2, |wheel, i| {
        add_timer(Timer { wheel: *wheel, nr: i as u32 });
        0
    });
    bodies.push(body(|wheel| {
        run_timer_softirq(*wheel, |_| ());
        0
    }));
    assert_counts(&program(|o| TimerWheel::new(o, "wheel"), bodies), 4, 4);
}

fn up(semaphore: Word) -> u64 {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v + 1) };
    engine().rmw(semaphore, Order::Release, &rmw, Site::here("up"))
}

fn down(semaphore: Word) -> u64 {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v - 1) };
    let positive = Until::any(u64::MAX);
    engine().wait_rmw(semaphore, Order::Acquire, positive, Sleep::Held, &rmw, Site::here("down"))
}

/// n threads raise a semaphore and n wait for it, on one word: there are Catalan(n) ways never to take
/// more than there is, n! orders of those that raise it and n! of those that wait.
#[test]
fn a_counting_semaphore() {
    let semaphore = |o| engine().new_word("semaphore", Class::Sync, o, 0);
    for (n, catalan) in [(1, 1), (2, 2), (3, 5)] {
        let mut bodies = each(n, |semaphore, _| up(*semaphore));
        bodies.extend(each(n, |semaphore, _| down(*semaphore)));
        let all = factorial(n).pow(2) * catalan;
        assert_counts(&program(semaphore, bodies), all, all);
    }
}

/// Raised once: one of those that wait goes on, and all others never do.
#[test]
fn a_semaphore_for_too_many() {
    let semaphore = |o| engine().new_word("semaphore", Class::Sync, o, 0);
    for n in 2..=5 {
        let mut bodies = each(n, |semaphore, _| down(*semaphore));
        bodies.push(body(|semaphore| up(*semaphore)));
        assert_counts(&program(semaphore, bodies), n, n);
    }
}
