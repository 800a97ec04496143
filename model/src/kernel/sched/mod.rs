//! `kernel/sched/`.

pub mod core;
pub mod membarrier;
