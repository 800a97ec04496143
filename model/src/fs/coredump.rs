//! `fs/coredump.c`: a thread dumps its address space, and those who change that from outside.
//!
//! The other threads of the process are stopped, and until 5.9 that was all: whoever has an `mm_users` or a
//! slot of a scanner may still take the write lock.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::mmget_not_zero;
use crate::k::atomic::atomic_read;
use crate::k::engine::Object;
use crate::k::plain::{Plain, read, write};
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::system::System;
use crate::variant::{CoreDump, Rule};

/// What a dump and those who disturb it look at.
#[derive(Clone, Copy, Debug)]
pub struct Dumped {
    /// `core_state`: 1 once the mm is being dumped. Not cleared, because the process exits then.
    core_state: Plain,
    /// `vm_flags` of the first VMA.
    vm_flags: Plain,
    /// The first PMD entry.
    pmd: Plain,
}

impl Dumped {
    /// Those of the mm `owner`.
    pub fn new(owner: Object) -> Self {
        Self {
            core_state: Plain::new(owner, "core_state", 0),
            vm_flags: Plain::new(owner, "vm_flags", 0),
            pmd: Plain::new(owner, "pmd", 0),
        }
    }
}

/// `do_coredump()`.
pub fn do_coredump(sys: &System, mm: &MmStruct) {
    let Some(dumped) = mm.dumped else { return };
    let _call = call("do_coredump");
    {
        let _call = call("coredump_wait");
        mmap_write_lock(mm);
        write(dumped.core_state, 1);
        mmap_write_unlock(mm);
    }
    if sys.kernel.core_dump == CoreDump::Snapshot {
        let _call = call("dump_vma_snapshot");
        mmap_write_lock(mm);
        walk(dumped);
        mmap_write_unlock(mm);
    } else {
        let _call = call("elf_core_dump");
        walk(dumped);
    }
}

/// Once around the VMAs.
fn walk(dumped: Dumped) {
    read(dumped.vm_flags);
    read(dumped.pmd);
}

/// What the writer has come for.
#[track_caller]
fn change(word: Plain) {
    write(word, 1);
    goal("a writer changes an mm that may be dumped");
}

/// `mmget_still_valid()`, 5.1 to 5.9, by somebody who has taken the write lock.
fn mmget_still_valid(dumped: Dumped) -> bool {
    let valid = read(dumped.core_state) == 0;
    goal(if valid { "a writer comes before a dump" } else { "a writer finds that the mm is dumped" });
    valid
}

/// `userfaultfd_register()`, of a file that another process may have.
pub fn userfaultfd_register(sys: &System, mm: &MmStruct) {
    let Some(dumped) = mm.dumped.filter(|_| mmget_not_zero(mm)) else { return };
    {
        let _call = call("userfaultfd_register");
        mmap_write_lock(mm);
        if sys.kernel.core_dump != CoreDump::StillValid || mmget_still_valid(dumped) {
            change(dumped.vm_flags);
        }
        mmap_write_unlock(mm);
    }
    mmput(sys, mm, None);
}

/// `do_madvise()` by a worker of `io_uring`, which has borrowed the mm. Since 5.6.
pub fn do_madvise(sys: &System, mm: &MmStruct) {
    let Some(dumped) = mm.dumped.filter(|_| mmget_not_zero(mm)) else { return };
    {
        let _call = call("do_madvise");
        mmap_write_lock(mm);
        let tests = sys.kernel.core_dump == CoreDump::StillValid && sys.kernel.keeps(Rule::R22Madvise);
        if !tests || mmget_still_valid(dumped) {
            change(dumped.vm_flags);
        }
        mmap_write_unlock(mm);
    }
    mmput(sys, mm, None);
}

/// `collapse_huge_page()` (mm/khugepaged.c), of an mm that khugepaged has a slot and an `mm_count` of.
pub fn collapse_huge_page(sys: &System, mm: &MmStruct) {
    let Some(dumped) = mm.dumped else { return };
    let _call = call("collapse_huge_page");
    mmap_write_lock(mm);
    // hugepage_vma_revalidate(), khugepaged_test_exit()
    if atomic_read(mm.mm_users) != 0 {
        let tests = sys.kernel.core_dump == CoreDump::StillValid && sys.kernel.keeps(Rule::R49Dump);
        if !tests || mmget_still_valid(dumped) {
            change(dumped.pmd);
        }
    }
    mmap_write_unlock(mm);
}
