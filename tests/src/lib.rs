//! Programs that the gate and the benchmarks share.

pub mod breaking;
pub mod litmus;
pub mod orders;
pub mod peers;
pub mod phases;
pub mod random;
pub mod reference;
pub mod wrapped;
