//! The engines: who executes a program, how far, and what they report.

pub mod explore;
pub mod report;
pub mod states;

pub use report::{Effort, Failure, Limits, Report};
