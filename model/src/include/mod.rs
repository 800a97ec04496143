//! `include/linux/`: structs and inline functions.

pub mod mm_types;
pub mod mmap_lock;
pub mod sched;
pub mod sched_mm;
