//! Why a command could not do what it was asked to.

use mmspec::counterexample::ReplayError;
use mmspec::drift::{PinError, TreeError};
use mmspec::engine::ForeignSetting;
use mmspec_traces::TraceError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a command could not do what it was asked to. Each text names what to do next, where there is
/// something to do.
#[derive(Debug, Error)]
pub enum CliError {
    /// A name that nothing has.
    #[error("no {what} is called \"{name}\"{} `mmspec {listed_by}` shows all", did_you_mean(near))]
    Unknown {
        /// `scenario`, `kernel`, `rule` or `bug`.
        what: &'static str,
        /// The name given.
        name: String,
        /// Names like it, nearest first.
        near: Vec<String>,
        /// The command that shows all names.
        listed_by: &'static str,
    },
    /// Scenarios and kernels that have nothing to do with each other.
    #[error(
        "nothing to check: {scenarios} says nothing about {kernels}; `mmspec list scenarios` shows the kernels of each"
    )]
    NothingApplies {
        /// The scenarios.
        scenarios: String,
        /// The kernels.
        kernels: String,
    },
    /// An option that none of the engines obeys.
    #[error("{option} means nothing to {engines}; it is for --engine {meant_for}")]
    UselessOption {
        /// The option.
        option: &'static str,
        /// Engines asked for.
        engines: String,
        /// Engines that obey it.
        meant_for: &'static str,
    },
    /// An option of another way to draw a trace.
    #[error("{option} means nothing here; it is for --format {meant_for}")]
    UselessForFormat {
        /// The option.
        option: &'static str,
        /// The format that obeys it.
        meant_for: &'static str,
    },
    /// A variable of loom or shuttle is set.
    #[error(transparent)]
    Foreign(#[from] ForeignSetting),
    /// A trace file cannot be read or written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A trace that does not belong to this model.
    #[error("{}{}: {source}", path.display(), place.map_or(String::new(), |(line, column)| format!(":{line}:{column}")))]
    Replay {
        /// The trace.
        path: PathBuf,
        /// Line and column of what is wrong, if that is in the file.
        place: Option<(usize, usize)>,
        /// What is wrong with it.
        source: ReplayError,
    },
    /// The place for traces is something else.
    #[error("{}: not a directory; --out names the directory for trace files", path.display())]
    NotADirectory {
        /// The place.
        path: PathBuf,
    },
    /// A source tree cannot be compared.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// There is nothing to compare a source tree with.
    #[error("{what}: there are hashes for {known}; --kernel names one of them")]
    NoHashes {
        /// The kernel, or the tree that is older than all.
        what: String,
        /// Kernels that have hashes.
        known: String,
    },
    /// Hashes cannot be taken.
    #[error("{}: {source}", path.display())]
    Pin {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: PinError,
    },
    /// The manifest is malformed.
    #[error("{}:{line}: {message}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The manifest expects nothing.
    #[error("{}: no [[check]] row, so that nothing would be proved; `mmspec pin` writes them", path.display())]
    EmptyManifest {
        /// The file.
        path: PathBuf,
    },
    /// The manifest is not what it was.
    #[error("{}: changed while the engines ran, so it is left alone; run `mmspec pin` again", path.display())]
    ManifestChanged {
        /// The file.
        path: PathBuf,
    },
    /// The system refused to read, make or write something.
    #[error("{}: cannot be {done}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was attempted (`read`, `written`, `made`).
        done: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output cannot be written, though somebody is there to read it.
    #[error("cannot write the results: {0}")]
    Output(io::Error),
    /// An engine panicked.
    #[error("exploring {subject} failed: {message}. This is a mistake in mmspec; please report it")]
    Internal {
        /// What was explored.
        subject: String,
        /// Text of the panic.
        message: String,
    },
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => ";".into(),
        [one] => format!(". Did you mean {one}?"),
        [rest @ .., last] => format!(". Did you mean {} or {last}?", rest.join(", ")),
    }
}
