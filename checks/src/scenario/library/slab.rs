//! `struct mm_struct` as memory.

use crate::scenario::Actor::{CpuOffline, Fork, ForkFails};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("fork_fails", "mm_init() fails at its last allocation")
            .inline_only()
            .mm_slots(1)
            .actor(ForkFails)
            .reaches("mm_init() fails"),
        Scenario::new(
            "fork_after_a_failed_one",
            "a new mm gets the memory of one whose mm_init() has failed",
        )
        .inline_only()
        .mm_slots(1)
        .actor(ForkFails)
        .actor(Fork)
        .reaches("mm_init() fails")
        .reaches("mm_init() succeeds"),
        Scenario::new("forks_reuse_memory", "three forks, and memory for two")
            .inline_only()
            .mm_slots(2)
            .actor(Fork)
            .actor(Fork)
            .actor(Fork)
            .reaches("mm_init() succeeds"),
        Scenario::new("cpu_offline_vs_mmdrop", "a CPU goes offline while mms are made and freed")
            .inline_only()
            .mm_slots(1)
            .actor(Fork)
            .actor(Fork)
            .actor(CpuOffline)
            .reaches("a CPU goes offline"),
    ]
}
