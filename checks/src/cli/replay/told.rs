//! One attempt to reproduce a trace, as data.

use super::{Attempt, Engine};
use crate::cli::wording;
use mmspec::counterexample::{By, Searched, Weak};
use mmspec::engine::explore::follow::Followed;
use mmspec::engine::explore::search::named::{Divergence, Edit, Obstacle, Stand};
use mmspec_traces::TraceFile;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// One attempt.
#[derive(Serialize)]
pub struct Tried {
    /// Who.
    pub engine: &'static str,
    /// What was done: `followed the schedule`, `followed the events`, `searched`.
    pub done: &'static str,
    /// Steps that were to be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// Whether the rule of the trace breaks again.
    pub reproduced: bool,
    /// Rule that breaks now, if any.
    pub rule: Option<String>,
    /// How it breaks.
    pub what: Option<String>,
    /// First step that does not fit.
    pub divergence: Option<Parting>,
    /// Steps that the model has more or less than the trace, and that were put up with.
    pub edits: Vec<String>,
    /// Where the two part for good after that.
    pub then: Option<Parting>,
    /// Functions of other names than in the trace.
    pub renamed: Vec<Renamed>,
    /// Why the steps are no interleaving, where one is needed.
    pub weak: Option<String>,
    /// What was searched.
    pub searched: Option<SearchedTold>,
    /// Rule that the trace breaks.
    #[serde(skip)]
    pub expected_rule: String,
    /// How it does.
    #[serde(skip)]
    pub expected_what: String,
}

/// Where the schedule and the model part.
#[derive(Serialize)]
pub struct Parting {
    /// Position in the schedule, from 1.
    pub step: usize,
    /// What is asked for; `null` past the end.
    pub expected: Option<String>,
    /// Where that stands: file and line.
    pub place: Option<String>,
    /// What the model offers instead.
    pub offered: String,
    /// What the other tasks could have done.
    pub could_run: Vec<String>,
}

/// A function that has another name now.
#[derive(Serialize)]
pub struct Renamed {
    /// Name in the trace.
    pub old: String,
    /// Name now.
    pub new: String,
}

/// A search by loom.
#[derive(Serialize)]
pub struct SearchedTold {
    /// Most preemptions of the last search; `null` without bound.
    pub preemptions: Option<u32>,
    /// Executions of all searches.
    pub executions: u64,
    /// Whether the last search was given up.
    pub unfinished: bool,
}

/// What came of `attempt`, at the trace in `path`, on `engine`.
pub fn tried(path: &Path, trace: &TraceFile, engine: Engine, attempt: &Attempt) -> Tried {
    let mut tried = Tried {
        engine: engine.name(),
        done: "followed the events",
        steps: None,
        reproduced: false,
        rule: None,
        what: None,
        divergence: None,
        edits: Vec::new(),
        then: None,
        renamed: Vec::new(),
        weak: None,
        searched: None,
        expected_rule: trace.rule.clone(),
        expected_what: trace.what.clone(),
    };
    let fault = match attempt {
        Attempt::Followed { followed, by, places, first } => {
            tried.steps = Some(places.len());
            let list = if *by == By::Schedule { "schedule" } else { "events" };
            if *by == By::Schedule {
                tried.done = "followed the schedule";
            }
            let told = Told { path, trace, list, places, followed };
            let parting = followed.divergence.as_ref().map(|d| told.parting(d, followed.stands.last()));
            if let Some(first) = first {
                tried.divergence = Some(told.parting(first, followed.stands.get(first.at)));
                tried.then = parting;
            } else {
                tried.divergence = parting;
            }
            tried.edits = followed.edits.iter().map(|edit| told.edit(edit)).collect();
            if *by == By::Schedule {
                tried.renamed = told.renamed();
            }
            &followed.fault
        }
        Attempt::Weak(weak) => {
            tried.weak = Some(why_weak(path, trace, weak));
            &None
        }
        Attempt::Searched(Searched { fault, preemptions, executions, unfinished }) => {
            tried.done = "searched";
            let (preemptions, executions, unfinished) = (*preemptions, *executions, *unfinished);
            tried.searched = Some(SearchedTold { preemptions, executions, unfinished });
            fault
        }
    };
    (tried.rule, tried.what) = fault.clone().unzip();
    tried.reproduced = tried.rule.as_ref() == Some(&trace.rule);
    tried
}

/// `trace.json:12`, of an entry of a list of the trace.
fn place(path: &Path, list: &str, index: usize) -> Option<String> {
    TraceFile::position(path, list, Some(index)).map(|(line, _)| format!("{}:{line}", path.display()))
}

