//! Counterexample files: written, read, refused, drawn.

mod bad_files;
mod fixtures;
mod folding;
mod happens_before;
mod overwrite;
mod race_tables;
mod round_trip;
mod schema;
mod state;
mod timelines;
mod wording;

use mmspec_traces::TraceFile;
use std::path::{Path, PathBuf};

/// All files of `traces/corpus/`, sorted.
fn corpus() -> Vec<(PathBuf, TraceFile)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let list = |dir: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut paths: Vec<PathBuf> = list(&root).iter().flat_map(|rule| list(rule)).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    assert!(paths.len() > 40, "{paths:?}");
    paths.into_iter().map(|path| (path.clone(), TraceFile::read(&path).unwrap())).collect()
}
