//! The code of actors on a CPU that runs a kernel thread, and of `membarrier()`.

use super::{Body, forget};
use crate::scenario::{Actor, Scenario};
use mmspec_model::arch::flush::{smp_flush_tlb_mm, zap_page};
use mmspec_model::fs::exec::exec_mmap;
use mmspec_model::include::sched_mm::{mmdrop, mmget_not_zero};
use mmspec_model::k::atomic::write_once;
use mmspec_model::kernel::exit::do_exit;
use mmspec_model::kernel::fork::{mmput, put_task_struct};
use mmspec_model::kernel::kthread::{kthread_unuse_mm, kthread_use_mm};
use mmspec_model::kernel::sched::core::{Cpu, preempt_kthread, run_on_an_exited_mm};
use mmspec_model::kernel::sched::membarrier::read_after_membarrier;
use mmspec_model::mm::tlb::user_access;
use mmspec_model::system::System;
use mmspec_model::variant::Rule;

/// What `actor` runs, if it is one of these.
pub(super) fn body(scenario: &Scenario, actor: Actor) -> Body {
    let mm_of = |task: usize| scenario.tasks[task].mm;
    match actor {
        Actor::ExecOnBorrowedMm => Box::new(|sys| exec_mmap(sys, cpu(sys))),
        Actor::UseMm(mm) => Box::new(move |sys| use_mm(sys, mm)),
        Actor::PreemptAndExit(t) => {
            exiting(t, mm_of(t), |sys, mm| preempt_kthread(sys, cpu(sys), &sys.mms[mm]))
        }
        Actor::ExitOnCpu(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
                forget(1);
                run_on_an_exited_mm(sys, cpu(sys));
            })
        }
        Actor::UnmapAndExit(t) => exiting(t, mm_of(t), |sys, mm| {
            // Of a range that nobody else has touched.
            smp_flush_tlb_mm(sys, cpu(sys), &sys.mms[mm]);
            zap_page(sys, cpu(sys), &sys.mms[mm]);
        }),
        Actor::WriteAndExit(t) => exiting(t, mm_of(t), |sys, _| {
            if let Some(word) = sys.user_word {
                write_once(word, 1);
            }
        }),
        Actor::MembarrierAndExit(t, other) => exiting(t, mm_of(t), move |sys, mm| {
            read_after_membarrier(sys, &sys.tasks[other], &sys.mms[mm]);
            forget(2);
            put_task_struct(sys, &sys.tasks[other]);
        }),
        _ => unreachable!("an actor of another file"),
    }
}

fn cpu(sys: &System) -> Cpu {
    sys.cpu.expect("a scenario with a kernel thread has a CPU for it")
}

/// A task that does something and exits then.
fn exiting(task: usize, mm: usize, first: impl Fn(&System, usize) + 'static) -> Body {
    Box::new(move |sys| {
        first(sys, mm);
        forget(1);
        do_exit(sys, &sys.tasks[task], &sys.mms[mm]);
    })
}

/// A kernel thread that serves a process, as one of `io_uring` did: its own use is what keeps the address
/// space.
fn use_mm(sys: &System, mm: usize) {
    let (cpu, mm) = (cpu(sys), &sys.mms[mm]);
    if mmget_not_zero(mm) {
        let owns = sys.kernel.keeps(Rule::R57);
        if !owns {
            mmput(sys, mm, None);
        }
        kthread_use_mm(sys, cpu, mm);
        if let Some(tlb) = mm.tlb {
            user_access(tlb, &mm.vmas[0]);
        }
        kthread_unuse_mm(cpu);
        if owns {
            mmput(sys, mm, None);
        }
    }
    forget(1);
    mmdrop(sys, mm);
}
