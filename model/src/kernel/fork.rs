//! `kernel/fork.c`: the end of address spaces and of tasks.

use crate::arch::pgtable::pgd_free;
use crate::include::mm_types::{MMF_OOM_SKIP, MMF_OOM_TARGETED, MmStruct};
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use crate::include::sched::{SignalStruct, TIF_OOM_TARGETED, TaskStruct};
use crate::include::sched_mm::{drop_struct, drop_user, mmdrop, mmget};
use crate::k::atomic::{atomic_read, read_once, refcount_dec_and_test};
use crate::k::bitops::test_bit;
use crate::k::engine::{Effect, Fault, Order, Rmw, Shape, Site, Sleep, Until, engine};
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::work::{process_one_work_fn, schedule_work_fn};
use crate::k::{call, enclosed, goal};
use crate::mm::khugepaged::khugepaged_exit;
use crate::mm::ksm::ksm_exit;
use crate::mm::mm_reaper::{mm_try_charge, queue_mm_reaper};
use crate::mm::mmap::exit_mmap;
use crate::mm::swapfile::leave_mmlist;
use crate::system::System;
use crate::variant::{Rule, Teardown, WhileFrozen};

/// `get_task_mm()`: pin the address space of `task`. 6.1 to 7.1.
pub fn get_task_mm<'a>(sys: &'a System, task: &TaskStruct) -> Option<&'a MmStruct> {
    let _call = call("get_task_mm");
    let locked = sys.kernel.keeps(Rule::R1);
    if locked {
        spin_lock(task.alloc_lock);
    }
    // While ->mm is set and the lock is held, the task's own reference keeps mm_users above 0.
    let mm = task.mm().map(|i| &sys.mms[i]);
    if let Some(mm) = mm {
        mmget(mm);
    }
    if locked {
        spin_unlock(task.alloc_lock);
    }
    mm
}

/// `exit_aio()` (fs/aio.c): wait until no I/O is in flight, however long that takes.
fn exit_aio(mm: &MmStruct) {
    let _call = call("exit_aio");
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    engine().wait_rmw(
        mm.ioctx,
        Order::Acquire,
        Until::clear(u64::MAX),
        Sleep::Held,
        &rmw,
        Site::here("wait_for_completion"),
    );
}

/// First half of `__mmput()`: hooks that must come before `exit_mmap()`. Of `uprobe_clear_state()`,
/// `exit_aio()`, `ksm_exit()` and `khugepaged_exit()` all but the first are modelled.
fn mmput_hooks(sys: &System, mm: &MmStruct) {
    if sys.has_aio {
        exit_aio(mm);
    }
    if sys.kernel.keeps(Rule::R11) {
        scanners_exit(sys, mm);
    }
}

/// Scanners of the address space let go of it. They may take the mmap lock for writing.
fn scanners_exit(sys: &System, mm: &MmStruct) {
    let locked = !sys.kernel.keeps(Rule::R52);
    if locked {
        mmap_write_lock(mm);
    }
    ksm_exit(sys, mm);
    khugepaged_exit(sys, mm);
    if locked {
        mmap_write_unlock(mm);
    }
}

/// The address space goes, and the mm leaves mmlist, on which it may come until its last page is
/// unmapped. Without R11 scanners let go of it only now.
fn exit_mmap_unscanned(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    let unmapped = sys.kernel.keeps(Rule::R12Early);
    if !unmapped {
        leave_mmlist(sys, mm);
    }
    exit_mmap(sys, mm, by);
    if !sys.kernel.keeps(Rule::R11) {
        scanners_exit(sys, mm);
    }
    if unmapped && sys.kernel.keeps(Rule::R12) {
        leave_mmlist(sys, mm);
    }
}

/// Second half of `__mmput()`: the address space, then the one `mm_count` of all users.
fn mmput_teardown(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    exit_mmap_unscanned(sys, mm, by);
    mmdrop(sys, mm);
}

