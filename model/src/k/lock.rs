//! Spinlocks, mutexes and `rw_semaphore`: acquire on taking, release on releasing.
//!
//! A lock is one Sync word. In an rwsem bits 0-15 count readers, bit 16 is the writer, bit 17 says that
//! a killable wait is to end, and bits 32-63 say which threads queue, because `down_read_trylock()`
//! fails while anyone is queued (rule R62).

use super::enclosed;
use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};

/// `spinlock_t`.
#[derive(Clone, Copy, Debug)]
pub struct Spinlock(pub Word);

impl Spinlock {
    /// A free lock `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

#[track_caller]
fn take(word: Word, shape: Shape, site: Site) {
    let rmw = Rmw { shape, apply: &|_| Effect::store(1) };
    engine().wait_rmw(word, Order::Acquire, Until::clear(u64::MAX), Sleep::Held, &rmw, site);
}

#[track_caller]
fn give(word: Word, site: Site) {
    let rmw = Rmw {
        shape: Shape::Unlock,
        apply: &|v| Effect::store(0).fault_if(v != 1, "lock", "a lock is released that nobody holds"),
    };
    engine().rmw(word, Order::Release, &rmw, site);
}

/// `spin_lock()` and its irq-disabling forms.
#[track_caller]
pub fn spin_lock(lock: Spinlock) {
    take(lock.0, Shape::Lock, Site::here("spin_lock"));
}

/// `spin_unlock()`.
#[track_caller]
pub fn spin_unlock(lock: Spinlock) {
    give(lock.0, Site::here("spin_unlock"));
}

/// `struct mutex`.
#[derive(Clone, Copy, Debug)]
pub struct Mutex(pub Word);

impl Mutex {
    /// A free mutex `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, 0))
    }
}

/// `mutex_lock()`.
#[track_caller]
pub fn mutex_lock(lock: Mutex) {
    take(lock.0, Shape::Conditional, Site::here("mutex_lock"));
}

/// `mutex_unlock()`.
#[track_caller]
pub fn mutex_unlock(lock: Mutex) {
    give(lock.0, Site::here("mutex_unlock"));
}

/// `struct rw_semaphore`.
#[derive(Clone, Copy, Debug)]
pub struct RwSem {
    word: Word,
    /// Whether anyone uses trylock, so that a queued waiter can be noticed. Without trylocks the
    /// queue is unobservable and waiting is one blocking step.
    trylocked: bool,
}

const READERS: u64 = 0xffff;
const WRITER: u64 = 1 << 16;
/// Whoever waits killably for the semaphore has got SIGKILL.
const KILLED: u64 = 1 << 17;
const QUEUED: u64 = 0xffff_ffff << 32;

impl RwSem {
    /// A free semaphore `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str, trylocked: bool) -> Self {
        Self { word: engine().new_word(name, Class::Sync, owner, 0), trylocked }
    }
}

/// Bit of the running thread in the queue of `sem`; none where nobody could notice it.
fn my_queue_bit(sem: RwSem) -> u64 {
    if sem.trylocked { 1 << (32 + engine().current()) } else { 0 }
}

/// Take at once if no bit of `busy` is set; else queue and wait until `blocked` is clear.
#[track_caller]
fn acquire(sem: RwSem, shape: Shape, busy: u64, blocked: u64, add: u64, site: Site) {
    let me = my_queue_bit(sem);
    let fast = Rmw {
        shape,
        apply: &|v| if v & busy == 0 { Effect::ret(v + add, 1) } else { Effect::ret(v | me, 0) },
    };
    let slow = Rmw { shape, apply: &|v| Effect::store((v & !me).wrapping_add(add)) };
    enclosed(|| {
        if !sem.trylocked || engine().rmw(sem.word, Order::Acquire, &fast, site) == 0 {
            engine().wait_rmw(sem.word, Order::Acquire, Until::clear(blocked), Sleep::Held, &slow, site);
        }
    });
}

/// `down_read()`: queues behind a writer that holds or waits.
#[track_caller]
pub fn down_read(sem: RwSem, op: &'static str) {
    acquire(sem, Shape::Reader, WRITER | QUEUED, WRITER, 1, Site::here(op));
}

/// `down_read_killable()`: whether the lock was taken; not if SIGKILL comes first. Only one thread of a
/// program waits like this for a semaphore.
#[track_caller]
pub fn down_read_killable(sem: RwSem, op: &'static str) -> bool {
    let (me, site) = (my_queue_bit(sem), Site::here(op));
    let fast = Rmw {
        shape: Shape::Reader,
        apply: &|v| if v & (WRITER | QUEUED) == 0 { Effect::ret(v + 1, 1) } else { Effect::ret(v | me, 0) },
    };
    if sem.trylocked && engine().rmw(sem.word, Order::Acquire, &fast, site) != 0 {
        return true;
    }
    let slow = Rmw {
        shape: Shape::Reader,
        apply: &|v| if v & WRITER == 0 { Effect::ret((v & !me) + 1, 1) } else { Effect::ret(v & !me, 0) },
    };
    let free_or_killed = Until { mask: WRITER | KILLED, value: WRITER, equal: false };
    engine().wait_rmw(sem.word, Order::Acquire, free_or_killed, Sleep::Held, &slow, site) != 0
}

/// `signal_wake_up()`: whoever waits killably for the semaphore, now or later, has got SIGKILL.
#[track_caller]
pub fn signal_wake_up(sem: RwSem) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | KILLED) };
    engine().rmw(sem.word, Order::Release, &rmw, Site::with("signal_wake_up", "SIGKILL"));
}

/// `down_write()`: queues behind every holder and waiter.
#[track_caller]
pub fn down_write(sem: RwSem, op: &'static str) {
    acquire(sem, Shape::Conditional, READERS | WRITER | QUEUED, READERS | WRITER, WRITER, Site::here(op));
}

/// `down_read_trylock()`: fails while a writer holds the lock or anyone is queued for it.
#[track_caller]
pub fn down_read_trylock(sem: RwSem, op: &'static str) -> bool {
    let rmw = Rmw {
        shape: Shape::Reader,
        apply: &|v| if v & (WRITER | QUEUED) == 0 { Effect::ret(v + 1, 1) } else { Effect::fail(0) },
    };
    engine().rmw(sem.word, Order::Acquire, &rmw, Site::here(op)) != 0
}

/// `down_write_trylock()`: fails while anyone holds the lock or is queued for it.
#[track_caller]
pub fn down_write_trylock(sem: RwSem, op: &'static str) -> bool {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| if v == 0 { Effect::ret(WRITER, 1) } else { Effect::fail(0) },
    };
    engine().rmw(sem.word, Order::Acquire, &rmw, Site::here(op)) != 0
}

/// `up_read()`.
#[track_caller]
pub fn up_read(sem: RwSem, op: &'static str) {
    let rmw = Rmw {
        shape: Shape::Reader,
        apply: &|v| {
            Effect::store(v.wrapping_sub(1)).fault_if(
                v & READERS == 0,
                "lock",
                "a read lock is released that nobody holds",
            )
        },
    };
    engine().rmw(sem.word, Order::Release, &rmw, Site::here(op));
}

/// `up_write()`.
#[track_caller]
pub fn up_write(sem: RwSem, op: &'static str) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| {
            Effect::store(v & !WRITER).fault_if(
                v & WRITER == 0,
                "lock",
                "a write lock is released that nobody holds",
            )
        },
    };
    engine().rmw(sem.word, Order::Release, &rmw, Site::here(op));
}
