//! The lock of a page table as a lock of its own, in programs that ask who waits for it, or in which a page
//! fault tests something and maps a page in one section.
//!
//! Elsewhere a section of it is one step ([`Vma::pte`](super::vma::Vma::pte)): what happens inside
//! cannot be told apart by anybody who takes the lock.

use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::plain::{Ghost, ghost_add};
use crate::k::{call, goal};

/// `ptlock_ptr()` of a page table.
#[derive(Clone, Copy, Debug)]
pub struct PageTableLock {
    word: Word,
    /// Specification: how often somebody had to wait for a page-table lock of the mm, in a program that asks.
    waits: Option<Ghost>,
}

impl PageTableLock {
    /// A free one inside `pgtables`, whose waiters may count in `waits`.
    pub fn new(pgtables: Object, waits: Option<Ghost>) -> Self {
        Self { word: engine().new_word("ptl", Class::Sync, pgtables, 0), waits }
    }
}

/// `pte_offset_map_lock()`: as in a qspinlock one try, then waiting, which is counted. Where nobody asks, the
/// two are one step.
#[track_caller]
pub fn pte_offset_map_lock(ptl: PageTableLock) {
    let _call = call("pte_offset_map_lock");
    let Some(waits) = ptl.waits else { return wait_for(ptl) };
    let fast = Rmw {
        shape: Shape::Conditional,
        apply: &|held| if held == 0 { Effect::ret(1, 1) } else { Effect::fail(0) },
    };
    if engine().rmw(ptl.word, Order::Acquire, &fast, Site::here("spin_trylock")) == 0 {
        ghost_add(waits, 1, "a page-table lock is taken");
        goal("a walker waits for a page-table lock");
        wait_for(ptl);
    }
}

#[track_caller]
fn wait_for(ptl: PageTableLock) {
    let slow = Rmw { shape: Shape::Lock, apply: &|_| Effect::store(1) };
    let site = Site::here("spin_lock");
    engine().wait_rmw(ptl.word, Order::Acquire, Until::clear(u64::MAX), Sleep::Held, &slow, site);
}

/// `pte_unmap_unlock()`.
#[track_caller]
pub fn pte_unmap_unlock(ptl: PageTableLock) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|held| Effect::store(0).fault_if(held != 1, "lock", "a lock is released that nobody holds"),
    };
    engine().rmw(ptl.word, Order::Release, &rmw, Site::here("spin_unlock"));
}
