//! Counterexample files and how they are drawn.
//!
//! [`TraceFile`] is one broken rule with the execution that leads there, kept as versioned JSON;
//! [`render`] draws it as the race table of a kernel changelog, and [`State`] is what memory holds on the way.

mod error;
mod file;
mod page;
mod state;
mod table;
pub mod timeline;

pub use error::TraceError;
pub use file::{FORMAT, MAX_SIZE, Step, TraceFile, VERSION};
pub use page::{PageOptions, page};
pub use state::State;
pub use table::{About, TableOptions, changelog, render};
