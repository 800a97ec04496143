//! `step`: a walk through a trace.

mod commands;
mod position;
mod standing;

use super::Exit;
use super::args::{Format, StepArgs};
use super::error::CliError;
use super::screen::Screen;
use super::wording;
use commands::{Command, HELP};
use mmspec_traces::{TraceFile, printable};
use position::Walk;
use serde::Serialize;
use std::io::{self, BufRead, IsTerminal, Write};

/// What `step --format json` writes.
#[derive(Serialize)]
struct Document {
    kernel: String,
    without: Vec<String>,
    scenario: String,
    rule: String,
    what: String,
    tasks: Vec<String>,
    /// Where the model does not do what the trace has, so that what tasks could do is not known.
    unknown: Option<String>,
    /// The state before the first step, then that after each step.
    positions: Vec<position::Position>,
}

/// Walk through the trace of `args`.
pub fn run(args: &StepArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let trace = TraceFile::read(&args.trace)?;
    let walk = Walk::new(&trace);
    if args.format == Format::Json {
        screen.json(&document(&walk))?;
        return Ok(Exit::AsExpected);
    }
    interact(&walk, screen)?;
    Ok(Exit::AsExpected)
}

fn document(walk: &Walk) -> Document {
    let trace = walk.trace;
    Document {
        kernel: trace.kernel.clone(),
        without: trace.without.clone(),
        scenario: trace.scenario.clone(),
        rule: trace.rule.clone(),
        what: trace.what.clone(),
        tasks: trace.tasks.clone(),
        unknown: walk.unknown.clone(),
        positions: (0..=walk.steps()).map(|at| walk.position(at)).collect(),
    }
}

fn interact(walk: &Walk, screen: &mut Screen) -> Result<(), CliError> {
    let say =
        |screen: &mut Screen, lines: &[String]| lines.iter().try_for_each(|l| screen.line(printable(l)));
    say(
        screen,
        &[
            format!("{}, {} steps", wording::subject(walk.trace), walk.steps()),
            format!("  VIOLATED {}: {}", walk.trace.rule, walk.trace.what),
        ],
    )?;
    say(screen, &walk.unknown.iter().map(|why| format!("  {why}")).collect::<Vec<_>>())?;
    say(screen, &["h lists the commands".into(), String::new()])?;
    let mut at = 0;
    say(screen, &walk.position(at).lines())?;
    let mut last = Command::Next(1);
    let mut input = io::stdin().lock();
    let asks = io::stdin().is_terminal();
    loop {
        if asks {
            print!("({at} of {}) ", walk.steps());
            io::stdout().flush().map_err(CliError::Output)?;
        }
        let Some(line) = read(&mut input)? else { return Ok(()) };
        let command = match Command::parse(&line, &last) {
            Ok(command) => command,
            Err(why) => {
                say(screen, &[why])?;
                continue;
            }
        };
        let to = match &command {
            Command::Quit => return Ok(()),
            Command::Help => {
                say(screen, &HELP.lines().map(String::from).collect::<Vec<_>>())?;
                continue;
            }
            Command::List => {
                say(screen, &walk.list(at))?;
                continue;
            }
            Command::Next(n) => Ok(at.saturating_add(*n).min(walk.steps())),
            Command::Previous(n) => Ok(at.saturating_sub(*n)),
            Command::Go(n) if *n > walk.steps() => Err(format!("there are {} steps", walk.steps())),
            Command::Go(n) => Ok(*n),
            Command::Switch => Ok(walk.next_switch(at)),
            Command::Find(text) => {
                walk.find(at, text).ok_or_else(|| format!("no later step has \"{text}\" in it"))
            }
        };
        last = command;
        match to {
            Ok(to) if to == at && at == walk.steps() => say(screen, &["this is the end".into()])?,
            Ok(to) => {
                at = to;
                say(screen, &walk.position(at).lines())?;
            }
            Err(why) => say(screen, &[why])?,
        }
        if screen.is_gone() {
            return Ok(());
        }
    }
}

/// The next line of `input`; `None` at its end. What is not UTF-8 is no command.
fn read(input: &mut impl BufRead) -> Result<Option<String>, CliError> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    let size = read.map_err(|source| CliError::Io { path: "standard input".into(), done: "read", source })?;
    Ok((size > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
