//! `drivers/`: who mirrors an address space, or does something for it, from outside.

pub mod kfd;
pub mod sva;
pub mod umem_odp;
