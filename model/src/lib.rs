//! The protocol that a Linux `mm_struct` lives and dies by, as small functions with the kernel's
//! names. Nothing in this crate runs by itself: an engine executes it (see [`k::Engine`]).

pub mod event;
pub mod k;
