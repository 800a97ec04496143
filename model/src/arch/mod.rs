//! `arch/`: how CPUs are told that a mapping is gone.

pub mod flush;
