//! Sequential consistency: one value a word. Data races and uses of freed objects are found by
//! happens-before, so that one execution speaks for all that differ only in unordered accesses.

use super::{Choose, Done, Memory};
use crate::engine::explore::footprint::{Access, Clock, MAX_THREADS, join};
use mmspec_model::k::engine::{Class, Fault, Object, Order, Rmw, Until, Word};

const ZERO: Clock = [0; MAX_THREADS];

struct Cell {
    class: Class,
    owner: Object,
    init: u64,
    value: u64,
    /// Happens-before that an acquiring reader of this word joins.
    release: Clock,
    /// Plain words: epoch of the last write by `writer`, and of each thread's last read since.
    written: u16,
    writer: usize,
    reads: Clock,
}

#[derive(Clone, Copy)]
struct Allocation {
    freed: bool,
    /// Epoch of each thread's last access.
    accesses: Clock,
}

#[derive(Clone, Copy)]
struct Hb {
    now: Clock,
    /// Joined by relaxed reads, taken over by an acquire fence.
    pending: Clock,
    /// Published by relaxed writes: the clock at the last release fence.
    fenced: Clock,
    live: bool,
}

/// Sequentially consistent memory.
#[derive(Default)]
pub struct Sc {
    cells: Vec<Cell>,
    objects: Vec<Allocation>,
    threads: Vec<Hb>,
}

const RACE: Fault = Fault { rule: "race", what: "two unordered accesses of ordinary memory, one of them a write" };
const FREED: Fault = Fault { rule: "uaf", what: "a freed object is used" };
const IN_USE: Fault = Fault { rule: "uaf", what: "an object is freed while an access to it is not ordered before" };

impl Sc {
    /// Account for an access of a word of `owner`.
    fn touch(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let object = &mut self.objects[self.cells[word.0 as usize].owner.0 as usize];
        object.accesses[thread] = self.threads[thread].now[thread];
        object.freed.then_some(FREED)
    }

    fn acquire(&mut self, thread: usize, word: Word, order: Order) {
        let release = &self.cells[word.0 as usize].release;
        let hb = &mut self.threads[thread];
        join(&mut hb.pending, release);
        if order.acquires() {
            join(&mut hb.now, release);
        }
    }

    fn publish(&mut self, thread: usize, word: Word, order: Order) {
        let hb = &mut self.threads[thread];
        let release = &mut self.cells[word.0 as usize].release;
        if order.releases() {
            join(release, &hb.now);
            hb.now[thread] += 1;
        } else {
            join(release, &hb.fenced);
        }
    }

    fn read_plain(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let cell = &mut self.cells[word.0 as usize];
        let now = &self.threads[thread].now;
        cell.reads[thread] = now[thread];
        (cell.written > now[cell.writer]).then_some(RACE)
    }

    fn write_plain(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let cell = &mut self.cells[word.0 as usize];
        let now = &self.threads[thread].now;
        let unseen = |(q, &epoch): (usize, &u16)| epoch > now[q];
        let race = cell.written > now[cell.writer] || cell.reads.iter().enumerate().any(unseen);
        (cell.writer, cell.written, cell.reads) = (thread, now[thread], ZERO);
        race.then_some(RACE)
    }

    /// For each thread, the epochs that some check may still compare with, ascending.
    fn live_epochs(&self) -> [Vec<u16>; MAX_THREADS] {
        let mut epochs: [Vec<u16>; MAX_THREADS] = Default::default();
        let mut add = |clock: &Clock| {
            for (t, &e) in clock.iter().enumerate().filter(|(_, e)| **e > 0) {
                epochs[t].push(e);
            }
        };
        for cell in self.cells.iter().filter(|c| c.class == Class::Plain) {
            add(&cell.reads);
            let mut written = ZERO;
            written[cell.writer] = cell.written;
            add(&written);
        }
        self.objects.iter().filter(|o| !o.freed).for_each(|o| add(&o.accesses));
        for list in &mut epochs {
            list.sort_unstable();
            list.dedup();
        }
        epochs
    }
}

impl Memory for Sc {
    const FENCE_IS_A_STEP: bool = false;

    fn add_word(&mut self, class: Class, owner: Object, init: u64) {
        let cell = Cell { class, owner, init, value: init, release: ZERO, written: 0, writer: 0, reads: ZERO };
        self.cells.push(cell);
    }

    fn add_object(&mut self) {
        self.objects.push(Allocation { freed: false, accesses: ZERO });
    }

