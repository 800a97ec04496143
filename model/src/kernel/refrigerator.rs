//! `kernel/freezer.c`: user tasks that a cgroup has frozen, and how an OOM victim gets out.
//!
//! Nobody thaws the cgroup here. SIGKILL does not wake a frozen task; only the OOM killer does.

use crate::include::sched::{TIF_MEMDIE, TaskStruct};
use crate::k::atomic::{read_once, write_once};
use crate::k::bitops::test_bit;
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::{call, enclosed, goal};
use crate::system::System;
use crate::variant::Thaw;

/// What user tasks that may be frozen need.
#[derive(Clone, Copy, Debug)]
pub struct UserFreezer {
    /// `freezer_lock`: a task that decides whether to stand still against whoever thaws it.
    pub lock: Spinlock,
    /// Tasks that can run and have not yet used their memory for the last time, a bit each: while there
    /// are any, two seconds do not pass without them.
    busy: Word,
}

impl UserFreezer {
    /// Tasks of the mask `busy` can run.
    pub fn new(owner: Object, busy: u64) -> Self {
        Self {
            lock: Spinlock::new(owner, "freezer_lock"),
            busy: engine().new_word("runnable", Class::Sync, owner, busy),
        }
    }

    /// Two seconds pass: whoever can run has used its memory for the last time.
    pub fn two_seconds(&self) {
        let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
        let site = Site::with("OOM_REAPER_DELAY", "two seconds");
        engine().wait_rmw(self.busy, Order::Acquire, Until::clear(u64::MAX), Sleep::Idle, &rmw, site);
    }

    /// The task needs its memory no more.
    pub fn leaves_memory(&self, task: &TaskStruct) {
        let bit = 1 << task.index;
        let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !bit) };
        engine().rmw(self.busy, Order::Release, &rmw, Site::with("futex_exit_release", "done"));
    }

    fn can_run(&self, task: &TaskStruct, can: bool) {
        let bit = 1 << task.index;
        let rmw = Rmw {
            shape: Shape::Conditional,
            apply: &|v| Effect::store(if can { v | bit } else { v & !bit }),
        };
        engine().rmw(self.busy, Order::AcqRel, &rmw, Site::with("schedule", "runnable"));
    }
}

/// `freezing_slow_path()` of a task in a frozen cgroup: victims are exempt. Under `freezer_lock`.
fn freezing(sys: &System, task: &TaskStruct) -> bool {
    let victim = match sys.kernel.thaw {
        Thaw::OneThread => test_bit(TIF_MEMDIE, task.flags),
        Thaw::Process => read_once(sys.signals[task.signal].oom_mm) != 0,
    };
    !victim
}

/// `__refrigerator()` of a task that stands in it already: false if the run ends with it there.
pub fn leave_refrigerator(sys: &System, task: &TaskStruct) -> bool {
    let _call = call("__refrigerator");
    enclosed(|| {
        loop {
            let woken = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
            let site = Site::here("schedule");
            engine().wait_rmw(task.state, Order::Acquire, Until::clear(FROZEN), Sleep::Idle, &woken, site);
            if engine().stopping() {
                return;
            }
            let freeze = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | FROZEN) };
            engine().rmw(task.state, Order::Full, &freeze, Site::with("set_current_state", "TASK_FROZEN"));
            spin_lock(sys.user_freezer.lock);
            let stay = freezing(sys, task);
            if stay {
                goal("a thawed task freezes again");
                sys.user_freezer.can_run(task, false);
            }
            spin_unlock(sys.user_freezer.lock);
            if !stay {
                break;
            }
        }
        let run = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !FROZEN) };
        engine().rmw(task.state, Order::Relaxed, &run, Site::with("set_current_state", "TASK_RUNNING"));
        write_once(task.frozen, 0);
    });
    !engine().stopping()
}

/// Bit of [`TaskStruct::state`].
pub const FROZEN: u64 = 1;

/// `__thaw_task()`: wake the task if it is frozen.
fn __thaw_task(sys: &System, task: &TaskStruct) {
    let _call = call("__thaw_task");
    spin_lock(sys.user_freezer.lock);
    let wake = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v & !FROZEN, v & FROZEN) };
    let site = Site::with("wake_up_state", "TASK_FROZEN");
    if engine().rmw(task.state, Order::Full, &wake, site) != 0 {
        sys.user_freezer.can_run(task, true);
    }
    spin_unlock(sys.user_freezer.lock);
}

/// What `mark_oom_victim()` thaws: the thread, or since 6.18 by `thaw_process()` all threads of its
/// group.
pub fn thaw_victim(sys: &System, task: &TaskStruct) {
    match sys.kernel.thaw {
        Thaw::OneThread => __thaw_task(sys, task),
        Thaw::Process => sys.threads_of(task.signal).for_each(|t| __thaw_task(sys, t)),
    }
}
