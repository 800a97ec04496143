//! `mm/`.

pub mod fault;
pub mod khugepaged;
pub mod ksm;
pub mod madvise;
pub mod memcontrol;
pub mod memory;
pub mod mm_reaper;
pub mod mm_slot;
pub mod mmap;
pub mod mmu_notifier;
pub mod oom_kill;
pub mod page_alloc;
pub mod page_table_lock;
pub mod percpu;
pub mod rmap;
pub mod swapfile;
pub mod tlb;
pub mod vma;
