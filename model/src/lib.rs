//! The protocol that a Linux `mm_struct` lives and dies by, as small functions with the kernel's
//! names, in a tree like the kernel's. Nothing in this crate runs by itself: an engine executes it
//! (see [`k::Engine`]).

pub mod arch;
pub mod drivers;
pub mod event;
pub mod fs;
pub mod include;
pub mod k;
pub mod kernel;
pub mod mm;
pub mod rules;
pub mod system;
pub mod variant;
