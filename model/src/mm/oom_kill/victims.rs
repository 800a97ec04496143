//! OOM victims: marked, counted, and waited for before suspend.

use crate::include::mm_types::{MMF_OOM_TARGETED, MMF_OOM_VICTIM, life};
use crate::include::sched::{TIF_MEMDIE, TIF_OOM_TARGETED, TaskStruct};
use crate::include::sched_mm::mmgrab;
use crate::k::atomic::{atomic_dec_return_is_zero, atomic_inc, atomic_read, cmpxchg_null, write_once};
use crate::k::bitops::{clear_bit, set_bit, test_and_set_bit};
use crate::k::engine::{Fault, Sleep, engine};
use crate::k::lock::{mutex_lock, mutex_unlock};
use crate::k::plain::{ghost_mark, ghost_read};
use crate::k::wait::{wait_event, wake_up};
use crate::k::{call, goal};
use crate::kernel::refrigerator::thaw_victim;
use crate::system::System;
use crate::variant::{Guarded, Rule};

/// `mark_oom_victim()`: give the task access to reserves, and publish its mm as a victim's. Under
/// `oom_lock`, with `->mm` kept stable by `task_lock()` or by being current.
pub fn mark_oom_victim(sys: &System, task: &TaskStruct) {
    let _call = call("mark_oom_victim");
    let Some(index) = task.mm() else {
        return engine()
            .fault(Fault { rule: "R38", what: "mark_oom_victim() is called on a task without mm" });
    };
    if sys.has_frozen && !sys.kernel.keeps(Rule::R39) {
        thaw_victim(sys, task);
    }
    if test_and_set_bit(TIF_MEMDIE, task.flags) {
        return;
    }
    let mm = &sys.mms[index];
    if cmpxchg_null(sys.signals[task.signal].oom_mm, index as u64 + 1) && sys.kernel.keeps(Rule::I7) {
        mmgrab(mm);
    }
    if sys.kernel.guarded == Guarded::VictimMm {
        set_bit(MMF_OOM_VICTIM, mm.flags);
    }
    let queued = Fault { rule: "A4", what: "a queued mm is made an OOM victim's" };
    ghost_mark(mm.life, life::VICTIM, 0, life::QUEUED, queued);
    if sys.watch_needless_kills && sys.mms.iter().any(|m| ghost_read(m.life) & life::QUEUED != 0) {
        ghost_mark(sys.needless_kill, 1, 0, 0, Fault { rule: "", what: "" });
    }
    if sys.kernel.keeps(Rule::A3Late) {
        target_mm(sys, task, index);
    }
    // Published before: a thawed task looks at it to see whether it may run.
    if sys.has_frozen && sys.kernel.keeps(Rule::R39) {
        thaw_victim(sys, task);
    }
    atomic_inc(sys.oom.victims);
    ghost_mark(task.victim, 1, 0, 0, Fault { rule: "", what: "" });
    goal("a victim is marked");
}

/// RFC: keep the mm of a victim out of `mm_reaper`'s queue.
pub(super) fn target_mm(sys: &System, task: &TaskStruct, mm: usize) {
    if !sys.kernel.is_async() {
        return;
    }
    if sys.kernel.keeps(Rule::A3PerTask) {
        set_bit(MMF_OOM_TARGETED, sys.mms[mm].flags);
    } else {
        set_bit(TIF_OOM_TARGETED, task.flags);
    }
}

/// `exit_oom_victim()`: the task has dropped its mm.
pub fn exit_oom_victim(sys: &System, current: &TaskStruct) {
    let _call = call("exit_oom_victim");
    clear_bit(TIF_MEMDIE, current.flags);
    if atomic_dec_return_is_zero(sys.oom.victims, "R38") {
        wake_up(sys.oom.victims_wait);
    }
}

/// `oom_killer_disable()`: no new victims, and wait for the old ones. Its timeout is left out: it is
/// a way to give up suspend, not to go on.
pub fn oom_killer_disable(sys: &System) {
    let _call = call("oom_killer_disable");
    if sys.kernel.keeps(Rule::R38Disable) {
        mutex_lock(sys.oom.lock);
        write_once(sys.oom.killer_disabled, 1);
        mutex_unlock(sys.oom.lock);
    } else {
        write_once(sys.oom.killer_disabled, 1);
    }
    wait_event(sys.oom.victims_wait, Sleep::Held, || atomic_read(sys.oom.victims) == 0);
}

/// `oom_killer_enable()`: a plain store in the kernel, under the lock here because it is not the
/// subject.
pub fn oom_killer_enable(sys: &System) {
    let _call = call("oom_killer_enable");
    mutex_lock(sys.oom.lock);
    write_once(sys.oom.killer_disabled, 0);
    mutex_unlock(sys.oom.lock);
}
