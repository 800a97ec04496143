//! `show`: a trace file as a race table, or as a piece of a changelog.

use super::Exit;
use super::args::{ShowArgs, TraceFormat};
use super::error::CliError;
use super::screen::Screen;
use mmspec::matrix::{Expected, committed};
use mmspec_model::variant::{Kernel, Rule};
use mmspec_traces::{About, TableOptions, TraceFile, changelog, render};

/// Draw the trace of `args`.
pub fn run(args: &ShowArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let trace = TraceFile::read(&args.trace)?;
    let options = TableOptions { width: args.width.into(), full: args.full };
    match args.format {
        TraceFormat::Table => screen.line(render(&trace, &options).trim_end())?,
        TraceFormat::Changelog => screen.line(changelog(&trace, &about(&trace), &options).trim_end())?,
        TraceFormat::Json => screen.json(&trace)?,
    }
    Ok(Exit::AsExpected)
}

/// What this version knows of the rule and the kernel of `trace`.
fn about(trace: &TraceFile) -> About {
    // A mutant is told by the rule that was taken away, which says what must be done.
    let broken = trace.without.first().unwrap_or(&trace.rule);
    let rule = Rule::parse(broken).map(|rule| rule.info().statement.to_string());
    About { rule, fixes: if trace.without.is_empty() { fixes(trace) } else { Vec::new() } }
}

/// The commit that made the kernel what it is, if the nearest kernel on which the scenario holds
/// differs in one choice only.
fn fixes(trace: &TraceFile) -> Vec<String> {
    let Some(kernel) = Kernel::named(&trace.kernel) else { return Vec::new() };
    let cells = committed();
    let holds = cells.iter().filter(|cell| {
        cell.scenario.name == trace.scenario && matches!(cell.expected, Expected::Complete { .. })
    });
    let nearest = holds.map(|cell| kernel.differences(&cell.kernel)).min_by_key(Vec::len);
    let Some([(chosen, _)]) = nearest.as_deref() else { return Vec::new() };
    let is_commit = |word: &&str| word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit());
    let source = chosen.choice.source.split(|c: char| !c.is_alphanumeric());
    source.filter(is_commit).map(String::from).collect()
}
