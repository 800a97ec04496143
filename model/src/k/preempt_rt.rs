//! What a kernel with `CONFIG_PREEMPT_RT` has in place of others: a `spinlock_t` on which a waiter sleeps, and
//! an RCU callback for what must not run with preemption off.

use super::engine::{Class, Effect, Fault, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use super::goal;
use super::kthread::run_loop;

/// `spinlock_t`, a mutex there.
#[derive(Clone, Copy, Debug)]
pub struct RtSpinlock(Word);

/// `struct rcu_head`, with one callback.
#[derive(Clone, Copy, Debug)]
pub struct RcuHead(Word);

impl RtSpinlock {
    /// A free lock `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

impl RcuHead {
    /// One that is not queued, `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

/// `rt_spin_lock()`: one try, then sleep, which breaks R16 with preemption off.
#[track_caller]
pub fn rt_spin_lock(lock: RtSpinlock, preemptible: bool) {
    let fast = Rmw {
        shape: Shape::Conditional,
        apply: &|held| if held == 0 { Effect::ret(1, 1) } else { Effect::fail(0) },
    };
    if engine().rmw(lock.0, Order::Acquire, &fast, Site::here("rt_spin_lock")) != 0 {
        return;
    }
    if !preemptible {
        engine().fault(Fault { rule: "R16", what: "a CPU sleeps on a lock with preemption off" });
    }
    goal("a waiter sleeps on a spinlock_t");
    let slow = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
    let site = Site::here("rtlock_slowlock");
    engine().wait_rmw(lock.0, Order::Acquire, Until::clear(u64::MAX), Sleep::Held, &slow, site);
}

/// `rt_spin_unlock()`.
#[track_caller]
pub fn rt_spin_unlock(lock: RtSpinlock) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| Effect::store(0).fault_if(v != 1, "lock", "a lock is released that nobody holds"),
    };
    engine().rmw(lock.0, Order::Release, &rmw, Site::here("rt_spin_unlock"));
}

/// `call_rcu()`. Nobody here is in a read section, so a grace period is over at once.
#[track_caller]
pub fn call_rcu(head: RcuHead) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
    engine().rmw(head.0, Order::Release, &rmw, Site::here("call_rcu"));
}

/// `rcu_do_batch()`: run `f` when the callback is queued, in a thread as all callbacks there.
#[track_caller]
pub fn rcu_do_batch(head: RcuHead, f: impl Fn()) {
    let site = Site::here("rcu_do_batch");
    run_loop(|| {
        let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(0) };
        engine().wait_rmw(head.0, Order::Acquire, Until::any(u64::MAX), Sleep::Idle, &rmw, site);
        if !engine().stopping() {
            f();
        }
    });
}
