//! Counterexamples: which one to show, and where they are kept.

use super::error::CliError;
use super::finding::Finding;
use super::screen::Screen;
use mmspec::check::Engine;
use mmspec_traces::{TableOptions, TraceFile, render};
use std::fs;
use std::path::Path;

/// Refuse a place for traces that is taken by something else, before hours are spent.
pub fn check_directory(out: &Path) -> Result<(), CliError> {
    match fs::metadata(out) {
        Ok(about) if !about.is_dir() => Err(CliError::NotADirectory { path: out.into() }),
        _ => Ok(()),
    }
}

/// Write the counterexamples of `findings` to `out`: all of them, or the one that is best to read.
/// Returns the index of that one, if a rule is broken at all.
pub fn write(findings: &mut [Finding], out: &Path, all: bool) -> Result<Option<usize>, CliError> {
    let Some(best) = most_readable(findings) else { return Ok(None) };
    fs::create_dir_all(out).map_err(|source| CliError::Io { path: out.into(), done: "made", source })?;
    for (index, finding) in findings.iter_mut().enumerate() {
        if let (Some(trace), Some(violation)) = (&finding.counterexample, &mut finding.violation)
            && (all || index == best)
        {
            violation.trace = Some(trace.write_new(&out.join(file_name(trace)))?);
        }
    }
    Ok(Some(best))
}

/// Draw the counterexample of `finding`, and say where it is.
pub fn show(finding: &Finding, screen: &mut Screen) -> Result<(), CliError> {
    if let Some(trace) = &finding.counterexample {
        screen.line(render(trace, &TableOptions::default()))?;
    }
    if let Some(path) = finding.violation.as_ref().and_then(|v| v.trace.as_ref()) {
        screen.line(format_args!(
            "Kept as {}. To see it again, or to run it on a changed model:",
            path.display()
        ))?;
        let path = quoted(path);
        screen.line(format_args!("  {0} show {path}\n  {0} replay {path}", program()))?;
    }
    Ok(())
}

/// The counterexample with the fewest preemptions, then the fewest steps. Those of `states` first:
/// only they are minimal.
fn most_readable(findings: &[Finding]) -> Option<usize> {
    let length = |finding: &Finding| {
        let violation = finding.counterexample.as_ref().and(finding.violation.as_ref())?;
        Some((finding.engine != Engine::States, violation.preemptions, violation.steps))
    };
    let lengths = findings.iter().enumerate().filter_map(|(i, f)| Some((length(f)?, i)));
    lengths.min().map(|(_, index)| index)
}

/// `<scenario>-<kernel>[-without-<RULES>]-<engine>.json`.
fn file_name(trace: &TraceFile) -> String {
    let without = if trace.without.is_empty() {
        String::new()
    } else {
        format!("-without-{}", trace.without.join("-"))
    };
    format!("{}-{}{without}-{}.json", trace.scenario, trace.kernel, trace.engine).to_lowercase()
}

/// How this program was called, near enough to be called again.
fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() { "cargo run --release --" } else { "mmspec" }
}

/// `path` as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:=@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
