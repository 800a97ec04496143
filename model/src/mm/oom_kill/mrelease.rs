//! `process_mrelease()`: user space has the memory of a dying process reaped.

use super::{__oom_reap_task_mm, find_lock_task_mm, task_will_free_mem};
use crate::include::mm_types::MMF_OOM_SKIP;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::include::sched::TaskStruct;
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::bitops::test_bit;
use crate::k::lock::spin_unlock;
use crate::k::{call, goal};
use crate::kernel::fork::put_task_struct;
use crate::system::System;
use crate::variant::Rule;

/// `process_mrelease()` on a process that the caller has pinned by a pidfd. 5.17 to 7.1: only the
/// struct is pinned, so `mm_users` may be 0 by the time that the lock is taken.
pub fn process_mrelease(sys: &System, task: &TaskStruct) {
    let _call = call("process_mrelease");
    if let Some((locked, mm)) = find_lock_task_mm(sys, task) {
        let pinned = sys.kernel.keeps(Rule::R42);
        if pinned {
            mmgrab(mm);
        }
        let reap = task_will_free_mem(sys, locked, mm);
        spin_unlock(locked.alloc_lock);
        if reap {
            let test_under_lock = sys.kernel.keeps(Rule::R23Test);
            let mut skip = !test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
            mmap_read_lock(mm);
            skip |= test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
            if skip {
                goal("process_mrelease() finds MMF_OOM_SKIP");
            } else {
                __oom_reap_task_mm(mm);
                goal("process_mrelease() reaps");
            }
            mmap_read_unlock(mm);
        }
        if pinned {
            mmdrop(sys, mm);
        }
    } else {
        goal("process_mrelease() returns -ESRCH");
    }
    for task in &sys.tasks {
        put_task_struct(sys, task);
    }
}
