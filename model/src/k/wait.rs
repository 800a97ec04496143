//! Wait queues and `wait_event()`.
//!
//! One Sync word a queue: bit t says that thread t is queued, bit 32+t that it was woken. The four
//! steps of sleeping stay apart (queue, test, sleep, leave), because their order is a rule: a
//! sleeper that tests before it queues misses the wake-up in between (O24).

use super::enclosed;
use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};

/// `wait_queue_head_t`.
#[derive(Clone, Copy, Debug)]
pub struct WaitQueue(pub Word);

impl WaitQueue {
    /// An empty queue `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

const WAITERS: u64 = 0xffff_ffff;

/// Threads of a program that may sleep on a queue: those of the lowest numbers.
pub const MAX_SLEEPERS: usize = WAITERS.count_ones() as usize;

fn queued_and_woken() -> (u64, u64) {
    let me = engine().current();
    (1 << me, 1 << (32 + me))
}

/// `prepare_to_wait()`: queue the thread; a full barrier, by `set_current_state()`.
#[track_caller]
pub fn prepare_to_wait(queue: WaitQueue) {
    let (queued, woken) = queued_and_woken();
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store((v | queued) & !woken) };
    engine().rmw(queue.0, Order::Full, &rmw, Site::here("prepare_to_wait"));
}

/// `schedule()` of a queued thread: runs on when somebody has woken it.
#[track_caller]
pub fn schedule(queue: WaitQueue, sleep: Sleep) {
    let (_, woken) = queued_and_woken();
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !woken) };
    engine().wait_rmw(queue.0, Order::Acquire, Until::any(woken), sleep, &rmw, Site::here("schedule"));
}

/// `finish_wait()`: leave the queue.
#[track_caller]
pub fn finish_wait(queue: WaitQueue) {
    let (queued, woken) = queued_and_woken();
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !(queued | woken)) };
    engine().rmw(queue.0, Order::Relaxed, &rmw, Site::here("finish_wait"));
}

/// `wake_up()`: wake every queued thread. Takes the queue's lock and is no more of a barrier than that
/// (the kernel's is one if it wakes somebody), so a waker that first stored its
/// condition is ordered against a sleeper that queues first and tests then.
#[track_caller]
pub fn wake_up(queue: WaitQueue) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| {
            if v & WAITERS == 0 {
                Effect::store(v)
            } else {
                Effect::store(v & !WAITERS | (v & WAITERS) << 32)
            }
        },
    };
    engine().rmw(queue.0, Order::AcqRel, &rmw, Site::here("wake_up"));
}

/// `wait_event()`: sleep until `condition`, which is tested after queueing each time.
#[track_caller]
pub fn wait_event(queue: WaitQueue, sleep: Sleep, condition: impl Fn() -> bool) {
    enclosed(|| {
        loop {
            prepare_to_wait(queue);
            if condition() || engine().stopping() {
                break;
            }
            schedule(queue, sleep);
        }
        finish_wait(queue);
    });
}
