//! `mm/rmap.c`: from a page to those who map it, without any reference on an mm. A VMA that is linked keeps
//! its mm, as long as the lock of the list is held.

use super::mmu_notifier::hlist::invalidate;
use super::swapfile::enter_mmlist;
use crate::include::mm_types::MmStruct;
use crate::k::atomic::atomic_long_sub;
use crate::k::engine::{Effect, Object, Order, Rmw, Shape, Site, engine};
use crate::k::lock::{Mutex, mutex_lock, mutex_unlock};
use crate::k::plain::{Plain, read, write};
use crate::k::{call, goal};
use crate::system::System;

/// VMAs that map a page, as far as one of mm 0 goes.
#[derive(Clone, Copy, Debug)]
pub struct Rmap {
    /// `anon_vma->rwsem` or `i_mmap_rwsem`.
    lock: Mutex,
    /// Whether the VMA is linked.
    linked: Plain,
}

impl Rmap {
    /// One that has the VMA, if it is `linked`.
    pub fn new(owner: Object, linked: bool) -> Self {
        Self { lock: Mutex::new(owner, "rmap_lock"), linked: Plain::new(owner, "rmap", u64::from(linked)) }
    }
}

/// `unlink_anon_vmas()` and `unlink_file_vma()`: before page tables are freed.
pub(super) fn unlink_vmas(sys: &System, mm: &MmStruct) {
    let Some(rmap) = sys.rmap.filter(|_| mm.index == 0) else { return };
    let _call = call("unlink_anon_vmas");
    mutex_lock(rmap.lock);
    write(rmap.linked, 0);
    mutex_unlock(rmap.lock);
}

/// `__vma_link_file()`: the VMA is found from here on.
pub fn link_vma(sys: &System) {
    let Some(rmap) = sys.rmap else { return };
    let _call = call("vma_link_file");
    mutex_lock(rmap.lock);
    write(rmap.linked, 1);
    mutex_unlock(rmap.lock);
}

/// `rmap_walk()`: `visit` the mm that maps the page, under the lock of the list. What that says; false if
/// there is none.
pub fn rmap_walk(sys: &System, visit: impl FnOnce(&MmStruct) -> bool) -> bool {
    let Some(rmap) = sys.rmap else { return false };
    let _call = call("rmap_walk");
    mutex_lock(rmap.lock);
    let found = read(rmap.linked) != 0 && visit(&sys.mms[0]);
    mutex_unlock(rmap.lock);
    found
}

/// `try_to_unmap_one()`, for reclaim: the page is unmapped, whoever mirrors it is told, and it is freed.
/// False if it was not mapped.
pub fn try_to_unmap_one(sys: &System, mm: &MmStruct) -> bool {
    let _call = call("try_to_unmap_one");
    let vma = &mm.vmas[0];
    let clear = Rmw { shape: Shape::Conditional, apply: &|pages| Effect::ret(0, pages) };
    let pages = engine().rmw(vma.pte, Order::AcqRel, &clear, Site::here("ptep_clear_flush"));
    if pages == 0 {
        goal("reclaim finds the page unmapped");
        return false;
    }
    // Still under the page-table lock in the kernel; that of rmap keeps exit_mmap() too.
    enter_mmlist(sys);
    atomic_long_sub(mm.rss, pages, "rss");
    invalidate(mm);
    if let Some(page) = vma.page {
        engine().free(page.object, Site::here("free_page"));
        goal("reclaim frees a page");
    }
    true
}
