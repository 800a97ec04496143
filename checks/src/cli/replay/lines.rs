//! One attempt to reproduce a trace, in words.

use super::told::{Parting, Renamed, SearchedTold, Tried};
use crate::cli::wording;

impl Tried {
    /// Whether nothing is known because it was given up.
    pub fn is_unfinished(&self) -> bool {
        self.searched.as_ref().is_some_and(|searched| searched.unfinished)
    }

    /// In words.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.how()];
        let expected = wording::rule(&self.expected_rule);
        let broken = self.rule.as_ref().zip(self.what.as_ref());
        let broken = broken.map(|(rule, what)| format!("{}: {what}", wording::rule(rule)));
        match broken {
            Some(broken) if self.reproduced && !self.edits.is_empty() => {
                lines.push(format!("Reproduced, though the model has changed: {broken}"));
                lines.extend(self.edits.iter().map(|edit| format!("  {edit}")));
            }
            Some(broken) if self.reproduced => {
                lines.push(format!("Reproduced: {broken}"));
                if self.what.as_ref() != Some(&self.expected_what) {
                    lines.push(format!("  in the trace: {}", self.expected_what));
                }
            }
            Some(broken) => lines.push(format!("Another rule breaks, not {expected}: {broken}")),
            None => lines.extend(self.not_reproduced()),
        }
        let renamed = self.renamed.iter().map(|Renamed { old, new }| format!("  {old}() is {new}() now"));
        lines.extend(renamed);
        lines
    }

    fn how(&self) -> String {
        let engine = self.engine;
        match (&self.weak, &self.searched, self.steps) {
            (Some(_), ..) => format!("On {engine}: the steps of the trace are no interleaving."),
            (_, Some(searched), _) => {
                let SearchedTold { executions, preemptions, .. } = searched;
                let bound = preemptions.map_or("any number of".into(), |k| format!("at most {k}"));
                let plural = if *executions == 1 { "" } else { "s" };
                format!(
                    "By {engine}, which cannot be led and has searched: {executions} execution{plural}, \
                     with {bound} preemptions at last."
                )
            }
            (_, _, steps) => {
                let by = if self.done == "followed the schedule" { "schedule" } else { "events" };
                format!("On {engine}, {} steps by the {by} of the trace.", steps.unwrap_or(0))
            }
        }
    }

    fn not_reproduced(&self) -> Vec<String> {
        let shown = wording::shown(&self.expected_rule);
        if let Some(weak) = &self.weak {
            return vec![format!("Not reproduced: {weak}.")];
        }
        if let Some(searched) = &self.searched {
            let why = if searched.unfinished {
                "the time was over first; --time gives it more"
            } else {
                "no rule is broken in any of them"
            };
            return vec![format!("Not reproduced: {why}.")];
        }
        let steps = self.steps.unwrap_or(0);
        let Some(Parting { step, expected: Some(wanted), place, offered, could_run }) = &self.divergence
        else {
            let more = if self.divergence.is_some() { ", though tasks could go on" } else { "" };
            return vec![format!(
                "Not reproduced: the trace fits to its end{more}, and no rule is broken; it {shown}."
            )];
        };
        let mut lines = vec![format!("Not reproduced: the model no longer fits at step {step} of {steps}.")];
        lines.extend(parting_lines(wanted, place.as_ref(), offered, could_run));
        if !self.edits.is_empty() {
            lines.push("Going on with the steps that the model has instead:".into());
            lines.extend(self.edits.iter().map(|edit| format!("  {edit}")));
        }
        match &self.then {
            Some(Parting { step, expected: Some(wanted), place, offered, could_run })
                if !self.edits.is_empty() =>
            {
                lines.push(format!("it fits up to step {step}."));
                lines.extend(parting_lines(wanted, place.as_ref(), offered, could_run));
            }
            _ if !self.edits.is_empty() => lines.push("it fits to its end.".into()),
            _ => {}
        }
        lines.push(format!("No rule is broken up to there; the trace {shown}."));
        lines
    }
}

fn parting_lines(wanted: &str, place: Option<&String>, offered: &str, could_run: &[String]) -> Vec<String> {
    let place = place.map_or(String::new(), |place| format!("  ({place})"));
    let mut lines = vec![format!("  the trace:  {wanted}{place}"), format!("  the model:  {offered}")];
    lines.extend(could_run.iter().map(|task| format!("  could run:  {task}")));
    lines
}
