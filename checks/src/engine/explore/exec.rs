//! One machine for both in-house engines: it runs the threads of a program as coroutines, one step
//! at a time, on a memory model and in the order that a search asks for.
//!
//! The decision who moves next is taken by the thread that arrives at its next step, so that a
//! thread which simply runs on costs no switch. Ordinary memory and ghost words are not steps: they
//! join the step before them.

use super::coroutine::suspend;
use super::footprint::{Access, Footprint, Touch};
use super::futures::{Futures, Place};
use super::memory::{Done, Memory, Relevant};
use super::record::{Names, Recorder};
use super::search::{Blocked, Offer, Point, Search};
use crate::engine::report::MAX_STEPS;
use mmspec_model::event::Kind;
use mmspec_model::k::engine::{
    Class, Engine, Fault, Note, Object, Order, Rmw, Shape, Site, Sleep, Until, Word,
};
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_128;

/// Steps that a thread may take while it is drained.
const DRAIN_STEPS: u32 = 10_000;

/// Stands for the word of a barrier, which touches none.
const FENCE: Word = Word(u16::MAX);

/// What the machine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Words and objects are being made.
    Setup,
    /// Each thread runs up to its first step.
    Starting,
    /// Threads take steps.
    Running,
    /// No thread can move.
    Ended,
    /// The search has seen all that can follow.
    Cut,
    /// A rule is broken.
    Failed,
    /// Threads return without taking steps.
    Draining,
}

/// A step that a thread is about to take.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Word it is on.
    pub word: Word,
    /// Condition under which it can run.
    pub until: Option<Until>,
    /// How it waits for that.
    pub sleep: Sleep,
    /// Name of the primitive.
    pub op: &'static str,
    /// Whether it commutes with all that others can do before it.
    sole: bool,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// Before its first step.
    Start,
    /// At a step.
    Step(Pending),
    /// Returned.
    Done,
}

/// A thread of the machine.
pub struct ThreadState {
    /// Where it stands.
    pub at: At,
    /// Fingerprint of all it has observed since it last kept nothing.
    history: u64,
    /// Histories at the beginnings of the parts that it is in and of which it will keep nothing.
    enclosing: Vec<u64>,
}

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
    takers: Vec<Option<usize>>,
    current: usize,
    last: Option<usize>,
    next: Option<usize>,
    /// What was learned about places of the program, for persistent sets.
    pub futures: Option<Futures>,
    /// Where each thread stands, if that is tracked.
    places: Vec<Option<Place>>,
    /// Where the thread of the step being taken stood.
    stepped: Option<Place>,
    footprint: Footprint,
    /// Plain words touched, and objects freed, by the step being taken.
    plain: u128,
    frees: u64,
    in_step: bool,
    steps_here: usize,
    drained: u32,
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
        self.threads.resize_with(threads, || ThreadState {
            at: At::Start,
            history: 0,
            enclosing: Vec::new(),
        });
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
    fn arrive(&mut self, thread: usize, word: Word, blocking: bool, site: Site) {
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
        self.threads[thread] = ThreadState { at: At::Done, history: 0, enclosing: Vec::new() };
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
            At::Start | At::Done => false,
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
            At::Step(pending) => Offer { step: pending.op, word: names.step_word(pending.word) },
            At::Start | At::Done => Offer { step: "", word: String::new() },
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
        }
        self.last = chosen;
        chosen
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
            At::Step(Pending { word, until: Some(until), .. }) => Some(Blocked { thread, word, until }),
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

    fn fail(&mut self, rule: &str, what: String) {
        if self.fault.is_none() {
            self.fault = Some((rule.into(), what));
        }
        self.phase = Phase::Failed;
    }

    /// Account for an access: footprint, history, event.
    fn account(&mut self, word: Word, site: Site, until: Option<Until>, kind: Kind, done: &Done) {
        let kind = if kind == Kind::Write && done.access == Access::Read { Kind::Failed } else { kind };
        if self.names.words[word.0 as usize].1 == Class::Plain {
            self.plain |= 1 << word.0.min(127);
        } else {
            self.footprint.push(Touch { word, access: done.access, before: done.before, until });
        }
        let history = &mut self.threads[self.current].history;
        *history = mix(*history, done.ret);
        if let Some(recorder) = &mut self.recorder {
            recorder.step(&self.names, self.current, word, site, done, kind);
        }
        if let Some(fault) = done.fault {
            let what = format!("{} ({})", fault.what, self.names.word(word));
            self.fail(fault.rule, what);
        }
    }
}