/// `__mmput()`: tear down the address space. `mm_users` is 0; runs once; may sleep.
fn __mmput(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    let _call = call("__mmput");
    mmput_hooks(sys, mm);
    mmput_teardown(sys, mm, by);
}

/// `mmput()`: give up a use; the last one tears down in the caller's context. 6.1 to 7.1.
/// `by` is the caller if it is exiting.
pub fn mmput(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    let _call = call("mmput");
    enclosed(|| {
        if drop_user(sys, mm) {
            __mmput(sys, mm, by);
        }
    });
}

/// `mmput()` of whoever reaps for others: if it is the last one, the teardown with all its waiting is
/// theirs.
pub(crate) fn mmput_reaping(sys: &System, mm: &MmStruct) {
    let _call = call("mmput");
    if drop_user(sys, mm) {
        engine().fault(Fault {
            rule: "R32",
            what: "a reaper has the last use: it tears down, and waits for I/O there",
        });
    }
}

/// `mmput_async()`: give up a use where teardown is not allowed; a kworker does it. 6.1 to 7.1.
pub fn mmput_async(sys: &System, mm: &MmStruct) {
    let _call = call("mmput_async");
    if drop_user(sys, mm) {
        goal("mmput_async() was the last drop");
        schedule_work_fn(sys.async_put_work[mm.index], MMPUT_ASYNC);
    }
}

/// `mm->async_put_work.func` is `mmput_async_fn()`.
const MMPUT_ASYNC: u64 = 0;
/// It is `mmdrop_async_fn()`.
const MMDROP_ASYNC: u64 = 1;

/// The kworker of `mm->async_put_work`.
pub fn kworker(sys: &System, mm: &MmStruct) {
    process_one_work_fn(sys.async_put_work[mm.index], |func| match func {
        MMPUT_ASYNC => mmput_async_fn(sys, mm),
        _ => mmdrop_async_fn(sys, mm),
    });
}

/// `mmput_async_fn()`: the kworker's part.
fn mmput_async_fn(sys: &System, mm: &MmStruct) {
    let _call = call("mmput_async_fn");
    __mmput(sys, mm, None);
}

/// RFC: `mmput_exit()`, the drop of an exiting task. If it is the last one, the mm may be handed to
/// `mm_reaper` in place of being torn down here.
pub fn mmput_exit(sys: &System, mm: &MmStruct, current: &TaskStruct) {
    let _call = call("mmput_exit");
    let early = (!sys.kernel.keeps(Rule::A1)).then(|| mm_worth_deferring(sys, mm, current));
    if !drop_user(sys, mm) {
        return;
    }
    if sys.kernel.teardown == Teardown::Async {
        mmput_hooks(sys, mm);
    }
    // Decided after the drop: from here on nobody can mark the mm as an OOM victim's, because that
    // takes a task whose ->mm is still set.
    let defer = early.unwrap_or_else(|| mm_worth_deferring(sys, mm, current));
    if let Some(rss) = defer {
        if mm_try_charge(sys, mm, rss) {
            queue_mm_reaper(sys, mm);
            return;
        }
        if !sys.kernel.keeps(Rule::A13) {
            return;
        }
    }
    goal("the last exit tears down inline");
    if sys.kernel.teardown == Teardown::AsyncAll {
        mmput_hooks(sys, mm);
    }
    mmput_teardown(sys, mm, Some(current));
}

