//! Weak memory by views: an operational model close to the kernel's memory model.
//!
//! Each Atomic word has a list of messages in coherence order; a thread may read any message that
//! is not older than what it knows, and put a write anywhere behind that. What a thread knows is a
//! [`View`]; releases attach it to messages, acquires take it over, full barriers meet in one
//! global view. Three things follow the kernel's model rather than C11: a write comes after
//! everything that any earlier read of its thread knew (dependencies order writes), a failed
//! conditional operation orders nothing, and taking a spinlock orders the writes of its last holder
//! before those of the new one for everybody. A read never returns a message that is written later (no load
//! buffering).

mod access;
mod state;

use super::races::{Allocation, Variable};
use super::view::{MAX_ATOMICS, View};
use super::{Choose, Done, Memory, Relevant};
use crate::engine::explore::footprint::Access;
use mmspec_model::k::engine::{Class, Fault, Object, Order, Rmw, Until, Word};

#[derive(Clone, Copy)]
struct Message {
    value: u64,
    view: View,
    /// Written by a read-modify-write of the message before: nothing can come in between.
    attached: bool,
}

struct Cell {
    class: Class,
    owner: Object,
    init: u64,
    /// Index of an Atomic word in views.
    slot: usize,
    /// Atomic: all messages that somebody may still read.
    messages: Vec<Message>,
    /// Sync, Plain, Ghost: the value.
    value: u64,
    /// Sync: what its releases have published.
    view: View,
    /// Sync: the part of it that readers of a lock learn: what its writers have published.
    written: View,
    /// Plain.
    variable: Variable,
}

#[derive(Clone, Copy)]
struct Thread {
    /// What its reads and writes must respect.
    cur: View,
    /// What they will have to respect after an acquire fence, and writes respect at once.
    acq: View,
    /// What its relaxed writes publish.
    rel: View,
    /// What it knew at its last release of a lock.
    unlocked: View,
    live: bool,
}

const NOBODY: Thread =
    Thread { cur: View::NONE, acq: View::NONE, rel: View::NONE, unlocked: View::NONE, live: false };

/// Memory of the `views` engine.
pub struct Views {
    cells: Vec<Cell>,
    objects: Vec<Allocation>,
    threads: Vec<Thread>,
    /// What all full barriers so far have met in.
    barriers: View,
    slots: usize,
}

impl Default for Views {
    fn default() -> Self {
        Self { cells: Vec::new(), objects: Vec::new(), threads: Vec::new(), barriers: View::NONE, slots: 0 }
    }
}

impl Memory for Views {
    const FENCE_IS_A_STEP: bool = true;

    fn add_word(&mut self, class: Class, owner: Object, init: u64) {
        let slot = self.slots;
        self.slots += usize::from(class == Class::Atomic);
        assert!(self.slots <= MAX_ATOMICS, "more than {MAX_ATOMICS} Atomic words");
        let (view, variable) = (View::NONE, Variable::default());
        self.cells.push(Cell {
            class,
            owner,
            init,
            slot,
            messages: Vec::new(),
            value: init,
            view,
            written: view,
            variable,
        });
    }

    fn add_object(&mut self) {
        self.objects.push(Allocation::default());
    }

    fn reset(&mut self, threads: usize) {
        for cell in &mut self.cells {
            (cell.value, cell.view, cell.written) = (cell.init, View::NONE, View::NONE);
            cell.variable = Variable::default();
            cell.messages.clear();
            if cell.class == Class::Atomic {
                cell.messages.push(Message { value: cell.init, view: View::NONE, attached: false });
            }
        }
        self.objects.fill(Allocation::default());
        self.barriers = View::NONE;
        self.threads.clear();
        for t in 0..threads {
            let mut cur = View::NONE;
            cur.hb[t] = 1;
            self.threads.push(Thread { cur, acq: cur, live: true, ..NOBODY });
        }
    }

    fn ready(&self, word: Word, until: Until) -> bool {
        until.ready(self.cells[word.0 as usize].value)
    }

    fn load(&mut self, thread: usize, word: Word, order: Order, choose: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &mut self.cells[word.0 as usize];
        let value = if cell.class == Class::Atomic {
            let (oldest, newest) = (self.threads[thread].cur.at[cell.slot] as usize, cell.messages.len() - 1);
            let position = newest - choose(newest - oldest + 1);
            self.read_message(thread, word, position, order).value
        } else {
            fault = fault.or_else(|| cell.variable.read(thread, &self.threads[thread].cur.hb));
            cell.value
        };
        Done { before: value, after: value, ret: value, access: Access::Read, fault }
    }

