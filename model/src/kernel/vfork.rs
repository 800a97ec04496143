//! `kernel/fork.c`: a parent waits until the child that it has made by `vfork()` leaves its mm alone.

use crate::include::sched::TaskStruct;
use crate::k::atomic::{read_once, write_once};
use crate::k::completion::{complete, wait_for_completion_killable};
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::{call, goal};
use crate::kernel::fork::put_task_struct;
use crate::system::System;
use crate::variant::Rule;

/// `complete_vfork_done()`, and the look before it in `mm_release()`: the parent may use the mm again. The
/// child still does, until `->mm` is cleared.
pub fn complete_vfork_done(sys: &System, task: &TaskStruct) {
    let Some(vfork) = task.vfork else { return };
    // Nobody else clears it in programs where no parent waits.
    let is_set = || sys.vfork.is_none() || read_once(vfork.vfork_done) != 0;
    if !is_set() {
        return goal("a vforked child finds no completion");
    }
    let _call = call("complete_vfork_done");
    let locked = sys.kernel.keeps(Rule::R53);
    if locked {
        spin_lock(task.alloc_lock);
    }
    if is_set() {
        write_once(vfork.vfork_done, 0);
        sys.vfork.into_iter().for_each(complete);
    } else {
        goal("a vforked child finds its completion gone under the lock");
    }
    if locked {
        spin_unlock(task.alloc_lock);
    }
}

/// `wait_for_vfork_done()`, on which `kernel_clone()` returns, and the completion on its stack is gone.
/// 6.1 to 7.1; killable since 3.4.
pub fn wait_for_vfork_done(sys: &System, child: &TaskStruct) {
    let (Some(vfork), Some(completion)) = (child.vfork, sys.vfork) else { return };
    {
        let _call = call("wait_for_vfork_done");
        if wait_for_completion_killable(completion) {
            goal("a vforked child lets its parent go on");
        } else {
            goal("a parent is killed while it waits for its vforked child");
            spin_lock(child.alloc_lock);
            write_once(vfork.vfork_done, 0);
            spin_unlock(child.alloc_lock);
        }
        put_task_struct(sys, child);
    }
    completion.leave_frame();
}

/// `in_vfork()` (include/linux/sched/mm.h) of a task that is locked: whether it uses the mm of a parent
/// who waits for it.
pub fn in_vfork(sys: &System, task: &TaskStruct) -> bool {
    let Some(vfork) = task.vfork else { return false };
    let _call = call("in_vfork");
    read_once(vfork.vfork_done) != 0 && sys.tasks[vfork.real_parent].mm() == task.mm()
}
