//! `drivers/iommu/arm/arm-smmu-v3/arm-smmu-v3-sva.c`: a device that shares an address space.

use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::mmdrop;
use crate::k::atomic::refcount_dec_and_test;
use crate::k::call;
use crate::system::System;
use crate::variant::SvaPin;

/// `arm_smmu_sva_unbind()`: the device lets go of the mm, maybe long after its last user. Since 5.11.
pub fn arm_smmu_sva_unbind(sys: &System, mm: &MmStruct) {
    let _call = call("arm_smmu_sva_unbind");
    if let Some(pinned) = mm.pinned {
        let _call = call("arm64_mm_context_put");
        refcount_dec_and_test(pinned, "R10");
    }
    if sys.kernel.sva_pin == SvaPin::Count {
        mmdrop(sys, mm);
    }
}
