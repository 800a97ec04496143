//! khugepaged's list of mms: who joins it, who scans it, who leaves it.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_trylock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::engine::engine;
use crate::k::kthread::run_loop;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::{call, goal};
use crate::mm::mm_slot::{
    MmSlots, Slot, mm_slot_del, mm_slot_insert, mm_slot_take, scan_begins, scan_moves_on, schedule_timeout,
};
use crate::mm::vma::visit_vmas;
use crate::system::System;
use crate::variant::Rule;

/// `__khugepaged_enter()`, by a caller who owns an `mm_users`: the mm is listed, then pinned.
pub fn __khugepaged_enter(sys: &System, mm: &MmStruct) {
    let Some(slots) = sys.khugepaged else { return };
    let _call = call("__khugepaged_enter");
    spin_lock(slots.lock);
    mm_slot_insert(slots);
    spin_unlock(slots.lock);
    mmgrab(mm);
}

/// `__khugepaged_exit()`, before `exit_mmap()`.
pub(super) fn __khugepaged_exit(sys: &System, slots: MmSlots, mm: &MmStruct) {
    let _call = call("__khugepaged_exit");
    match mm_slot_take(slots) {
        Slot::Taken => {
            goal("an exit takes khugepaged's slot");
            mmdrop(sys, mm);
        }
        Slot::Scanned if sys.kernel.keeps(Rule::R48) => {
            goal("an exit waits for khugepaged");
            mmap_write_lock(mm);
            mmap_write_unlock(mm);
        }
        Slot::Scanned | Slot::Absent => {}
    }
}

/// The thread.
pub fn khugepaged(sys: &System) {
    let Some(slots) = sys.khugepaged else { return };
    run_loop(|| {
        schedule_timeout(slots);
        if !engine().stopping() && scan_begins(slots) {
            khugepaged_scan_mm_slot(sys, slots, &sys.mms[0]);
        }
    });
}

/// `khugepaged_scan_mm_slot()`: it finds nothing that it could make large.
fn khugepaged_scan_mm_slot(sys: &System, slots: MmSlots, mm: &MmStruct) {
    let _call = call("khugepaged_scan_mm_slot");
    if mmap_read_trylock(mm) {
        if !super::test_exit(mm) {
            visit_vmas(sys, mm, |_| {});
        }
        mmap_read_unlock(mm);
    }
    spin_lock(slots.lock);
    // First, so that an exit takes the slot if it is kept.
    scan_moves_on(slots);
    collect_mm_slot(sys, slots, mm);
    spin_unlock(slots.lock);
}

/// `collect_mm_slot()`, under the lock of the list.
fn collect_mm_slot(sys: &System, slots: MmSlots, mm: &MmStruct) {
    if super::test_exit(mm) {
        goal("khugepaged frees the slot of an mm without users");
        mm_slot_del(slots);
        mmdrop(sys, mm);
    }
}
