//! The simulated machine: memory, threads, the clock, and what happens next.

use super::costs::{Costs, PAGES_A_TABLE};
use super::cpus::Cpus;
use super::zone::Zone;
use crate::engine::explore::record::Names;
use mmspec_model::k::engine::{Class, Effect, Fault, Object, Site, Sleep, Until, Word};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Steps of one run after which it is taken for a livelock.
const MAX_STEPS: u64 = 4_000_000;

/// What the machine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Words and objects are made, or threads take steps.
    Running,
    /// A rule is broken.
    Failed,
    /// Threads return without taking steps.
    Draining,
}

/// What a thread does until it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Span {
    /// It is off its CPU for so many ns.
    Off(u64),
    /// It runs for so many ns.
    Run(u64),
    /// It needs `zone->lock` for so many ns.
    Locked(u64),
    /// It zaps and frees so many pages.
    Pages(u64),
    /// It frees so many pages that it has zapped under a page-table lock.
    Gathered(u64),
}

/// A blocking step that cannot run yet.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Its word.
    pub word: Word,
    /// When it may run.
    pub until: Until,
    /// Whether a run may end while it waits.
    pub sleep: Sleep,
    /// Whether it keeps its CPU meanwhile.
    pub spins: bool,
    /// Name of the primitive.
    pub op: &'static str,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    /// Before its first step.
    Start,
    /// It has spans to go through, or runs.
    Busy,
    /// At a blocking step.
    Waiting(Wait),
    /// Returned.
    Done,
}

/// A thread of the machine.
#[derive(Debug)]
pub struct Thread {
    /// Where it stands.
    pub stand: Stand,
    /// What it does until it goes on.
    pub spans: VecDeque<Span>,
    /// Spinlocks that it holds: while there are some it keeps its CPU.
    pub spinlocks: u32,
    /// Pages that it has zapped under a page-table lock, to be freed once it has given that back.
    pub gathered: u64,
    /// Since when its CPU time is not accounted for.
    pub since: u64,
    /// CPU time, in ns.
    pub cpu: u64,
    /// Part of that in which it has spun for a lock of the model.
    pub spun: u64,
    /// When it returned.
    pub ended: Option<u64>,
    /// What it pays for pages, in percent.
    pub percent: u64,
}

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The thread has slept.
    Slept,
    /// It has run.
    Ran,
    /// It has run under `zone->lock`, and gives it back.
    Unlocks,
}

/// The machine.
pub struct Machine {
    /// What it is doing.
    pub phase: Phase,
    /// Virtual time, in ns.
    pub now: u64,
    /// Prices.
    pub costs: Costs,
    /// Threads.
    pub threads: Vec<Thread>,
    /// Threads at blocking steps, in the order in which they came.
    pub waiting: Vec<usize>,
    /// The running thread.
    pub current: usize,
    /// CPUs.
    pub cpus: Cpus,
    /// The lock of the page allocator.
    pub zone: Zone,
    /// Names of words and objects.
    pub names: Names,
    /// Value of each word.
    pub values: Vec<u64>,
    /// Value that each word had first.
    pub first: Vec<u64>,
    /// When each object was freed.
    pub freed: Vec<Option<u64>>,
    /// When a page was freed last.
    pub page_freed: Option<u64>,
    /// Goals reached.
    pub goals: BTreeSet<&'static str>,
    /// First broken rule, with a sentence.
    pub fault: Option<(String, String)>,
    /// Time, order of scheduling, thread.
    events: BinaryHeap<Reverse<(u64, u64, usize, Event)>>,
    scheduled: u64,
    steps: u64,
}

impl Machine {
    /// A machine without CPUs, words and threads.
    pub fn new(costs: Costs) -> Self {
        Self {
            phase: Phase::Running,
            now: 0,
            costs,
            threads: Vec::new(),
            waiting: Vec::new(),
            current: 0,
            cpus: Cpus::new(0, &[]),
            zone: Zone::default(),
            names: Names::default(),
            values: Vec::new(),
            first: Vec::new(),
            freed: Vec::new(),
            page_freed: None,
            goals: BTreeSet::new(),
            fault: None,
            events: BinaryHeap::new(),
            scheduled: 0,
            steps: 0,
        }
    }

