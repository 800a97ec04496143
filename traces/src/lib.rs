//! Counterexample files and how they are drawn.
//!
//! [`TraceFile`] is one broken rule with the execution that leads there, kept as versioned JSON;
//! [`render`] draws it as the race table of a kernel changelog, [`page()`] as a page for a browser,
//! [`perfetto()`] and [`ftrace()`] write it for trace viewers, and [`State`] is what memory holds on the way.

pub mod corpus;
mod error;
mod file;
mod ftrace;
mod page;
mod perfetto;
mod state;
mod table;
pub mod timeline;

pub use error::TraceError;
pub use file::{FORMAT, MAX_SIZE, Step, TraceFile, VERSION};
pub use ftrace::ftrace;
pub use page::{PageOptions, page};
pub use perfetto::perfetto;
pub use state::State;
pub use table::{About, TableOptions, changelog, printable, render};
