//! One machine for both in-house engines: it runs the threads of a program as coroutines, one step
//! at a time, on a memory model and in the order that a search asks for.
//!
//! The decision who moves next is taken by the thread that arrives at its next step, so that a
//! thread which simply runs on costs no switch. Ordinary memory and ghost words are not steps: they
//! join the step before them.

use super::core::Core;
use super::coroutine::suspend;
use super::footprint::{Access, Touch};
use super::memory::{Done, Memory};
use super::record::Recorder;
use super::search::Search;
use super::thread::{At, Pending, Phase};
use mmspec_model::event::Kind;
use mmspec_model::k::engine::{
    Class, Engine, Fault, Note, Object, Order, Rmw, Shape, Site, Sleep, Until, Word,
};
use std::cell::RefCell;

/// Steps that a thread may take while it is drained.
const DRAIN_STEPS: u32 = 10_000;

/// Stands for the word of a barrier, which touches none.
pub const FENCE: Word = Word(u16::MAX);

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
            core.threads[me].at = At::Step(Pending { word, until, sleep, op: site.op, arg: site.arg, sole });
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
            core.footprint.push(Touch {
                word: FENCE,
                access: Access::Write,
                before: 0,
                after: 0,
                until: None,
            });
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
        core.threads[me].observe(0);
        if order == Order::Full && M::FENCE_IS_A_STEP {
            core.footprint.push(Touch {
                word: FENCE,
                access: Access::Write,
                before: 0,
                after: 0,
                until: None,
            });
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
            Note::Forget(place) => core.threads[me].forget(place),
            Note::Enclose => core.threads[me].enclose(),
            Note::Disclose => core.threads[me].disclose(),
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
