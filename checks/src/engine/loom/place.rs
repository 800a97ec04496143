//! One word of a program as loom objects.
//!
//! loom forgets all but the last access of an atomic when it looks for orders to explore, so that a
//! load can hide an earlier load by another thread (its issues 166 and 392). Each load therefore also
//! touches an atomic of its own: two touches never commute, so loom tries loads in every order. A
//! touch is a store that nobody reads, so that it orders nothing for the program. Ghost words are
//! nothing but touches.

use crate::engine::native::Unordered;
use crate::engine::quiet;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use mmspec_model::k::engine::{Class, Effect, Order, Rmw, Shape, Until};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

enum Storage {
    /// An atomic, and what its loads touch.
    Atomic(AtomicU64, AtomicBool),
    /// An atomic whose every access is a read-modify-write.
    Sync(AtomicU64),
    /// Checked for races by loom.
    Plain(loom::cell::Cell<u64>),
    /// A dependency without value or order.
    Ghost(AtomicBool),
}

/// A word.
pub struct Place {
    storage: Storage,
    /// Value written last, read without loom noticing. It is the newest unless a store was among
    /// concurrent writes: which of those is the newest, loom decides only when somebody looks.
    newest: Cell<u64>,
    writes: Cell<u32>,
    stored: Cell<bool>,
}

/// What a read-modify-write does at one value.
enum Verdict {
    /// It may not run.
    Blocked,
    /// It changes nothing.
    Fails(Effect),
    /// It stores this.
    Stores(Effect, u64),
}

fn verdict(value: u64, until: Option<Until>, rmw: &Rmw) -> Verdict {
    if until.is_some_and(|until| !until.ready(value)) {
        return Verdict::Blocked;
    }
    let effect = (rmw.apply)(value);
    effect.new.map_or(Verdict::Fails(effect), |new| Verdict::Stores(effect, new))
}

/// Order of a read-modify-write; a full one has fences around it besides.
fn rmw_order(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::Acquire => Ordering::Acquire,
        Order::Release => Ordering::Release,
        Order::AcqRel | Order::Full => Ordering::AcqRel,
    }
}

fn barrier_if_full(order: Order) {
    if order == Order::Full {
        fence(Ordering::SeqCst);
    }
}

/// `f`, between full barriers if `order` is a fully ordered one.
fn between_barriers<T>(order: Order, f: impl FnOnce() -> T) -> T {
    barrier_if_full(order);
    let result = f();
    barrier_if_full(order);
    result
}

/// Depend on all other touches of the same atomic, as part of the step just taken: no other thread
/// runs in between, and where loom wants to try another order, it goes back to before that step.
fn touch(touched: &AtomicBool) {
    loom::stop_exploring();
    touched.store(true, Ordering::Relaxed);
    loom::explore();
}

/// Read, and be noticed.
fn load_and_touch(value: &AtomicU64, touched: &AtomicBool, order: Ordering) -> u64 {
    let seen = value.load(order);
    touch(touched);
    seen
}

/// `f`, in which loom may find that two accesses of a cell are unordered.
pub fn race_checked<T>(f: impl FnOnce() -> T) -> Result<T, Unordered> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let race = quiet::message(payload.as_ref()).is_some_and(|text| text.contains("Causality violation"));
        if race { Unordered } else { resume_unwind(payload) }
    })
}

impl Place {
    /// A word of `class` that holds `init`.
    pub fn new(class: Class, init: u64) -> Self {
        let storage = match class {
            Class::Atomic => Storage::Atomic(AtomicU64::new(init), AtomicBool::new(false)),
            Class::Sync => Storage::Sync(AtomicU64::new(init)),
            Class::Plain => Storage::Plain(loom::cell::Cell::new(init)),
            Class::Ghost => Storage::Ghost(AtomicBool::new(false)),
        };
        Self { storage, newest: Cell::new(init), writes: Cell::new(0), stored: Cell::new(false) }
    }

    /// Value written last.
    pub fn newest(&self) -> u64 {
        self.newest.get()
    }

    /// Set it, for nobody in the execution to see.
    pub fn overwrite(&self, value: u64) {
        self.newest.set(value);
    }

