//! A page fault that waits for whoever has the userfaultfd, who closes it.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::mmget_not_zero;
use crate::k::atomic::{AtomicT, read_once, refcount_dec_and_test, refcount_inc, write_once};
use crate::k::engine::{Object, Site, Sleep, engine};
use crate::k::plain::{Plain, read, write};
use crate::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wake_up};
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::system::System;
use crate::variant::Rule;

/// `struct userfaultfd_ctx`, and the one VMA that it is of.
#[derive(Clone, Copy, Debug)]
pub struct Ctx {
    /// The allocation.
    object: Object,
    /// The file, and faults that wait.
    refcount: AtomicT,
    released: AtomicT,
    fault_pending_wqh: WaitQueue,
    /// `vma->vm_userfaultfd_ctx`: whether the VMA still has it.
    attached: Plain,
}

impl Ctx {
    /// That of mm number `mm`, `owner`.
    pub fn new(owner: Object, mm: usize) -> Self {
        let object = engine().new_object("userfaultfd_ctx", mm as u16);
        Self {
            object,
            refcount: AtomicT::new(object, "refcount", 1),
            released: AtomicT::new(object, "released", 0),
            fault_pending_wqh: WaitQueue::new(object, "fault_pending_wqh"),
            attached: Plain::new(owner, "vm_userfaultfd_ctx", 1),
        }
    }
}

/// A fault in the VMA, once; it is tried again afterwards, and finds the VMA without the file.
pub fn fault_in_userfaultfd(sys: &System, mm: &MmStruct) {
    let Some(ctx) = mm.uffd else { return };
    mmap_read_lock(mm);
    if read(ctx.attached) == 0 {
        goal("a fault comes after its userfaultfd");
        return mmap_read_unlock(mm);
    }
    handle_userfault(sys, mm, ctx);
}

/// `handle_userfault()`: it lets go of the lock and waits.
fn handle_userfault(sys: &System, mm: &MmStruct, ctx: Ctx) {
    let _call = call("handle_userfault");
    if read_once(ctx.released) != 0 {
        goal("a fault finds its userfaultfd released");
        return mmap_read_unlock(mm);
    }
    let pinned = sys.kernel.keeps(Rule::R61);
    if pinned {
        refcount_inc(ctx.refcount, "R61");
    }
    prepare_to_wait(ctx.fault_pending_wqh);
    mmap_read_unlock(mm);
    if read_once(ctx.released) == 0 {
        goal("a fault waits for the userfaultfd");
        schedule(ctx.fault_pending_wqh, Sleep::Held);
    }
    finish_wait(ctx.fault_pending_wqh);
    if pinned {
        userfaultfd_ctx_put(ctx);
    }
}

/// First half of `userfaultfd_release()`: faults that wait for the file.
pub fn release_faults(sys: &System, mm: &MmStruct) {
    let Some(ctx) = mm.uffd else { return };
    let _call = call("userfaultfd_release");
    write_once(ctx.released, 1);
    if mmget_not_zero(mm) {
        mmap_write_lock(mm);
        write(ctx.attached, 0);
        mmap_write_unlock(mm);
        mmput(sys, mm, None);
    }
    wake_up(ctx.fault_pending_wqh);
    userfaultfd_ctx_put(ctx);
}

/// A reference is given up; the last one frees it.
fn userfaultfd_ctx_put(ctx: Ctx) {
    if refcount_dec_and_test(ctx.refcount, "R61") {
        engine().free(ctx.object, Site::here("kmem_cache_free"));
    }
}
