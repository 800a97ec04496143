//! `struct completion` on the stack of a task that waits killably (`kernel/sched/completion.c`).

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use super::lock::{Spinlock, spin_lock, spin_unlock};
use super::plain::{Plain, read, write};

const WOKEN: u64 = 1;
/// The waiter has got SIGKILL. It stays so.
const KILLED: u64 = 2;

/// `struct completion`.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// The stack frame that it is in.
    stack: Object,
    lock: Spinlock,
    done: Plain,
    /// The waiter, who is not in that frame: a kill may come when it is gone.
    waiter: Word,
}

impl Completion {
    /// `init_completion()` of one on the stack of task `index`, whose sleep is told by a word of `globals`.
    pub fn new(globals: Object, index: usize) -> Self {
        let stack = engine().new_object("stack", index as u16);
        Self {
            stack,
            lock: Spinlock::new(stack, "wait.lock"),
            done: Plain::new(stack, "done", 0),
            waiter: engine().new_word("waiter", Class::Sync, globals, 0),
        }
    }

    /// The function that it is a variable of returns.
    pub fn leave_frame(&self) {
        engine().free(self.stack, Site::here("leave_frame"));
    }
}

/// `complete()`: what it does is over for the waiter once the lock is free.
#[track_caller]
pub fn complete(x: Completion) {
    spin_lock(x.lock);
    write(x.done, 1);
    wake(x, WOKEN, Site::here("swake_up_locked"));
    spin_unlock(x.lock);
}

/// `signal_wake_up()`: the waiter has got SIGKILL.
#[track_caller]
pub fn signal_wake_up(x: Completion) {
    wake(x, KILLED, Site::with("signal_wake_up", "SIGKILL"));
}

fn wake(x: Completion, why: u64, site: Site) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | why) };
    engine().rmw(x.waiter, Order::Release, &rmw, site);
}

/// `wait_for_completion_killable()`: whether it was completed; not if SIGKILL comes first.
pub fn wait_for_completion_killable(x: Completion) -> bool {
    let mut killed = false;
    loop {
        spin_lock(x.lock);
        let done = read(x.done) != 0;
        spin_unlock(x.lock);
        if done || killed {
            return done;
        }
        let sleep = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v & !WOKEN, v & KILLED) };
        let woken = Until::any(WOKEN | KILLED);
        let site = Site::here("schedule");
        killed = engine().wait_rmw(x.waiter, Order::Acquire, woken, Sleep::Held, &sleep, site) != 0;
    }
}
