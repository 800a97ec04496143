//! Makes a list of the race tables in `corpus/`, so that the command has them wherever it runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn list(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

fn main() {
    let corpus = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("corpus");
    println!("cargo::rerun-if-changed={}", corpus.display());
    let mut text = String::from("&[\n");
    for path in list(&corpus).iter().flat_map(|dir| list(dir)) {
        if path.extension().is_some_and(|e| e == "txt") {
            let name = path.strip_prefix(&corpus).expect("inside").with_extension("");
            let (name, path) = (name.to_str().expect("UTF-8"), path.to_str().expect("UTF-8"));
            writeln!(text, "({name:?}, include_str!({path:?})),").expect("memory");
        }
    }
    text += "]";
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("corpus.rs");
    fs::write(&out, text).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}
