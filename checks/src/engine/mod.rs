//! The engines: who executes a program, how far, and what they report.

pub mod environment;
pub mod explore;
pub mod loom;
mod native;
pub mod quiet;
pub mod report;
pub mod shuttle;
pub mod states;
pub mod timed;
pub mod views;

pub use environment::ForeignSetting;
pub use loom::Loom;
pub use report::{Effort, Failure, Limits, Report};
pub use shuttle::Shuttle;
