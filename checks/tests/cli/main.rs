//! The command as its users meet it: what it prints, what it leaves behind, its exit code.

mod drift;
mod gate;
mod named;
mod pin;
mod rules;
mod show;
mod simulate;
mod step;
mod traces;
mod usage;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a command has done.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// Its output, which must be one JSON document.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }

    /// It must have refused, without a word on standard output, and have said all of `texts`.
    #[track_caller]
    fn refused(&self, texts: &[&str]) {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert_eq!(self.out, "");
        for text in texts {
            assert!(self.err.contains(text), "{text:?} is not in: {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }

    /// It must have ended with `code` and have printed all of `texts`.
    #[track_caller]
    fn ended(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        for text in texts {
            assert!(self.out.contains(text), "{text:?} is not in: {}", self.out);
        }
        self
    }
}

/// A directory to run commands in.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names in directory `name`, sorted.
    fn list(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mmspec"));
        // As an installed program would be called.
        command
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .env_remove("CARGO")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Ran {
        finish(&mut self.command(line))
    }
}

fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Run `line` where nothing lies around.
fn mmspec(line: &str) -> Ran {
    Place::new().run(line)
}

/// Whether there is nothing at `path`.
fn is_free(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err()
}
