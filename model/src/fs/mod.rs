//! `fs/`: files that outlive the address space that they were opened on.

pub mod proc;
pub mod userfaultfd;
