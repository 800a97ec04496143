//! `show`: a trace file as a race table, a piece of a changelog, a page, or input of a trace viewer.

use super::Exit;
use super::args::{ShowArgs, TraceFormat};
use super::error::CliError;
use super::screen::Screen;
use mmspec::matrix::{Expected, committed};
use mmspec_model::variant::{Kernel, Rule};
use mmspec_traces::{About, PageOptions, TableOptions, TraceFile, changelog, ftrace, page, perfetto, render};

/// Draw the trace of `args`.
pub fn run(args: &ShowArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    refuse_useless(args)?;
    let trace = TraceFile::read(&args.trace)?;
    let width = args.width.map_or(TableOptions::default().width, usize::from);
    let options = TableOptions { width, full: args.full };
    match args.format {
        TraceFormat::Table => screen.line(render(&trace, &options).trim_end())?,
        TraceFormat::Changelog => screen.line(changelog(&trace, &about(&trace), &options).trim_end())?,
        TraceFormat::Html => {
            let options = PageOptions { source: args.source.clone() };
            screen.line(page(&trace, &options))?;
        }
        TraceFormat::Perfetto => screen.json(&perfetto(&trace))?,
        TraceFormat::Ftrace => screen.line(ftrace(&trace).trim_end())?,
        TraceFormat::Json => screen.json(&trace)?,
    }
    Ok(Exit::AsExpected)
}

/// An option that would do nothing is a mistake.
fn refuse_useless(args: &ShowArgs) -> Result<(), CliError> {
    let table = matches!(args.format, TraceFormat::Table | TraceFormat::Changelog);
    let html = args.format == TraceFormat::Html;
    let useless = [
        ("--width", "table or changelog", args.width.is_some() && !table),
        ("--full", "table or changelog", args.full && !table),
        ("--source", "html", args.source.is_some() && !html),
    ];
    match useless.into_iter().find(|&(_, _, useless)| useless) {
        Some((option, meant_for, _)) => Err(CliError::UselessForFormat { option, meant_for }),
        None => Ok(()),
    }
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
