//! `kernel/sched/core.c`: a CPU, and the kernel thread that runs there on a borrowed address space.

use crate::arch::pgtable::walk_pgd;
use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::{mmdrop, mmdrop_lazy_tlb_sched, mmgrab};
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::Rule;

/// A CPU on which a kernel thread runs. Who runs there with interrupts off, the thread, an interrupt or
/// the scheduler, holds `irqs`.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    irqs: Word,
    /// `current->mm` of the kernel thread: 1 + index of the mm, or 0.
    pub mm: AtomicT,
    /// `current->active_mm` of it.
    pub active_mm: AtomicT,
    /// mm whose page tables are loaded.
    pub loaded_mm: AtomicT,
    /// Bit of the CPU in `mm_cpumask()` of mm 0.
    pub cpumask: AtomicT,
}

/// A new address space that nothing else is known of.
pub const NEW_MM: u64 = 99;

impl Cpu {
    /// One whose thread has borrowed mm 0, if `lazy`, or another one that is not modelled. It has run mm 0
    /// before.
    pub fn new(owner: Object, lazy: bool) -> Self {
        let borrowed = if lazy { 1 } else { NEW_MM };
        Self {
            irqs: engine().new_word("irqs", Class::Sync, owner, 0),
            mm: AtomicT::new(owner, "kthread->mm", 0),
            active_mm: AtomicT::new(owner, "kthread->active_mm", borrowed),
            loaded_mm: AtomicT::new(owner, "loaded_mm", borrowed),
            cpumask: AtomicT::new(owner, "mm_cpumask(mm0)", u64::from(!lazy)),
        }
    }
}

/// `local_irq_disable()` on the CPU, or an interrupt that begins there.
#[track_caller]
pub fn local_irq_disable(cpu: Cpu) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
    let site = Site::here("local_irq_disable");
    engine().wait_rmw(cpu.irqs, Order::Acquire, Until::clear(1), Sleep::Held, &rmw, site);
}

/// `local_irq_enable()`, or the end of the interrupt.
#[track_caller]
pub fn local_irq_enable(cpu: Cpu) {
    let rmw = Rmw { shape: Shape::Unlock, apply: &|_| Effect::store(0) };
    engine().rmw(cpu.irqs, Order::Release, &rmw, Site::here("local_irq_enable"));
}

/// `context_switch()` from the kernel thread to a user task of `mm` and back, as far as borrowed address
/// spaces go: the user task takes the place of the one that was borrowed.
pub fn preempt_kthread(sys: &System, cpu: Cpu, mm: &MmStruct) {
    local_irq_disable(cpu);
    {
        let _call = call("context_switch");
        if read_once(cpu.mm) == 0 {
            let borrowed = read_once(cpu.active_mm) as usize;
            mmgrab(mm);
            write_once(cpu.active_mm, mm.index as u64 + 1);
            if let Some(old) = sys.mms.get(borrowed.wrapping_sub(1)) {
                mmdrop(sys, old);
            }
            goal("a kernel thread is preempted on a borrowed mm");
        } else {
            goal("a kernel thread is preempted on an mm of its own");
        }
    }
    local_irq_enable(cpu);
}

/// A CPU whose task has exited: a kernel thread runs there on the mm that the task has left, until
/// `context_switch()` to a user task of another mm.
pub fn run_on_an_exited_mm(sys: &System, cpu: Cpu) {
    // A task that has left its mm hands it on to the kernel thread, and the count with it: no step.
    cpu_walk(sys, cpu);
    let _call = call("context_switch");
    let prev_mm = sys.mms.get((read_once(cpu.active_mm) as usize).wrapping_sub(1));
    if !sys.kernel.keeps(Rule::R15) {
        finish_task_switch(sys, prev_mm);
    }
    // The code of the scheduler is fetched through them too.
    cpu_walk(sys, cpu);
    write_once(cpu.loaded_mm, NEW_MM);
    write_once(cpu.active_mm, NEW_MM);
    if sys.kernel.keeps(Rule::R15) {
        finish_task_switch(sys, prev_mm);
    }
}

/// Whoever runs on the CPU takes the page tables that are loaded.
fn cpu_walk(sys: &System, cpu: Cpu) {
    if let Some(mm) = sys.mms.get((read_once(cpu.loaded_mm) as usize).wrapping_sub(1)) {
        walk_pgd(mm);
    }
}

/// `finish_task_switch()`, as far as it gives up `rq->prev_mm`, the mm that was borrowed before.
fn finish_task_switch(sys: &System, prev_mm: Option<&MmStruct>) {
    if let Some(mm) = prev_mm {
        let _call = call("finish_task_switch");
        mmdrop_lazy_tlb_sched(sys, mm);
    }
}
