//! `struct llist_head`: a lock-less stack that is drained whole.
//!
//! Entries are small numbers, four bits each, newest in the low bits; at most 16.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Word, engine};

/// `struct llist_head`.
#[derive(Clone, Copy, Debug)]
pub struct LlistHead(pub Word);

impl LlistHead {
    /// An empty list `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Atomic, owner, 0))
    }

    /// Whether it is empty in the end, for judging an ended run.
    pub fn peek_empty(self) -> bool {
        engine().peek(self.0) == 0
    }
}

/// `llist_add()`: push entry 0..=14; fully ordered (`try_cmpxchg()`). Whether the list was empty.
#[track_caller]
pub fn llist_add(entry: u64, list: LlistHead) -> bool {
    let rmw =
        Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v << 4 | (entry + 1), u64::from(v == 0)) };
    engine().rmw(list.0, Order::Full, &rmw, Site::here("llist_add")) != 0
}

/// `llist_empty()`: unordered.
#[track_caller]
pub fn llist_empty(list: LlistHead) -> bool {
    engine().load(list.0, Order::Relaxed, Site::here("llist_empty")) == 0
}

/// `llist_del_all()` with `llist_reverse_order()`: all entries, oldest first; fully ordered (`xchg()`).
#[track_caller]
pub fn llist_del_all(list: LlistHead) -> Vec<u64> {
    let rmw = Rmw { shape: Shape::Xchg(0), apply: &|v| Effect::ret(0, v) };
    let packed = engine().rmw(list.0, Order::Full, &rmw, Site::here("llist_del_all"));
    let entries = (0..16).map(|i| packed >> (60 - 4 * i) & 0xf);
    entries.filter(|&e| e != 0).map(|e| e - 1).collect()
}
