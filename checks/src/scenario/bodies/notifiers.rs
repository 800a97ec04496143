//! The code of actors around mmu notifiers.

use super::{Body, forget};
use crate::scenario::{Actor, Scenario};
use mmspec_model::include::mm_types::MmStruct;
use mmspec_model::include::sched_mm::{mmdrop, mmget_not_zero};
use mmspec_model::k::goal;
use mmspec_model::kernel::exit::do_exit;
use mmspec_model::kernel::fork::mmput;
use mmspec_model::mm::mmu_notifier::hlist::{mmu_notifier_register, mmu_notifier_unregister};
use mmspec_model::mm::mmu_notifier::interval::{mmu_interval_notifier_remove, mn_itree_inv_end};
use mmspec_model::mm::rmap::{rmap_walk, try_to_unmap_one};
use mmspec_model::mm::tlb::cached_access;
use mmspec_model::system::System;
use mmspec_model::variant::Rule;

/// What `actor` runs, if it is one of these.
pub(super) fn body(scenario: &Scenario, actor: Actor) -> Body {
    match actor {
        Actor::RegisterNotifier(mm) => Box::new(move |sys| {
            bind_pasid(sys, &sys.mms[mm]);
            forget(1);
            mmdrop(sys, &sys.mms[mm]);
        }),
        Actor::UnregisterNotifier(mm) => Box::new(move |sys| mmu_notifier_unregister(sys, &sys.mms[mm])),
        Actor::RemoveInterval(mm) => Box::new(move |sys| mmu_interval_notifier_remove(sys, &sys.mms[mm])),
        Actor::ReclaimPage => Box::new(|sys| {
            rmap_walk(sys, |mm| try_to_unmap_one(sys, mm));
        }),
        Actor::GuestReads(mm) => Box::new(move |sys| {
            let mm = &sys.mms[mm];
            if let Some(guest) = mm.subscription.and_then(|s| s.guest) {
                cached_access(guest, &mm.vmas[0]);
            }
        }),
        Actor::InvalidateAndExit(t) => {
            let mm = scenario.tasks[t].mm;
            Box::new(move |sys| {
                mn_itree_inv_end(&sys.mms[mm]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        _ => unreachable!("an actor of another file"),
    }
}

/// A driver that binds a device to another task's mm, as that of the AMD IOMMU did: it owns a use meanwhile.
fn bind_pasid(sys: &System, mm: &MmStruct) {
    let owns = sys.kernel.keeps(Rule::R25);
    if owns && !mmget_not_zero(mm) {
        return goal("a driver finds no users");
    }
    mmu_notifier_register(mm);
    if owns {
        mmput(sys, mm, None);
    }
}