    fn store(&mut self, thread: usize, word: Word, value: u64, order: Order, choose: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &mut self.cells[word.0 as usize];
        if cell.class != Class::Atomic {
            fault = fault.or_else(|| cell.variable.write(thread, &self.threads[thread].cur.hb));
            let before = std::mem::replace(&mut cell.value, value);
            return Done { before, after: value, ret: 0, access: Access::Write, fault };
        }
        let after = self.threads[thread].acq.at[cell.slot] as usize + 1;
        let end = cell.messages.len();
        let free = |p: &usize| *p == end || !cell.messages[*p].attached;
        let places: Vec<usize> = (after..=end).rev().filter(free).collect();
        let position = places[choose(places.len())];
        let before = cell.messages[position - 1].value;
        self.insert(thread, word, position, value, order, None);
        Done { before, after: value, ret: 0, access: Access::Write, fault }
    }

    fn rmw(&mut self, thread: usize, word: Word, order: Order, rmw: &Rmw, choose: Choose) -> Done {
        let cell = &mut self.cells[word.0 as usize];
        match cell.class {
            Class::Sync => return self.sync(thread, word, order, rmw),
            Class::Ghost => {
                let before = cell.value;
                let effect = (rmw.apply)(before);
                cell.value = effect.new.unwrap_or(before);
                let access = Access::Write;
                return Done { before, after: cell.value, ret: effect.ret, access, fault: effect.fault };
            }
            Class::Atomic | Class::Plain => {}
        }
        let mut fault = self.touch(thread, word);
        let (cell, t) = (&self.cells[word.0 as usize], &self.threads[thread]);
        let known = t.cur.at[cell.slot] as usize;
        let mut required = known;
        if order == Order::Full {
            required = required.max(t.acq.at[cell.slot].max(self.barriers.at[cell.slot]) as usize);
        }
        let last = cell.messages.len() - 1;
        // A conditional operation that fails reads any message; one that succeeds reads a message
        // that no other read-modify-write has read.
        let usable = |p: &usize| match (rmw.apply)(cell.messages[*p].value).new {
            None => *p >= known,
            Some(_) => *p >= required && (*p == last || !cell.messages[*p + 1].attached),
        };
        let sources: Vec<usize> = (0..=last).rev().filter(usable).collect();
        let position = sources[choose(sources.len())];
        let before = cell.messages[position].value;
        let effect = (rmw.apply)(before);
        fault = fault.or(effect.fault);
        let Some(after) = effect.new else {
            self.read_message(thread, word, position, Order::Relaxed);
            return Done { before, after: before, ret: effect.ret, access: Access::Read, fault };
        };
        if order == Order::Full {
            self.fence(thread, Order::Full);
        }
        let source = self.read_message(thread, word, position, order);
        self.insert(thread, word, position + 1, after, order, Some(source.view));
        if order == Order::Full {
            self.fence(thread, Order::Full);
        }
        // On weak memory the order of any two updates shows in what their messages carry.
        Done { before, after, ret: effect.ret, access: Access::Write, fault }
    }

    fn fence(&mut self, thread: usize, order: Order) {
        let t = &mut self.threads[thread];
        if order.acquires() {
            let acq = t.acq;
            t.cur.join(&acq);
        }
        if order == Order::Full {
            t.cur.join_positions(&self.barriers);
            self.barriers.join_positions(&t.cur);
            t.acq.join_positions(&self.barriers);
        }
        if order.releases() {
            t.rel = t.cur;
            self.next_epoch(thread);
        }
    }

    fn free(&mut self, thread: usize, object: Object) -> Option<Fault> {
        let fault = self.objects[object.0 as usize].free(&self.threads[thread].cur.hb);
        for cell in self.cells.iter_mut().filter(|c| c.owner == object) {
            (cell.view, cell.written, cell.variable) = (View::NONE, View::NONE, Variable::default());
        }
        fault
    }

    fn finish(&mut self, thread: usize) {
        self.threads[thread] = NOBODY;
    }

    fn peek(&self, word: Word) -> u64 {
        let cell = &self.cells[word.0 as usize];
        cell.messages.last().map_or(cell.value, |m| m.value)
    }

    fn freed(&self, object: Object) -> bool {
        self.objects[object.0 as usize].freed
    }

    fn write_state(&mut self, relevant: &Relevant, out: &mut Vec<u8>) {
        self.collect();
        self.write(relevant, out);
    }
}
