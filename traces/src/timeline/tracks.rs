//! Values over time: counters, flags, queues.

use super::order::lock_step;
use super::{Moment, is_kernels, value};
use crate::file::TraceFile;
use crate::table::words::{Lexicon, lvalue};
use mmspec_model::event::{Event, Kind};
use std::collections::{HashMap, HashSet};

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Counter,
    /// A bit, or a word that is only ever 0 or 1.
    Flag,
    /// A wait queue.
    Queue,
    /// A linked list.
    List,
    /// A lock word; its holds say more.
    Lock,
}

/// A value that a step finds or leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The step.
    pub step: usize,
    /// The word from then on.
    pub value: u64,
    /// In words.
    pub text: String,
}

/// A word over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Object that it belongs to, or empty.
    pub object: String,
    /// The word as in C, or the name of the bit, with its object where several have one.
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// Value when it is first seen.
    pub initial: u64,
    /// The same in words.
    pub initial_text: String,
    /// Changes in order.
    pub changes: Vec<Change>,
    /// Steps that look at it and change nothing.
    pub reads: Vec<usize>,
    /// Step by which its object is freed.
    pub freed: Option<usize>,
    /// Tasks that touch it.
    pub tasks: usize,
}

impl Track {
    /// The largest value that it has, as the kernel counts; at least 0.
    pub fn most(&self) -> i64 {
        let changed = self.changes.iter().map(|c| c.value);
        changed.chain([self.initial]).map(u64::cast_signed).fold(0, i64::max)
    }
}

/// A track while it grows.
struct Draft {
    object: String,
    name: String,
    shape: Shape,
    /// Whether a step counts with it.
    counted: bool,
    initial: u64,
    values: Vec<(usize, u64)>,
    reads: Vec<usize>,
    freed: Option<usize>,
    tasks: HashSet<usize>,
}

/// Tracks of all words that `file` touches, in the order of their first use; those of one object stand
/// together, and an mm comes first.
pub fn tracks(file: &TraceFile, steps: &[Moment], lexicon: &Lexicon) -> Vec<Track> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut index: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut of_object: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, step) in steps.iter().enumerate() {
        let e = &file.events[step.event];
        if e.kind == Kind::Free {
            for &track in of_object.get(e.object.as_str()).into_iter().flatten() {
                drafts[track].freed.get_or_insert(number);
            }
            continue;
        }
        if !is_kernels(e) || e.word.is_empty() {
            continue;
        }
        let bit = if e.step.ends_with("_bit") { e.arg.as_str() } else { "" };
        let track = *index.entry((&e.object, &e.word, bit)).or_insert_with(|| {
            of_object.entry(&e.object).or_default().push(drafts.len());
            drafts.push(draft(e, lexicon));
            drafts.len() - 1
        });
        let draft = &mut drafts[track];
        draft.tasks.insert(e.task);
        draft.shape = shape(e, draft.shape);
        draft.counted |= counts(e);
        let value = if bit.is_empty() { e.after } else { u64::from(bit_after(e, lexicon)) };
        if draft.values.last().map_or(draft.initial, |&(_, v)| v) != value && e.kind != Kind::Waits {
            draft.values.push((number, value));
        } else if e.kind != Kind::Waits {
            draft.reads.push(number);
        }
    }
    let mut order: HashMap<String, usize> = HashMap::new();
    for draft in &drafts {
        let next = order.len();
        order.entry(draft.object.clone()).or_insert(next);
    }
    // What the whole kernel shares comes last.
    drafts.sort_by_key(|d| (d.object.is_empty(), !d.object.starts_with("mm"), order[&d.object]));
    let mut named: HashMap<String, usize> = HashMap::new();
    for draft in &drafts {
        *named.entry(draft.name.clone()).or_default() += 1;
    }
    // Two mms have the same flags.
    for draft in drafts.iter_mut().filter(|d| named[&d.name] > 1) {
        draft.name = format!("{} {}", draft.object, draft.name);
    }
    drafts.into_iter().map(|d| finish(d, lexicon)).collect()
}

fn draft(e: &Event, lexicon: &Lexicon) -> Draft {
    let bit = e.step.ends_with("_bit");
    Draft {
        object: e.object.clone(),
        name: if bit { e.arg.clone() } else { lvalue(e) },
        shape: if bit { Shape::Flag } else { Shape::Counter },
        counted: false,
        initial: if bit { u64::from(bit_before(e, lexicon)) } else { e.before },
        values: Vec::new(),
        reads: Vec::new(),
        freed: None,
        tasks: HashSet::new(),
    }
}

/// Whether `e` counts up or down.
fn counts(e: &Event) -> bool {
    let counter = e.step.starts_with("atomic_") || e.step.starts_with("refcount_");
    counter && !e.step.ends_with("_set") && !e.step.ends_with("_read")
}

fn bit_before(e: &Event, lexicon: &Lexicon) -> bool {
    lexicon.bit(e).unwrap_or(e.before != 0)
}

fn bit_after(e: &Event, lexicon: &Lexicon) -> bool {
    if e.before == e.after {
        bit_before(e, lexicon)
    } else {
        !e.step.starts_with("clear") && !e.step.contains("_clear_")
    }
}

/// What the step says of its word; a later one may know better.
fn shape(e: &Event, before: Shape) -> Shape {
    let step = e.step.as_str();
    if lock_step(e).is_some() {
        Shape::Lock
    } else if ["prepare_to_wait", "finish_wait", "wake_up"].contains(&step) {
        Shape::Queue
    } else if step.starts_with("llist_") {
        Shape::List
    } else {
        before
    }
}

fn finish(draft: Draft, lexicon: &Lexicon) -> Track {
    let mut values = draft.values.iter().map(|&(_, v)| v).chain([draft.initial]);
    let flag = draft.shape == Shape::Counter && !draft.counted && values.all(|v| v <= 1);
    let shape = if flag { Shape::Flag } else { draft.shape };
    let text = |value: u64| match shape {
        Shape::Queue => value::queue(value, lexicon),
        Shape::List => value::list(value),
        Shape::Flag => value::bit(value),
        Shape::Counter | Shape::Lock => value::number(value),
    };
    Track {
        shape,
        initial_text: text(draft.initial),
        initial: draft.initial,
        changes: draft
            .values
            .iter()
            .map(|&(step, value)| Change { step, value, text: text(value) })
            .collect(),
        object: draft.object,
        name: draft.name,
        reads: draft.reads,
        freed: draft.freed,
        tasks: draft.tasks.len(),
    }
}
