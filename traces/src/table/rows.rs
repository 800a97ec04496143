//! From events to rows: calls as they are entered, steps, and folded stretches.

use super::lexicon::Lexicon;
use super::step;
use super::story::{Fate, Story};
use crate::file::TraceFile;
use mmspec_model::event::Event;
use std::collections::{HashMap, HashSet};

/// One line of a task.
#[derive(Debug, Default)]
pub struct Row {
    /// Index of the task.
    pub task: usize,
    /// Calls around it.
    pub depth: usize,
    /// Function that it is in, or empty.
    pub within: String,
    /// Call, step or `...`.
    pub text: String,
    /// What follows `#`, or empty.
    pub remark: String,
    /// `(1)`, `(2)` or empty.
    pub mark: &'static str,
    /// Whether it breaks the rule.
    pub broken: bool,
}

/// The rows of `file`.
pub fn rows(file: &TraceFile, lexicon: &Lexicon, story: &Story) -> Vec<Row> {
    let mut writer = Writer { file, lexicon, story, rows: Vec::new(), open: HashMap::new() };
    let events = || file.events.iter().zip(&story.fates);
    let told: HashSet<usize> =
        events().filter(|(_, fate)| matches!(fate, Fate::Shown)).map(|(e, _)| e.task).collect();
    let mut ended = HashSet::new();
    for (i, (e, fate)) in events().enumerate() {
        match *fate {
            Fate::Hidden => {}
            Fate::Folded => writer.pass(i),
            // A task that never matters is left out whole.
            Fate::Tail => {
                if told.contains(&e.task) && ended.insert(e.task) {
                    writer.ended(i);
                }
            }
            Fate::Shown => writer.step(i),
        }
    }
    writer.rows
}

struct Writer<'a> {
    file: &'a TraceFile,
    lexicon: &'a Lexicon,
    story: &'a Story,
    rows: Vec<Row>,
    /// Functions of each task that have been printed and not left.
    open: HashMap<usize, &'a [String]>,
}

/// Functions around a step; one that is named like the step is the step itself.
fn calls(e: &Event) -> &[String] {
    match e.stack.split_last() {
        Some((last, outer)) if *last == e.step => outer,
        _ => &e.stack,
    }
}

fn common(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl<'a> Writer<'a> {
    fn open(&self, task: usize) -> &'a [String] {
        self.open.get(&task).copied().unwrap_or_default()
    }

    /// The step `first` and all that follow it in its task, which nobody else cares about.
    fn ended(&mut self, first: usize) {
        let e = &self.file.events[first];
        let depth = common(self.open(e.task), calls(e));
        self.push(first, depth, "...".into());
    }

    /// Event `i` has no row, but may leave functions that have one.
    fn pass(&mut self, i: usize) {
        let e = &self.file.events[i];
        let open = self.open(e.task);
        self.open.insert(e.task, &open[..common(open, calls(e))]);
    }

    /// Print the functions around event `i`, down to `depth`, that are not printed already.
    fn enter(&mut self, i: usize, depth: usize) {
        let e = &self.file.events[i];
        for level in common(self.open(e.task), calls(e))..depth {
            self.push(i, level, format!("{}()", e.stack[level]));
        }
    }

    fn step(&mut self, i: usize) {
        let (e, story) = (&self.file.events[i], self.story);
        let text = step::text(e, self.lexicon);
        let calls = calls(e);
        let (mut depth, mut call, mut remark) = (calls.len(), text.call, text.remark);
        let mark = match (story.broken == Some(i), story.rival == Some(i)) {
            (true, _) if story.rival.is_some() => "(2)",
            (_, true) => "(1)",
            _ => "",
        };
        let entered = &calls[common(self.open(e.task), calls)..];
        // A function that does nothing else takes one line with its step, unless that is the story.
        if let (Some(function), Some(effect)) = (entered.last(), text.effect)
            && story.broken != Some(i)
            && story.rival != Some(i)
            && self.leaves(i)
        {
            depth -= 1;
            call = format!("{function}()");
            remark = effect;
        }
        self.enter(i, depth);
        self.open.insert(e.task, calls);
        let row = self.push(i, depth, call);
        (row.remark, row.mark, row.broken) = (remark, mark, story.broken == Some(i));
    }

    /// Whether no other step of the innermost function of event `i` is shown. At the last event of
    /// its task nobody knows: it may stand in the middle.
    fn leaves(&self, i: usize) -> bool {
        let events = &self.file.events;
        let mut later = std::iter::successors(self.story.next[i], |&i| self.story.next[i]);
        let shown_or_outside = |j: &usize| {
            self.story.fates[*j] != Fate::Folded || !events[*j].stack.starts_with(calls(&events[i]))
        };
        let next = later.find(shown_or_outside);
        next.is_some_and(|next| !events[next].stack.starts_with(calls(&events[i])))
    }

    fn push(&mut self, i: usize, depth: usize, text: String) -> &mut Row {
        let e = &self.file.events[i];
        let within = depth.checked_sub(1).and_then(|d| e.stack.get(d)).cloned().unwrap_or_default();
        self.rows.push(Row { task: e.task, depth, within, text, ..Row::default() });
        self.rows.last_mut().expect("just pushed")
    }
}
