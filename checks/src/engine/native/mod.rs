//! What loom and shuttle have in common: everything but memory and the choice of the next thread.
//!
//! A run is over when every thread has returned or waits idly. The thread that brings this about
//! judges the end; the others then return without taking steps. When nobody can move although
//! somebody waits for another thread to act, the run is deadlocked.

mod facade;
pub mod log;
pub mod state;

use super::quiet;
use super::report::MAX_STEPS;
use log::{Entry, Step};
use mmspec_model::event::Kind;
use mmspec_model::k::engine::{Class, Effect, Engine, Fault, Object, Order, Rmw, Site, Until, Word};
use state::{Exploration, Phase, Stand, State, Wait};
use std::cell::{Cell, RefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

const RACE: Fault =
    Fault { rule: "race", what: "two unordered accesses of ordinary memory, one of them a write" };
const USED_AFTER_FREE: Fault = Fault { rule: "uaf", what: "a freed object is used" };
const FREED_IN_USE: Fault =
    Fault { rule: "uaf", what: "an object is freed while an access to it is not ordered before" };
const FREED_AGAIN: Fault = Fault { rule: "double-free", what: "an object is freed twice" };

/// Two accesses of ordinary memory, or an access and the free of its object, are unordered.
#[derive(Debug)]
pub struct Unordered;

/// Memory, and how threads take turns.
pub trait Backend {
    /// Whether a thread attempts a blocking step, parks if it cannot run, and is woken when it can.
    /// Otherwise it announces the step first, and goes on only when it can run.
    const PARKS: bool;
    /// Add an object.
    fn new_object(&self);
    /// Add a word.
    fn new_word(&self, class: Class, init: u64);
    /// The running thread is about to access a word of `class`: others may go first.
    fn turn(&self, class: Class);
    /// Account for an access of `object` by the running thread.
    fn touch(&self, object: Object) -> Result<(), Unordered>;
    /// Account for a write to all of `object`.
    fn free(&self, object: Object) -> Result<(), Unordered>;
    /// Read.
    fn load(&self, word: Word, order: Order) -> Result<u64, Unordered>;
    /// Write; the value overwritten.
    fn store(&self, word: Word, value: u64, order: Order) -> Result<u64, Unordered>;
    /// Read-modify-write: value found and effect; `None` if it may not run at that value.
    fn rmw(&self, word: Word, order: Order, until: Option<Until>, rmw: &Rmw) -> Option<(u64, Effect)>;
    /// Memory barrier.
    fn fence(&self, order: Order);
    /// The run is over: from now on [`Backend::newest`] must be what memory will hold for ever.
    fn settle(&self);
    /// Newest value.
    fn newest(&self, word: Word) -> u64;
    /// Set the newest value once the run is over.
    fn overwrite(&self, word: Word, value: u64);
    /// `thread`, which is running, waits at a blocking step.
    fn sleep(&self, thread: usize);
    /// `thread`, which sleeps, may go on.
    fn wake(&self, thread: usize);
    /// Leave the execution and end the exploration.
    fn abandon(&self) -> !;
}

/// An engine for one execution.
pub struct Native<B> {
    /// Memory and turns.
    pub backend: B,
    /// What is known.
    pub exploration: Rc<Exploration>,
    current: Cell<usize>,
}

impl<B: Backend> Native<B> {
    /// An engine without words.
    pub fn new(backend: B, exploration: Rc<Exploration>) -> Self {
        Self { backend, exploration, current: Cell::new(0) }
    }

    fn state(&self) -> RefMut<'_, State> {
        self.exploration.state.borrow_mut()
    }

    /// Run thread `index` of the program from its start to its return.
    pub fn run_thread(&self, index: usize, body: &dyn Fn()) {
        self.current.set(index);
        self.state().stands[index] = Stand::Running;
        if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
            match quiet::message(payload.as_ref()) {
                // What a thread sees while it only returns is nobody's claim.
                Some(_) if self.stopping() => {}
                Some(text) => self.fail(rule_of_panic(&text), text.trim().to_string()),
                None => resume_unwind(payload),
            }
        }
        if !self.stopping() {
            self.state().log.push(index, Entry::Done);
            self.settle(Stand::Finished);
        }
    }

    /// Whether `thread` can go on if it is chosen.
    pub fn can_move(&self, stand: Stand) -> bool {
        match stand {
            Stand::Starting | Stand::Running => true,
            Stand::Waiting(wait) => wait.until.ready(self.backend.newest(wait.word)),
            Stand::Finished => false,
        }
    }

    /// The running thread stands still now. Whether the run is over thereby.
    fn settle(&self, stand: Stand) -> bool {
        let me = self.current.get();
        let deadlock = {
            let mut state = self.state();
            state.stands[me] = stand;
            if state.stands.iter().any(|&stand| self.can_move(stand)) {
                return false;
            }
            state.deadlock()
        };
        let broken = deadlock.map_or_else(|| self.judge(), |text| Some(("deadlock", text)));
        self.state().report.complete += 1;
        if let Some((rule, what)) = broken {
            if !self.exploration.limits.collect {
                self.state().at_end = true;
                self.fail(rule, what);
            }
            self.state().report.outcomes.insert(format!("VIOLATED {rule}"));
        }
        let sleepers = {
            let mut state = self.state();
            state.phase = Phase::Over;
            state.steps = 0;
            sleepers(&state, me, |_| true)
        };
        for thread in sleepers {
            self.backend.wake(thread);
        }
        true
    }

    /// Judge the end state: its outcome is noted, and the first rule that it breaks returned.
    fn judge(&self) -> Option<(&'static str, String)> {
        self.switching(|| self.backend.settle());
        let judge = self.state().judge.clone().expect("set before the threads start");
        let ending = judge();
        let mut state = self.state();
        if !state.report.outcomes.contains(&ending.outcome) {
            state.report.outcomes.insert(ending.outcome);
        }
        ending.faults.into_iter().next()
    }

    fn fail(&self, rule: &str, what: String) -> ! {
        self.state().fail(rule, what);
        self.backend.abandon()
    }

    fn fail_at(&self, fault: Fault, name: &str) -> ! {
        self.fail(fault.rule, format!("{} ({name})", fault.what))
    }

    /// Count an access of a word of a living object; before the step, because what the step releases
    /// must include it. Ghost words are nobody's memory. Returns the word's class.
    fn touch(&self, word: Word) -> Class {
        let (_, class, owner) = self.state().names.words[word.0 as usize];
        if class != Class::Ghost && self.backend.touch(owner).is_err() {
            let name = self.state().names.word(word);
            self.fail_at(USED_AFTER_FREE, &name);
        }
        class
    }

    /// Account for a step that was taken.
    fn account(&self, step: Step, fault: Option<Fault>) {
        let me = self.current.get();
        let mut state = self.state();
        state.log_step(me, step);
        let (_, class, owner) = state.names.words[step.word.0 as usize];
        let dead = (class != Class::Ghost && state.freed[owner.0 as usize]).then_some(USED_AFTER_FREE);
        if state.steps > MAX_STEPS {
            drop(state);
            self.fail("livelock", format!("no end after {MAX_STEPS} steps"));
        }
        if let Some(fault) = dead.or(fault) {
            let name = state.names.word(step.word);
            drop(state);
            self.fail_at(fault, &name);
        }
        if B::PARKS && class == Class::Sync && step.after != step.before {
            let ready = |wait: &Wait| wait.word == step.word && wait.until.ready(step.after);
            let woken = sleepers(&state, me, ready);
            for &thread in &woken {
                state.stands[thread] = Stand::Running;
            }
            drop(state);
            for thread in woken {
                self.backend.wake(thread);
            }
        }
    }

    /// Account for a read-modify-write that was taken.
    fn account_rmw(&self, word: Word, order: Order, site: Site, (before, effect): (u64, Effect)) -> u64 {
        let after = effect.new.unwrap_or(before);
        if order == Order::Acquire && after != before {
            self.state().takers[word.0 as usize] = Some(self.current.get());
        }
        let kind = if effect.new.is_some() { Kind::Write } else { Kind::Failed };
        self.account(Step { word, site, before, after, ret: effect.ret, kind }, effect.fault);
        effect.ret
    }

    fn account_race(&self, step: Step) -> ! {
        self.account(step, Some(RACE));
        unreachable!("a race ends the exploration")
    }

    /// Do `f`, during which other threads may run.
    fn switching<T>(&self, f: impl FnOnce() -> T) -> T {
        let me = self.current.get();
        let result = f();
        self.current.set(me);
        result
    }

    /// A step when the run is over: judged by nobody, and no step for the backend. It still does what
    /// it says, so that loops end.
    fn drained(&self, word: Word, rmw: Option<&Rmw>) -> u64 {
        self.state().steps += 1;
        if self.state().steps > MAX_STEPS {
            self.fail("livelock", "a thread does not leave its loop when the run is over".into());
        }
        let found = self.backend.newest(word);
        let Some(rmw) = rmw else { return found };
        let effect = (rmw.apply)(found);
        self.backend.overwrite(word, effect.new.unwrap_or(found));
        effect.ret
    }
}

/// Threads that wait, other than `me`.
fn sleepers(state: &State, me: usize, ready: impl Fn(&Wait) -> bool) -> Vec<usize> {
    let waiting = |stand: &Stand| matches!(stand, Stand::Waiting(wait) if ready(wait));
    let stands = state.stands.iter().enumerate();
    stands.filter(|(thread, stand)| *thread != me && waiting(stand)).map(|(thread, _)| thread).collect()
}

/// Rule that a panic breaks, by its text.
fn rule_of_panic(text: &str) -> &'static str {
    let rules = [
        ("Causality violation", "race"),
        ("deadlock;", "deadlock"),
        ("maximum number of branches", "livelock"),
    ];
    rules.iter().find(|(part, _)| text.contains(part)).map_or("panic", |(_, rule)| rule)
}
