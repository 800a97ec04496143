//! The OOM reaper: from the ticket over the timer to the kernel thread.

use super::{__oom_reap_task_mm, set_oom_skip};
use crate::include::mm_types::{MMF_OOM_REAP_QUEUED, MMF_OOM_SKIP, MmStruct};
use crate::include::mmap_lock::{mmap_read_trylock, mmap_read_unlock};
use crate::include::sched::TaskStruct;
use crate::k::atomic::{read_once, refcount_inc, write_once};
use crate::k::bitops::{test_and_set_bit, test_bit};
use crate::k::engine::engine;
use crate::k::kthread::run_loop;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::wait::wake_up;
use crate::k::work::add_timer;
use crate::k::{call, goal};
use crate::kernel::fork::put_task_struct;
use crate::kernel::freezer::{Phase, wait_event_freezable};
use crate::system::System;
use crate::variant::Rule;

fn oom_mm<'a>(sys: &'a System, task: &TaskStruct) -> &'a MmStruct {
    let index = read_once(sys.signals[task.signal].oom_mm) as usize;
    &sys.mms[index.max(1) - 1]
}

/// `queue_oom_reaper()`: once an mm, arm the timer that brings the task to the reaper. Since 5.18;
/// before, the task was queued at once.
pub fn queue_oom_reaper(sys: &System, task: &TaskStruct) {
    let _call = call("queue_oom_reaper");
    let taken = test_and_set_bit(MMF_OOM_REAP_QUEUED, oom_mm(sys, task).flags);
    if taken && sys.kernel.keeps(Rule::R33) {
        goal("the reaper ticket is taken already");
        return;
    }
    if sys.kernel.keeps(Rule::R34) {
        refcount_inc(task.usage, "task");
        add_timer(task.oom_reaper_timer);
    } else {
        add_timer(task.oom_reaper_timer);
        refcount_inc(task.usage, "task");
    }
}

/// `wake_oom_reaper()`: the timer, in softirq context.
pub fn wake_oom_reaper(sys: &System, task: &TaskStruct) {
    let _call = call("wake_oom_reaper");
    if test_bit(MMF_OOM_SKIP, oom_mm(sys, task).flags) {
        goal("the reaper's timer finds nothing to do");
        return put_task_struct(sys, task);
    }
    spin_lock(sys.oom.reaper_lock);
    write_once(sys.oom.reaper_list, read_once(sys.oom.reaper_list) << 4 | (task.index as u64 + 1));
    spin_unlock(sys.oom.reaper_lock);
    wake_up(sys.oom.reaper_wait);
}

/// `oom_reaper()`: the kernel thread.
pub fn oom_reaper(sys: &System) {
    run_loop(|| {
        let freezer = if sys.kernel.keeps(Rule::R37) { &sys.freezer } else { &sys.no_freezer };
        wait_event_freezable(sys.oom.reaper_wait, freezer, (false, true), || {
            read_once(sys.oom.reaper_list) != 0
        });
        if engine().stopping() {
            return;
        }
        spin_lock(sys.oom.reaper_lock);
        let list = read_once(sys.oom.reaper_list);
        if list != 0 {
            write_once(sys.oom.reaper_list, list >> 4);
        }
        spin_unlock(sys.oom.reaper_lock);
        if let Some(task) = (list as usize & 0xf).checked_sub(1) {
            oom_reap_task(sys, &sys.tasks[task]);
        }
    });
}

/// `oom_reap_task()`: try a few times, then give the OOM killer its way in any case.
fn oom_reap_task(sys: &System, task: &TaskStruct) {
    let _call = call("oom_reap_task");
    let mm = oom_mm(sys, task);
    let done = (0..sys.kernel.reap_retries).any(|_| oom_reap_task_mm(sys, mm));
    if !done {
        goal("the reaper gives up");
    }
    if done || sys.kernel.keeps(Rule::R35) {
        set_oom_skip(sys, mm);
    }
    put_task_struct(sys, task);
}

/// `oom_reap_task_mm()`: whether the mm needs no further try.
fn oom_reap_task_mm(sys: &System, mm: &MmStruct) -> bool {
    let _call = call("oom_reap_task_mm");
    let test_under_lock = sys.kernel.keeps(Rule::R23Test);
    let mut skip = !test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    if !mmap_read_trylock(mm) {
        goal("the reaper finds the mmap lock taken");
        return false;
    }
    skip |= test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    if skip {
        goal("the reaper finds MMF_OOM_SKIP");
        mmap_read_unlock(mm);
        return true;
    }
    sys.freezer.tears_down(Phase::Suspended, "R37");
    __oom_reap_task_mm(mm);
    goal("the reaper reaps");
    mmap_read_unlock(mm);
    true
}
