//! `fs/`: files that outlive the address space that they were opened on, exec, and core dumps.

pub mod coredump;
pub mod exec;
pub mod proc;
pub mod userfaultfd;