/// RFC: the RSS to charge if the mm may be queued, budget aside: the static key is on, the mm is large
/// enough, and it is neither an OOM victim's nor reaped already.
fn mm_worth_deferring(sys: &System, mm: &MmStruct, current: &TaskStruct) -> Option<u64> {
    let _call = call("mm_worth_deferring");
    if read_once(sys.sysctl.async_mm_teardown) == 0 {
        goal("the sysctl is off");
        return None;
    }
    let rss = atomic_read(mm.rss);
    if rss < sys.sysctl.thresh_pages {
        goal("the mm is below the threshold");
        return None;
    }
    if sys.kernel.while_frozen == WhileFrozen::Inline && sys.freezer.freezing() {
        goal("the freezer is active");
        return None;
    }
    let targeted = if sys.kernel.keeps(Rule::A3PerTask) {
        test_bit(MMF_OOM_TARGETED, mm.flags)
    } else {
        test_bit(TIF_OOM_TARGETED, current.flags)
    };
    if targeted {
        goal("the mm is an OOM victim's");
        return None;
    }
    (!test_bit(MMF_OOM_SKIP, mm.flags)).then_some(rss)
}

/// RFC: what `mm_reaper` does to a queued mm: all of `__mmput()` that the exit has not done.
pub(crate) fn mmput_deferred(sys: &System, mm: &MmStruct) {
    if sys.kernel.teardown == Teardown::AsyncAll {
        mmput_hooks(sys, mm);
    }
    exit_mmap_unscanned(sys, mm, None);
}

/// `__mmdrop()`: free the struct. `mm_count` is 0. With `PREEMPT_RT` it may sleep.
pub fn __mmdrop(sys: &System, mm: &MmStruct, preemptible: bool) {
    let _call = call("__mmdrop");
    pgd_free(sys, mm, preemptible);
    // The pgd of an mm in which nothing was mapped; others lose it with their page tables.
    if mm.vmas.is_empty() {
        engine().free(mm.pgtables, Site::here("mm_free_pgd"));
    }
    engine().free(mm.object, Site::here("free_mm"));
}

/// `mmdrop_async()`: give up a pin where freeing is not allowed; a kworker does it. 4.9 to 7.1. The item may be
/// used because the users' `mm_count` is gone, and with it their `mmput_async()`.
fn mmdrop_async(sys: &System, mm: &MmStruct) {
    let _call = call("mmdrop_async");
    let work = sys.async_put_work[mm.index];
    if !sys.kernel.keeps(Rule::R13) {
        schedule_work_fn(work, MMDROP_ASYNC);
    } else if drop_struct(sys, mm) {
        goal("mmdrop_async() was the last drop");
        schedule_work_fn(work, MMDROP_ASYNC);
    }
}

/// `mmdrop_async_fn()`: the kworker's part.
fn mmdrop_async_fn(sys: &System, mm: &MmStruct) {
    let _call = call("mmdrop_async_fn");
    if sys.kernel.keeps(Rule::R13) {
        __mmdrop(sys, mm, true);
    } else {
        mmdrop(sys, mm);
    }
}

/// `put_task_struct()`, and `__put_task_struct()`: the last reference frees the task, the last task of a
/// group its `signal_struct` and with it the pin on `oom_mm`.
pub fn put_task_struct(sys: &System, task: &TaskStruct) {
    let _call = call("put_task_struct");
    enclosed(|| {
        if refcount_dec_and_test(task.usage, "task") {
            put_signal_struct(sys, &sys.signals[task.signal]);
            engine().free(task.object, Site::here("free_task"));
        }
    });
}

/// `put_signal_struct()`, and `free_signal_struct()`, which drops by `mmdrop_async()`; at once in programs without
/// that.
fn put_signal_struct(sys: &System, signal: &SignalStruct) {
    let _call = call("put_signal_struct");
    if refcount_dec_and_test(signal.sigcnt, "task") {
        if sys.has_oom
            && let Some(mm) = (atomic_read(signal.oom_mm) as usize).checked_sub(1)
            && sys.kernel.keeps(Rule::I7)
        {
            let mm = &sys.mms[mm];
            // It may be a timer that gives up the last task.
            let defers = mm.mmdrop_async && sys.kernel.keeps(Rule::R17);
            if defers { mmdrop_async(sys, mm) } else { mmdrop(sys, mm) }
        }
        engine().free(signal.object, Site::here("free_signal_struct"));
    }
}
