//! Which events matter to the violation, and which can be folded.

use super::clash::{self, same_word};
use super::step::{only_queues, unspoken};
use super::{holds, relevance};
use crate::file::TraceFile;
use mmspec_model::event::{Event, Kind};
use std::collections::{HashMap, HashSet};

/// Distance from the violation of a wait in the end by a task that the verdict does not name: a
/// kernel thread that nobody has woken, or that has nothing to do.
const IDLE: u32 = 7;

/// What becomes of an event in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A row of its own.
    Shown,
    /// No row: not a step of the kernel, or said already.
    Hidden,
    /// No row: there is no room, and others matter more.
    Folded,
    /// After the last step of its task that matters to anybody else.
    Tail,
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
    /// What to show if not all can be: the steps that have to do with the violation, nearest first.
    pub nearest: Vec<usize>,
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

        let mut seeds: Vec<(u32, usize)> = broken.into_iter().chain(rival).map(|i| (0, i)).collect();
        if seeds.is_empty() {
            seeds = seeds_of_the_end(file, &by_task);
        }

        let touched = Touched::new(events);
        let matters = |i: usize| touched.shared(&events[i]) || seeds.iter().any(|&(_, seed)| seed == i);
        let mut next = vec![None; events.len()];
        for steps in &by_task {
            steps.windows(2).for_each(|pair| next[pair[0]] = Some(pair[1]));
            let tail = steps.iter().rposition(|&i| matters(i)).map_or(0, |last| last + 1);
            steps[tail..].iter().for_each(|&i| fates[i] = Fate::Tail);
        }
        let visible: Vec<bool> = fates.iter().map(|&fate| fate != Fate::Hidden).collect();
        let nearest = relevance::by_distance(file, &seeds, &visible);
        Self { fates, next, broken, rival, nearest }
    }

    /// Number of steps that have a row, or are summed up at the end of their task.
    pub fn shown(&self) -> usize {
        self.fates.iter().filter(|fate| matches!(fate, Fate::Shown | Fate::Tail)).count()
    }

    /// The same with only the `count` steps that are nearest to the violation.
    pub fn nearest(&self, count: usize, events: &[Event]) -> Self {
        let mut fates = self.fates.clone();
        fates.iter_mut().filter(|fate| **fate != Fate::Hidden).for_each(|fate| *fate = Fate::Folded);
        self.nearest[..count].iter().for_each(|&i| fates[i] = Fate::Shown);
        for i in holds::idle(events, &fates) {
            if Some(i) != self.broken && Some(i) != self.rival {
                fates[i] = Fate::Folded;
            }
        }
        Self { fates, next: self.next.clone(), nearest: Vec::new(), ..*self }
    }
}

/// Where no step breaks the rule: who waits for ever, what failed, and who was last to change what the
/// verdict names. Steps with their distance from the violation.
fn seeds_of_the_end(file: &TraceFile, by_task: &[Vec<usize>]) -> Vec<(u32, usize)> {
    let events = &file.events;
    let said: HashSet<&str> = names_in(&file.what).collect();
    let is_named = |name: &str| names_in(name).next().is_some_and(|first| said.contains(first));
    let mut last_changes: HashMap<(&str, &str), usize> = HashMap::new();
    for (i, e) in events.iter().enumerate().filter(|(_, e)| e.before != e.after && !unspoken(e)) {
        if is_named(&e.object) || is_named(&e.word) {
            last_changes.insert((&e.object, &e.word), i);
        }
    }
    let stuck = by_task.iter().filter_map(|steps| steps.last().copied());
    let stuck = stuck.filter(|&i| events[i].kind == Kind::Waits || only_queues(&events[i]));
    let by_name =
        |i: usize| if file.tasks.get(events[i].task).is_some_and(|t| is_named(t)) { 0 } else { IDLE };
    let stuck = stuck.map(|i| (by_name(i), i));
    let failed = by_task.iter().flatten().filter(|&&i| events[i].kind == Kind::Failed).map(|&i| (0, i));
    stuck.chain(failed).chain(last_changes.into_values().map(|i| (0, i))).collect()
}

/// The words of `text` that may be names.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
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
