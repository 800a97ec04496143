//! The state of the machine: threads, memory, the search, and the step being taken.

use super::footprint::{Access, Footprint, Touch};
use super::futures::{Futures, Place};
use super::memory::{Done, Memory, Relevant};
use super::record::{Names, Recorder};
use super::search::named::Obstacle;
use super::search::{Blocked, Offer, Point, Search};
use super::thread::{At, Pending, Phase, ThreadState};
use crate::engine::report::MAX_STEPS;
use mmspec_model::event::Kind;
use mmspec_model::k::engine::{Class, Site, Sleep, Until, Word};
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_128;

/// Everything but the coroutines.
pub struct Core<M> {
    /// What it is doing.
    pub phase: Phase,
    /// Memory.
    pub memory: M,
    /// Names for messages and traces.
    pub names: Names,
    /// Threads.
    pub threads: Vec<ThreadState>,
    /// Strategy.
    pub search: Box<dyn Search>,
    /// Broken rule, with a sentence.
    pub fault: Option<(String, String)>,
    /// Goals reached in any execution.
    pub goals: Vec<&'static str>,
    /// Steps taken in all executions.
    pub steps: u64,
    /// Event log, if this execution is to be shown.
    pub recorder: Option<Recorder>,
    /// Thread that last took each lock word, for deadlock reports.
    pub(super) takers: Vec<Option<usize>>,
    pub(super) current: usize,
    last: Option<usize>,
    pub(super) next: Option<usize>,
    /// What was learned about places of the program, for persistent sets.
    pub futures: Option<Futures>,
    /// Where each thread stands, if that is tracked.
    pub(super) places: Vec<Option<Place>>,
    /// Where the thread of the step being taken stood.
    stepped: Option<Place>,
    pub(super) footprint: Footprint,
    /// Plain words touched, and objects freed, by the step being taken.
    pub(super) plain: u128,
    pub(super) frees: u64,
    in_step: bool,
    steps_here: usize,
    pub(super) drained: u32,
    bytes: Vec<u8>,
}

impl<M: Memory> Core<M> {
    /// A machine without program.
    pub fn new(memory: M, search: Box<dyn Search>) -> Self {
        Self {
            phase: Phase::Setup,
            memory,
            names: Names::default(),
            threads: Vec::new(),
            search,
            fault: None,
            goals: Vec::new(),
            steps: 0,
            recorder: None,
            takers: Vec::new(),
            current: 0,
            last: None,
            next: None,
            futures: None,
            places: Vec::new(),
            stepped: None,
            footprint: Footprint::new(),
            plain: 0,
            frees: 0,
            in_step: false,
            steps_here: 0,
            drained: 0,
            bytes: Vec::new(),
        }
    }

    /// Back to the initial state with `threads` threads.
    pub fn begin(&mut self, threads: usize) {
        self.phase = Phase::Starting;
        self.memory.reset(threads);
        self.threads.clear();
        self.threads.resize_with(threads, || ThreadState::at(At::Start));
        self.search.begin();
        self.fault = None;
        self.takers.clear();
        self.takers.resize(self.names.words.len(), None);
        (self.last, self.next, self.in_step, self.steps_here) = (None, None, false, 0);
        self.footprint.clear();
        self.places.clear();
        self.places.resize(threads, None);
    }

    /// `thread` arrives at a step.
    pub(super) fn arrive(&mut self, thread: usize, word: Word, blocking: bool, site: Site) {
        let Some(futures) = &mut self.futures else { return };
        let place = futures.place(thread, std::ptr::from_ref(site.at).addr(), word);
        if let Some(before) = self.places[thread].replace(place) {
            futures.edge(before, place);
        }
        if blocking {
            futures.blocking(place, word);
        }
    }

    /// Make `thread` the running one.
    pub fn switch_to(&mut self, thread: usize) {
        self.current = thread;
    }

    /// The thread that the running one has chosen to be next.
    pub fn take_next(&mut self) -> Option<usize> {
        self.next.take()
    }

    /// The running thread has returned.
    pub fn finish_current(&mut self) {
        let thread = self.current;
        self.threads[thread] = ThreadState::at(At::Done);
        self.places[thread] = None;
        self.memory.finish(thread);
    }

    /// Start draining: every thread runs to its end without steps.
    pub fn drain(&mut self, thread: usize) {
        self.phase = Phase::Draining;
        self.current = thread;
        self.drained = 0;
    }

    fn can_run(&self, thread: &ThreadState) -> bool {
        match thread.at {
            At::Step(pending) => pending.until.is_none_or(|until| self.memory.ready(pending.word, until)),
            At::Start | At::Begun | At::Done => false,
        }
    }

