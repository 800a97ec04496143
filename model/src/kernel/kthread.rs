//! `kernel/kthread.c`: a kernel thread uses the address space of a process.

use crate::include::mm_types::MmStruct;
use crate::k::atomic::{cmpxchg_null, write_once};
use crate::k::call;
use crate::kernel::sched::core::{Cpu, local_irq_disable, local_irq_enable};
use crate::mm::tlb::flush_tlb;
use crate::system::System;
use crate::variant::Rule;

/// `kthread_use_mm()`, by a caller who owns an `mm_users`.
pub fn kthread_use_mm(sys: &System, cpu: Cpu, mm: &MmStruct) {
    let _call = call("kthread_use_mm");
    let me = mm.index as u64 + 1;
    local_irq_disable(cpu);
    write_once(cpu.active_mm, me);
    write_once(cpu.mm, me);
    if !sys.kernel.keeps(Rule::R3Use) {
        local_irq_enable(cpu);
        local_irq_disable(cpu);
    }
    switch_mm_irqs_off(cpu, mm);
    local_irq_enable(cpu);
}

/// `switch_mm_irqs_off()`: a CPU that was not told of invalidations meanwhile forgets what it knows.
fn switch_mm_irqs_off(cpu: Cpu, mm: &MmStruct) {
    let _call = call("switch_mm_irqs_off");
    if cmpxchg_null(cpu.cpumask, 1)
        && let Some(tlb) = mm.tlb
    {
        flush_tlb(tlb);
    }
    write_once(cpu.loaded_mm, mm.index as u64 + 1);
}

/// `kthread_unuse_mm()`: the mm stays borrowed.
pub fn kthread_unuse_mm(cpu: Cpu) {
    let _call = call("kthread_unuse_mm");
    local_irq_disable(cpu);
    write_once(cpu.mm, 0);
    local_irq_enable(cpu);
}