    fn reset(&mut self, threads: usize) {
        for cell in &mut self.cells {
            (cell.value, cell.release, cell.written, cell.reads) = (cell.init, ZERO, 0, ZERO);
        }
        self.objects.fill(Allocation { freed: false, accesses: ZERO });
        self.threads.clear();
        for t in 0..threads {
            let mut now = ZERO;
            now[t] = 1;
            self.threads.push(Hb { now, pending: ZERO, fenced: ZERO, live: true });
        }
    }

    fn ready(&self, word: Word, until: Until) -> bool {
        until.ready(self.cells[word.0 as usize].value)
    }

    fn load(&mut self, thread: usize, word: Word, order: Order, _: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        if self.cells[word.0 as usize].class == Class::Plain {
            fault = fault.or_else(|| self.read_plain(thread, word));
        } else {
            self.acquire(thread, word, order);
        }
        let value = self.cells[word.0 as usize].value;
        Done { before: value, after: value, ret: value, access: Access::Read, fault }
    }

    fn store(&mut self, thread: usize, word: Word, value: u64, order: Order, _: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &mut self.cells[word.0 as usize];
        let before = std::mem::replace(&mut cell.value, value);
        if cell.class == Class::Plain {
            fault = fault.or_else(|| self.write_plain(thread, word));
        } else {
            cell.release = ZERO;
            self.publish(thread, word, order);
        }
        Done { before, after: value, ret: 0, access: Access::Write, fault }
    }

    fn rmw(&mut self, thread: usize, word: Word, order: Order, rmw: &Rmw, _: Choose) -> Done {
        let ghost = self.cells[word.0 as usize].class == Class::Ghost;
        let mut fault = if ghost { None } else { self.touch(thread, word) };
        let before = self.cells[word.0 as usize].value;
        let effect = (rmw.apply)(before);
        fault = fault.or(effect.fault);
        let Some(after) = effect.new else {
            self.acquire(thread, word, Order::Relaxed);
            return Done { before, after: before, ret: effect.ret, access: Access::Read, fault };
        };
        self.cells[word.0 as usize].value = after;
        if !ghost {
            if order == Order::Full {
                self.fence(thread, Order::Full);
            }
            self.acquire(thread, word, order);
            self.publish(thread, word, order);
            if order == Order::Full {
                self.fence(thread, Order::Full);
            }
        }
        Done { before, after, ret: effect.ret, access: Access::of_rmw(rmw.shape, order), fault }
    }

    fn fence(&mut self, thread: usize, order: Order) {
        let hb = &mut self.threads[thread];
        if order.acquires() {
            let pending = hb.pending;
            join(&mut hb.now, &pending);
        }
        if order.releases() {
            hb.fenced = hb.now;
            hb.now[thread] += 1;
        }
    }

    fn free(&mut self, thread: usize, object: Object) -> Option<Fault> {
        let now = &self.threads[thread].now;
        let allocation = &mut self.objects[object.0 as usize];
        if allocation.freed {
            return Some(Fault { rule: "double-free", what: "an object is freed twice" });
        }
        let in_use = allocation.accesses.iter().enumerate().any(|(q, &epoch)| epoch > now[q]);
        *allocation = Allocation { freed: true, accesses: ZERO };
        for cell in self.cells.iter_mut().filter(|c| c.owner == object) {
            (cell.release, cell.written, cell.reads) = (ZERO, 0, ZERO);
        }
        in_use.then_some(IN_USE)
    }

    fn finish(&mut self, thread: usize) {
        let hb = &mut self.threads[thread];
        *hb = Hb { now: ZERO, pending: ZERO, fenced: ZERO, live: false };
    }

    fn peek(&self, word: Word) -> u64 {
        self.cells[word.0 as usize].value
    }

    fn freed(&self, object: Object) -> bool {
        self.objects[object.0 as usize].freed
    }

    fn write_state(&mut self, out: &mut Vec<u8>) {
        let epochs = self.live_epochs();
        let mut clock = |out: &mut Vec<u8>, c: &Clock| {
            for (t, list) in epochs.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
                out.push(list.partition_point(|&e| e <= c[t]) as u8);
            }
        };
        for cell in &self.cells {
            out.extend(cell.value.to_le_bytes());
            if cell.class == Class::Plain {
                let mut written = ZERO;
                written[cell.writer] = cell.written;
                clock(out, &written);
                clock(out, &cell.reads);
            } else {
                clock(out, &cell.release);
            }
        }
        for object in &self.objects {
            out.push(u8::from(object.freed));
            clock(out, &object.accesses);
        }
        for hb in self.threads.iter().filter(|hb| hb.live) {
            for c in [&hb.now, &hb.pending, &hb.fenced] {
                clock(out, c);
            }
        }
    }
}
