//! `fs/exec.c`: a kernel thread becomes a process.

pub mod bprm;

use crate::include::sched_mm::mmdrop;
use crate::k::atomic::{read_once, write_once};
use crate::k::call;
use crate::kernel::sched::core::{Cpu, NEW_MM, local_irq_disable, local_irq_enable};
use crate::system::System;
use crate::variant::Rule;

/// `exec_mmap()` of a kernel thread, as of `call_usermodehelper()`: its new mm takes the place of the one
/// that it has borrowed.
pub fn exec_mmap(sys: &System, cpu: Cpu) {
    let _call = call("exec_mmap");
    local_irq_disable(cpu);
    let active_mm = read_once(cpu.active_mm) as usize;
    if !sys.kernel.keeps(Rule::R3Exec) {
        local_irq_enable(cpu);
        local_irq_disable(cpu);
    }
    write_once(cpu.active_mm, NEW_MM);
    write_once(cpu.mm, NEW_MM);
    write_once(cpu.loaded_mm, NEW_MM);
    local_irq_enable(cpu);
    if let Some(old) = sys.mms.get(active_mm.wrapping_sub(1)) {
        mmdrop(sys, old);
    }
}
