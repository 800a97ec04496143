//! `kernel/fork.c`: a child's address space that is given up half-way.

use crate::include::mm_types::{HALF_BUILT, MMF_OOM_SKIP, MMF_UNSTABLE, MmStruct};
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::mmget_not_zero;
use crate::k::bitops::{set_bit, test_bit};
use crate::k::plain::write;
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::mm::ksm::__ksm_enter;
use crate::mm::rmap::{link_vma, rmap_walk};
use crate::mm::vma::visit_vmas;
use crate::system::System;
use crate::variant::Rule;

/// `dup_mmap()` that fails once a VMA of the child is linked, 6.8 to 6.19. The tree is that of the parent,
/// up to a mark where its copy has ended. The caller owns the one use.
pub fn dup_mmap_fails(sys: &System, mm: &MmStruct) {
    {
        let _call = call("dup_mmap");
        mmap_write_lock(mm);
        if !sys.kernel.keeps(Rule::R20Scan) {
            __ksm_enter(sys, mm);
        }
        link_vma(sys);
        write(mm.mm_mt, HALF_BUILT);
        if sys.kernel.keeps(Rule::R20) {
            set_bit(MMF_OOM_SKIP, mm.flags);
            set_bit(MMF_UNSTABLE, mm.flags);
        }
        goal("dup_mmap() fails half-way");
        mmap_write_unlock(mm);
    }
    mmput(sys, mm, None);
}

/// `register_for_each_vma()` (kernel/events/uprobes.c): a VMA of a file is found by rmap, and its mm walked.
pub fn register_for_each_vma(sys: &System) {
    let _call = call("register_for_each_vma");
    let mm = &sys.mms[0];
    if !rmap_walk(sys, mmget_not_zero) {
        return;
    }
    mmap_write_lock(mm);
    if test_bit(MMF_UNSTABLE, mm.flags) {
        goal("a probe finds an mm that is not whole");
    } else {
        visit_vmas(sys, mm, |_| {});
    }
    mmap_write_unlock(mm);
    mmput(sys, mm, None);
}