fn mix(history: u64, value: u64) -> u64 {
    (history.rotate_left(25) ^ value).wrapping_add(0x2545_f491_4f6c_dd1d).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        bytes.extend(thread.history.to_le_bytes());
        bytes.push(u8::from(matches!(thread.at, At::Done)));
    }
    xxh3_128(bytes)
}

/// Asks the search for an alternative, and notes it.
fn choose<'a>(
    search: &'a mut Box<dyn Search>,
    recorder: &'a mut Option<Recorder>,
) -> impl FnMut(usize) -> usize + 'a {
    move |n| {
        let chosen = search.choose(n);
        if let Some(recorder) = recorder {
            recorder.chose(chosen);
        }
        chosen
    }
}

/// The machine as an [`Engine`].
pub struct Machine<M> {
    /// State; never borrowed across a switch.
    pub core: RefCell<Core<M>>,
}

impl<M: Memory> Machine<M> {
    /// Wait until it is this thread's turn at a step on `word`; false while draining.
    fn turn(&self, word: Word, until: Option<Until>, sleep: Sleep, sole: bool, site: Site) -> bool {
        {
            let mut core = self.core.borrow_mut();
            if core.phase == Phase::Draining {
                return false;
            }
            let me = core.current;
            core.arrive(me, word, until.is_some(), site);
            core.threads[me].at = At::Step(Pending { word, until, sleep, op: site.op, sole });
            if core.recorder.is_some() && until.is_some_and(|u| !core.memory.ready(word, u)) {
                let Core { recorder, names, .. } = &mut *core;
                recorder.as_mut().expect("tested").waits(names, me, word, site);
            }
            if core.phase == Phase::Running {
                core.next = core.decide();
                if core.next == Some(me) {
                    core.next = None;
                    core.start_step();
                    return true;
                }
            }
        }
        suspend();
        let mut core = self.core.borrow_mut();
        if core.phase == Phase::Draining {
            return false;
        }
        core.start_step();
        true
    }

    /// Take the step `f` of the running thread.
    fn act(
        &self,
        word: Word,
        site: Site,
        until: Option<Until>,
        order: Order,
        kind: Kind,
        f: impl FnOnce(&mut Core<M>, usize) -> Done,
    ) -> u64 {
        let mut core = self.core.borrow_mut();
        let me = core.current;
        let done = f(&mut core, me);
        if order == Order::Full && M::FENCE_IS_A_STEP && done.access != Access::Read {
            core.footprint.push(Touch { word: FENCE, access: Access::Write, before: 0, until: None });
        }
        core.account(word, site, until, kind, &done);
        let failed = core.phase == Phase::Failed;
        drop(core);
        if failed {
            suspend();
        }
        done.ret
    }

    /// A step while draining: what the thread would learn now, without effect.
    fn drained(&self, word: Word, apply: &dyn Fn(u64) -> u64) -> u64 {
        let mut core = self.core.borrow_mut();
        core.drained += 1;
        if core.drained > DRAIN_STEPS {
            drop(core);
            std::panic::resume_unwind(Box::new("a thread does not end"));
        }
        apply(core.memory.peek(word))
    }

    fn class(&self, word: Word) -> Class {
        self.core.borrow().names.words[word.0 as usize].1
    }
}

impl<M> Core<M> {
    fn start_step(&mut self) {
        if let Some(recorder) = &mut self.recorder
            && let At::Step(pending) = self.threads[self.current].at
        {
            recorder.decided(self.current, pending.op, self.names.step_word(pending.word));
        }
        self.in_step = true;
        self.stepped = self.places[self.current];
        self.steps += 1;
        self.steps_here += 1;
    }
}

impl<M: Memory> Engine for Machine<M> {
    fn new_object(&self, kind: &'static str, index: u16) -> Object {
        let mut core = self.core.borrow_mut();
        assert!(core.phase == Phase::Setup, "objects are made while a program is set up");
        core.memory.add_object();
        core.names.objects.push((kind, index));
        Object(core.names.objects.len() as u16 - 1)
    }

    fn new_word(&self, name: &'static str, class: Class, owner: Object, init: u64) -> Word {
        let mut core = self.core.borrow_mut();
        assert!(core.phase == Phase::Setup, "words are made while a program is set up");
        core.memory.add_word(class, owner, init);
        core.names.words.push((name, class, owner));
        Word(core.names.words.len() as u16 - 1)
    }

    fn free(&self, object: Object, site: Site) {
        let mut core = self.core.borrow_mut();
        if core.phase == Phase::Draining {
            return;
        }
        let me = core.current;
        core.frees |= 1 << object.0.min(63);
        let Core { recorder, names, .. } = &mut *core;
        if let Some(recorder) = recorder {
            recorder.free(names, me, object, site);
        }
        if let Some(fault) = core.memory.free(me, object) {
            let what = format!("{} ({})", fault.what, core.names.object(object));
            core.fail(fault.rule, what);
            drop(core);
            suspend();
        }
    }

