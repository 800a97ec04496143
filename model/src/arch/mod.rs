//! `arch/`: how CPUs walk page tables, and are told that a mapping is gone.

pub mod flush;
pub mod pgtable;
