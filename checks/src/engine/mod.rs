//! The engines: who executes a program, how far, and what they report.

pub mod report;

pub use report::{Effort, Failure, Limits, Report};
