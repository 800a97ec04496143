//! `mm/ksm.c`: who scans address spaces owns the struct of each, and meets those that go.
//!
//! `exit_mmap()` cannot wait for the scanner by a count. If the scanner's cursor is on the mm, the exit
//! waits for its read lock, and leaves the slot to it; a scanner that comes later finds no users.

use super::mm_slot::{
    MmSlots, Slot, mm_slot_del, mm_slot_insert, mm_slot_take, scan_begins, scan_moves_on, schedule_timeout,
};
use super::vma::visit_vmas;
use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::atomic::atomic_read;
use crate::k::engine::engine;
use crate::k::kthread::run_loop;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{KsmScan, KsmUnlock, Rule};

/// `__ksm_enter()`, by a caller who owns an `mm_users`: listed, then pinned.
pub fn __ksm_enter(sys: &System, mm: &MmStruct) {
    let Some(ksm) = sys.ksm else { return };
    let _call = call("__ksm_enter");
    spin_lock(ksm.lock);
    mm_slot_insert(ksm);
    spin_unlock(ksm.lock);
    mmgrab(mm);
}

/// `ksm_exit()`: before `exit_mmap()`. No page of the mm was merged.
pub fn ksm_exit(sys: &System, mm: &MmStruct) {
    let Some(ksm) = sys.ksm else { return };
    let _call = call("__ksm_exit");
    match mm_slot_take(ksm) {
        Slot::Taken => mmdrop(sys, mm),
        Slot::Scanned if sys.kernel.keeps(Rule::R48) => {
            goal("an exit waits for KSM");
            mmap_write_lock(mm);
            mmap_write_unlock(mm);
        }
        Slot::Scanned | Slot::Absent => {}
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
    if scan_begins(ksm) {
        unmerge(sys, ksm, &sys.mms[0]);
    }
}

fn unmerge(sys: &System, ksm: MmSlots, mm: &MmStruct) {
    mmap_read_lock(mm);
    if sys.kernel.ksm_scan == KsmScan::TestFirst && ksm_test_exit(mm) {
        goal("KSM finds an mm without users");
    } else {
        visit_vmas(sys, mm, |_| {});
        goal("KSM walks the VMAs");
    }
    if !mmap_lock_first(sys) {
        return leave(sys, ksm, mm, ksm_test_exit);
    }
    mmap_read_unlock(mm);
    spin_lock(ksm.lock);
    scan_moves_on(ksm);
    let frees = ksm_test_exit(mm);
    if frees {
        mm_slot_del(ksm);
    }
    spin_unlock(ksm.lock);
    if frees {
        mmdrop(sys, mm);
    }
}

/// ksmd.
pub fn ksm_scan_thread(sys: &System) {
    let Some(ksm) = sys.ksm else { return };
    run_loop(|| {
        schedule_timeout(ksm);
        if !engine().stopping() && scan_begins(ksm) {
            scan_get_next_rmap_item(sys, ksm, &sys.mms[0]);
        }
    });
}

/// `scan_get_next_rmap_item()`: once through the VMAs of `mm`. No page of it is found that could be merged.
/// An mm in which it finds no VMA to look at loses its slot, as one without users does.
fn scan_get_next_rmap_item(sys: &System, ksm: MmSlots, mm: &MmStruct) {
    let _call = call("scan_get_next_rmap_item");
    mmap_read_lock(mm);
    let mut exits = ksm_test_exit(mm);
    if exits {
        goal("ksmd finds an mm without users");
    } else {
        visit_vmas(sys, mm, |_| {});
        exits = ksm_test_exit(mm);
        goal(if exits { "an mm loses its users while ksmd walks it" } else { "ksmd keeps an mm" });
    }
    leave(sys, ksm, mm, |_| exits || mm.vmas.is_empty());
}

/// The read lock of an mm is given up before the lock of the list.
fn mmap_lock_first(sys: &System) -> bool {
    sys.kernel.keeps(Rule::R51) && sys.kernel.ksm_unlock == KsmUnlock::MmapFirst
}

/// The cursor leaves an mm whose read lock is held. If its slot is kept, and the lock of the list given up,
/// an exit frees slot and mm.
fn leave(sys: &System, ksm: MmSlots, mm: &MmStruct, frees: impl FnOnce(&MmStruct) -> bool) {
    spin_lock(ksm.lock);
    scan_moves_on(ksm);
    if frees(mm) {
        mm_slot_del(ksm);
        spin_unlock(ksm.lock);
        mmap_read_unlock(mm);
        mmdrop(sys, mm);
    } else if mmap_lock_first(sys) {
        mmap_read_unlock(mm);
        spin_unlock(ksm.lock);
    } else {
        spin_unlock(ksm.lock);
        mmap_read_unlock(mm);
    }
}
