//! Reading a counterexample file that anybody may have written, cut or edited.

use super::{FORMAT, MAX_SIZE, TraceFile, VERSION};
use crate::error::TraceError;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// What is looked at first, whatever the version.
#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    format: Option<&'a RawValue>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
}

/// The lists whose entries name tasks, each entry with its place in the text.
#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    schedule: Vec<&'a RawValue>,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

pub(super) fn read(path: &Path) -> Result<TraceFile, TraceError> {
    let text = load(path)?;
    check_header(path, &text)?;
    let file: TraceFile = serde_json::from_slice(&text).map_err(|e| parse_error(path, &e))?;
    check_tasks(path, &text, &file)?;
    Ok(file)
}

/// The whole file, unless it is too large or nothing that ends.
fn load(path: &Path) -> Result<Vec<u8>, TraceError> {
    let failed = |source| TraceError::Read { path: path.to_path_buf(), source };
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(TraceError::NotAFile { path: path.to_path_buf() });
    }
    if about.len() > MAX_SIZE {
        return Err(TraceError::TooLarge { path: path.to_path_buf(), size: about.len() });
    }
    let mut text = Vec::new();
    // Bounded again, because it may grow meanwhile.
    File::open(path).and_then(|f| f.take(MAX_SIZE).read_to_end(&mut text)).map_err(failed)?;
    Ok(text)
}

/// Format and version come before the schema: a file of another version need not follow this one.
fn check_header(path: &Path, text: &[u8]) -> Result<(), TraceError> {
    let header: Header = serde_json::from_slice(text).map_err(|e| parse_error(path, &e))?;
    let (line, column, found) = describe(text, header.format);
    if header.format.and_then(parsed::<String>).as_deref() != Some(FORMAT) {
        return Err(TraceError::WrongFormat { path: path.to_path_buf(), line, column, found });
    }
    let (line, column, found) = describe(text, header.version);
    let path = || path.to_path_buf();
    match header.version.and_then(parsed::<u64>) {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(version) if version > u64::from(VERSION) => {
            Err(TraceError::NewerVersion { path: path(), line, column, version })
        }
        _ => Err(TraceError::NoVersion { path: path(), line, column, found }),
    }
}

fn parsed<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// Where a value of the header stands and what it is.
fn describe(text: &[u8], value: Option<&RawValue>) -> (usize, usize, String) {
    let Some(raw) = value else { return (1, 1, "not given".into()) };
    let (line, column) = position(text, raw);
    (line, column, shorten(raw.get(), 40))
}

fn check_tasks(path: &Path, text: &[u8], file: &TraceFile) -> Result<(), TraceError> {
    let tasks = file.tasks.len();
    let wrong_step = file.schedule.iter().position(|s| s.task >= tasks);
    let wrong_event = file.events.iter().position(|e| e.task >= tasks);
    let (list, index, task) = match (wrong_step, wrong_event) {
        (Some(i), _) => ("schedule", i, file.schedule[i].task),
        (None, Some(i)) => ("events", i, file.events[i].task),
        (None, None) => return Ok(()),
    };
    // Only now is it worth parsing once more for the place.
    let lists: Lists = serde_json::from_slice(text).map_err(|e| parse_error(path, &e))?;
    let entries = if list == "schedule" { &lists.schedule } else { &lists.events };
    let (line, column) = position(text, entries[index]);
    Err(TraceError::NoSuchTask { path: path.to_path_buf(), line, column, list, index, task, tasks })
}

/// Line and column of `raw`, which borrows from `text`.
fn position(text: &[u8], raw: &RawValue) -> (usize, usize) {
    let offset = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = &text[..offset.min(text.len())];
    let lines = before.split(|&b| b == b'\n');
    let (line, last) = lines.enumerate().last().unwrap_or_default();
    (line + 1, last.len() + 1)
}

pub(super) fn position_of(path: &Path, field: &str, index: Option<usize>) -> Option<(usize, usize)> {
    let text = load(path).ok()?;
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_slice(&text).ok()?;
    let value = *fields.get(field)?;
    let Some(index) = index else { return Some(position(&text, value)) };
    let entries: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
    Some(position(&text, entries.get(index)?))
}

fn parse_error(path: &Path, error: &serde_json::Error) -> TraceError {
    let path = path.to_path_buf();
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    let message = shorten(said, 160);
    match error.classify() {
        Category::Eof => TraceError::CutOff { path, line, column, message },
        Category::Data => TraceError::Schema { path, line, column, message },
        Category::Syntax | Category::Io => TraceError::NotJson { path, line, column, message },
    }
}

/// Text of the file fit for a terminal: the parser quotes what it did not expect, however long.
fn shorten(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let mut short: String = text.chars().take(most).map(clean).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
