//! `kernel/fork.c`: a process is made that shares the mm of its parent, while that is killed.

use crate::include::mm_types::MmStruct;
use crate::include::sched::TaskStruct;
use crate::include::sched_mm::mmget;
use crate::k::atomic::read_once;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::{call, goal};
use crate::kernel::fork::{mmput, put_task_struct};
use crate::system::System;
use crate::variant::Rule;

/// `copy_process()` with `CLONE_VM`, from `copy_mm()` on. The child is found by others once it is linked,
/// and runs from then on.
pub fn copy_process(sys: &System, current: &TaskStruct, child: &TaskStruct, mm: &MmStruct) {
    let _call = call("copy_process");
    let signal = &sys.signals[current.signal];
    let Some(siglock) = signal.siglock else { return };
    mmget(mm);
    let early = (!sys.kernel.keeps(Rule::R21)).then(|| read_once(signal.group_exit));
    spin_lock(siglock);
    let fatal_signal_pending = early.unwrap_or_else(|| read_once(signal.group_exit)) != 0;
    if !fatal_signal_pending {
        child.link(mm);
    }
    spin_unlock(siglock);
    if fatal_signal_pending {
        goal("fork fails in a task that is killed");
        mmput(sys, mm, None);
        put_task_struct(sys, child);
    }
}
