//! `mm/swapfile.c`: swapoff finds the address spaces that may have something on swap on a list. Whoever is
//! on it owes that to no count: each leaves the list itself, before its struct goes.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::include::sched_mm::mmget_not_zero;
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::engine::{Fault, Object, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, read, write};
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::system::System;
use crate::variant::Rule;

/// The list of `init_mm.mmlist`, as far as mm 0 goes.
#[derive(Clone, Copy, Debug)]
pub struct Mmlist {
    /// `mmlist_lock`.
    lock: Spinlock,
    /// Head of the list: 1 if mm 0 is on it.
    head: Plain,
    /// `mm->mmlist` of that: 1 while it is on the list. Looked at without the lock too.
    node: AtomicT,
}

impl Mmlist {
    /// An empty one; `globals` owns it, and `mm` its node.
    pub fn new(globals: Object, mm: &MmStruct) -> Self {
        Self {
            lock: Spinlock::new(globals, "mmlist_lock"),
            head: Plain::new(globals, "init_mm.mmlist", 0),
            node: AtomicT::new(mm.object, "mmlist", 0),
        }
    }
}

/// What unmaps a page to swap puts its mm on the list. The mm may be without users.
pub(super) fn enter_mmlist(sys: &System) {
    let Some(list) = sys.mmlist else { return };
    if read_once(list.node) == 0 {
        spin_lock(list.lock);
        write(list.head, 1);
        write_once(list.node, 1);
        spin_unlock(list.lock);
    }
}

/// Takes the mm off the list, for `__mmput()`.
pub fn leave_mmlist(sys: &System, mm: &MmStruct) {
    let Some(list) = sys.mmlist.filter(|_| mm.index == 0) else { return };
    if read_once(list.node) != 0 {
        spin_lock(list.lock);
        write(list.head, 0);
        write_once(list.node, 0);
        spin_unlock(list.lock);
        goal("an mm leaves mmlist");
    }
}

/// `try_to_unuse()`: what mms have on swap is brought back, in one pass. 6.1 to 7.1.
pub fn try_to_unuse(sys: &System) {
    let Some(list) = sys.mmlist else { return };
    let _call = call("try_to_unuse");
    spin_lock(list.lock);
    if read(list.head) == 0 {
        return spin_unlock(list.lock);
    }
    let mm = &sys.mms[0];
    if !mmget_not_zero(mm) {
        goal("swapoff passes over an mm without users");
        return spin_unlock(list.lock);
    }
    spin_unlock(list.lock);
    unuse_mm(mm);
    // The use that it still owns keeps its place in the list.
    spin_lock(list.lock);
    read_once(list.node);
    if !sys.kernel.keeps(Rule::R9) {
        mmput(sys, mm, None);
    }
    spin_unlock(list.lock);
    if sys.kernel.keeps(Rule::R9) {
        mmput(sys, mm, None);
    }
    goal("swapoff has used an mm");
}

/// `unuse_mm()`: PTEs are read, page by page; what they are turned into is left out.
fn unuse_mm(mm: &MmStruct) {
    let _call = call("unuse_mm");
    mmap_read_lock(mm);
    if read(mm.mm_mt) == 0 {
        engine().fault(Fault { rule: "I4", what: "a user of the address space finds it torn down" });
    }
    mmap_read_unlock(mm);
}