    /// In `ns`, `thread` meets `event`. Of two events at one time the one scheduled first comes first.
    pub fn schedule(&mut self, ns: u64, thread: usize, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((self.now + ns, self.scheduled, thread, event)));
    }

    /// Go on to the next event.
    pub fn next_event(&mut self) -> Option<(usize, Event)> {
        let Reverse((time, _, thread, event)) = self.events.pop()?;
        self.now = time;
        Some((thread, event))
    }

    /// Account for the CPU time of `thread` up to now.
    pub fn account(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        let ns = self.now - std::mem::replace(&mut state.since, self.now);
        state.cpu += ns;
        self.cpus.account(thread, ns);
    }

    /// The first thread that may go on at its blocking step.
    pub fn next_ready(&mut self) -> Option<(usize, Wait)> {
        let at = |&thread: &usize| match self.threads[thread].stand {
            Stand::Waiting(wait) => wait.until.ready(self.values[wait.word.0 as usize]).then_some(wait),
            _ => None,
        };
        let (i, wait) = self.waiting.iter().enumerate().find_map(|(i, t)| Some((i, at(t)?)))?;
        let thread = self.waiting.remove(i);
        self.threads[thread].stand = Stand::Busy;
        Some((thread, wait))
    }

    /// A broken rule.
    pub fn fail(&mut self, rule: &str, what: String) {
        self.fault.get_or_insert_with(|| (rule.into(), what));
        self.phase = Phase::Failed;
    }

    /// Class of a word that is about to be touched, and whose object must not be freed.
    pub fn touch(&mut self, word: Word) -> Class {
        let (_, class, owner) = self.names.words[word.0 as usize];
        if class != Class::Ghost && self.freed[owner.0 as usize].is_some() {
            let what = format!("a freed object is used ({})", self.names.word(word));
            self.fail("uaf", what);
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.fail("livelock", format!("no end after {MAX_STEPS} steps"));
        }
        class
    }

    /// Take a read-modify-write; what follows, and what the caller learns.
    pub fn apply(&mut self, word: Word, apply: &dyn Fn(u64) -> Effect, site: Site) -> (Vec<Span>, u64) {
        let class = self.touch(word);
        let index = word.0 as usize;
        let before = self.values[index];
        let effect = apply(before);
        if let Some(Fault { rule, what }) = effect.fault {
            let what = format!("{what} ({})", self.names.word(word));
            self.fail(rule, what);
        }
        let after = effect.new.unwrap_or(before);
        self.values[index] = after;
        let name = self.names.words[index].0;
        let mut spans = vec![Span::Run(self.costs.step(name, class, site.op, effect.new.is_none()))];
        let zapped = if self.maps_pages(word) { before.saturating_sub(after) } else { 0 };
        if zapped > 0 {
            let thread = &mut self.threads[self.current];
            if thread.spinlocks > 0 {
                thread.gathered += zapped;
                spans.push(Span::Run(self.costs.zap(zapped, thread.percent)));
            } else {
                spans.push(Span::Pages(zapped));
            }
        }
        (spans, effect.ret)
    }

    /// Free an object, now: how long that takes.
    pub fn free(&mut self, object: Object) -> u64 {
        if self.freed[object.0 as usize].replace(self.now).is_some() {
            let what = format!("an object is freed twice ({})", self.names.object(object));
            self.fail("double-free", what);
        }
        // Page tables are known by the PTEs in them.
        let owned = |w: &usize| self.names.words[*w].2 == object && self.maps_pages(Word(*w as u16));
        let tables: u64 =
            (0..self.first.len()).filter(owned).map(|w| self.first[w].div_ceil(PAGES_A_TABLE)).sum();
        let (kind, _) = self.names.objects[object.0 as usize];
        self.costs.free(kind) + tables * self.costs.table
    }

    /// Whether the value of `word` is a number of present PTEs.
    fn maps_pages(&self, word: Word) -> bool {
        self.names.words[word.0 as usize].0.starts_with("pte")
    }
}
