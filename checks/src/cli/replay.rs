//! `replay`: whether a trace still says something about the model.

use super::Exit;
use super::args::{Format, ReplayArgs};
use super::error::CliError;
use super::screen::Screen;
use super::wording;
use mmspec::check::Engine;
use mmspec::counterexample::{Attempt, ReplayError, attempt, engines};
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec_traces::{TraceFile, printable};
use serde::Serialize;
use std::path::Path;

mod lines;
mod told;

use told::{Tried, tried};

/// What `replay --format json` writes.
#[derive(Serialize)]
struct Replayed {
    /// Whether the rule of the trace breaks again.
    reproduced: bool,
    /// Rule that the trace breaks.
    expected_rule: String,
    /// What was done, one engine after the other; the last one decides.
    attempts: Vec<Tried>,
}

/// Replay the trace of `args`.
pub fn run(args: &ReplayArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    refuse_foreign_settings()?;
    let trace = TraceFile::read(&args.trace)?;
    let failed = |source| cannot(&args.trace, source);
    let engines = args.engine.map_or_else(|| engines(&trace), |engine| Ok(vec![engine])).map_err(failed)?;
    let text = args.format == Format::Text;
    let mut attempts = Vec::new();
    for &engine in &engines {
        let tried = match attempt(&trace, engine, args.time) {
            Err(ReplayError::TooLarge(..)) if engines.len() > 1 && engine != Engine::Loom => continue,
            done => tried(&args.trace, &trace, engine, &done.map_err(failed)?),
        };
        if text {
            if attempts.is_empty() {
                let subject = wording::subject(&trace);
                screen.line(printable(&format!("{subject}, found by {}", trace.engine)))?;
            }
            tried.lines().iter().try_for_each(|line| screen.line(printable(line)))?;
        }
        let reproduced = tried.reproduced;
        attempts.push(tried);
        if reproduced {
            break;
        }
    }
    let last = attempts.last().expect("some engine can run it");
    let (reproduced, unfinished) = (last.reproduced, last.is_unfinished());
    if !text {
        screen.json(&Replayed { reproduced, expected_rule: trace.rule.clone(), attempts })?;
    }
    Ok(match (reproduced, unfinished) {
        (true, _) => Exit::AsExpected,
        (_, true) => Exit::Inconclusive,
        _ => Exit::Unexpected,
    })
}

/// The error with the place in the file that it is about.
pub fn cannot(path: &Path, source: ReplayError) -> CliError {
    let place = source.field().and_then(|(field, index)| TraceFile::position(path, field, index));
    CliError::Replay { path: path.to_path_buf(), place, source }
}
