//! `show` in every format, on every file of the corpus.

use super::{Place, mmspec};
use std::path::{Path, PathBuf};

fn list(dir: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("traces/corpus");
    let mut files: Vec<PathBuf> = list(&root).iter().flat_map(|rule| list(rule)).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files
}

#[test]
fn every_file_of_the_corpus_is_shown_in_every_format() {
    let files = corpus();
    assert!(files.len() > 40, "{}", files.len());
    let place = Place::new();
    for file in files {
        for (format, begins, says) in [
            ("table", "kernel ", "*** "),
            ("changelog", "On ", "mmspec"),
            ("html", "<!DOCTYPE html>", "VIOLATED"),
            ("perfetto", "{", "\"traceEvents\""),
            ("ftrace", "# tracer: nop", "TASK-PID"),
            ("json", "{", "\"mmspec-trace\""),
        ] {
            let ran = place.run(&format!("show {} --format {format}", file.display()));
            let shown = ran.ended(0, &[says]);
            assert!(shown.out.starts_with(begins), "{}: {format}", file.display());
            assert_eq!(shown.err, "", "{}: {format}", file.display());
        }
    }
}

#[test]
fn an_option_of_another_format_is_refused() {
    mmspec("show t.json --format html --width 80").refused(&["--width means nothing here", "--format table"]);
    mmspec("show t.json --source https://host").refused(&["--source means nothing here", "--format html"]);
}

#[test]
fn places_in_the_model_become_links_where_its_sources_are_said_to_be() {
    let place = Place::new();
    let file = corpus().remove(0);
    let line = format!("show {} --format html", file.display());
    assert!(!place.run(&line).out.contains("href="));
    let linked = place.run(&format!("{line} --source https://host/tree/"));
    linked.ended(0, &["href=\"https://host/tree/model/src/"]);
    place.run(&format!("{line} --source javascript:alert(1)")).refused(&["--source", "https://"]);
}
