//! One position of a walk: the step just taken, memory, and the tasks.

use super::standing::{Standing, Standings};
use crate::cli::wording;
use mmspec_model::event::Kind;
use mmspec_traces::{State, TraceFile};
use serde::Serialize;
use std::collections::BTreeMap;

/// Steps before and after the present one that a list shows.
const AROUND: usize = 6;

/// A trace with its states.
pub struct Walk<'a> {
    /// The trace.
    pub trace: &'a TraceFile,
    /// Why it is not known, or not to the end, what tasks could do.
    pub unknown: Option<String>,
    states: Vec<State>,
    standings: Standings,
}

/// Where a walk is.
#[derive(Serialize)]
pub struct Position {
    /// Steps taken.
    number: usize,
    /// Steps in all.
    #[serde(skip)]
    of: usize,
    /// The step just taken; `null` at the start.
    step: Option<Taken>,
    /// Words that it changed.
    changed: Vec<Change>,
    /// What memory holds, as far as the trace touches it.
    state: BTreeMap<String, String>,
    /// Where each task stands; `null` if that is not known.
    tasks: Option<Vec<Standing>>,
    /// At the end: what is wrong.
    #[serde(skip)]
    verdict: Option<String>,
}

/// The step just taken.
#[derive(Serialize)]
struct Taken {
    task: String,
    /// Task that was interrupted although it could have run on.
    preempts: Option<String>,
    stack: Vec<String>,
    /// The call, with its values.
    call: String,
    kind: Kind,
    /// Place in the model.
    file: String,
    line: u32,
    /// It found an old value: the newest one.
    newest: Option<String>,
}

/// A word that has changed.
#[derive(Serialize)]
struct Change {
    word: String,
    before: String,
    after: String,
}

impl<'a> Walk<'a> {
    /// A walk through `trace`.
    pub fn new(trace: &'a TraceFile) -> Self {
        let (standings, unknown) = Standings::of(trace);
        Self { trace, unknown, states: State::all(trace), standings }
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.trace.events.len()
    }

    fn task(&self, index: usize) -> String {
        self.trace.tasks.get(index).cloned().unwrap_or_else(|| format!("task {index}"))
    }

    /// After `at` steps.
    pub fn position(&self, at: usize) -> Position {
        let changed = at.checked_sub(1).map(|before| self.states[before].changes(&self.states[at]));
        let changed = changed.into_iter().flatten();
        Position {
            number: at,
            of: self.steps(),
            step: at.checked_sub(1).map(|index| self.taken(index)),
            changed: changed.map(|(word, before, after)| Change { word, before, after }).collect(),
            state: self.states[at].lines().into_iter().collect(),
            tasks: self.standings.after(at),
            verdict: (at == self.steps())
                .then(|| format!("*** {}: {}", wording::rule(&self.trace.rule), self.trace.what)),
        }
    }

    fn taken(&self, index: usize) -> Taken {
        let event = &self.trace.events[index];
        let newest = self.states[index]
            .newest(event)
            .filter(|newest| event.kind == Kind::Read && *newest != event.before);
        Taken {
            task: self.task(event.task),
            preempts: self.preempted(index),
            stack: event.stack.clone(),
            call: self.call(index),
            kind: event.kind,
            file: event.site.file.clone(),
            line: event.site.line,
            newest: newest.map(wording::value),
        }
    }

    /// The task that step `index` interrupts.
    fn preempted(&self, index: usize) -> Option<String> {
        let last = self.ran_before(index)?;
        let standing = self.standings.after(index)?.into_iter().nth(last)?;
        (self.switches(index) && standing.can_run).then(|| self.task(last))
    }

    /// Task of the last step before step `index`; to arrive at a step that has to wait is none.
    fn ran_before(&self, index: usize) -> Option<usize> {
        let mut before = self.trace.events[..index].iter().rev();
        before.find(|event| event.kind != Kind::Waits).map(|event| event.task)
    }

    /// Whether step `index` is of another task than the one before.
    fn switches(&self, index: usize) -> bool {
        let event = &self.trace.events[index];
        event.kind != Kind::Waits && self.ran_before(index) != Some(event.task)
    }

    /// The first position after `at` whose step is of another task than the one before.
    pub fn next_switch(&self, at: usize) -> usize {
        let steps = self.steps();
        (at..steps).find(|index| self.switches(*index)).map_or(steps, |index| index + 1)
    }