fn why_weak(path: &Path, trace: &TraceFile, weak: &Weak) -> String {
    let Weak::OldValue { event, newest } = weak else {
        return "whether its steps are an interleaving is not known: there are too many orders".into();
    };
    let Some(step) = trace.events.get(*event) else { return String::new() };
    let task = trace.tasks.get(step.task).map_or("", String::as_str);
    let call = wording::call(&step.step, &step.arg, &wording::word(step));
    let (found, newest) = (wording::value(step.before), wording::value(*newest));
    let place = place(path, "events", *event).map_or(String::new(), |place| format!(" ({place})"));
    format!("{task}: {call} finds {found} where the newest value is {newest}{place}")
}

/// What the telling needs.
struct Told<'a> {
    path: &'a Path,
    trace: &'a TraceFile,
    list: &'static str,
    places: &'a [usize],
    followed: &'a Followed,
}

impl Told<'_> {
    fn task(&self, thread: usize) -> String {
        self.trace.tasks.get(thread).cloned().unwrap_or_else(|| format!("task {thread}"))
    }

    /// `divergence`, where the tasks stand as in `stands`.
    fn parting(&self, divergence: &Divergence, stands: Option<&Vec<Stand>>) -> Parting {
        let Divergence { at, expected, offered, enabled, obstacle, values } = divergence;
        let asked = expected.as_ref();
        let who = asked.map(|decision| self.task(decision.thread)).unwrap_or_default();
        let finds = |value| format!(" and finds {}", wording::value(value));
        let wanted = values.map_or(String::new(), |(wanted, _)| finds(wanted));
        let offered = match (offered, values) {
            (_, Some((_, found))) => format!("{who}: the same step finds {}", wording::value(*found)),
            (None, _) if asked.is_none() => "the tasks that could go on".into(),
            (None, _) => "there is no such task".into(),
            (Some(offer), _) if offer.step.is_empty() => format!("{who} has ended"),
            (Some(offer), _) if *enabled => format!("{who}: {}", wording::offer(offer)),
            (Some(offer), _) => {
                format!(
                    "{who}: {}, which cannot run{}",
                    wording::offer(offer),
                    self.because(&offer.word, *obstacle)
                )
            }
        };
        let known = divergence.at < self.places.len();
        Parting {
            step: at + 1,
            expected: asked.map(|decision| format!("{who}: {}{wanted}", wording::decision(decision))),
            place: known.then(|| place(self.path, self.list, self.places[*at])).flatten(),
            offered,
            could_run: self.could_run(divergence, stands.map_or(&[], Vec::as_slice)),
        }
    }

    fn because(&self, word: &str, obstacle: Option<Obstacle>) -> String {
        let Some(Obstacle { value, taker }) = obstacle else { return String::new() };
        let taker = taker.map_or(String::new(), |t| format!(", last taken by {}", self.task(t)));
        format!(": {word} is {}{taker}", wording::value(value))
    }

    /// Steps of other tasks that could run where the two part.
    fn could_run(&self, divergence: &Divergence, stands: &[Stand]) -> Vec<String> {
        let asked = divergence.expected.as_ref().map(|decision| decision.thread);
        let others = stands.iter().enumerate().filter(|(t, stand)| Some(*t) != asked && stand.can_run);
        others.map(|(t, stand)| format!("{}: {}", self.task(t), wording::offer(&stand.offer))).collect()
    }

    fn edit(&self, edit: &Edit) -> String {
        match edit {
            Edit::New { at, thread, offer } => {
                format!("before step {}, new:  {}: {}", at + 1, self.task(*thread), wording::offer(offer))
            }
            Edit::Gone { at } => {
                let step = &self.trace.schedule[self.places[*at]];
                let call = wording::call(&step.step, &step.arg, &step.word);
                format!("step {}, gone:  {}: {call}", at + 1, self.task(step.task))
            }
        }
    }

    fn renamed(&self) -> Vec<Renamed> {
        let both = self.followed.decisions.iter().zip(&self.followed.positions);
        let both = both.filter_map(|(new, position)| Some((&self.trace.schedule[(*position)?], new)));
        let differ = both.filter(|(old, new)| old.function != new.function);
        let names: BTreeSet<_> =
            differ.map(|(old, new)| (old.function.clone(), new.function.clone())).collect();
        names.into_iter().map(|(old, new)| Renamed { old, new }).collect()
    }
}