    /// Close the step just taken and choose the next thread; `None` when the execution is over.
    pub fn decide(&mut self) -> Option<usize> {
        self.close_step();
        if self.phase != Phase::Running {
            return None;
        }
        if self.steps_here >= MAX_STEPS {
            let what = format!("no end after {MAX_STEPS} steps");
            self.fail("livelock", what);
            return None;
        }
        let mut enabled = 0u32;
        let mut sole = None;
        for (t, thread) in self.threads.iter().enumerate() {
            if self.can_run(thread) {
                enabled |= 1 << t;
                if matches!(thread.at, At::Step(Pending { sole: true, .. })) {
                    sole = Some(t);
                }
            }
        }
        if enabled == 0 {
            self.phase = Phase::Ended;
            let blocked = self.blocked();
            self.search.end(&blocked);
            return None;
        }
        let Self { search, memory, threads, bytes, futures, places, names, .. } = self;
        let threads = &*threads;
        let futures = RefCell::new(futures);
        let mut state = || {
            let relevant = futures.borrow_mut().as_mut().map_or(Relevant::ALL, |f| f.relevant(places));
            fingerprint(memory, threads, &relevant, bytes)
        };
        let mut persistent = || match &mut *futures.borrow_mut() {
            Some(futures) => futures.persistent(places, enabled, self.last),
            None => enabled,
        };
        let offer = |t: usize| match threads[t].at {
            At::Step(Pending { word, op, arg, .. }) => Offer { step: op, arg, word: names.step_word(word) },
            At::Start | At::Begun | At::Done => Offer::default(),
        };
        let point = Point {
            enabled,
            sole,
            last: self.last,
            state: &mut state,
            persistent: &mut persistent,
            offer: &offer,
        };
        let chosen = search.decide(point);
        if chosen.is_none() {
            self.phase = Phase::Cut;
            let blocked = self.blocked();
            self.search.end(&blocked);
        }
        self.last = chosen;
        chosen
    }

    /// The running thread takes its step.
    pub(super) fn start_step(&mut self) {
        if let Some(recorder) = &mut self.recorder
            && let At::Step(pending) = self.threads[self.current].at
        {
            recorder.decided(self.current, &pending, self.names.step_word(pending.word));
        }
        self.in_step = true;
        self.stepped = self.places[self.current];
        self.steps += 1;
        self.steps_here += 1;
    }

    fn close_step(&mut self) {
        if std::mem::take(&mut self.in_step) {
            let thread = self.last.expect("a step has a thread");
            self.search.step_done(thread, &self.footprint);
            if let (Some(futures), Some(place)) = (&mut self.futures, self.stepped) {
                futures.step(place, &self.footprint, Relevant { words: self.plain, objects: self.frees });
            }
            (self.plain, self.frees) = (0, 0);
            self.footprint.clear();
        }
    }

    fn blocked(&self) -> Vec<Blocked> {
        let threads = self.threads.iter().enumerate();
        let waiting = threads.filter_map(|(thread, state)| match state.at {
            At::Step(Pending { word, until: Some(until), .. }) if !self.can_run(state) => {
                Some(Blocked { thread, word, until })
            }
            _ => None,
        });
        waiting.collect()
    }

    /// Who waits for what although no thread can move; empty if all that wait are idle.
    pub fn deadlock(&self, tasks: &[String]) -> Option<String> {
        let mut waits = Vec::new();
        for (t, state) in self.threads.iter().enumerate() {
            if let At::Step(Pending { word, until: Some(_), sleep: Sleep::Held, op, .. }) = state.at {
                let taker = self.takers[word.0 as usize];
                let holder = taker.map_or(String::new(), |h| format!(", last taken by {}", tasks[h]));
                waits.push(format!("{} waits in {op}({}){holder}", tasks[t], self.names.word(word)));
            }
        }
        (!waits.is_empty()).then(|| waits.join("; "))
    }

    /// What keeps `thread` from running, if it stands before a step that cannot run.
    pub(super) fn obstacle(&self, thread: usize) -> Option<Obstacle> {
        let state = self.threads.get(thread).filter(|state| !self.can_run(state))?;
        let At::Step(Pending { word, .. }) = state.at else { return None };
        Some(Obstacle { value: self.memory.peek(word), taker: self.takers[word.0 as usize] })
    }

    pub(super) fn fail(&mut self, rule: &str, what: String) {
        if self.fault.is_none() {
            self.fault = Some((rule.into(), what));
        }
        self.phase = Phase::Failed;
    }

    /// Account for an access: footprint, history, event.
    pub(super) fn account(&mut self, word: Word, site: Site, until: Option<Until>, kind: Kind, done: &Done) {
        let kind = if kind == Kind::Write && done.access == Access::Read { Kind::Failed } else { kind };
        if self.names.words[word.0 as usize].1 == Class::Plain {
            self.plain |= 1 << word.0.min(127);
        } else {
            let &Done { access, before, after, .. } = done;
            self.footprint.push(Touch { word, access, before, after, until });
        }
        self.threads[self.current].observe(done.ret);
        if let Some(recorder) = &mut self.recorder {
            recorder.step(&self.names, self.current, word, site, done, kind);
        }
        if let Some(fault) = done.fault {
            let what = format!("{} ({})", fault.what, self.names.word(word));
            self.fail(fault.rule, what);
        }
    }
}

fn fingerprint<M: Memory>(
    memory: &mut M,
    threads: &[ThreadState],
    relevant: &Relevant,
    bytes: &mut Vec<u8>,
) -> u128 {
    bytes.clear();
    memory.write_state(relevant, bytes);
    for thread in threads {
        bytes.extend(thread.history().to_le_bytes());
        bytes.push(u8::from(matches!(thread.at, At::Done)));
    }
    xxh3_128(bytes)
}
