//! The code of actors that hold an mm from outside: files and drivers.

use super::{Body, forget};
use crate::scenario::Actor;
use mmspec_model::drivers::kfd::svm_range_deferred_list_work;
use mmspec_model::drivers::sva::arm_smmu_sva_unbind;
use mmspec_model::drivers::umem_odp::ib_umem_odp_map_dma_and_lock;
use mmspec_model::fs::proc::{mem_open, mem_release};
use mmspec_model::fs::userfaultfd::fault::release_faults;
use mmspec_model::fs::userfaultfd::{userfaultfd_release, userfaultfd_writeprotect};
use mmspec_model::include::mm_types::MmStruct;
use mmspec_model::include::sched_mm::{mmdrop, mmget_not_zero};
use mmspec_model::k::goal;
use mmspec_model::kernel::fork::{mmput, put_task_struct};
use mmspec_model::mm::khugepaged::scan::__khugepaged_enter;
use mmspec_model::mm::memory::access_missing_remote_vm;
use mmspec_model::mm::page_alloc::wait_for_memory;
use mmspec_model::system::System;
use mmspec_model::variant::{Rule, Walkers};

/// What `actor` runs, if it is one of these.
pub(super) fn body(actor: Actor) -> Body {
    match actor {
        Actor::FaultByProcMem(mm) => Box::new(move |sys| {
            fault_by_proc_mem(sys, &sys.mms[mm]);
            forget(1);
            mmdrop(sys, &sys.mms[mm]);
        }),
        Actor::HoldProcMem(task) => Box::new(move |sys| {
            if let Some(mm) = mem_open(sys, &sys.tasks[task]) {
                goal("an open file is closed only once there is memory");
                wait_for_memory(sys, mm);
                mem_release(sys, mm);
            }
            forget(1);
            put_task_struct(sys, &sys.tasks[task]);
        }),
        Actor::HoldUserfaultfd(mm) => Box::new(move |sys| {
            goal("an open file is closed only once there is memory");
            wait_for_memory(sys, &sys.mms[mm]);
            userfaultfd_release(sys, &sys.mms[mm]);
        }),
        Actor::CloseUserfaultfd(mm) => Box::new(move |sys| {
            release_faults(sys, &sys.mms[mm]);
            forget(1);
            userfaultfd_release(sys, &sys.mms[mm]);
        }),
        Actor::WriteProtect(mm) => Box::new(move |sys| {
            userfaultfd_writeprotect(sys, &sys.mms[mm]);
            forget(1);
            userfaultfd_release(sys, &sys.mms[mm]);
        }),
        Actor::UnbindDevice(mm) => Box::new(move |sys| {
            arm_smmu_sva_unbind(sys, &sys.mms[mm]);
            goal("a device lets go of the mm");
        }),
        Actor::FaultInDevice(mm) => Box::new(move |sys| {
            ib_umem_odp_map_dma_and_lock(sys, &sys.mms[mm]);
            forget(1);
            mmdrop(sys, &sys.mms[mm]);
        }),
        Actor::WorkOnRanges(mm) => Box::new(move |sys| {
            let mm = &sys.mms[mm];
            if let Some(svms) = mm.notifier.as_ref().and_then(|notifier| notifier.svms.as_ref()) {
                svm_range_deferred_list_work(sys, mm, svms);
            }
        }),
        _ => unreachable!("an actor of another file"),
    }
}

/// `mem_rw()` (fs/proc/base.c) of an open file, where a huge page is missing.
fn fault_by_proc_mem(sys: &System, mm: &MmStruct) {
    if sys.kernel.walkers == Walkers::Count {
        return access_missing_remote_vm(sys, mm, false);
    }
    if !mmget_not_zero(mm) {
        return;
    }
    let late = !sys.kernel.keeps(Rule::R50);
    access_missing_remote_vm(sys, mm, late);
    mmput(sys, mm, None);
    if late {
        __khugepaged_enter(sys, mm);
    }
}
