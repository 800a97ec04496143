//! Which events matter to the violation, and which can be folded.

use super::clash::{self, same_word};
use super::step::{only_queues, unspoken};
use crate::file::TraceFile;
use mmspec_model::event::{Event, Kind};
use std::collections::HashMap;

/// What becomes of an event in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A row of its own.
    Shown,
    /// No row: not a step of the kernel, or said already.
    Hidden,
    /// After the last step of its task that matters to anybody else.
    Tail,
    /// One of several private steps that its task takes in a row, folded if the table is long.
    Private {
        /// Index of the first of them.
        first: usize,
        /// Their number.
        count: usize,
    },
}

/// Which events matter.
pub struct Story {
    /// Fate of each event.
    pub fates: Vec<Fate>,
    /// The next event of the same task that is not hidden.
    pub next: Vec<Option<usize>>,
    /// The step that breaks the rule.
    pub broken: Option<usize>,
    /// The last step by another task that clashes with it.
    pub rival: Option<usize>,
}

impl Story {
    /// The story of `file`.
    pub fn new(file: &TraceFile) -> Self {
        let events = &file.events;
        let mut fates: Vec<Fate> = vec![Fate::Shown; events.len()];
        let by_task = visible_by_task(events, &mut fates);
        let hidden = |i: usize| fates[i] == Fate::Hidden;
        let broken = clash::broken(file, hidden);
        let rival = broken.and_then(|b| clash::rival(events, b, hidden));

        let touched = Touched::new(events);
        // In a deadlock the private waits are the story too.
        let matters = |i: usize| {
            Some(i) == broken
                || Some(i) == rival
                || touched.shared(&events[i])
                || (file.rule == "deadlock" && events[i].kind == Kind::Waits)
        };
        let mut next = vec![None; events.len()];
        for steps in &by_task {
            steps.windows(2).for_each(|pair| next[pair[0]] = Some(pair[1]));
            let tail = steps.iter().rposition(|&i| matters(i)).map_or(0, |last| last + 1);
            for &i in &steps[tail..] {
                fates[i] = Fate::Tail;
            }
            for run in steps[..tail].chunk_by(|&a, &b| matters(a) == matters(b)) {
                // One step takes no more room than the line that would stand for it.
                if run.len() > 1 && !matters(run[0]) {
                    let folded = Fate::Private { first: run[0], count: run.len() };
                    for &i in run {
                        fates[i] = folded;
                    }
                }
            }
        }
        Self { fates, next, broken, rival }
    }
}

/// Events of each task that are to be seen; marks the others as hidden.
fn visible_by_task(events: &[Event], fates: &mut [Fate]) -> Vec<Vec<usize>> {
    let mut steps: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, e) in events.iter().enumerate() {
        let mine = steps.entry(e.task).or_default();
        // A task that has queued for a lock is already said to wait for it.
        let said = mine
            .last()
            .is_some_and(|&l| e.kind == Kind::Waits && only_queues(&events[l]) && same_word(&events[l], e));
        if unspoken(e) || said {
            fates[i] = Fate::Hidden;
        } else {
            mine.push(i);
        }
    }
    steps.into_values().collect()
}

/// Who touches which word.
struct Touched<'a> {
    /// The only task that touches the word, or `None` if there are several.
    words: HashMap<(&'a str, &'a str), Option<usize>>,
    objects: HashMap<&'a str, Option<usize>>,
}

impl<'a> Touched<'a> {
    fn new(events: &'a [Event]) -> Self {
        let mut touched = Self { words: HashMap::new(), objects: HashMap::new() };
        let join = |owner: &mut Option<usize>, task| {
            if *owner != Some(task) {
                *owner = None;
            }
        };
        for e in events.iter().filter(|e| !unspoken(e)) {
            join(touched.words.entry((&e.object, &e.word)).or_insert(Some(e.task)), e.task);
            join(touched.objects.entry(&e.object).or_insert(Some(e.task)), e.task);
        }
        touched
    }

    /// Whether another task touches what `e` touches.
    fn shared(&self, e: &Event) -> bool {
        match e.kind {
            Kind::Fence => false,
            Kind::Ghost => !unspoken(e),
            Kind::Free => self.objects.get(e.object.as_str()) == Some(&None),
            _ => self.words.get(&(e.object.as_str(), e.word.as_str())) == Some(&None),
        }
    }
}
