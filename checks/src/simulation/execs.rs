//! Execs in a loop, as a program of the model, and their throughput.

use super::subject::pay;
use crate::engine::timed::costs::{EXEC_PARTS, PART_OF_EXEC};
use crate::engine::timed::{Costs, run};
use mmspec_model::k::engine::{Class, engine};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use mmspec_model::kernel::mm_init::{MmCachep, fork_and_exit};
use mmspec_model::variant::Kernel;
use std::rc::Rc;
use std::sync::Arc;

/// The kernel that allocates per-CPU memory for each mm.
const WITHOUT: &str = "v7.1";
/// The one whose constructor does.
const WITH: &str = "rfc-slab-ctor-fixed";

/// Lengths of execs, a prime number of them.
const LENGTHS: usize = EXEC_PARTS as usize + 1;
/// Execs of each task before throughput is steady.
const BEFORE: usize = 8;

/// By how much more execs a second there are with a constructor, in thousandths of a percent.
///
/// # Panics
/// When a rule of the specification is broken meanwhile.
pub fn gain(cpus: usize, costs: Costs) -> u64 {
    let time = |kernel| time(kernel, cpus, BEFORE + LENGTHS, costs) - time(kernel, cpus, BEFORE, costs);
    let (without, with) = (time(WITHOUT), time(WITH));
    without.saturating_sub(with) * 100_000 / with
}

/// When a task has done so many execs, summed over one on each CPU.
fn time(kernel: &str, cpus: usize, execs: usize, costs: Costs) -> u64 {
    let ran = run(&program(Kernel::named(kernel).expect("a kernel of the model"), cpus, execs), cpus, costs);
    assert!(ran.fault.is_none(), "{execs} execs on {cpus} CPUs, {kernel}: {:?}", ran.fault);
    ran.threads.iter().filter_map(|t| t.ended).sum()
}

/// A task for each CPU that makes and drops an mm for each of its execs.
fn program(kernel: Kernel, cpus: usize, execs: usize) -> Setup {
    Arc::new(move || {
        let globals = engine().new_object("", 0);
        let outside = engine().new_word("outside", Class::Sync, globals, 0);
        let caches = Rc::new(MmCachep::per_cpu(globals, cpus, execs));
        let thread = |task: usize| {
            let caches = caches.clone();
            let body = move || {
                for exec in 0..execs {
                    fork_and_exit(&kernel, &caches[task], false);
                    (0..parts(task, exec)).for_each(|_| pay(outside, PART_OF_EXEC));
                }
            };
            Thread { name: format!("T{task} exec"), body: Rc::new(body) }
        };
        let threads = (0..cpus).map(thread).collect();
        let judge = move || {
            let faults = caches.iter().flat_map(|cache| cache.judge(&kernel).0).collect();
            Ending { outcome: String::new(), faults }
        };
        Program { threads, judge: Rc::new(judge) }
    })
}

/// Parts of an exec: half of the medium number to one and a half, so that tasks do not go in step. Each
/// task has each number once in so many execs in a row, in an order of its own.
fn parts(task: usize, exec: usize) -> u64 {
    let (task, exec, lengths) = (task as u64, exec as u64, LENGTHS as u64);
    let (stride, start) = (1 + task % (lengths - 1), task / (lengths - 1));
    EXEC_PARTS / 2 + (start + stride * exec) % lengths
}
