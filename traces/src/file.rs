//! The counterexample file: its schema, and writing one without ever replacing another.

use crate::error::TraceError;
use crate::table::words::lvalue;
use mmspec_model::event::Event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod read;

/// What [`TraceFile::format`] says.
pub const FORMAT: &str = "mmspec-trace";

/// The version that is written. It rises when the meaning of a field changes or a field goes; a new
/// optional field keeps it, because unknown fields are skipped. No older version exists.
pub const VERSION: u32 = 1;

/// Size in bytes above which a file is refused unread.
pub const MAX_SIZE: u64 = 64 << 20;

/// One counterexample: a broken rule and the execution that leads there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFile {
    /// What this file is.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// Kernel that ran (`rfc-async-teardown`).
    pub kernel: String,
    /// Rules that were taken out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Scenario that ran.
    pub scenario: String,
    /// Engine that found it: `states`, `views`, `loom`, `shuttle`.
    pub engine: String,
    /// How that engine searched (`dpor`).
    pub search: String,
    /// Rule broken, or what else went wrong (`race`, `uaf`, `deadlock`, `leak`, ...).
    pub rule: String,
    /// How it was broken, in one sentence.
    pub what: String,
    /// Times a task was interrupted that could have run on; 0 where the engine does not know.
    pub preemptions: u32,
    /// Whether it was found when no task could move any more: no single step breaks the rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_end: bool,
    /// Names of the tasks; events and schedule refer to them by index, from 0.
    pub tasks: Vec<String>,
    /// The decisions, by action; empty if the engine keeps none (`loom`). A replay then takes them
    /// from the events.
    pub schedule: Vec<Step>,
    /// The execution, step by step. What the steps of a task do to ordinary memory follows the
    /// decision before it.
    pub events: Vec<Event>,
}

/// One decision: who ran, and the action that it was about to take. Task, step, argument and word are
/// what a replay goes by, so that it survives edits of the model and can say where they part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Index of the task.
    pub task: usize,
    /// Which of the values it could have read on weak memory, 0 being the newest; always 0 elsewhere.
    #[serde(default)]
    pub alternative: u16,
    /// Innermost kernel function, or empty. A replay does not go by it.
    pub function: String,
    /// Primitive (`atomic_dec_and_test`).
    pub step: String,
    /// Named constant passed to it (`MMF_OOM_SKIP`), or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arg: String,
    /// Object and word that it was about to touch (`mm0->mm_users`), or empty for a barrier.
    pub word: String,
}

impl Step {
    /// The decision that led to `event`.
    pub fn of(event: &Event, alternative: u16) -> Self {
        Self {
            task: event.task,
            alternative,
            function: event.stack.last().cloned().unwrap_or_default(),
            step: event.step.clone(),
            arg: event.arg.clone(),
            word: lvalue(event),
        }
    }
}

impl TraceFile {
    /// Read and check the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is larger than [`MAX_SIZE`], or is not a trace of [`VERSION`]; the
    /// error says where in the file.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        read::read(path)
    }

    /// Line and column, from 1, at which the value of `field` stands in the trace file at `path`, or
    /// entry `index` of it if it is a list. `None` if there is no such thing any more.
    pub fn position(path: &Path, field: &str, index: Option<usize>) -> Option<(usize, usize)> {
        read::position_of(path, field, index)
    }

    /// Write it to `path`, or, if something else is there, to the first free one of `name-2.json`,
    /// `name-3.json`, ... Returns where it is; a file that holds the same already is left as it is.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write_new(&self, path: &Path) -> Result<PathBuf, TraceError> {
        let text = self.to_json(path)?;
        let mut candidate = path.to_path_buf();
        for number in 2_u64.. {
            match create(&candidate, &text) {
                Ok(()) => return Ok(candidate),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(TraceError::Write { path: candidate, source }),
            }
            if holds(&candidate, &text) {
                return Ok(candidate);
            }
            candidate = numbered(path, number);
        }
        unreachable!("there is always a next number")
    }

    fn to_json(&self, path: &Path) -> Result<Vec<u8>, TraceError> {
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|e| TraceError::Write { path: path.to_path_buf(), source: e.into() })?;
        text.push(b'\n');
        Ok(text)
    }
}

/// Create `path` with `text`; what could not be written whole does not stay.
fn create(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

/// Whether `path` is a file with just this `text`. The size is compared first, because anything may
/// lie there.
fn holds(path: &Path, text: &[u8]) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == text.len() as u64)
        && fs::read(path).is_ok_and(|found| found == text)
}

fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_stem().map(OsString::from).unwrap_or_default();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
