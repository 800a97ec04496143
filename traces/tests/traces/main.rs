//! Counterexample files: written, read, refused, drawn.

mod bad_files;
mod browser;
mod fixtures;
mod folding;
mod happens_before;
mod overwrite;
mod pages;
mod race_tables;
mod round_trip;
mod schema;
mod state;
mod timelines;
mod viewers;
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

/// A trace in which every text is `text`.
fn hostile(text: &str) -> TraceFile {
    let mut file = fixtures::resurrection();
    for field in [&mut file.kernel, &mut file.scenario, &mut file.rule, &mut file.what] {
        *field = text.into();
    }
    file.without = vec![text.into()];
    file.tasks.iter_mut().for_each(|task| *task = text.into());
    for e in &mut file.events {
        e.stack = vec![text.into(); 2];
        for field in [&mut e.step, &mut e.arg, &mut e.object, &mut e.word, &mut e.site.file] {
            *field = text.into();
        }
        e.site.line = u32::MAX;
    }
    file
}
