//! `show`: a trace file as a race table.

use super::Exit;
use super::args::{ShowArgs, TraceFormat};
use super::error::CliError;
use super::screen::Screen;
use mmspec_traces::{TableOptions, TraceFile, render};

/// Draw the trace of `args`.
pub fn run(args: &ShowArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let trace = TraceFile::read(&args.trace)?;
    match args.format {
        TraceFormat::Table => {
            screen.line(render(&trace, &TableOptions { width: args.width.into() }).trim_end())?;
        }
        TraceFormat::Json => screen.json(&trace)?,
    }
    Ok(Exit::AsExpected)
}
