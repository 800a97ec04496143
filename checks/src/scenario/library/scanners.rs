//! Who comes to an mm from a list of mms, from a page, or by a file or a worker: KSM, khugepaged, uprobes,
//! userfaultfd, `io_uring`, reclaim, swapoff; and whom they meet there.

use crate::scenario::Actor::{
    CollapseFile, CollapseHuge, DumpAndExit, ExecFails, Exit, FaultByProcMem, ForkFailsHalfway,
    MadviseFromWorker, ReclaimPage, RegisterUprobe, RegisterUserfaultfd, ScanHuge, ScanKsm, Swapoff,
    UnmergeKsm,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("exit_vs_ksm", "KSM walks an mm whose last user exits")
            .inline_only()
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(UnmergeKsm)
            .reaches("an exit waits for KSM")
            .reaches("KSM walks the VMAs")
            .reaches("KSM finds an mm without users"),
        Scenario::new("exit_vs_ksmd", "ksmd scans an mm whose last user exits")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(ScanKsm)
            .reaches("ksmd keeps an mm")
            .reaches("ksmd finds an mm without users")
            .reaches("an mm loses its users while ksmd walks it"),
        Scenario::new(
            "exit_vs_khugepaged",
            "khugepaged retracts a page table of an mm whose last user exits",
        )
        .inline_only()
        .mm(1)
        .task(0)
        .actor(Exit(0))
        .actor(CollapseFile)
        .reaches("khugepaged retracts a page table")
        .reaches("khugepaged finds an mm without users"),
        Scenario::new(
            "huge_page_fault_vs_exit",
            "/proc/PID/mem faults a huge page in, and khugepaged hears of an mm whose last user exits",
        )
        .inline_only()
        .mm(0)
        .task(0)
        .actor(Exit(0))
        .actor(FaultByProcMem(0))
        .actor(ScanHuge)
        .reaches("an exit takes khugepaged's slot")
        .reaches("an exit waits for khugepaged")
        .reaches("khugepaged frees the slot of an mm without users"),
        Scenario::new("failed_fork_vs_uprobe", "a uprobe finds the mm of a fork that fails")
            .inline_only()
            .mm(1)
            .actor(ForkFailsHalfway(0))
            .actor(RegisterUprobe)
            .reaches("dup_mmap() fails half-way")
            .reaches("a probe finds an mm that is not whole"),
        Scenario::new("failed_fork_vs_ksm", "KSM runs while a fork fails")
            .inline_only()
            .mm(1)
            .actor(ForkFailsHalfway(0))
            .actor(UnmergeKsm)
            .reaches("dup_mmap() fails half-way"),
        Scenario::new("early_failed_exec_vs_ksmd", "ksmd finds an mm whose exec fails with nothing mapped")
            .inline_only()
            .mm_of_vmas(0, 0)
            .actor(ExecFails(0))
            .actor(ScanKsm)
            .reaches("exec fails early"),
        Scenario::new("late_failed_exec_vs_ksmd", "ksmd finds an mm whose exec fails with the stack mapped")
            .inline_only()
            .mm(1)
            .actor(ExecFails(0))
            .actor(ScanKsm)
            .reaches("exec fails late"),
        Scenario::new(
            "dump_vs_userfaultfd",
            "memory is registered with a userfaultfd while its process dumps core",
        )
        .inline_only()
        .mm(1)
        .task(0)
        .actor(DumpAndExit(0))
        .actor(RegisterUserfaultfd(0))
        .reaches("a writer comes before a dump")
        .reaches("a writer finds that the mm is dumped"),
        Scenario::new("dump_vs_khugepaged", "khugepaged works on an mm that is dumped")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(DumpAndExit(0))
            .actor(CollapseHuge(0))
            .reaches("a writer changes an mm that may be dumped")
            .reaches("a writer comes before a dump")
            .reaches("a writer finds that the mm is dumped"),
        Scenario::new("dump_vs_madvise", "a worker calls madvise() on an mm that is dumped")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(DumpAndExit(0))
            .actor(MadviseFromWorker(0))
            .reaches("a writer changes an mm that may be dumped")
            .reaches("a writer comes before a dump")
            .reaches("a writer finds that the mm is dumped"),
        Scenario::new(
            "swapoff_vs_exit",
            "swap is switched off while an mm exits that reclaim puts on the list",
        )
        .mm(3)
        .task(0)
        .actor(Exit(0))
        .actor(ReclaimPage)
        .actor(Swapoff)
        .reaches("reclaim finds the page unmapped")
        .reaches("an mm leaves mmlist")
        .reaches("swapoff has used an mm")
        .reaches("swapoff passes over an mm without users"),
    ]
}
