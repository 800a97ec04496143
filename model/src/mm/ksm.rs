//! `mm/ksm.c`: who scans address spaces owns the struct of each, and meets those that go.
//!
//! `exit_mmap()` cannot wait for the scanner by a count. If the scanner's cursor is on the mm, the exit
//! waits for its read lock, and leaves the slot to it; a scanner that comes later finds no users.

use super::vma::visit_vmas;
use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::atomic::atomic_read;
use crate::k::engine::Object;
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, read, write};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{KsmScan, Rule};

/// Globals of KSM, and the slot of mm 0.
#[derive(Clone, Copy, Debug)]
pub struct Ksm {
    /// `ksm_mmlist_lock`.
    mmlist_lock: Spinlock,
    /// Whether the slot is on the list. It owns an `mm_count`.
    listed: Plain,
    /// Whether `ksm_scan.mm_slot` is on it.
    cursor: Plain,
}

impl Ksm {
    /// A list that has the slot, if `listed`.
    pub fn new(owner: Object, listed: bool) -> Self {
        Self {
            mmlist_lock: Spinlock::new(owner, "ksm_mmlist_lock"),
            listed: Plain::new(owner, "mm_slot", u64::from(listed)),
            cursor: Plain::new(owner, "ksm_scan.mm_slot", 0),
        }
    }
}

/// `__ksm_enter()`, by a caller who owns an `mm_users`: listed, then pinned.
pub fn __ksm_enter(sys: &System, mm: &MmStruct) {
    let Some(ksm) = sys.ksm else { return };
    let _call = call("__ksm_enter");
    spin_lock(ksm.mmlist_lock);
    write(ksm.listed, 1);
    spin_unlock(ksm.mmlist_lock);
    mmgrab(mm);
}

/// `ksm_exit()`: before `exit_mmap()`.
pub fn ksm_exit(sys: &System, mm: &MmStruct) {
    let Some(ksm) = sys.ksm else { return };
    let _call = call("__ksm_exit");
    spin_lock(ksm.mmlist_lock);
    let listed = read(ksm.listed) != 0;
    let easy_to_free = listed && read(ksm.cursor) == 0;
    if easy_to_free {
        write(ksm.listed, 0);
    }
    spin_unlock(ksm.mmlist_lock);
    if easy_to_free {
        mmdrop(sys, mm);
    } else if listed && sys.kernel.keeps(Rule::R48) {
        goal("an exit waits for KSM");
        mmap_write_lock(mm);
        mmap_write_unlock(mm);
    }
}

/// `ksm_test_exit()`.
fn ksm_test_exit(mm: &MmStruct) -> bool {
    atomic_read(mm.mm_users) == 0
}

/// `unmerge_and_remove_all_rmap_items()`: once around, and mm 0 is all there is.
pub fn unmerge_and_remove_all_rmap_items(sys: &System) {
    let Some(ksm) = sys.ksm else { return };
    let _call = call("unmerge_and_remove_all_rmap_items");
    spin_lock(ksm.mmlist_lock);
    let listed = read(ksm.listed) != 0;
    write(ksm.cursor, u64::from(listed));
    spin_unlock(ksm.mmlist_lock);
    if listed {
        unmerge(sys, ksm, &sys.mms[0]);
    }
}

fn unmerge(sys: &System, ksm: Ksm, mm: &MmStruct) {
    mmap_read_lock(mm);
    if sys.kernel.ksm_scan == KsmScan::TestFirst && ksm_test_exit(mm) {
        goal("KSM finds an mm without users");
    } else {
        visit_vmas(sys, mm, |_| {});
        goal("KSM walks the VMAs");
    }
    mmap_read_unlock(mm);
    spin_lock(ksm.mmlist_lock);
    write(ksm.cursor, 0);
    let frees = ksm_test_exit(mm);
    if frees {
        write(ksm.listed, 0);
    }
    spin_unlock(ksm.mmlist_lock);
    if frees {
        mmdrop(sys, mm);
    }
}
