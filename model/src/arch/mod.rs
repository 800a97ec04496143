//! `arch/`: how CPUs are told that a mapping is gone, and the list of page directories.

pub mod flush;
pub mod pgtable;
