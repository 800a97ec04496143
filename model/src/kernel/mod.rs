//! `kernel/`.

pub mod copy_process;
pub mod dup_mmap;
pub mod entry;
pub mod exit;
pub mod fork;
pub mod freezer;
pub mod futex;
pub mod kthread;
pub mod mm_init;
pub mod refrigerator;
pub mod sched;
pub mod vfork;
