//! The RFC's `mm_reaper`: address spaces of large exiting tasks are torn down by a kernel thread.
//!
//! Only the last patch of the series is public. What it does not say is decided here as a reviewer
//! would want it: decide after the drop, charge before the push, uncharge what was charged, own the
//! users' one `mm_count`, freeze only with an empty hand.

use crate::include::mm_types::{MmStruct, life};
use crate::include::sched_mm::mmdrop;
use crate::k::atomic::{
    atomic_long_add_capped, atomic_long_add_within, atomic_long_sub, atomic_read, read_once,
};
use crate::k::engine::Fault;
use crate::k::kthread::run_loop;
use crate::k::llist::{llist_add, llist_del_all, llist_empty};
use crate::k::plain::{ghost_mark, read, write};
use crate::k::wait::wake_up;
use crate::k::{call, goal};
use crate::kernel::fork::mmput_deferred;
use crate::kernel::freezer::{Phase, wait_event_freezable};
use crate::system::System;
use crate::variant::Rule;

/// Charge `rss`, the mm's, to the pending budget; false if that would exceed the cap.
pub(crate) fn mm_try_charge(sys: &System, mm: &MmStruct, rss: u64) -> bool {
    let _call = call("mm_try_charge");
    let cap = read_once(sys.sysctl.max_pending_pages);
    if sys.kernel.keeps(Rule::A8Charge) {
        if !atomic_long_add_within(sys.mm_pending, rss, cap) {
            atomic_long_sub(sys.mm_pending, rss, "A8");
            goal("the budget is used up");
            return false;
        }
    } else {
        if atomic_read(sys.mm_pending) + rss > cap {
            return false;
        }
        atomic_long_add_capped(sys.mm_pending, rss, cap, "A8");
    }
    write(mm.charged_rss, rss);
    true
}

/// Hand the mm, with the users' `mm_count`, to the reaper.
pub(crate) fn queue_mm_reaper(sys: &System, mm: &MmStruct) {
    let _call = call("queue_mm_reaper");
    goal("an mm is queued");
    let victim = Fault { rule: "A3", what: "the mm of an OOM victim is queued" };
    llist_add(mm.index as u64, sys.mm_reaper_list);
    ghost_mark(mm.life, life::QUEUED | life::WAS_QUEUED, 0, life::VICTIM, victim);
    if sys.kernel.keeps(Rule::A9) {
        wake_up(sys.mm_reaper_wait);
    }
}

/// `mm_reaper()`: the kernel thread.
pub fn mm_reaper(sys: &System) {
    run_loop(|| {
        let order = (!sys.kernel.keeps(Rule::O24), sys.kernel.keeps(Rule::A6));
        let freezer = if sys.kernel.keeps(Rule::R37) { &sys.freezer } else { &sys.no_freezer };
        wait_event_freezable(sys.mm_reaper_wait, freezer, order, || !llist_empty(sys.mm_reaper_list));
        for index in llist_del_all(sys.mm_reaper_list) {
            mm_reap(sys, &sys.mms[index as usize]);
        }
    });
}

fn mm_reap(sys: &System, mm: &MmStruct) {
    let _call = call("mm_reap");
    // The charge is read now: after mmdrop() the mm may be gone.
    let charged = if sys.kernel.keeps(Rule::A8Uncharge) { read(mm.charged_rss) } else { atomic_read(mm.rss) };
    let early = !sys.kernel.keeps(Rule::A8Early);
    sys.freezer.tears_down(Phase::Suspended, "R37");
    if early {
        uncharge(sys, mm, charged);
    }
    let last = sys.kernel.keeps(Rule::A2);
    if !last {
        mmdrop(sys, mm);
    }
    mmput_deferred(sys, mm);
    ghost_mark(mm.life, 0, life::QUEUED, 0, Fault { rule: "", what: "" });
    if last {
        mmdrop(sys, mm);
    }
    if !sys.kernel.keeps(Rule::R10) {
        mmdrop(sys, mm);
    }
    if !early {
        uncharge(sys, mm, charged);
    }
    goal("mm_reaper tears down");
}

/// The pages of a queued mm are counted until they are free. After `mmdrop()` only the specification
/// may look at the mm.
fn uncharge(sys: &System, mm: &MmStruct, pages: u64) {
    atomic_long_sub(sys.mm_pending, pages, "A8");
    let early = Fault { rule: "A8", what: "pages are uncharged before they are free" };
    ghost_mark(mm.life, 0, 0, life::QUEUED, early);
}