    /// The first position after `at` whose step has `text` in it.
    pub fn find(&self, at: usize, text: &str) -> Option<usize> {
        let has = |index: &usize| {
            let event = &self.trace.events[*index];
            let stack = event.stack.iter().any(|function| function.contains(text));
            stack || self.task(event.task).contains(text) || self.call(*index).contains(text)
        };
        (at..self.steps()).find(has).map(|index| index + 1)
    }

    /// The steps around position `at`.
    pub fn list(&self, at: usize) -> Vec<String> {
        let from = at.saturating_sub(AROUND);
        let to = (at + AROUND).min(self.steps());
        let line = |index: usize| {
            let event = &self.trace.events[index];
            let mark = if index + 1 == at { '>' } else { ' ' };
            format!("{mark} {:>4}  {}: {}", index + 1, self.task(event.task), self.call(index))
        };
        (from..to).map(line).collect()
    }

    /// The call that step `index` is, with its values.
    fn call(&self, index: usize) -> String {
        let event = &self.trace.events[index];
        let call = wording::call(&event.step, &event.arg, &wording::word(event));
        // Who holds a lock says the state; a bit is set or not, whatever its number.
        let is_number = self.states[index].newest(event).is_some();
        let is_bit = event.step.ends_with("_bit");
        let value =
            |value: u64| if is_bit { u8::from(value != 0).to_string() } else { wording::value(value) };
        let (before, after) = (value(event.before), value(event.after));
        match event.kind {
            Kind::Waits => format!("{call}  has to wait"),
            Kind::Ghost => format!("{call}  (of the specification)"),
            Kind::Failed if is_number || is_bit => format!("{call}  {before}, fails"),
            Kind::Failed => format!("{call}  fails"),
            Kind::Read if is_number || is_bit => format!("{call}  {before}"),
            Kind::Write if is_number || is_bit => format!("{call}  {before} -> {after}"),
            Kind::Free | Kind::Fence | Kind::Read | Kind::Write => call,
        }
    }
}

impl Position {
    /// As it is shown.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match &self.step {
            None => lines.push(format!("step 0 of {}: the start", self.of)),
            Some(taken) => {
                let preempts = taken.preempts.as_ref().map_or(String::new(), |t| format!(", interrupts {t}"));
                lines.push(format!("step {} of {}: {}{preempts}", self.number, self.of, taken.task));
                let stack: Vec<String> = taken.stack.iter().map(|f| format!("{f}()")).collect();
                if !stack.is_empty() {
                    lines.push(format!("  {}", stack.join(" ")));
                }
                lines.push(format!("  {}  [{}:{}]", taken.call, taken.file, taken.line));
                let old = taken.newest.iter();
                lines.extend(old.map(|newest| format!("  an old value: the newest is {newest}")));
            }
        }
        lines.push("memory".into());
        let width = self.state.keys().map(|word| word.chars().count()).max().unwrap_or(0);
        lines.extend(self.state.iter().map(|(word, value)| {
            let changed = self.changed.iter().find(|change| change.word == *word);
            let mark = if changed.is_some() { '*' } else { ' ' };
            let was = changed.filter(|c| !c.before.is_empty());
            let was = was.map_or(String::new(), |change| format!("  (was {})", change.before));
            format!("{mark} {word:width$}  {value}{was}")
        }));
        lines.extend(self.tasks.iter().flat_map(|tasks| task_lines(tasks)));
        lines.extend(self.verdict.clone());
        lines.push(String::new());
        lines
    }
}

fn task_lines(tasks: &[Standing]) -> Vec<String> {
    let width = tasks.iter().map(|standing| standing.task.chars().count()).max().unwrap_or(0);
    let line = |standing: &Standing| {
        let (mark, before) = match (&standing.before, standing.can_run) {
            (None, _) => ("", "has ended".into()),
            (Some(step), true) if standing.runs_next => ("next", step.clone()),
            (Some(step), true) => ("could run", step.clone()),
            (Some(step), false) => ("waits", step.clone()),
        };
        format!("  {:width$}  {mark:9}  {before}", standing.task)
    };
    std::iter::once("tasks".into()).chain(tasks.iter().map(line)).collect()
}
