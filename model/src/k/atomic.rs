//! `atomic_t` with the ordering of `Documentation/atomic_t.txt`: operations that return a value are
//! fully ordered, those that return nothing and plain reads are not.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Word, engine};

/// `atomic_t` or `atomic_long_t`.
#[derive(Clone, Copy, Debug)]
pub struct AtomicT(pub Word);

impl AtomicT {
    /// A counter `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str, init: u64) -> Self {
        Self(engine().new_word(name, Class::Atomic, owner, init))
    }

    /// A counter that can also be plain memory, if nothing in the program reads it without its lock.
    pub fn new_or_plain(owner: Object, name: &'static str, init: u64, lockless: bool) -> Self {
        let class = if lockless { Class::Atomic } else { Class::Plain };
        Self(engine().new_word(name, class, owner, init))
    }

    /// Final value, for judging an ended run.
    pub fn peek(self) -> u64 {
        engine().peek(self.0)
    }
}

/// `atomic_read()`: unordered.
#[track_caller]
pub fn atomic_read(v: AtomicT) -> u64 {
    engine().load(v.0, Order::Relaxed, Site::here("atomic_read"))
}

/// `atomic_set()`: unordered, as an exchange because others read-modify-write the same word.
#[track_caller]
pub fn atomic_set(v: AtomicT, value: u64) {
    let rmw = Rmw { shape: Shape::Xchg(value), apply: &|_| Effect::store(value) };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_set"));
}

/// `atomic_inc()`: unordered.
#[track_caller]
pub fn atomic_inc(v: AtomicT) {
    let rmw = Rmw { shape: Shape::BlindAdd(1), apply: &|v| Effect::store(v.wrapping_add(1)) };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_inc"));
}

/// `atomic_dec()`: unordered.
#[track_caller]
pub fn atomic_dec(v: AtomicT) {
    let less = 1_u64.wrapping_neg();
    let rmw = Rmw { shape: Shape::BlindAdd(less), apply: &|v| Effect::store(v.wrapping_add(less)) };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_dec"));
}

/// `atomic_inc()` of a reference counter: breaks `rule` when the counter was 0.
#[track_caller]
pub fn atomic_inc_ref(v: AtomicT, rule: &'static str) {
    let rmw = Rmw {
        shape: Shape::BlindAdd(1),
        apply: &|v| Effect::store(v.wrapping_add(1)).fault_if(v == 0, rule, "a reference is taken from 0"),
    };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_inc"));
}

/// `atomic_inc_not_zero()`: fully ordered if it succeeds, unordered if not.
#[track_caller]
pub fn atomic_inc_not_zero(v: AtomicT) -> bool {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| if v == 0 { Effect::fail(0) } else { Effect::ret(v.wrapping_add(1), 1) },
    };
    engine().rmw(v.0, Order::Full, &rmw, Site::here("atomic_inc_not_zero")) != 0
}

/// `atomic_dec_and_test()`: fully ordered.
#[track_caller]
pub fn atomic_dec_and_test(v: AtomicT) -> bool {
    dec_and_test(v, Order::Full, "R10", Site::here("atomic_dec_and_test"))
}

/// A drop that is not fully ordered: what `atomic_dec_and_test()` must not become.
#[track_caller]
pub fn atomic_dec_and_test_ordered(v: AtomicT, order: Order) -> bool {
    dec_and_test(v, order, "R10", Site::with("atomic_dec_and_test", "relaxed"))
}

fn dec_and_test(v: AtomicT, order: Order, rule: &'static str, site: Site) -> bool {
    let rmw = Rmw {
        shape: Shape::Drop,
        apply: &|v| {
            Effect::ret(v.wrapping_sub(1), u64::from(v == 1)).fault_if(
                v == 0,
                rule,
                "the counter drops below 0",
            )
        },
    };
    engine().rmw(v.0, order, &rmw, site) != 0
}

