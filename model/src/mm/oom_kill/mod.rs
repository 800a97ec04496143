//! `mm/oom_kill.c`: victims are chosen, marked, killed and reaped. 6.12.

pub mod kill;
pub mod mrelease;
pub mod reaper;
pub mod victims;

use crate::include::mm_types::{MMF_OOM_SKIP, MMF_UNSTABLE, MmStruct, life};
use crate::include::sched::TaskStruct;
use crate::k::atomic::{atomic_read, read_once};
use crate::k::bitops::{set_bit, test_bit};
use crate::k::engine::{Effect, Fault, Order, Rmw, Shape, Site, Sleep, Until, engine};
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::plain::ghost_mark;
use crate::k::{call, goal};
use crate::mm::memory::unmap_page_range;
use crate::mm::mmu_notifier::{
    Invalidate, mmu_notifier_invalidate_range_end, mmu_notifier_invalidate_range_start,
};
use crate::mm::vma::for_each_vma_reaping;
use crate::system::System;
use crate::variant::{Munlock, ReapedFaults, Rule};

/// `find_lock_task_mm()`: a thread of the group of `task` that still has its mm, locked.
fn find_lock_task_mm<'a>(sys: &'a System, task: &TaskStruct) -> Option<(&'a TaskStruct, &'a MmStruct)> {
    let _call = call("find_lock_task_mm");
    for t in sys.threads_of(task.signal) {
        spin_lock(t.alloc_lock);
        if let Some(mm) = t.mm() {
            return Some((t, &sys.mms[mm]));
        }
        spin_unlock(t.alloc_lock);
    }
    None
}

/// `task_will_free_mem()`: whether the task is dying, and everybody who shares its mm with it, by
/// `__task_will_free_mem()`. The caller keeps `mm`, the task's, stable.
fn task_will_free_mem(sys: &System, task: &TaskStruct, mm: &MmStruct) -> bool {
    let _call = call("task_will_free_mem");
    let dying = |t: &TaskStruct| read_once(sys.signals[t.signal].group_exit) != 0;
    if !dying(task) || test_bit(MMF_OOM_SKIP, mm.flags) {
        return false;
    }
    if atomic_read(mm.mm_users) <= 1 {
        return true;
    }
    let mut others = sys.tasks.iter().filter(|t| t.signal != task.signal);
    others.all(|t| t.mm() != Some(mm.index) || dying(t))
}

/// Set `MMF_OOM_SKIP`. An allocator that sleeps and tries again until the OOM killer need not wait
/// for this mm any longer is woken, in a program that has one.
pub(crate) fn set_oom_skip(sys: &System, mm: &MmStruct) {
    set_bit(MMF_OOM_SKIP, mm.flags);
    if sys.two_kills {
        ghost_mark(mm.life, life::SKIPPED, 0, 0, Fault { rule: "", what: "" });
    }
    if sys.has_stuck_allocator {
        let bit = 1 << mm.index;
        let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | bit) };
        engine().rmw(sys.oom.skipped, Order::Release, &rmw, Site::with("allocation", "may go on"));
    }
}

/// An allocation that fails until no victim on `mm` is waited for: `__alloc_pages_may_oom()` in a loop,
/// seen as one long wait.
pub fn retry_allocation(sys: &System, mm: &MmStruct) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    let site = Site::here("__alloc_pages_slowpath");
    engine().wait_rmw(sys.oom.skipped, Order::Acquire, Until::any(1 << mm.index), Sleep::Held, &rmw, site);
}

/// `__oom_reap_task_mm()`: zap what is private. The caller keeps VMAs and page tables from going away:
/// mostly by the mmap read lock, with `MMF_OOM_SKIP` seen clear under it. False if a notifier refuses.
/// What is done to one VMA is `zap_vma_for_reaping()` since 7.1.
pub(crate) fn __oom_reap_task_mm(sys: &System, mm: &MmStruct) -> bool {
    let _call = call("__oom_reap_task_mm");
    let has_flag = sys.kernel.reaped_faults != ReapedFaults::Untested && sys.kernel.keeps(Rule::R30Set);
    let late = !sys.kernel.keeps(Rule::R30Late);
    if has_flag && !late {
        set_bit(MMF_UNSTABLE, mm.flags);
    }
    let invalidate = mmu_notifier_invalidate_range_start(sys, mm);
    if invalidate == Invalidate::Refused {
        goal("a notifier refuses to be reaped");
        return false;
    }
    for_each_vma_reaping(sys, mm, |vma| {
        let skipped =
            sys.kernel.munlock == Munlock::BeforeUnmap && vma.page.is_some() && read_once(vma.vm_locked) != 0;
        if !skipped {
            unmap_page_range(sys, mm, vma);
        }
    });
    if has_flag && late {
        set_bit(MMF_UNSTABLE, mm.flags);
    }
    if invalidate == Invalidate::Told {
        mmu_notifier_invalidate_range_end(mm);
    }
    ghost_mark(mm.life, life::REAPED, 0, 0, Fault { rule: "", what: "" });
    true
}
