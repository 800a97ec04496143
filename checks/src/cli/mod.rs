//! The command line: what was asked for, who answers, and what the exit code says.

mod adhoc;
mod args;
mod bugs;
mod diff;
mod document;
mod drift;
mod error;
mod evidence;
mod expected;
mod explain;
mod finding;
mod gate;
mod jobs;
mod list;
mod matrix;
mod names;
mod pin;
mod pin_matrix;
mod replay;
mod report;
mod rules;
mod screen;
mod show;
mod simulate;
mod step;
mod wording;

use args::{Args, Command};
use clap::Parser;
use error::CliError;
use screen::Screen;
use std::process::ExitCode;

/// How a command ended that could do what it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// All as expected.
    AsExpected,
    /// A rule is broken, or something else was found than expected.
    Unexpected,
    /// Nothing is known: a limit was reached, or the scenario shows nothing.
    Inconclusive,
}

/// Exit code of a command that could not do what it was asked to; clap uses it for usage errors.
const CANNOT: u8 = 2;

impl Exit {
    fn code(self) -> u8 {
        match self {
            Self::AsExpected => 0,
            Self::Unexpected => 1,
            Self::Inconclusive => 3,
        }
    }
}

/// Parse the command line, do it, and say how it went.
pub fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args.command) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(CANNOT)
        }
    }
}

fn run(command: &Command) -> Result<Exit, CliError> {
    let mut screen = Screen::default();
    match command {
        Command::Check(args) if args.is_gate() => gate::run(args, &mut screen),
        Command::Check(args) if args.is_matrix() => matrix::run(args, &mut screen),
        Command::Check(args) => adhoc::run(args, &mut screen),
        Command::List(args) => list::run(args, &mut screen),
        Command::Bugs(args) => bugs::run(args, &mut screen),
        Command::Rules(args) => rules::run(args, &mut screen),
        Command::Explain(args) => explain::run(args, &mut screen),
        Command::Diff(args) => diff::run(args, &mut screen),
        Command::Drift(args) => drift::run(args, &mut screen),
        Command::Show(args) => show::run(args, &mut screen),
        Command::Replay(args) => replay::run(args, &mut screen),
        Command::Step(args) => step::run(args, &mut screen),
        Command::Simulate(args) => simulate::run(args, &mut screen),
        Command::Pin(args) => pin::run(args, &mut screen),
    }
}
