//! CPUs that run, or have run, an mm, and `membarrier()`.

use crate::scenario::Actor::{
    ExecOnBorrowedMm, Exit, ExitOnCpu, MembarrierAndExit, PreemptAndExit, UnmapAndExit, UseMm, WriteAndExit,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "exec_on_a_borrowed_mm",
            "a kernel thread that has borrowed an mm calls exec and is preempted",
        )
        .inline_only()
        .mm(1)
        .mm(1)
        .task(0)
        .task(1)
        .actor(Exit(0))
        .actor(PreemptAndExit(1))
        .actor(ExecOnBorrowedMm)
        .reaches("a kernel thread is preempted on a borrowed mm")
        .reaches("a kernel thread is preempted on an mm of its own"),
        Scenario::new(
            "munmap_vs_kthread_use_mm",
            "a page is unmapped while a kernel thread begins to use the mm",
        )
        .inline_only()
        .cached_mm(1)
        .task(0)
        .actor(UnmapAndExit(0))
        .actor(UseMm(0))
        .reaches("a CPU leaves mm_cpumask()")
        .reaches("a CPU is told of an invalidation"),
        Scenario::new("exit_vs_membarrier", "a sharer of an exiting task calls membarrier()")
            .inline_only()
            .mm(1)
            .task(0)
            .task(0)
            .actor(WriteAndExit(0))
            .actor(MembarrierAndExit(1, 0))
            .reaches("membarrier() sends an IPI")
            .reaches("membarrier() passes over a CPU"),
        Scenario::new(
            "kthread_on_the_mm_of_an_exited_process",
            "a task exits, and its CPU goes on with a kernel thread on the mm, while a sharer exits elsewhere",
        )
        .mm(3)
        .task(0)
        .task(0)
        .actor(ExitOnCpu(0))
        .actor(Exit(1))
        .reaches("a CPU leaves an mm last")
        .reaches("a CPU leaves an mm that others need")
        .reaches_async("an mm is queued"),
        Scenario::new(
            "lazy_mm_on_preempt_rt",
            "with PREEMPT_RT a CPU leaves the mm of an exited task last, while another mm goes",
        )
        .inline_only()
        .preempt_rt()
        .mm(1)
        .mm(1)
        .task(0)
        .task(1)
        .actor(ExitOnCpu(0))
        .actor(Exit(1))
        .reaches("a CPU leaves an mm last")
        .reaches("an RCU callback frees an mm")
        .reaches("a waiter sleeps on a spinlock_t"),
    ]
}