    /// Read.
    pub fn load(&self, order: Order) -> Result<u64, Unordered> {
        match &self.storage {
            Storage::Plain(cell) => race_checked(|| cell.get()),
            Storage::Atomic(value, touched) => Ok(between_barriers(order, || {
                let order = if order.acquires() { Ordering::Acquire } else { Ordering::Relaxed };
                load_and_touch(value, touched, order)
            })),
            Storage::Sync(_) | Storage::Ghost(_) => unreachable!("only Atomic and Plain words are loaded"),
        }
    }

    /// Write.
    pub fn store(&self, new: u64, order: Order) -> Result<(), Unordered> {
        match &self.storage {
            Storage::Plain(cell) => race_checked(|| cell.set(new))?,
            Storage::Atomic(value, _) => between_barriers(order, || {
                value.store(new, if order.releases() { Ordering::Release } else { Ordering::Relaxed });
            }),
            Storage::Sync(_) | Storage::Ghost(_) => unreachable!("only Atomic and Plain words are stored to"),
        }
        self.stored.set(true);
        self.wrote(new);
        Ok(())
    }

    fn wrote(&self, new: u64) {
        self.newest.set(new);
        self.writes.set(self.writes.get() + 1);
    }

    /// Let loom decide which of several concurrent writes is the newest.
    pub fn settle(&self) {
        if let Storage::Atomic(value, _) = &self.storage
            && self.stored.get()
            && self.writes.get() > 1
        {
            self.newest.set(value.fetch_add(0, Ordering::Relaxed));
        }
    }

    /// Read-modify-write, if it may run.
    pub fn rmw(&self, order: Order, until: Option<Until>, rmw: &Rmw) -> Option<(u64, Effect)> {
        let found = match &self.storage {
            Storage::Plain(_) => unreachable!("ordinary memory has no read-modify-write"),
            Storage::Ghost(touched) => {
                touch(touched);
                self.newest.get()
            }
            Storage::Sync(_) => return self.compare_exchange(order, until, rmw),
            Storage::Atomic(value, _) => {
                let step: &dyn Fn(Ordering) -> u64 = match rmw.shape {
                    Shape::BlindAdd(n) | Shape::Add(n) => &move |order| value.fetch_add(n, order),
                    Shape::Drop => &|order| value.fetch_sub(1, order),
                    Shape::BlindOr(bits) | Shape::Or(bits) => &move |order| value.fetch_or(bits, order),
                    Shape::And(bits) => &move |order| value.fetch_and(bits, order),
                    Shape::Xchg(new) => &move |order| value.swap(new, order),
                    Shape::Conditional | Shape::Reader | Shape::Lock | Shape::Unlock => {
                        return self.compare_exchange(order, until, rmw);
                    }
                };
                between_barriers(order, || step(rmw_order(order)))
            }
        };
        let effect = (rmw.apply)(found);
        self.wrote(effect.new.unwrap_or(found));
        Some((found, effect))
    }

    /// A compare-and-exchange loop. It starts from the newest value, so that it takes one step unless
    /// another thread gets in between; that a failed operation may have seen an older value is tried
    /// only if it fails on the newest one too.
    fn compare_exchange(&self, order: Order, until: Option<Until>, rmw: &Rmw) -> Option<(u64, Effect)> {
        let (Storage::Atomic(value, _) | Storage::Sync(value)) = &self.storage else {
            unreachable!("asked for these only")
        };
        let mut seen = self.newest.get();
        let mut observed = false;
        loop {
            match verdict(seen, until, rmw) {
                Verdict::Stores(effect, new) => {
                    // Whether it fails cannot be known before: the first barrier is too much then.
                    barrier_if_full(order);
                    match value.compare_exchange(seen, new, rmw_order(order), Ordering::Relaxed) {
                        Ok(_) => {
                            barrier_if_full(order);
                            self.wrote(new);
                            return Some((seen, effect));
                        }
                        Err(found) => seen = found,
                    }
                }
                Verdict::Fails(effect) if observed => return Some((seen, effect)),
                Verdict::Blocked if observed => return None,
                Verdict::Fails(_) | Verdict::Blocked => seen = self.glance(),
            }
            observed = true;
        }
    }

    /// A read that is a step but orders nothing. Sync words are always up to date.
    fn glance(&self) -> u64 {
        match &self.storage {
            Storage::Atomic(value, touched) => load_and_touch(value, touched, Ordering::Relaxed),
            Storage::Sync(value) => value.fetch_add(0, Ordering::Relaxed),
            Storage::Plain(_) | Storage::Ghost(_) => unreachable!("compared and exchanged are these only"),
        }
    }
}
