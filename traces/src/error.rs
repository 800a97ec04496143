//! Why a counterexample file could not be read or written.

use crate::file::{FORMAT, MAX_SIZE, VERSION};
use std::io;
use std::path::PathBuf;

/// Why a counterexample file could not be read or written. Lines and columns count from 1, columns
/// in bytes; where a file ends too early they name its end.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system refused to open, look at or read it.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, pipe or device.
    #[error("{}: not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// More than [`MAX_SIZE`]; nothing of it was read.
    #[error("{}: {size} bytes, more than the {MAX_SIZE} that a trace may have", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// Text that is no JSON at some point.
    #[error("{}:{line}:{column}: not JSON: {message}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// JSON that ends in the middle.
    #[error("{}:{line}:{column}: cut off: {message}", path.display())]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// JSON of somebody else.
    #[error("{}:{line}:{column}: not a trace of mmspec: format is {found}, not {FORMAT:?}", path.display())]
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The format that it names, shortened.
        found: String,
    },
    /// A trace of a schema that this program does not know yet.
    #[error(
        "{}:{line}:{column}: version {version} of the trace format is newer than version {VERSION}, which this mmspec \
         reads; use the mmspec that wrote it, or check its scenario again with this one",
        path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The version that it names.
        version: u64,
    },
    /// A trace that names no version there has ever been.
    #[error("{}:{line}:{column}: version is {found}, not {VERSION}, the first and only one of the trace format", path.display())]
    NoVersion {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What it gives as version, shortened.
        found: String,
    },
    /// JSON that does not follow the schema.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What is missing or of the wrong type.
        message: String,
    },
    /// An event or a step of the schedule names a task that is not in the list.
    #[error("{}:{line}:{column}: {list}[{index}] is of task {task}, but there are {tasks} tasks", path.display())]
    NoSuchTask {
        /// The file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// `events` or `schedule`.
        list: &'static str,
        /// Index in that list.
        index: usize,
        /// Task that it names.
        task: usize,
        /// Length of the list of tasks.
        tasks: usize,
    },
    /// The system refused to create or write it.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
