//! The two reference counts.

use crate::scenario::Actor::{Exit, ExitWhenKilled, GetTaskMm, GetTaskMmAsync, KillAndMrelease, ProcMem};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("two_sharers_exit", "two CLONE_VM sharers exit: one of them tears down")
            .mm(3)
            .task(0)
            .task(0)
            .actor(Exit(0))
            .actor(Exit(1))
            .reaches_async("an mm is queued"),
        Scenario::new(
            "exit_vs_get_task_mm",
            "a task exits while a reader takes its mm through get_task_mm()",
        )
        .mm(3)
        .task(0)
        .actor(Exit(0))
        .actor(GetTaskMm(0))
        .reaches("a reader gets the mm")
        .reaches("a reader finds no mm")
        .reaches_async("an mm is queued"),
        Scenario::new("exit_vs_proc_mem", "a task exits while a holder of /proc/PID/mem reads")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(ProcMem(0))
            .reaches("/proc/PID/mem is read")
            .reaches("/proc/PID/mem is at its end")
            .reaches_async("mm_reaper tears down"),
        Scenario::new("exit_vs_mmput_async", "the last use may be dropped where teardown is not allowed")
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(GetTaskMmAsync(0))
            .reaches("mmput_async() was the last drop"),
        Scenario::new("exit_vs_mrelease", "a killed task exits while process_mrelease() reaps it")
            .inline_only()
            .mm(3)
            .task(0)
            .actor(ExitWhenKilled(0))
            .actor(KillAndMrelease(0))
            .reaches("process_mrelease() reaps")
            .reaches("process_mrelease() finds MMF_OOM_SKIP")
            .reaches("process_mrelease() returns -ESRCH")
            .reaches_async("an mm is queued"),
        Scenario::new(
            "sharers_vs_two_readers",
            "two sharers exit while one task has a reader and its mm a /proc file",
        )
        .mm(3)
        .task(0)
        .task(0)
        .actor(Exit(0))
        .actor(Exit(1))
        .actor(GetTaskMm(0))
        .actor(ProcMem(0))
        .reaches("a reader gets the mm")
        .reaches("/proc/PID/mem is at its end"),
    ]
}
