//! `struct llist_head`: a lock-less stack that is drained whole.
//!
//! Entries are small numbers. Up to 15 of them are packed into the head, four bits each, newest in the
//! low bits: a push is one step, which is all that a check needs. A list of more is linked as the
//! kernel's: each entry has a `next`, written before the entry is published.

use super::atomic::{AtomicT, read_once, write_once};
use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Word, engine};

/// Entries that fit into the head.
const PACKED: usize = 15;

/// `struct llist_head`.
#[derive(Clone, Copy, Debug)]
pub struct LlistHead {
    head: Word,
    /// `next` of entry 0, those of the others behind it: 1 + an entry, or 0. `None` if packed.
    next: Option<Word>,
}

impl LlistHead {
    /// An empty list `name` inside `owner` of at most `entries` entries.
    pub fn new(owner: Object, name: &'static str, entries: usize) -> Self {
        let head = engine().new_word(name, Class::Atomic, owner, 0);
        let linked = if entries > PACKED { entries } else { 0 };
        let next: Vec<Word> =
            (0..linked).map(|_| engine().new_word("next", Class::Atomic, owner, 0)).collect();
        Self { head, next: next.first().copied() }
    }

    /// Whether it is empty in the end, for judging an ended run.
    pub fn peek_empty(self) -> bool {
        engine().peek(self.head) == 0
    }
}

fn next_of(first: Word, entry: u64) -> AtomicT {
    AtomicT(Word(first.0 + entry as u16))
}

/// `llist_add()`: push an entry; fully ordered (`try_cmpxchg()`). Whether the list was empty.
#[track_caller]
pub fn llist_add(entry: u64, list: LlistHead) -> bool {
    let site = Site::here("llist_add");
    let Some(first) = list.next else {
        let push = |v| Effect::ret(v << 4 | (entry + 1), u64::from(v == 0));
        let rmw = Rmw { shape: Shape::Conditional, apply: &push };
        return engine().rmw(list.head, Order::Full, &rmw, site) != 0;
    };
    let mut newest = read_once(AtomicT(list.head));
    loop {
        write_once(next_of(first, entry), newest);
        let push = |v| if v == newest { Effect::ret(entry + 1, v) } else { Effect::fail(v) };
        let rmw = Rmw { shape: Shape::Conditional, apply: &push };
        let found = engine().rmw(list.head, Order::Full, &rmw, site);
        if found == newest || engine().stopping() {
            return newest == 0;
        }
        newest = found;
    }
}

/// `llist_empty()`: unordered.
#[track_caller]
pub fn llist_empty(list: LlistHead) -> bool {
    engine().load(list.head, Order::Relaxed, Site::here("llist_empty")) == 0
}

/// `llist_del_all()` with `llist_reverse_order()`: all entries, oldest first; fully ordered (`xchg()`).
#[track_caller]
pub fn llist_del_all(list: LlistHead) -> Vec<u64> {
    let rmw = Rmw { shape: Shape::Xchg(0), apply: &|v| Effect::ret(0, v) };
    let taken = engine().rmw(list.head, Order::Full, &rmw, Site::here("llist_del_all"));
    let Some(first) = list.next else {
        let entries = (0..16).map(|i| taken >> (60 - 4 * i) & 0xf);
        return entries.filter(|&e| e != 0).map(|e| e - 1).collect();
    };
    let mut entries = Vec::new();
    let mut next = taken;
    while let Some(entry) = next.checked_sub(1)
        && !engine().stopping()
    {
        entries.push(entry);
        next = read_once(next_of(first, entry));
    }
    entries.reverse();
    entries
}
