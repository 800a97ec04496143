//! Where each task stands at each step of a trace, found by running the trace on the model.

use crate::cli::wording;
use mmspec::counterexample::{Attempt, attempt, engines};
use mmspec::engine::explore::follow::Followed;
use mmspec_model::event::Event;
use mmspec_traces::TraceFile;
use serde::Serialize;
use std::time::Duration;

/// Where a task stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub task: String,
    /// Step that it stands before; `null` once it has ended.
    pub before: Option<String>,
    /// Whether that could run now.
    pub can_run: bool,
    /// Whether it is the one that runs next in the trace.
    pub runs_next: bool,
}

/// What running a trace on the model tells about it.
pub struct Standings {
    followed: Option<Followed>,
    /// Events from the start in which the model and the trace are at one.
    known: usize,
}

impl Standings {
    /// Run `trace`; the second is why nothing or not all is known.
    pub fn of(trace: &TraceFile) -> (Self, Option<String>) {
        let unknown = |why: String| (Self { followed: None, known: 0 }, Some(why));
        let engines = match engines(trace) {
            Ok(engines) => engines,
            Err(error) => return unknown(format!("What tasks could do is not known: {error}")),
        };
        let mut why = String::new();
        // Loom is the last resort of a replay, but it cannot be led.
        for engine in engines.into_iter().filter(|engine| engine.name() != "loom") {
            match attempt(trace, engine, Duration::ZERO) {
                Ok(Attempt::Followed { followed, .. }) => {
                    let known = common(&trace.events, &followed.events);
                    let part = known < trace.events.len();
                    let step = known + 1;
                    let why = format!(
                        "From step {step} on the model does something else: what tasks could do is not known there"
                    );
                    return (Self { followed: Some(*followed), known }, part.then_some(why));
                }
                Ok(_) => {
                    why = format!("What tasks could do is not known: {} cannot follow it", engine.name());
                }
                Err(error) => why = format!("What tasks could do is not known: {error}"),
            }
        }
        unknown(why)
    }

    /// Where the tasks stand after `events` events; `None` if that is not known.
    pub fn after(&self, events: usize) -> Option<Vec<Standing>> {
        let followed = self.followed.as_ref().filter(|_| events <= self.known)?;
        let taken = followed.starts.iter().take_while(|start| **start < events).count();
        let stands = followed.stands.get(taken)?;
        let next = followed.decisions.get(taken).map(|decision| decision.thread);
        let standings =
            stands.iter().zip(&followed.tasks).enumerate().map(|(thread, (stand, task))| Standing {
                task: task.clone(),
                before: (!stand.offer.step.is_empty()).then(|| wording::offer(&stand.offer)),
                can_run: stand.can_run,
                runs_next: next == Some(thread),
            });
        Some(standings.collect())
    }
}

/// How many events from the start are the same step of the same task.
fn common(old: &[Event], new: &[Event]) -> usize {
    let key = |event: &Event| {
        let Event { task, step, arg, object, word, before, after, kind, .. } = event.clone();
        (task, step, arg, object, word, before, after, kind)
    };
    old.iter().zip(new).take_while(|(old, new)| key(old) == key(new)).count()
}
