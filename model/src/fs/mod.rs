//! `fs/`: files that outlive the address space that they were opened on, and exec.

pub mod exec;
pub mod proc;
pub mod userfaultfd;
