//! Work items and timers: code that another context runs once it has been queued or armed.
//!
//! Each is one Sync word, 1 while pending, and one thread of the program that runs the callback: the
//! kworker or the timer softirq. A timer may expire at any time after it was armed.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use super::kthread::run_loop;

/// `struct work_struct`, with the worker's queue that it goes to.
#[derive(Clone, Copy, Debug)]
pub struct Work(pub Word);

/// `struct timer_list`.
#[derive(Clone, Copy, Debug)]
pub struct Timer(pub Word);

impl Work {
    /// An idle work item `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }

    /// Whether it is still pending in the end, for judging an ended run.
    pub fn peek_pending(self) -> bool {
        engine().peek(self.0) != 0
    }
}

impl Timer {
    /// An unarmed timer `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

#[track_caller]
fn arm(word: Word, rule: &'static str, what: &'static str, site: Site) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(1).fault_if(v != 0, rule, what) };
    engine().rmw(word, Order::Full, &rmw, site);
}

#[track_caller]
fn expire(word: Word, site: Site) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(0) };
    engine().wait_rmw(word, Order::Acquire, Until::any(u64::MAX), Sleep::Idle, &rmw, site);
}

/// `schedule_work()`; breaks R13 if the item is pending already.
#[track_caller]
pub fn schedule_work(work: Work) {
    arm(work.0, "R13", "a work item is queued twice", Site::here("schedule_work"));
}

/// The kworker: run `f` each time the item is queued.
#[track_caller]
pub fn process_one_work(work: Work, f: impl Fn()) {
    let site = Site::here("process_one_work");
    run_loop(|| {
        expire(work.0, site);
        if !engine().stopping() {
            f();
        }
    });
}

/// `add_timer()`; breaks R33 if it is armed already, which corrupts the timer wheel.
#[track_caller]
pub fn add_timer(timer: Timer) {
    arm(timer.0, "R33", "a timer is armed twice", Site::here("add_timer"));
}

/// The timer softirq: run `f` each time the timer expires.
#[track_caller]
pub fn run_timer_softirq(timer: Timer, f: impl Fn()) {
    let site = Site::here("run_timer_softirq");
    run_loop(|| {
        expire(timer.0, site);
        if !engine().stopping() {
            f();
        }
    });
}
