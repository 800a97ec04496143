//! Invalidation by interrupts to the CPUs of `mm_cpumask()`, as on sparc64 and powerpc.

use crate::include::mm_types::MmStruct;
use crate::k::atomic::{atomic_long_sub, atomic_read, read_once, smp_mb, write_once};
use crate::k::engine::{Effect, Order, Rmw, Shape, Site, engine};
use crate::k::{call, goal};
use crate::kernel::sched::core::{Cpu, local_irq_disable, local_irq_enable};
use crate::mm::tlb::flush_tlb;
use crate::system::System;
use crate::variant::Rule;

/// `smp_flush_tlb_mm()`, by a thread of `mm` on another CPU.
pub fn smp_flush_tlb_mm(sys: &System, cpu: Cpu, mm: &MmStruct) {
    let _call = call("smp_flush_tlb_mm");
    // Page tables are changed before mm_cpumask() is read, as switch_mm_irqs_off() sets its bit before the
    // CPU walks them.
    smp_mb();
    if !sys.kernel.keeps(Rule::R3Mask) && atomic_read(mm.mm_users) == 1 {
        // Loads of sparc64 are not reordered: whoever was a user before has done with the memory.
        smp_mb();
        // cpumask_copy(mm_cpumask(mm), cpumask_of(smp_processor_id()))
        return write_once(cpu.cpumask, 0);
    }
    if read_once(cpu.cpumask) != 0 {
        local_irq_disable(cpu);
        do_exit_flush_lazy_tlb(cpu, mm);
        local_irq_enable(cpu);
    }
}

/// `do_exit_flush_lazy_tlb()`, the interrupt: a CPU that only has run the mm asks not to be told
/// any more.
fn do_exit_flush_lazy_tlb(cpu: Cpu, mm: &MmStruct) {
    let _call = call("do_exit_flush_lazy_tlb");
    let me = mm.index as u64 + 1;
    if read_once(cpu.active_mm) != me {
        goal("a CPU leaves mm_cpumask()");
        write_once(cpu.cpumask, 0);
    } else if read_once(cpu.loaded_mm) == me
        && let Some(tlb) = mm.tlb
    {
        goal("a CPU is told of an invalidation");
        flush_tlb(tlb);
    }
}

/// `zap_pte_range()`, by a `munmap()` of the first VMA: its page is freed.
pub fn zap_page(sys: &System, cpu: Cpu, mm: &MmStruct) {
    let _call = call("zap_pte_range");
    let vma = &mm.vmas[0];
    let clear = Rmw { shape: Shape::Conditional, apply: &|pages| Effect::ret(0, pages) };
    let pages = engine().rmw(vma.pte, Order::AcqRel, &clear, Site::here("ptep_get_and_clear"));
    atomic_long_sub(mm.rss, pages, "rss");
    smp_flush_tlb_mm(sys, cpu, mm);
    if let Some(page) = vma.page {
        engine().free(page.object, Site::here("free_page"));
    }
}
