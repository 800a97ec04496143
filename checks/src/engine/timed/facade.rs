//! The facade that the model calls: a step happens at once, then its thread pays for it.

use super::Timed;
use super::machine::{Phase, Span, Stand, Wait};
use crate::engine::explore::coroutine::suspend;
use mmspec_model::k::engine::{
    Class, Engine, Fault, Note, Object, Order, Rmw, Shape, Site, Sleep, Until, Word,
};

impl Timed {
    /// The running thread goes through `spans` before it goes on. After a broken rule it does not.
    fn pay(&self, spans: impl IntoIterator<Item = Span>) {
        let failed = {
            let mut machine = self.machine.borrow_mut();
            let me = machine.current;
            machine.threads[me].spans.extend(spans.into_iter().filter(|span| !matches!(span, Span::Run(0))));
            machine.phase == Phase::Failed
        };
        if failed || !self.machine.borrow().threads[self.current()].spans.is_empty() {
            suspend();
        }
    }

    /// Change how many spinlocks the running thread holds, if `op` does, which returned `ret`. Pages that
    /// it has gathered under the last one are freed then.
    fn count_spinlocks(&self, op: &str, ret: u64) -> Option<Span> {
        let mut machine = self.machine.borrow_mut();
        let me = machine.current;
        let thread = &mut machine.threads[me];
        match op {
            "spin_lock" => thread.spinlocks += 1,
            "spin_trylock" => thread.spinlocks += u32::from(ret != 0),
            "spin_unlock" => thread.spinlocks = thread.spinlocks.saturating_sub(1),
            _ => {}
        }
        let frees = thread.spinlocks == 0 && thread.gathered > 0;
        frees.then(|| Span::Gathered(std::mem::take(&mut thread.gathered)))
    }
}

impl Engine for Timed {
    fn new_object(&self, kind: &'static str, index: u16) -> Object {
        let mut machine = self.machine.borrow_mut();
        assert!(machine.threads.is_empty(), "objects are made while a program is set up");
        machine.names.objects.push((kind, index));
        machine.freed.push(None);
        Object(machine.freed.len() as u16 - 1)
    }

    fn new_word(&self, name: &'static str, class: Class, owner: Object, init: u64) -> Word {
        let mut machine = self.machine.borrow_mut();
        assert!(machine.threads.is_empty(), "words are made while a program is set up");
        machine.names.words.push((name, class, owner));
        machine.values.push(init);
        machine.first.push(init);
        Word(machine.values.len() as u16 - 1)
    }

    fn free(&self, object: Object, _: Site) {
        if !self.stopping() {
            let ns = self.machine.borrow_mut().free(object);
            self.pay([Span::Run(ns)]);
        }
    }

    fn load(&self, word: Word, _: Order, _: Site) -> u64 {
        let value = self.peek(word);
        if !self.stopping() {
            let ns = {
                let mut machine = self.machine.borrow_mut();
                machine.touch(word);
                machine.costs.load
            };
            self.pay([Span::Run(ns)]);
        }
        value
    }

    fn store(&self, word: Word, value: u64, _: Order, _: Site) {
        if !self.stopping() {
            let ns = {
                let mut machine = self.machine.borrow_mut();
                machine.touch(word);
                machine.values[word.0 as usize] = value;
                machine.costs.load
            };
            self.pay([Span::Run(ns)]);
        }
    }

    fn rmw(&self, word: Word, _: Order, rmw: &Rmw, site: Site) -> u64 {
        if self.stopping() {
            return (rmw.apply)(self.peek(word)).ret;
        }
        let (spans, ret) = self.machine.borrow_mut().apply(word, rmw.apply, site);
        let frees = self.count_spinlocks(site.op, ret);
        self.pay(spans.into_iter().chain(frees));
        ret
    }

    fn wait_rmw(&self, word: Word, _: Order, until: Until, sleep: Sleep, rmw: &Rmw, site: Site) -> u64 {
        if self.stopping() {
            return (rmw.apply)(self.peek(word)).ret;
        }
        let mut before = None;
        if !until.ready(self.peek(word)) {
            let spins = rmw.shape == Shape::Lock;
            {
                let mut machine = self.machine.borrow_mut();
                let me = machine.current;
                machine.threads[me].stand = Stand::Waiting(Wait { word, until, sleep, spins, op: site.op });
                machine.waiting.push(me);
            }
            suspend();
            if self.stopping() {
                return (rmw.apply)(self.peek(word)).ret;
            }
            let costs = self.machine.borrow().costs;
            before = Some(if spins { Span::Run(costs.hand_over) } else { Span::Off(costs.sleep(site.op)) });
        }
        let (spans, ret) = self.machine.borrow_mut().apply(word, rmw.apply, site);
        let frees = self.count_spinlocks(site.op, ret);
        self.pay(before.into_iter().chain(spans).chain(frees));
        ret
    }

    fn fence(&self, _: Order, _: Site) {
        if !self.stopping() {
            let ns = self.machine.borrow().costs.barrier;
            self.pay([Span::Run(ns)]);
        }
    }

    fn current(&self) -> usize {
        self.machine.borrow().current
    }

    fn note(&self, note: Note) {
        if let (Note::Goal(goal), false) = (note, self.stopping()) {
            self.machine.borrow_mut().goals.insert(goal);
        }
    }

    fn fault(&self, fault: Fault) {
        if !self.stopping() {
            self.machine.borrow_mut().fail(fault.rule, fault.what.into());
            suspend();
        }
    }

    fn peek(&self, word: Word) -> u64 {
        self.machine.borrow().values[word.0 as usize]
    }

    fn freed(&self, object: Object) -> bool {
        self.machine.borrow().freed[object.0 as usize].is_some()
    }

    fn stopping(&self) -> bool {
        self.machine.borrow().phase == Phase::Draining
    }
}
