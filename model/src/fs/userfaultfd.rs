//! `fs/userfaultfd.c`: a userfaultfd, which may be inherited by or sent to another process.

pub mod fault;

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::include::sched_mm::{mmdrop, mmget_not_zero};
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::mm::memory::change_pte_range;
use crate::mm::vma::for_each_vma;
use crate::system::System;
use crate::variant::{UffdPin, UffdWriteProtect};

/// `userfaultfd_writeprotect()`, an ioctl on a file that owns an `mm_count`. Since 5.7.
pub fn userfaultfd_writeprotect(sys: &System, mm: &MmStruct) {
    let _call = call("userfaultfd_writeprotect");
    let users = sys.kernel.uffd_writeprotect == UffdWriteProtect::Users;
    if users && !mmget_not_zero(mm) {
        return goal("UFFDIO_WRITEPROTECT returns -ESRCH");
    }
    mwriteprotect_range(sys, mm);
    if users {
        mmput(sys, mm, None);
    }
}

/// `mwriteprotect_range()` (mm/userfaultfd.c).
fn mwriteprotect_range(sys: &System, mm: &MmStruct) {
    let _call = call("mwriteprotect_range");
    mmap_read_lock(mm);
    for_each_vma(sys, mm, change_pte_range);
    mmap_read_unlock(mm);
    goal("UFFDIO_WRITEPROTECT walks the VMAs");
}

/// `userfaultfd_release()`: the file is closed.
pub fn userfaultfd_release(sys: &System, mm: &MmStruct) {
    let _call = call("userfaultfd_release");
    match sys.kernel.uffd_pin {
        UffdPin::Users => mmput(sys, mm, None),
        UffdPin::Count => mmdrop(sys, mm),
    }
}
