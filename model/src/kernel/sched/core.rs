//! `kernel/sched/core.c`: a CPU, and the kernel thread that runs there on a borrowed address space.

use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::{call, goal};
use crate::system::System;

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
