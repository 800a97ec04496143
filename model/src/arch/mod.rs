//! `arch/`: how CPUs walk page tables, where those begin, and how CPUs are told that a mapping is gone.

pub mod flush;
pub mod pgtable;
