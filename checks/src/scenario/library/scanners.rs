//! Who comes to an mm from a list of mms, or from a page: KSM, khugepaged, uprobes.

use crate::scenario::Actor::{CollapseFile, Exit, ForkFailsHalfway, RegisterUprobe, UnmergeKsm};
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
    ]
}
