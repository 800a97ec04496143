//! How accesses read, put and carry messages.

use super::super::view::View;
use super::super::{Done, Memory};
use super::{Message, Views};
use crate::engine::explore::footprint::Access;
use mmspec_model::k::engine::{Fault, Order, Rmw, Shape, Word};

impl Views {
    pub(super) fn touch(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let owner = self.cells[word.0 as usize].owner;
        self.objects[owner.0 as usize].touch(thread, &self.threads[thread].cur.hb)
    }

    /// Every view there is.
    pub(super) fn all_views(&mut self, mut f: impl FnMut(&mut View)) {
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
    pub(super) fn insert(
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
    pub(super) fn next_epoch(&mut self, thread: usize) {
        let t = &mut self.threads[thread];
        t.cur.hb[thread] += 1;
        t.acq.hb[thread] = t.cur.hb[thread];
    }

    pub(super) fn read_message(
        &mut self,
        thread: usize,
        word: Word,
        position: usize,
        order: Order,
    ) -> Message {
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

    pub(super) fn sync(&mut self, thread: usize, word: Word, order: Order, rmw: &Rmw) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &self.cells[word.0 as usize];
        let before = cell.value;
        let effect = (rmw.apply)(before);
        fault = fault.or(effect.fault);
        let Some(after) = effect.new else {
            return Done { before, after: before, ret: effect.ret, access: Access::Read, fault };
        };
        let access = Access::of_rmw(rmw, order, before, after, effect.ret);
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
}
