//! The facade that the model calls, in terms of a backend.

use super::log::{Entry, Step};
use super::state::{Phase, Stand, Wait};
use super::{Backend, FREED_AGAIN, FREED_IN_USE, Native};
use mmspec_model::event::Kind;
use mmspec_model::k::engine::{Class, Engine, Fault, Note, Object, Order, Rmw, Site, Sleep, Until, Word};

impl<B: Backend> Engine for Native<B> {
    fn new_object(&self, kind: &'static str, index: u16) -> Object {
        self.backend.new_object();
        let mut state = self.state();
        assert!(state.stands.is_empty(), "objects are made while a program is set up");
        state.names.objects.push((kind, index));
        state.freed.push(false);
        Object(state.freed.len() as u16 - 1)
    }

    fn new_word(&self, name: &'static str, class: Class, owner: Object, init: u64) -> Word {
        self.backend.new_word(class, init);
        let mut state = self.state();
        assert!(state.stands.is_empty(), "words are made while a program is set up");
        state.names.words.push((name, class, owner));
        Word(state.names.words.len() as u16 - 1)
    }

    fn free(&self, object: Object, site: Site) {
        if self.stopping() {
            return;
        }
        let unordered = self.backend.free(object).is_err();
        let mut state = self.state();
        state.log.push(self.current.get(), Entry::Free(object, site));
        let again = std::mem::replace(&mut state.freed[object.0 as usize], true).then_some(FREED_AGAIN);
        if let Some(fault) = again.or(unordered.then_some(FREED_IN_USE)) {
            let name = state.names.object(object);
            drop(state);
            self.fail_at(fault, &name);
        }
    }

    fn load(&self, word: Word, order: Order, site: Site) -> u64 {
        if self.stopping() {
            return self.drained(word, None);
        }
        let class = self.touch(word);
        let loaded = self.switching(|| {
            self.backend.turn(class);
            self.backend.load(word, order)
        });
        let value = *loaded.as_ref().unwrap_or(&0);
        let step = Step { word, site, before: value, after: value, ret: value, kind: Kind::Read };
        if loaded.is_err() {
            self.account_race(step);
        }
        self.account(step, None);
        value
    }

    fn store(&self, word: Word, value: u64, order: Order, site: Site) {
        if self.stopping() {
            self.drained(word, None);
            return;
        }
        let class = self.touch(word);
        let stored = self.switching(|| {
            self.backend.turn(class);
            self.backend.store(word, value, order)
        });
        let before = *stored.as_ref().unwrap_or(&0);
        let step = Step { word, site, before, after: value, ret: 0, kind: Kind::Write };
        if stored.is_err() {
            self.account_race(step);
        }
        self.account(step, None);
    }

    fn rmw(&self, word: Word, order: Order, rmw: &Rmw, site: Site) -> u64 {
        if self.stopping() {
            return self.drained(word, Some(rmw));
        }
        let class = self.touch(word);
        let done = self.switching(|| {
            self.backend.turn(class);
            self.backend.rmw(word, order, None, rmw)
        });
        self.account_rmw(word, order, site, done.expect("nothing to wait for"))
    }

    fn wait_rmw(&self, word: Word, order: Order, until: Until, sleep: Sleep, rmw: &Rmw, site: Site) -> u64 {
        let me = self.current.get();
        let wait = Wait { word, until, sleep, site };
        let mut attempt = B::PARKS;
        let mut arrived = false;
        while !self.stopping() {
            // To wait for an object's word is no access: a kworker sleeps elsewhere, in its pool.
            let ready = until.ready(self.backend.newest(word));
            if ready {
                self.touch(word);
            }
            if attempt && let Some(done) = self.switching(|| self.backend.rmw(word, order, Some(until), rmw))
            {
                if !ready {
                    self.touch(word);
                }
                self.state().stands[me] = Stand::Running;
                return self.account_rmw(word, order, site, done);
            }
            if !until.ready(self.backend.newest(word)) && !std::mem::replace(&mut arrived, true) {
                self.state().log.push(me, Entry::Waits(word, site));
            }
            if !self.settle(Stand::Waiting(wait)) {
                self.switching(|| self.backend.sleep(me));
            }
            attempt = true;
        }
        // Only where it may run does the step make sense.
        self.drained(word, until.ready(self.backend.newest(word)).then_some(rmw))
    }

    fn fence(&self, order: Order, site: Site) {
        if !self.stopping() {
            self.backend.fence(order);
            self.state().log.push(self.current.get(), Entry::Fence(site));
        }
    }

    fn current(&self) -> usize {
        self.current.get()
    }

    fn note(&self, note: Note) {
        let mut state = self.state();
        if state.phase != Phase::Running {
            return;
        }
        let me = self.current.get();
        match note {
            Note::Enter(function) => state.log.push(me, Entry::Enter(function)),
            Note::Leave => state.log.push(me, Entry::Leave),
            Note::Goal(goal) => {
                state.report.goals.insert(goal);
            }
            Note::Forget(_) | Note::Enclose | Note::Disclose => {}
        }
    }

    fn fault(&self, fault: Fault) {
        if !self.stopping() {
            self.fail(fault.rule, fault.what.into());
        }
    }

    fn peek(&self, word: Word) -> u64 {
        self.backend.newest(word)
    }

    fn freed(&self, object: Object) -> bool {
        self.state().freed[object.0 as usize]
    }

    fn stopping(&self) -> bool {
        self.state().phase != Phase::Running
    }
}
