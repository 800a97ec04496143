//! Programs that the gate and the benchmarks share.

pub mod breaking;
pub mod litmus;
pub mod peers;
pub mod random;