/// `refcount_inc()`: unordered; breaks `rule` when the counter was 0.
#[track_caller]
pub fn refcount_inc(v: AtomicT, rule: &'static str) {
    let rmw = Rmw {
        shape: Shape::BlindAdd(1),
        apply: &|v| Effect::store(v.wrapping_add(1)).fault_if(v == 0, rule, "a reference is taken from 0"),
    };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("refcount_inc"));
}

/// `refcount_dec_and_test()`: release, and acquire if it was the last reference.
#[track_caller]
pub fn refcount_dec_and_test(v: AtomicT, rule: &'static str) -> bool {
    let site = Site::here("refcount_dec_and_test");
    let last = dec_and_test(v, Order::Release, rule, site);
    if last {
        engine().fence(Order::Acquire, site);
    }
    last
}

/// `atomic_dec_return() == 0`: fully ordered; breaks `rule` when the counter was 0. Only that much of
/// the value is used anywhere.
#[track_caller]
pub fn atomic_dec_return_is_zero(v: AtomicT, rule: &'static str) -> bool {
    dec_and_test(v, Order::Full, rule, Site::here("atomic_dec_return"))
}

/// `atomic_long_add_return(n) <= limit`: fully ordered.
#[track_caller]
pub fn atomic_long_add_within(v: AtomicT, n: u64, limit: u64) -> bool {
    let rmw = Rmw {
        shape: Shape::Add(n),
        apply: &|v| Effect::ret(v.wrapping_add(n), u64::from(v.wrapping_add(n) <= limit)),
    };
    engine().rmw(v.0, Order::Full, &rmw, Site::here("atomic_long_add_return")) != 0
}

/// `atomic_long_add()`: unordered; breaks `rule` when the sum exceeds `limit`.
#[track_caller]
pub fn atomic_long_add_capped(v: AtomicT, n: u64, limit: u64, rule: &'static str) {
    let rmw = Rmw {
        shape: Shape::Add(n),
        apply: &|v| {
            Effect::store(v.wrapping_add(n)).fault_if(
                v.wrapping_add(n) > limit,
                rule,
                "the sum exceeds the cap",
            )
        },
    };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_long_add"));
}

/// `atomic_long_sub()`: unordered; breaks `rule` when the counter would turn negative.
#[track_caller]
pub fn atomic_long_sub(v: AtomicT, n: u64, rule: &'static str) {
    let rmw = Rmw {
        shape: Shape::BlindAdd(n.wrapping_neg()),
        apply: &|v| Effect::store(v.wrapping_sub(n)).fault_if(v < n, rule, "the counter turns negative"),
    };
    engine().rmw(v.0, Order::Relaxed, &rmw, Site::here("atomic_long_sub"));
}

/// `cmpxchg(&v, 0, new) == 0`: fully ordered if it succeeds, unordered if not.
#[track_caller]
pub fn cmpxchg_null(v: AtomicT, new: u64) -> bool {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| if v == 0 { Effect::ret(new, 1) } else { Effect::fail(0) },
    };
    engine().rmw(v.0, Order::Full, &rmw, Site::here("cmpxchg")) != 0
}

/// `READ_ONCE()`: unordered.
#[track_caller]
pub fn read_once(v: AtomicT) -> u64 {
    engine().load(v.0, Order::Relaxed, Site::here("READ_ONCE"))
}

/// `WRITE_ONCE()`: unordered.
#[track_caller]
pub fn write_once(v: AtomicT, value: u64) {
    engine().store(v.0, value, Order::Relaxed, Site::here("WRITE_ONCE"));
}

/// `smp_load_acquire()`.
#[track_caller]
pub fn smp_load_acquire(v: AtomicT) -> u64 {
    engine().load(v.0, Order::Acquire, Site::here("smp_load_acquire"))
}

/// `smp_store_release()`.
#[track_caller]
pub fn smp_store_release(v: AtomicT, value: u64) {
    engine().store(v.0, value, Order::Release, Site::here("smp_store_release"));
}

/// `smp_mb()`.
#[track_caller]
pub fn smp_mb() {
    engine().fence(Order::Full, Site::here("smp_mb"));
}
