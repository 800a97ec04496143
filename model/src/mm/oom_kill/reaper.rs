//! The OOM reaper: from the ticket over the timer to the kernel thread.

use super::{__oom_reap_task_mm, set_oom_skip};
use crate::include::mm_types::{MMF_OOM_REAP_QUEUED, MMF_OOM_SKIP, MmStruct, life};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_trylock, mmap_read_unlock};
use crate::include::sched::TaskStruct;
use crate::include::sched_mm::mmget_not_zero;
use crate::k::atomic::{read_once, refcount_inc, write_once};
use crate::k::bitops::{test_and_set_bit, test_bit};
use crate::k::engine::{Fault, engine};
use crate::k::kthread::run_loop;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::plain::ghost_read;
use crate::k::wait::wake_up;
use crate::k::work::add_timer;
use crate::k::{call, goal};
use crate::kernel::fork::{mmput_async, mmput_reaping, put_task_struct};
use crate::kernel::freezer::{Phase, wait_event_freezable};
use crate::mm::mmu_notifier::mm_has_notifiers;
use crate::system::System;
use crate::variant::{FrozenDelay, GiveUp, NotifierMode, Queue, ReaperPin, Rule};

fn oom_mm<'a>(sys: &'a System, task: &TaskStruct) -> &'a MmStruct {
    let index = read_once(sys.signals[task.signal].oom_mm) as usize;
    &sys.mms[index.max(1) - 1]
}

/// `queue_oom_reaper()`: arm the timer that brings the task to the reaper. Since 5.18; before, this was
/// `wake_oom_reaper()`, and the task was put on the list at once.
pub fn queue_oom_reaper(sys: &System, task: &TaskStruct) {
    let _call = call("queue_oom_reaper");
    if !gets_ticket(sys, task) {
        goal("the reaper ticket is taken already");
        return;
    }
    let early = sys.kernel.keeps(Rule::R34);
    if early {
        refcount_inc(task.usage, "task");
    }
    let at_once =
        sys.has_frozen && sys.kernel.frozen_delay == FrozenDelay::None && read_once(task.frozen) != 0;
    if at_once {
        goal("a frozen victim is reaped without delay");
    }
    if sys.kernel.queue == Queue::TicketTimer && !at_once {
        add_timer(task.oom_reaper_timer);
    } else {
        put_on_list(sys, task);
    }
    if !early {
        refcount_inc(task.usage, "task");
    }
}

/// Whether the task is to be queued: once an mm, by its ticket; until 4.20 unless the task is linked
/// already, as far as its link says.
fn gets_ticket(sys: &System, task: &TaskStruct) -> bool {
    if sys.kernel.queue == Queue::ListOnce {
        let list = read_once(sys.oom.reaper_list);
        let me = task.index as u64 + 1;
        let has_successor = (0..15).any(|i| list >> (4 * i) & 0xf == me && list >> (4 * i + 4) != 0);
        return list & 0xf != me && !has_successor;
    }
    !test_and_set_bit(MMF_OOM_REAP_QUEUED, oom_mm(sys, task).flags) || !sys.kernel.keeps(Rule::R33)
}

/// `wake_oom_reaper()`: the timer, in softirq context.
pub fn wake_oom_reaper(sys: &System, task: &TaskStruct) {
    if sys.has_robust {
        sys.user_freezer.two_seconds();
    }
    let _call = call("wake_oom_reaper");
    if test_bit(MMF_OOM_SKIP, oom_mm(sys, task).flags) {
        goal("the reaper's timer finds nothing to do");
        return put_task_struct(sys, task);
    }
    put_on_list(sys, task);
}

fn put_on_list(sys: &System, task: &TaskStruct) {
    spin_lock(sys.oom.reaper_lock);
    let list = read_once(sys.oom.reaper_list);
    let me = task.index as u64 + 1;
    if (0..16).any(|i| list >> (4 * i) & 0xf == me) {
        engine().fault(Fault { rule: "R33", what: "a task is linked twice on oom_reaper_list" });
    }
    write_once(sys.oom.reaper_list, list << 4 | me);
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

/// What came of a try to reap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reap {
    /// Nothing is left to do.
    Done,
    /// The lock is taken.
    Again,
    /// The reaper of this kernel can do nothing: the last use is gone, or a notifier is registered.
    Unable,
}

/// `oom_reap_task()`: try a few times, then give the OOM killer its way in any case.
fn oom_reap_task(sys: &System, task: &TaskStruct) {
    let _call = call("oom_reap_task");
    let mm = oom_mm(sys, task);
    let mut reap = Reap::Again;
    for _ in 0..sys.kernel.reap_retries {
        reap = oom_reap_task_mm(sys, mm);
        if reap != Reap::Again {
            break;
        }
    }
    if reap == Reap::Again {
        goal("the reaper gives up");
    }
    if reap == Reap::Done || sys.kernel.give_up == GiveUp::Flag && sys.kernel.keeps(Rule::R35) {
        if reap == Reap::Unable {
            let early = Fault { rule: "R44", what: "a victim is written off that has not freed anything" };
            let freed = ghost_read(mm.life) & (life::TORN | life::REAPED) != 0;
            if !freed {
                engine().fault(early);
            }
        }
        set_oom_skip(sys, mm);
    }
    put_task_struct(sys, task);
}

/// `oom_reap_task_mm()`.
fn oom_reap_task_mm(sys: &System, mm: &MmStruct) -> Reap {
    let _call = call("oom_reap_task_mm");
    if sys.kernel.reaper_pin == ReaperPin::Task {
        return reap_locked(sys, mm);
    }
    if !mmget_not_zero(mm) {
        goal("the reaper finds no users");
        if !sys.kernel.keeps(Rule::R2Put) {
            mmput_async(sys, mm);
        }
        return Reap::Unable;
    }
    let reap = reap_locked(sys, mm);
    if sys.kernel.reaper_pin == ReaperPin::UsersAsync {
        mmput_async(sys, mm);
    } else {
        mmput_reaping(sys, mm);
    }
    reap
}

fn reap_locked(sys: &System, mm: &MmStruct) -> Reap {
    let test_under_lock = sys.kernel.keeps(Rule::R23Test);
    let mut skip = !test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    if !sys.kernel.keeps(Rule::R29) {
        mmap_read_lock(mm);
    } else if !mmap_read_trylock(mm) {
        goal("the reaper finds the mmap lock taken");
        return Reap::Again;
    }
    skip |= test_under_lock && test_bit(MMF_OOM_SKIP, mm.flags);
    let mut reap = Reap::Done;
    if skip {
        goal("the reaper finds MMF_OOM_SKIP");
    } else if sys.kernel.notifiers == NotifierMode::Avoided && mm_has_notifiers(mm) {
        reap = Reap::Unable;
    } else {
        sys.freezer.tears_down(Phase::Suspended, "R37");
        if __oom_reap_task_mm(sys, mm) {
            goal("the reaper reaps");
        } else {
            reap = Reap::Again;
        }
    }
    mmap_read_unlock(mm);
    reap
}
