//! Counterexample files and how they are drawn.
//!
//! [`TraceFile`] is one broken rule with the execution that leads there, kept as versioned JSON;
//! [`render`] draws it as the race table of a kernel changelog.

mod error;
mod file;
mod table;

pub use error::TraceError;
pub use file::{FORMAT, MAX_SIZE, Step, TraceFile, VERSION};
pub use table::{About, TableOptions, changelog, render};
