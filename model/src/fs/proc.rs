//! `fs/proc/base.c`: an open `/proc/PID/mem`.

use crate::include::mm_types::MmStruct;
use crate::include::sched::TaskStruct;
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::call;
use crate::kernel::fork::{get_task_mm, mmput};
use crate::system::System;
use crate::variant::Rule;

/// `mem_open()`: the file owns the struct, and not the memory, since 3.3.
pub fn mem_open<'a>(sys: &'a System, task: &TaskStruct) -> Option<&'a MmStruct> {
    let _call = call("mem_open");
    let mm = get_task_mm(sys, task)?;
    if sys.kernel.keeps(Rule::R2Open) {
        mmgrab(mm);
        mmput(sys, mm, None);
    }
    Some(mm)
}

/// `mem_release()`: the file is closed.
pub fn mem_release(sys: &System, mm: &MmStruct) {
    let _call = call("mem_release");
    if sys.kernel.keeps(Rule::R2Open) {
        mmdrop(sys, mm);
    } else {
        mmput(sys, mm, None);
    }
}
