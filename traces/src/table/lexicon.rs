//! What has to be known of the whole trace to word one step of it.

use crate::file::TraceFile;
use mmspec_model::event::Event;
use std::collections::{HashMap, HashSet};

/// Names and bit masks of a trace.
pub struct Lexicon {
    tasks: Vec<String>,
    /// Mask of each named bit, learned from the steps that changed it: the file names bits only.
    masks: HashMap<String, u64>,
    /// Flag words that were 0 when first seen.
    born_clear: HashSet<(String, String)>,
    /// Objects that have a word of this name.
    owners: HashMap<String, HashSet<String>>,
}

impl Lexicon {
    /// What `file` says about its names.
    pub fn new(file: &TraceFile) -> Self {
        let mut new = Self {
            tasks: file.tasks.clone(),
            masks: HashMap::new(),
            born_clear: HashSet::new(),
            owners: HashMap::new(),
        };
        let mut seen = HashSet::new();
        for e in file.events.iter().filter(|e| !e.word.is_empty()) {
            new.owners.entry(e.word.clone()).or_default().insert(e.object.clone());
            let key = (e.object.clone(), e.word.clone());
            if seen.insert(key.clone()) && e.before == 0 {
                new.born_clear.insert(key);
            }
            if e.step.ends_with("_bit") && e.before != e.after {
                new.masks.insert(e.arg.clone(), e.before ^ e.after);
            }
        }
        new
    }

    /// Name of a task, listed or not.
    pub fn task(&self, index: usize) -> String {
        self.tasks.get(index).cloned().unwrap_or_else(|| format!("task {index}"))
    }

    /// Whether the bit that `e` names was set before; unknown if nobody changed it and it may have
    /// been set from the start.
    pub fn bit(&self, e: &Event) -> Option<bool> {
        if e.before == 0 {
            return Some(false);
        }
        let born_clear = || self.born_clear.contains(&(e.object.clone(), e.word.clone())).then_some(false);
        self.masks.get(&e.arg).map(|mask| e.before & mask != 0).or_else(born_clear)
    }

    /// Name of the word that `e` touches, with its object if another has one of that name.
    pub fn short(&self, e: &Event) -> String {
        if self.owners.get(&e.word).is_some_and(|owners| owners.len() > 1) {
            lvalue(e)
        } else {
            e.word.clone()
        }
    }
}

/// The word that `e` touches, as in C.
pub fn lvalue(e: &Event) -> String {
    match (e.object.as_str(), e.word.as_str()) {
        ("", name) | (name, "") => name.to_string(),
        (object, word) => format!("{object}->{word}"),
    }
}
