//! Work items and timers: code that another context runs once it has been queued or armed.
//!
//! The word says what is pending, and one thread of the program runs the callbacks: the kworker or
//! the timer softirq. A timer may expire at any time after it was armed.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use super::kthread::run_loop;

/// `struct work_struct`, with the worker's queue that it goes to: 0, or 1 + the number of its callback
/// while it is pending.
#[derive(Clone, Copy, Debug)]
pub struct Work(pub Word);

/// The timer wheel: bit n is set while timer n is armed.
#[derive(Clone, Copy, Debug)]
pub struct TimerWheel(pub Word);

/// `struct timer_list`.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// Wheel that it is armed on.
    pub wheel: TimerWheel,
    /// Its bit.
    pub nr: u32,
}

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

impl TimerWheel {
    /// A wheel `name` inside `owner` with no timer armed.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

/// `schedule_work()`; breaks R13 if the item is pending already.
#[track_caller]
pub fn schedule_work(work: Work) {
    schedule_work_fn(work, 0);
}

/// The same of an item that has several callbacks in turn: `INIT_WORK()` with number `func` first.
#[track_caller]
pub fn schedule_work_fn(work: Work, func: u64) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| Effect::store(1 + func).fault_if(v != 0, "R13", "a work item is queued twice"),
    };
    engine().rmw(work.0, Order::Full, &rmw, Site::here("schedule_work"));
}

/// The kworker: run `f` each time the item is queued.
#[track_caller]
pub fn process_one_work(work: Work, f: impl Fn()) {
    process_one_work_fn(work, |_| f());
}

/// The same for an item that has several callbacks in turn: run `f` with the number of the one that was
/// set.
#[track_caller]
pub fn process_one_work_fn(work: Work, f: impl Fn(u64)) {
    let site = Site::here("process_one_work");
    run_loop(|| {
        let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(0, v.saturating_sub(1)) };
        let func = engine().wait_rmw(work.0, Order::Acquire, Until::any(u64::MAX), Sleep::Idle, &rmw, site);
        if !engine().stopping() {
            f(func);
        }
    });
}

/// `add_timer()`; breaks R33 if it is armed already, which corrupts the wheel.
#[track_caller]
pub fn add_timer(timer: Timer) {
    let bit = 1 << timer.nr;
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| Effect::store(v | bit).fault_if(v & bit != 0, "R33", "a timer is armed twice"),
    };
    engine().rmw(timer.wheel.0, Order::Release, &rmw, Site::here("add_timer"));
}

/// A timer that expires on the CPU of this thread and interrupts it, if one is armed: its callback is to be run
/// by the thread then, which cannot go on before.
#[track_caller]
pub fn interrupting_timer(wheel: TimerWheel) -> Option<usize> {
    const NONE: u64 = u64::BITS as u64;
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| match v {
            0 => Effect::fail(NONE),
            _ => Effect::ret(v & (v - 1), v.trailing_zeros().into()),
        },
    };
    let nr = engine().rmw(wheel.0, Order::Acquire, &rmw, Site::here("run_timer_softirq"));
    (nr != NONE).then_some(nr as usize)
}

/// The timer softirq: run `f` with the number of each timer that expires. Of several armed timers
/// the one with the lowest number expires first.
#[track_caller]
pub fn run_timer_softirq(wheel: TimerWheel, f: impl Fn(usize)) {
    let site = Site::here("run_timer_softirq");
    run_loop(|| {
        let rmw = Rmw {
            shape: Shape::Conditional,
            apply: &|v| Effect::ret(v & v.wrapping_sub(1), v.trailing_zeros().into()),
        };
        let nr = engine().wait_rmw(wheel.0, Order::Acquire, Until::any(u64::MAX), Sleep::Idle, &rmw, site);
        if !engine().stopping() {
            f(nr as usize);
        }
    });
}
