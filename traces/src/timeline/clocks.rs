//! Happens-before, by vector clocks over the events: which step is ordered before which, and by what.
//!
//! As the interleaving engine has it: a release publishes on its word what its task knows, an acquire
//! of that word takes it over, and readers of a lock are ordered against writers only.

use super::order::{self, LockStep, Order};
use crate::file::TraceFile;
use crate::table::words::lvalue;
use mmspec_model::event::{Event, Kind};
use std::collections::HashMap;

/// More tasks than any scenario has: beyond, nothing is said about order, so that a file with absurd
/// numbers costs no time.
const MAX_TASKS: usize = 64;

/// Something that a task did and another one learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Step that publishes.
    pub from: usize,
    /// Step that takes it over.
    pub to: usize,
    /// Word through which.
    pub word: String,
    /// Whether a lock is handed over.
    pub lock: bool,
}

type Clock = Vec<u32>;

/// What one event knows.
#[derive(Clone, Debug)]
struct Known {
    task: usize,
    /// Its task's time.
    now: u32,
    clock: Clock,
}

/// The order of a trace's events.
#[derive(Clone, Debug)]
pub struct Clocks {
    known: Vec<Known>,
    edges: Vec<Edge>,
}

/// What an event published.
#[derive(Clone)]
struct Release {
    event: usize,
    task: usize,
    clock: Clock,
    /// Whether by a reader of the lock.
    reader: bool,
}

struct Thread {
    now: Clock,
    /// What relaxed reads have seen; an acquire fence takes it over.
    pending: Vec<Release>,
    /// What the last release fence publishes with relaxed writes.
    fenced: Option<Clock>,
}

/// What was published on the words of one object, by word and bit.
type Words<'a> = HashMap<(&'a str, &'a str), Vec<Release>>;

impl Clocks {
    /// The clocks of `file`; `numbers` are the steps of its events.
    pub fn new(file: &TraceFile, numbers: &[usize]) -> Self {
        if file.tasks.len() > MAX_TASKS || file.events.iter().any(|e| e.task >= MAX_TASKS) {
            return Self { known: Vec::new(), edges: Vec::new() };
        }
        let tasks = file.events.iter().map(|e| e.task + 1).max().unwrap_or(0);
        let mut run = Run::new(file, tasks);
        for i in 0..file.events.len() {
            run.step(i);
        }
        let edge = |&(from, to): &(usize, usize)| {
            // A fence acquires what was read before, so that the releasing step names the word.
            let e = &file.events[from];
            let lock = order::lock_step(e).is_some();
            Edge { from: numbers[from], to: numbers[to], word: lvalue(e), lock }
        };
        let edges = run.edges.iter().map(edge).collect();
        Self { known: run.known, edges }
    }

    /// Edges between tasks.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Whether event `a` happens before event `b`.
    pub fn ordered(&self, a: usize, b: usize) -> bool {
        let (Some(first), Some(second)) = (self.known.get(a), self.known.get(b)) else { return false };
        a < b && (first.task == second.task || second.clock[first.task] >= first.now)
    }
}

struct Run<'a> {
    events: &'a [Event],
    threads: Vec<Thread>,
    /// By object.
    released: HashMap<&'a str, Words<'a>>,
    known: Vec<Known>,
    edges: Vec<(usize, usize)>,
}

impl<'a> Run<'a> {
    fn new(file: &'a TraceFile, tasks: usize) -> Self {
        let thread = |t| {
            let mut now = vec![0; tasks];
            now[t] = 1;
            Thread { now, pending: Vec::new(), fenced: None }
        };
        Self {
            events: &file.events,
            threads: (0..tasks).map(thread).collect(),
            released: HashMap::new(),
            known: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn step(&mut self, i: usize) {
        let e = &self.events[i];
        let order = order::order(e);
        let stores = e.kind == Kind::Write && ["WRITE_ONCE", "smp_store_release"].contains(&e.step.as_str());
        let plain = e.step == "read" || e.step == "write";
        let reads = matches!(e.kind, Kind::Read | Kind::Failed)
            || (e.kind == Kind::Write && !stores && !order::drops_but_not_last(e));
        if e.kind == Kind::Fence || order.full {
            self.fence(i, order);
        }
        if reads && !plain {
            self.acquire(i, order);
        }
        let now = self.threads[e.task].now[e.task];
        if stores {
            self.words(e).remove(&place(e));
        }
        if e.kind == Kind::Free {
            self.released.remove(e.object.as_str());
        }
        if e.kind == Kind::Write && !plain {
            self.publish(i, order);
        }
        if e.kind == Kind::Write && order.full {
            self.fence(i, order);
        }
        self.known.push(Known { task: e.task, now, clock: self.threads[e.task].now.clone() });
    }

    fn words(&mut self, e: &'a Event) -> &mut Words<'a> {
        self.released.entry(&e.object).or_default()
    }

    fn acquire(&mut self, i: usize, order: Order) {
        let e = &self.events[i];
        let reader = matches!(order::lock_step(e), Some((_, true)));
        let releases = self.words(e).get(&place(e)).cloned().unwrap_or_default();
        // The newest first: what it knows need not be learned from older ones.
        for release in releases.into_iter().rev().filter(|r| !(reader && r.reader)) {
            if order.acquires {
                self.learn(i, &release);
            } else {
                newest(&mut self.threads[e.task].pending, release);
            }
        }
    }

    fn publish(&mut self, i: usize, order: Order) {
        let e = &self.events[i];
        let reader = matches!(order::lock_step(e), Some((LockStep::Give, true)));
        let thread = &mut self.threads[e.task];
        let clock = if order.releases { Some(thread.now.clone()) } else { thread.fenced.clone() };
        if order.releases {
            thread.now[e.task] += 1;
        }
        if let Some(clock) = clock {
            let release = Release { event: i, task: e.task, clock, reader };
            newest(self.words(e).entry(place(e)).or_default(), release);
        }
    }

    fn fence(&mut self, i: usize, order: Order) {
        let task = self.events[i].task;
        if order.acquires {
            let pending = std::mem::take(&mut self.threads[task].pending);
            pending.iter().rev().for_each(|release| self.learn(i, release));
        }
        if order.releases {
            let thread = &mut self.threads[task];
            thread.fenced = Some(thread.now.clone());
            thread.now[task] += 1;
        }
    }

    /// Let the task of event `i` know what was published; an edge, if that is news.
    fn learn(&mut self, i: usize, release: &Release) {
        let to = self.events[i].task;
        let thread = &mut self.threads[to];
        if release.task != to && release.clock[release.task] > thread.now[release.task] {
            self.edges.push((release.event, i));
        }
        for (known, new) in thread.now.iter_mut().zip(&release.clock) {
            *known = (*known).max(*new);
        }
    }
}

/// Add `release` in place of what its task had published there before, and knew then.
fn newest(list: &mut Vec<Release>, release: Release) {
    list.retain(|old| old.task != release.task);
    list.push(release);
}

/// The word of `e` within its object; each bit of a flag word is one of its own.
fn place(e: &Event) -> (&str, &str) {
    let bit = if e.step.ends_with("_bit") { e.arg.as_str() } else { "" };
    (&e.word, bit)
}
