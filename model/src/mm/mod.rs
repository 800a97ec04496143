//! `mm/`.

pub mod memcontrol;
pub mod memory;
pub mod mm_reaper;
pub mod mmap;
pub mod mmu_notifier;
pub mod oom_kill;
pub mod percpu;
pub mod tlb;
pub mod vma;
