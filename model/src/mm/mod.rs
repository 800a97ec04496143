//! `mm/`.

pub mod memory;
pub mod mm_reaper;
pub mod mmap;
pub mod oom_kill;
pub mod percpu;
pub mod tlb;
pub mod vma;
