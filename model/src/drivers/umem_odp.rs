//! `drivers/infiniband/core/umem_odp.c`: memory that a device faults in on demand.

use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::mmget_not_zero;
use crate::k::{call, goal};
use crate::kernel::fork::{mmput, mmput_async};
use crate::mm::mmu_notifier::under_notifier_lock;
use crate::system::System;
use crate::variant::OdpPut;

/// `ib_umem_odp_map_dma_and_lock()`, in the work item of a device's page fault. It returns with
/// `umem_mutex` held, which the notifier of the mm takes too. Since 5.10.
pub fn ib_umem_odp_map_dma_and_lock(sys: &System, mm: &MmStruct) {
    let _call = call("ib_umem_odp_map_dma_and_lock");
    if !mmget_not_zero(mm) {
        return goal("a device's page fault finds no users");
    }
    under_notifier_lock(mm, || {
        goal("a device's page fault is handled");
        match sys.kernel.odp_put {
            OdpPut::Inline => mmput(sys, mm, None),
            OdpPut::Async => mmput_async(sys, mm),
        }
    });
}
