//! `exit_mmap()` and those who walk what it frees.

use crate::scenario::Actor::{
    AllocateAndExit, CompleteAio, DiscardAndExit, Exit, ExitGroup, ExitWhenKilled, KillAndMrelease, OomKill,
    ReadDiscardReadAndExit, ReadTwiceAndExit,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("sharer_vs_mrelease", "process_mrelease() on a task whose mm a sharer may still use")
            .inline_only()
            .mm(3)
            .task(0)
            .task(0)
            .actor(ExitWhenKilled(0))
            .actor(ExitGroup(1))
            .actor(KillAndMrelease(0))
            .reaches("process_mrelease() reaps")
            .reaches("process_mrelease() does not reap")
            .reaches("process_mrelease() returns -ESRCH"),
        Scenario::new("two_mreleases", "two callers of process_mrelease() reap one dying task")
            .inline_only()
            .mm(3)
            .task(0)
            .actor(ExitWhenKilled(0))
            .actor(KillAndMrelease(0))
            .actor(KillAndMrelease(0))
            .reaches("process_mrelease() reaps")
            .reaches("process_mrelease() returns -ESRCH"),
        Scenario::new("victim_vs_mrelease", "an OOM victim is reaped by process_mrelease() too")
            .inline_only()
            .mm(3)
            .victim(0)
            .actor(ExitWhenKilled(0))
            .actor(KillAndMrelease(0))
            .actor(OomKill)
            .reaches("process_mrelease() reaps")
            .reaches("the reaper reaps"),
        Scenario::new("victim_waits_for_io", "the last user of a victim's mm waits for I/O before it unmaps")
            .inline_only()
            .mm_with_aio(3)
            .victim(0)
            .actor(Exit(0))
            .actor(OomKill)
            .actor(CompleteAio(0))
            .reaches("the reaper reaps"),
        Scenario::new(
            "running_victim_vs_reaper",
            "a victim still runs, with its memory in a TLB, while it is reaped",
        )
        .inline_only()
        .cached_mm(1)
        .victim(0)
        .actor(ReadTwiceAndExit(0))
        .actor(OomKill)
        .reaches("the reaper reaps"),
        Scenario::new("two_threads_discard", "two threads discard the same page with MADV_DONTNEED at once")
            .inline_only()
            .cached_mm(1)
            .task(0)
            .thread()
            .actor(ReadDiscardReadAndExit(0))
            .actor(DiscardAndExit(1))
            .reaches("a gather flushes what another one has cleared"),
        Scenario::new("two_vmas_vs_reaper", "exit_mmap() and the reaper meet among two VMAs")
            .inline_only()
            .mm_of_vmas(2, 1)
            .victim(0)
            .actor(Exit(0))
            .actor(OomKill)
            .reaches("the reaper reaps"),
        Scenario::new(
            "page_table_locks_of_a_victim",
            "exit_mmap() and the reaper wait for each other's page-table locks among three VMAs",
        )
        .inline_only()
        .mm_of_vmas(3, 1)
        .page_table_locks()
        .victim(0)
        .actor(Exit(0))
        .actor(OomKill)
        .reaches("the reaper reaps")
        .reaches("a walker waits for a page-table lock"),
        Scenario::new(
            "mlocked_victim_vs_reaper",
            "a victim whose memory is mlocked exits while it is reaped",
        )
        .inline_only()
        .mlocked_mm(1)
        .victim(0)
        .actor(Exit(0))
        .actor(OomKill)
        .reaches("the reaper reaps"),
        Scenario::new(
            "threads_of_a_victim_allocate",
            "both threads of a victim fail to allocate while they die, and ask for the reaper",
        )
        .inline_only()
        .mm(3)
        .victim(0)
        .thread()
        .actor(AllocateAndExit(0))
        .actor(AllocateAndExit(1))
        .actor(OomKill)
        .reaches("the allocating task is dying"),
    ]
}
