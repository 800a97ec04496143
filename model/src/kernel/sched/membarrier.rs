//! `kernel/sched/membarrier.c`: a barrier on the CPUs that run an mm, at the expense of the caller.

use crate::include::mm_types::MmStruct;
use crate::include::sched::TaskStruct;
use crate::k::atomic::{read_once, smp_mb};
use crate::k::engine::{Fault, engine};
use crate::k::{call, goal};
use crate::system::System;

/// `membarrier_private_expedited()`, as far as the CPU of `task` goes: whether it is sent an IPI. Without
/// one, all that the task has done in user mode is seen by the caller from here on.
pub fn membarrier_private_expedited(task: &TaskStruct, mm: &MmStruct) -> bool {
    let _call = call("membarrier_private_expedited");
    smp_mb();
    let runs = task.mm() == Some(mm.index);
    smp_mb();
    runs
}

/// A thread of `mm` looks at user memory that `task` writes before it exits, once it knows from
/// `membarrier()` that the task has left the mm.
pub fn read_after_membarrier(sys: &System, task: &TaskStruct, mm: &MmStruct) {
    let Some(word) = sys.user_word else { return };
    if membarrier_private_expedited(task, mm) {
        return goal("membarrier() sends an IPI");
    }
    goal("membarrier() passes over a CPU");
    if read_once(word) == 0 {
        let what = "what a thread has written before it left the mm is not seen after membarrier()";
        engine().fault(Fault { rule: "R56", what });
    }
}
