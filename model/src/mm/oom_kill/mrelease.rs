//! `process_mrelease()`: user space has the memory of a dying process reaped.

use super::{__oom_reap_task_mm, find_lock_task_mm, task_will_free_mem};
use crate::include::mm_types::{MMF_OOM_SKIP, MmStruct};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_lock_killable, mmap_read_unlock};
use crate::include::sched::TaskStruct;
use crate::include::sched_mm::{mmdrop, mmget_not_zero, mmgrab};
use crate::k::bitops::test_bit;
use crate::k::lock::spin_unlock;
use crate::k::{call, goal};
use crate::kernel::fork::{mmput_reaping, put_task_struct};
use crate::system::System;
use crate::variant::{Mrelease, Rule};

/// `process_mrelease()` on a process that the caller has pinned by a pidfd.
pub fn process_mrelease(sys: &System, task: &TaskStruct) {
    let _call = call("process_mrelease");
    if let Some((locked, mm)) = find_lock_task_mm(sys, task) {
        match sys.kernel.mrelease {
            Mrelease::Absent => {}
            Mrelease::UsersPin => owning_users(sys, locked, mm),
            Mrelease::CountPin | Mrelease::UnderLock => owning_count(sys, locked, mm),
        }
    } else {
        goal("process_mrelease() returns -ESRCH");
    }
    for task in &sys.tasks {
        put_task_struct(sys, task);
    }
}

/// Only the struct is pinned, so `mm_users` may be 0 by the time that the lock is taken.
fn owning_count(sys: &System, locked: &TaskStruct, mm: &MmStruct) {
    let pinned = sys.kernel.keeps(Rule::R42);
    if pinned {
        mmgrab(mm);
    }
    let reap = may_reap(sys, locked, mm);
    spin_unlock(locked.alloc_lock);
    if reap && !reap_locked(sys, mm) {
        goal("process_mrelease() returns -EINTR");
        if !sys.kernel.keeps(Rule::R42Eintr) {
            return;
        }
    }
    if pinned {
        mmdrop(sys, mm);
    }
}

/// Reap unless `MMF_OOM_SKIP` is set; false if the caller is killed while it waits for the lock.
fn reap_locked(sys: &System, mm: &MmStruct) -> bool {
    let tests = sys.kernel.mrelease == Mrelease::UnderLock;
    let test_under_lock = sys.kernel.keeps(Rule::R23Test);
    let mut skip = tests && !test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    if !lock_killable(sys, mm) {
        return false;
    }
    skip |= tests && test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    if skip {
        goal("process_mrelease() finds MMF_OOM_SKIP");
    } else {
        reaps(sys, mm);
    }
    mmap_read_unlock(mm);
    true
}

/// `mmap_read_lock_killable()`, where somebody kills the caller.
fn lock_killable(sys: &System, mm: &MmStruct) -> bool {
    if sys.kills_mrelease && sys.kernel.keeps(Rule::R29Killable) {
        return mmap_read_lock_killable(mm);
    }
    mmap_read_lock(mm);
    true
}

/// 5.15 and 5.16: `exit_mmap()` does not run while the caller owns a use, which may be the last one.
fn owning_users(sys: &System, locked: &TaskStruct, mm: &MmStruct) {
    let got = mmget_not_zero(mm);
    let reap = got && may_reap(sys, locked, mm);
    spin_unlock(locked.alloc_lock);
    if reap && !reap_locked(sys, mm) {
        goal("process_mrelease() returns -EINTR");
    }
    if got {
        mmput_reaping(sys, mm);
    }
}

fn reaps(sys: &System, mm: &MmStruct) {
    if __oom_reap_task_mm(sys, mm) {
        goal("process_mrelease() reaps");
    } else {
        goal("process_mrelease() returns -EAGAIN");
    }
}

/// Whether everybody who uses the mm is dying: else `-EINVAL`.
fn may_reap(sys: &System, locked: &TaskStruct, mm: &MmStruct) -> bool {
    let dying = task_will_free_mem(sys, locked, mm);
    if !dying {
        goal("process_mrelease() does not reap");
    }
    dying
}
