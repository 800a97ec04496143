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

use super::races::{Allocation, Epochs, Variable};
use super::view::{MAX_ATOMICS, View};
use super::{Choose, Done, Memory, Relevant};
use crate::engine::explore::footprint::Access;
use mmspec_model::k::engine::{Class, Fault, Object, Order, Rmw, Shape, Until, Word};

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

impl Views {
    fn touch(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let owner = self.cells[word.0 as usize].owner;
        self.objects[owner.0 as usize].touch(thread, &self.threads[thread].cur.hb)
    }

    /// Every view there is.
    fn all_views(&mut self, mut f: impl FnMut(&mut View)) {
        for t in &mut self.threads {
            [&mut t.cur, &mut t.acq, &mut t.rel, &mut t.unlocked].into_iter().for_each(&mut f);
        }
        f(&mut self.barriers);
        for cell in &mut self.cells {
            f(&mut cell.view);
            f(&mut cell.written);
            cell.messages.iter_mut().for_each(|m| f(&mut m.view));
        }
    }

    /// Put a message at `position`, moving later ones up; the thread then knows it.
    fn insert(
        &mut self,
        thread: usize,
        word: Word,
        position: usize,
        value: u64,
        order: Order,
        source: Option<View>,
    ) {
        let slot = self.cells[word.0 as usize].slot;
        if position < self.cells[word.0 as usize].messages.len() {
            self.all_views(|v| v.at[slot] += u8::from(v.at[slot] as usize >= position));
        }
        let t = &mut self.threads[thread];
        t.cur.raise(slot, position);
        t.acq.raise(slot, position);
        let mut view = if order.releases() { t.cur } else { t.rel };
        if let Some(source) = source {
            view.join(&source);
        }
        view.raise(slot, position);
        let message = Message { value, view, attached: source.is_some() };
        self.cells[word.0 as usize].messages.insert(position, message);
        if order.releases() {
            self.next_epoch(thread);
        }
    }

    /// What the thread does from now on is not yet published.
    fn next_epoch(&mut self, thread: usize) {
        let t = &mut self.threads[thread];
        t.cur.hb[thread] += 1;
        t.acq.hb[thread] = t.cur.hb[thread];
    }

    fn read_message(&mut self, thread: usize, word: Word, position: usize, order: Order) -> Message {
        let cell = &self.cells[word.0 as usize];
        let message = cell.messages[position];
        let t = &mut self.threads[thread];
        t.cur.raise(cell.slot, position);
        t.acq.raise(cell.slot, position);
        t.acq.join(&message.view);
        if order.acquires() {
            t.cur.join(&message.view);
        }
        message
    }

    fn sync(&mut self, thread: usize, word: Word, order: Order, rmw: &Rmw) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &self.cells[word.0 as usize];
        let before = cell.value;
        let effect = (rmw.apply)(before);
        fault = fault.or(effect.fault);
        let Some(after) = effect.new else {
            return Done { before, after: before, ret: effect.ret, access: Access::Read, fault };
        };
        let access = Access::of_rmw(rmw.shape, order, before, after, effect.ret);
        let known = if access == Access::Reader { cell.written } else { cell.view };
        if order == Order::Full {
            self.fence(thread, Order::Full);
        }
        let t = &mut self.threads[thread];
        if order.acquires() {
            t.cur.join(&known);
            t.acq.join(&known);
            if rmw.shape == Shape::Lock {
                let unlocked = t.unlocked;
                t.rel.join(&unlocked);
                t.rel.join(&known);
            }
        }
        let cell = &mut self.cells[word.0 as usize];
        cell.value = after;
        if order.releases() {
            cell.view.join(&t.cur);
            if access != Access::Reader {
                cell.written = cell.view;
            }
            t.unlocked = t.cur;
            self.next_epoch(thread);
        }
        if order == Order::Full {
            self.fence(thread, Order::Full);
        }
        Done { before, after, ret: effect.ret, access, fault }
    }

    /// Forget messages that nobody can read any more.
    fn collect(&mut self) {
        for word in 0..self.cells.len() {
            let cell = &self.cells[word];
            if cell.class != Class::Atomic || cell.messages.len() < 2 {
                continue;
            }
            let slot = cell.slot;
            let oldest = self.threads.iter().filter(|t| t.live).map(|t| t.cur.at[slot]).min();
            let oldest = oldest.unwrap_or(cell.messages.len() as u8 - 1);
            if oldest > 0 {
                self.all_views(|v| v.at[slot] = v.at[slot].saturating_sub(oldest));
                let messages = &mut self.cells[word].messages;
                messages.drain(..oldest as usize);
                messages[0].attached = false;
            }
        }
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
        let cells = || self.cells.iter().enumerate().filter(|(i, _)| relevant.word(*i)).map(|(_, c)| c);
        let plain = cells().filter(|c| c.class == Class::Plain).map(|c| &c.variable);
        let objects = self.objects.iter().enumerate().filter(|(i, _)| relevant.object(*i)).map(|(_, o)| o);
        let epochs = Epochs::of(plain, objects);
        let slots: Vec<usize> = cells().filter(|c| c.class == Class::Atomic).map(|c| c.slot).collect();
        let view = |out: &mut Vec<u8>, v: &View| {
            out.extend(slots.iter().map(|&slot| v.at[slot]));
            epochs.write(&v.hb, out);
        };
        for (i, cell) in self.cells.iter().enumerate() {
            let newest = cell.messages.last().map_or(cell.value, |m| m.value);
            out.extend(newest.to_le_bytes());
            if !relevant.word(i) {
                continue;
            }
            out.push(cell.messages.len() as u8);
            for message in &cell.messages {
                out.extend(message.value.to_le_bytes());
                out.push(u8::from(message.attached));
                view(out, &message.view);
            }
            match cell.class {
                Class::Sync => {
                    view(out, &cell.view);
                    view(out, &cell.written);
                }
                Class::Plain => epochs.write_variable(&cell.variable, out),
                Class::Atomic | Class::Ghost => {}
            }
        }
        for (i, object) in self.objects.iter().enumerate() {
            epochs.write_allocation(object, relevant.object(i), out);
        }
        view(out, &self.barriers);
        for thread in self.threads.iter().filter(|t| t.live) {
            for v in [&thread.cur, &thread.acq, &thread.rel, &thread.unlocked] {
                view(out, v);
            }
        }
    }
}
