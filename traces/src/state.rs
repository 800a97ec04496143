//! What memory holds at each step of a trace, as far as the trace tells: words that nobody touches
//! are not in it.

use crate::file::TraceFile;
use crate::table::words::{is_lock, lvalue};
use mmspec_model::event::{Event, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// Memory between two steps of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// For each word that the trace touches: what it is and holds.
    words: BTreeMap<String, Held>,
    /// Objects that were freed.
    freed: BTreeSet<String>,
}

/// What a word holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Held {
    /// A number.
    Number(u64),
    /// Flag bits, by name.
    Bits(BTreeMap<String, bool>),
    /// A lock.
    Lock(Lock),
}

/// A lock: who holds it, who queues for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lock {
    readers: Vec<String>,
    holder: Option<String>,
    queued: BTreeSet<String>,
}

impl State {
    /// The state before the first step of `trace`, and that after each step.
    pub fn all(trace: &TraceFile) -> Vec<Self> {
        let mut state = Self::default();
        // What is found first is what was there from the start.
        for event in trace.events.iter().rev().filter(|event| has_value(event)) {
            state.initial(event);
        }
        let mut all = vec![state];
        for event in &trace.events {
            let mut next = all.last().expect("not empty").clone();
            next.step(event, trace);
            all.push(next);
        }
        all
    }

    /// Name and content of each word and of each lock, in words; freed objects come last.
    pub fn lines(&self) -> Vec<(String, String)> {
        let words = self.words.iter().map(|(name, held)| (name.clone(), held.text()));
        let freed = self.freed.iter().map(|object| (object.clone(), "freed".into()));
        words.chain(freed).collect()
    }

    /// What is another in `later`: name, content here (empty if not there) and content then.
    pub fn changes(&self, later: &Self) -> Vec<(String, String, String)> {
        let before: BTreeMap<String, String> = self.lines().into_iter().collect();
        let lines = later.lines().into_iter().filter_map(|(name, now)| {
            let was = before.get(&name).cloned().unwrap_or_default();
            (was != now).then_some((name, was, now))
        });
        lines.collect()
    }

    /// The newest value of the word or bit that `event` touches; `None` where values say nothing.
    pub fn newest(&self, event: &Event) -> Option<u64> {
        match self.words.get(&lvalue(event))? {
            Held::Number(value) => Some(*value),
            Held::Bits(_) | Held::Lock(_) => None,
        }
    }

    fn initial(&mut self, event: &Event) {
        if is_bit(event) {
            let new = || Held::Bits(BTreeMap::new());
            if let Held::Bits(bits) = self.words.entry(lvalue(event)).or_insert_with(new) {
                bits.insert(event.arg.clone(), event.before != 0);
            }
        } else if is_lock(&event.step) {
            self.words.insert(lvalue(event), Held::Lock(Lock::default()));
        } else if event.kind != Kind::Waits {
            self.words.insert(lvalue(event), Held::Number(event.before));
        }
    }

    fn step(&mut self, event: &Event, trace: &TraceFile) {
        let task = || trace.tasks.get(event.task).cloned().unwrap_or_else(|| format!("task {}", event.task));
        match event.kind {
            Kind::Free => {
                self.freed.insert(event.object.clone());
            }
            Kind::Waits => {
                if let Some(Held::Lock(lock)) = self.words.get_mut(&lvalue(event)) {
                    lock.queued.insert(task());
                }
            }
            Kind::Write => match self.words.get_mut(&lvalue(event)) {
                Some(Held::Number(value)) => *value = event.after,
                Some(Held::Bits(bits)) => {
                    bits.insert(event.arg.clone(), event.after != 0);
                }
                Some(Held::Lock(lock)) => lock.step(event, task()),
                None => {}
            },
            Kind::Read | Kind::Failed | Kind::Fence | Kind::Ghost => {}
        }
    }
}

impl Held {
    fn text(&self) -> String {
        match self {
            Self::Number(value) if *value >> 32 == 0 || value.cast_signed() < 0 => {
                value.cast_signed().to_string()
            }
            Self::Number(value) => format!("{value:#x}"),
            Self::Bits(bits) => {
                let set: Vec<&str> =
                    bits.iter().filter(|(_, set)| **set).map(|(name, _)| name.as_str()).collect();
                if set.is_empty() { "0".into() } else { set.join(" | ") }
            }
            Self::Lock(lock) => lock.text(),
        }
    }
}

impl Lock {
    /// `task` changes the lock word: the low half tells holders, the high half who queues.
    fn step(&mut self, event: &Event, task: String) {
        let (before, after) = (event.before as u32, event.after as u32);
        if before == after {
            self.queued.insert(task);
            return;
        }
        self.queued.remove(&task);
        if after < before {
            if self.holder.as_ref() == Some(&task) {
                self.holder = None;
            } else if let Some(at) = self.readers.iter().position(|reader| *reader == task) {
                self.readers.remove(at);
            } else {
                // Whoever gives back what another one took: the trace is about that.
                self.holder = None;
            }
        } else if is_shared(&event.step) {
            self.readers.push(task);
        } else {
            self.holder = Some(task);
        }
    }

    fn text(&self) -> String {
        let mut parts = Vec::new();
        if let Some(holder) = &self.holder {
            parts.push(format!("held by {holder}"));
        }
        if !self.readers.is_empty() {
            parts.push(format!("read by {}", self.readers.join(", ")));
        }
        if parts.is_empty() {
            parts.push("free".into());
        }
        if !self.queued.is_empty() {
            let queued: Vec<&str> = self.queued.iter().map(String::as_str).collect();
            parts.push(format!("waited for by {}", queued.join(", ")));
        }
        parts.join("; ")
    }
}

/// Whether it is about a word of the kernel; to wait for one tells nothing of its value.
fn has_value(event: &Event) -> bool {
    matches!(event.kind, Kind::Read | Kind::Write | Kind::Failed | Kind::Waits)
}

fn is_bit(event: &Event) -> bool {
    event.step.ends_with("_bit") && !event.arg.is_empty()
}

/// Whether a step takes a lock that others may have as well.
fn is_shared(step: &str) -> bool {
    step.starts_with("down_read") || step.contains("read_lock") || step.contains("read_trylock")
}