    fn load(&self, word: Word, order: Order, site: Site) -> u64 {
        if self.class(word) != Class::Plain && !self.turn(word, None, Sleep::Held, false, site)
            || self.stopping()
        {
            return self.drained(word, &|v| v);
        }
        self.act(word, site, None, order, Kind::Read, |core, me| {
            let Core { memory, search, recorder, .. } = core;
            memory.load(me, word, order, &mut choose(search, recorder))
        })
    }

    fn store(&self, word: Word, value: u64, order: Order, site: Site) {
        if self.class(word) != Class::Plain && !self.turn(word, None, Sleep::Held, false, site)
            || self.stopping()
        {
            self.drained(word, &|v| v);
            return;
        }
        self.act(word, site, None, order, Kind::Write, |core, me| {
            let Core { memory, search, recorder, .. } = core;
            memory.store(me, word, value, order, &mut choose(search, recorder))
        });
    }

    fn rmw(&self, word: Word, order: Order, rmw: &Rmw, site: Site) -> u64 {
        let sole = rmw.shape == Shape::Unlock;
        if self.class(word) != Class::Ghost && !self.turn(word, None, Sleep::Held, sole, site)
            || self.stopping()
        {
            return self.drained(word, &|v| (rmw.apply)(v).ret);
        }
        self.act(word, site, None, order, Kind::Write, |core, me| {
            let Core { memory, search, recorder, .. } = core;
            let done = memory.rmw(me, word, order, rmw, &mut choose(search, recorder));
            if order == Order::Acquire && done.ret != 0 {
                core.takers[word.0 as usize] = Some(me);
            }
            done
        })
    }

    fn wait_rmw(&self, word: Word, order: Order, until: Until, sleep: Sleep, rmw: &Rmw, site: Site) -> u64 {
        if !self.turn(word, Some(until), sleep, false, site) {
            return self.drained(word, &|v| (rmw.apply)(v).ret);
        }
        self.act(word, site, Some(until), order, Kind::Write, |core, me| {
            core.takers[word.0 as usize] = Some(me);
            let Core { memory, search, recorder, .. } = core;
            memory.rmw(me, word, order, rmw, &mut choose(search, recorder))
        })
    }

    fn fence(&self, order: Order, site: Site) {
        if M::FENCE_IS_A_STEP && order == Order::Full && !self.turn(FENCE, None, Sleep::Held, false, site) {
            return;
        }
        let mut core = self.core.borrow_mut();
        if core.phase == Phase::Draining {
            return;
        }
        let me = core.current;
        core.memory.fence(me, order);
        // A barrier may change no view; the states before and after it differ all the same.
        core.threads[me].history = mix(core.threads[me].history, 0);
        if order == Order::Full && M::FENCE_IS_A_STEP {
            core.footprint.push(Touch { word: FENCE, access: Access::Write, before: 0, until: None });
        }
        if let Some(recorder) = &mut core.recorder {
            recorder.fence(me, site);
        }
    }

    fn current(&self) -> usize {
        self.core.borrow().current
    }

    fn note(&self, note: Note) {
        let mut core = self.core.borrow_mut();
        let me = core.current;
        match note {
            Note::Enter(function) => {
                if let Some(recorder) = &mut core.recorder {
                    recorder.enter(me, function);
                }
            }
            Note::Leave => {
                if let Some(recorder) = &mut core.recorder {
                    recorder.leave(me);
                }
            }
            Note::Goal(goal) => {
                if core.phase != Phase::Draining && !core.goals.contains(&goal) {
                    core.goals.push(goal);
                }
            }
            Note::Forget(position) => core.threads[me].history = mix(0, position),
            Note::Enclose => {
                let thread = &mut core.threads[me];
                thread.enclosing.push(thread.history);
            }
            Note::Disclose => {
                let thread = &mut core.threads[me];
                thread.history = mix(thread.enclosing.pop().expect("parts nest"), 1);
            }
        }
    }

    fn fault(&self, fault: Fault) {
        let mut core = self.core.borrow_mut();
        if core.phase == Phase::Draining {
            return;
        }
        core.fail(fault.rule, fault.what.into());
        drop(core);
        suspend();
    }

    fn peek(&self, word: Word) -> u64 {
        self.core.borrow().memory.peek(word)
    }

    fn freed(&self, object: Object) -> bool {
        self.core.borrow().memory.freed(object)
    }

    fn stopping(&self) -> bool {
        self.core.borrow().phase == Phase::Draining
    }
}
