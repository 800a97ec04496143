//! `replay`: whether a trace still says something about the model.

use super::Exit;
use super::args::{Format, ReplayArgs};
use super::error::CliError;
use super::screen::Screen;
use mmspec::counterexample::replay;
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::engine::explore::Followed;
use mmspec::engine::explore::search::named::Divergence;
use mmspec_traces::{Step, TraceFile};
use serde::Serialize;

/// What `replay --format json` writes.
#[derive(Serialize)]
struct Replayed {
    /// Whether the rule of the trace breaks again.
    reproduced: bool,
    /// Rule that the trace breaks.
    expected_rule: String,
    /// Rule that breaks now, if any.
    rule: Option<String>,
    /// How it breaks.
    what: Option<String>,
    /// Steps of the schedule.
    steps: usize,
    /// First step that no longer fits.
    divergence: Option<Parting>,
}

/// Where the schedule and the model part.
#[derive(Serialize)]
struct Parting {
    /// Position in the schedule, from 1.
    step: usize,
    /// What the schedule asks for; `null` past its end.
    expected: Option<String>,
    /// What the model offers instead.
    offered: String,
}

/// Follow the trace of `args`.
pub fn run(args: &ReplayArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    refuse_foreign_settings()?;
    let trace = TraceFile::read(&args.trace)?;
    let followed = replay(&trace).map_err(|source| CliError::Replay { path: args.trace.clone(), source })?;
    let replayed = Replayed::new(&trace, followed);
    match args.format {
        Format::Json => screen.json(&replayed)?,
        Format::Text => replayed.lines(&trace).into_iter().try_for_each(|line| screen.line(line))?,
    }
    Ok(if replayed.reproduced { Exit::AsExpected } else { Exit::Unexpected })
}

impl Replayed {
    fn new(trace: &TraceFile, followed: Followed) -> Self {
        let (rule, what) = followed.fault.unzip();
        Self {
            reproduced: rule.as_ref() == Some(&trace.rule),
            expected_rule: trace.rule.clone(),
            rule,
            what,
            steps: trace.schedule.len(),
            divergence: followed.divergence.map(|divergence| Parting::new(trace, divergence)),
        }
    }

    fn lines(&self, trace: &TraceFile) -> Vec<String> {
        let (steps, expected) = (self.steps, &self.expected_rule);
        let name = |rule: &str| {
            let numbered = rule.starts_with(|c: char| c.is_ascii_uppercase());
            if numbered { format!("rule {rule}") } else { rule.to_string() }
        };
        let without = if trace.without.is_empty() {
            String::new()
        } else {
            format!(" without {}", trace.without.join(", "))
        };
        let mut lines = vec![format!("{} on {}{without}, {steps} steps", trace.scenario, trace.kernel)];
        match (&self.rule, &self.what, &self.divergence) {
            (Some(rule), Some(what), _) if self.reproduced => {
                lines.push(format!("Reproduced: {}: {what}", name(rule)));
            }
            (Some(rule), Some(what), _) => {
                lines.push(format!("Another rule breaks, not {}: {}: {what}", name(expected), name(rule)));
            }
            (_, _, Some(Parting { step, expected: Some(wanted), offered })) => {
                lines.push(format!("Not reproduced: the model no longer fits at step {step} of {steps}."));
                lines.push(format!("  the trace:  {wanted}"));
                lines.push(format!("  the model:  {offered}"));
                lines.push(format!("No rule is broken up to there; the trace breaks {}.", name(expected)));
            }
            (_, _, parting) => {
                let more = if parting.is_some() { ", though threads could go on" } else { "" };
                lines.push(format!(
                    "Not reproduced: the schedule fits to its end{more}, and no rule is broken; the trace breaks {}.",
                    name(expected)
                ));
            }
        }
        lines.into_iter().map(|line| printable(&line)).collect()
    }
}

impl Parting {
    fn new(trace: &TraceFile, divergence: Divergence) -> Self {
        let asked = trace.schedule.get(divergence.at);
        let task = |step: &Step| trace.tasks.get(step.task).cloned().unwrap_or_default();
        let expected = asked.map(|step| {
            let function =
                if step.function.is_empty() { String::new() } else { format!(" in {}()", step.function) };
            format!("{}: {}({}){function}", task(step), step.step, step.word)
        });
        let who = asked.map(task).unwrap_or_default();
        let offered = match divergence.offered {
            None if asked.is_none() => "the threads that could go on".into(),
            None => "there is no such thread".into(),
            Some(offer) if offer.step.is_empty() => format!("{who} has ended"),
            Some(offer) if divergence.enabled => format!("{who}: {}({})", offer.step, offer.word),
            Some(offer) => format!("{who} waits in {}({}), which cannot run here", offer.step, offer.word),
        };
        Self { step: divergence.at + 1, expected, offered }
    }
}

/// `line` without what would steer a terminal: a trace file may come from anybody.
fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
