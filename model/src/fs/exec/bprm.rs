//! The mm that exec makes, when exec fails: early, while nothing is mapped, or late.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::mmdrop;
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::mm::ksm::{__ksm_enter, ksm_exit};
use crate::system::System;
use crate::variant::{ExecKsm, Rule};

/// `bprm_mm_init()`: the VMA of the stack cannot be inserted, if nothing is mapped. KSM hears of the mm
/// under the write lock, if the process has asked for that with `prctl()`.
pub fn bprm_mm_init(sys: &System, mm: &MmStruct) -> bool {
    let _call = call("bprm_mm_init");
    let mapped = !mm.vmas.is_empty();
    mmap_write_lock(mm);
    if sys.kernel.exec_ksm == ExecKsm::UnderLock {
        __ksm_enter(sys, mm);
        if !mapped {
            ksm_exit(sys, mm);
        }
    }
    mmap_write_unlock(mm);
    if !mapped {
        goal("exec fails early");
        mmdrop(sys, mm);
    }
    mapped
}

/// `free_bprm()`: something is mapped.
pub fn free_bprm(sys: &System, mm: &MmStruct) {
    let _call = call("free_bprm");
    goal("exec fails late");
    if sys.kernel.keeps(Rule::R60) {
        mmput(sys, mm, None);
    } else {
        mmdrop(sys, mm);
    }
}
