//! `include/linux/sched/mm.h`: the two reference counts of an mm. Identical from 6.1 to 7.1.

use super::mm_types::MmStruct;
use crate::k::atomic::{
    atomic_dec_and_test, atomic_dec_and_test_ordered, atomic_inc_not_zero, atomic_inc_ref,
};
use crate::k::engine::Order;
use crate::k::preempt_rt::call_rcu;
use crate::k::{call, goal};
use crate::kernel::fork::__mmdrop;
use crate::system::System;
use crate::variant::Rule;

/// `mmgrab()`: pin the struct. The caller owns a reference already, or holds a lock under which the
/// struct cannot go away.
#[track_caller]
pub fn mmgrab(mm: &MmStruct) {
    atomic_inc_ref(mm.mm_count, "R10");
}

/// `mmdrop()`: give up a pin; the last one frees the struct.
pub fn mmdrop(sys: &System, mm: &MmStruct) {
    let _call = call("mmdrop");
    if drop_struct(sys, mm) {
        __mmdrop(sys, mm, true);
    }
}

/// The drop inside `mmdrop()` and its kin: whether the last pin is gone.
#[track_caller]
pub(crate) fn drop_struct(sys: &System, mm: &MmStruct) -> bool {
    if sys.kernel.keeps(Rule::O2) {
        atomic_dec_and_test(mm.mm_count)
    } else {
        atomic_dec_and_test_ordered(mm.mm_count, Order::Relaxed)
    }
}

/// `mmdrop_sched()`: the same with preemption off. With `PREEMPT_RT` an RCU callback frees the struct. Says
/// whether it was the last pin.
fn mmdrop_sched(sys: &System, mm: &MmStruct) -> bool {
    let _call = call("mmdrop_sched");
    let last = drop_struct(sys, mm);
    if last {
        match &sys.preempt_rt {
            Some(rt) if sys.kernel.keeps(Rule::R16) => call_rcu(rt.delayed_drop[mm.index]),
            _ => __mmdrop(sys, mm, false),
        }
    }
    last
}

/// `__mmdrop_delayed()`, the callback.
pub fn __mmdrop_delayed(sys: &System, mm: &MmStruct) {
    let _call = call("__mmdrop_delayed");
    __mmdrop(sys, mm, true);
    goal("an RCU callback frees an mm");
}

/// `mmgrab_lazy_tlb()`: pin the struct for a CPU that keeps the page tables loaded. 6.4 to 7.1, with
/// `CONFIG_MMU_LAZY_TLB_REFCOUNT`; before it is `mmgrab()`.
#[track_caller]
pub fn mmgrab_lazy_tlb(sys: &System, mm: &MmStruct) {
    if sys.kernel.keeps(Rule::R14) {
        mmgrab(mm);
    }
}

/// `mmdrop_lazy_tlb_sched()`: the CPU has loaded other page tables.
pub fn mmdrop_lazy_tlb_sched(sys: &System, mm: &MmStruct) {
    let _call = call("mmdrop_lazy_tlb_sched");
    if sys.kernel.keeps(Rule::R14) {
        let last = mmdrop_sched(sys, mm);
        goal(if last { "a CPU leaves an mm last" } else { "a CPU leaves an mm that others need" });
    }
}

/// `mmget()`: pin the address space. The caller has proven that `mm_users` is at least 1.
#[track_caller]
pub fn mmget(mm: &MmStruct) {
    atomic_inc_ref(mm.mm_users, "R1");
}

/// `mmget_not_zero()`: pin the address space unless its last user is gone. The struct is pinned.
#[track_caller]
pub fn mmget_not_zero(mm: &MmStruct) -> bool {
    atomic_inc_not_zero(mm.mm_users)
}

/// The drop inside `mmput()` and its kin: whether the last user is gone.
#[track_caller]
pub(crate) fn drop_user(sys: &System, mm: &MmStruct) -> bool {
    if sys.kernel.keeps(Rule::O1) {
        atomic_dec_and_test(mm.mm_users)
    } else {
        atomic_dec_and_test_ordered(mm.mm_users, Order::Relaxed)
    }
}
