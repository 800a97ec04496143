//! `kernel/entry/common.c`: a task returns to user mode, or does not.

use crate::include::sched::{TaskStruct, signal_pending};
use crate::k::atomic::read_once;
use crate::k::engine::{Fault, engine};
use crate::k::{call, goal};
use crate::system::System;

/// A page fault in user mode: an allocation, and the return. Whoever has been given access to the reserves
/// must not return, because user code that goes on may use them up.
pub fn fault_in_user_mode(sys: &System, current: &TaskStruct) {
    let from_reserves = oom_reserves_allowed(sys, current);
    let dies = exit_to_user_mode_loop(sys, current);
    if from_reserves {
        goal("a victim allocates from the reserves");
    }
    if from_reserves && !dies {
        let what = "a victim with access to the reserves goes on in user mode";
        engine().fault(Fault { rule: "R41", what });
    }
}

/// `oom_reserves_allowed()` (`mm/page_alloc.c`), asked once free memory is below the watermark: whether the
/// task is an OOM victim. Since 4.14; before, `TIF_MEMDIE` was asked for, which is set a step earlier.
fn oom_reserves_allowed(sys: &System, task: &TaskStruct) -> bool {
    let _call = call("oom_reserves_allowed");
    read_once(sys.signals[task.signal].oom_mm) != 0
}

/// `exit_to_user_mode_loop()`: whether SIGKILL keeps the task from user mode.
fn exit_to_user_mode_loop(sys: &System, current: &TaskStruct) -> bool {
    let _call = call("exit_to_user_mode_loop");
    signal_pending(&sys.signals[current.signal])
}
