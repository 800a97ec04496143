//! Sequential consistency: one value a word. Data races and uses of freed objects are found by
//! happens-before, so that one execution speaks for all that differ only in unordered accesses.

use super::races::{Allocation, Epochs, Variable};
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
    /// For ordinary memory.
    variable: Variable,
}

#[derive(Clone, Copy)]
struct Thread {
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
    threads: Vec<Thread>,
}

impl Sc {
    fn touch(&mut self, thread: usize, word: Word) -> Option<Fault> {
        let owner = self.cells[word.0 as usize].owner;
        self.objects[owner.0 as usize].touch(thread, &self.threads[thread].now)
    }

    fn acquire(&mut self, thread: usize, word: Word, order: Order) {
        let release = &self.cells[word.0 as usize].release;
        let t = &mut self.threads[thread];
        join(&mut t.pending, release);
        if order.acquires() {
            join(&mut t.now, release);
        }
    }

    fn publish(&mut self, thread: usize, word: Word, order: Order) {
        let t = &mut self.threads[thread];
        let release = &mut self.cells[word.0 as usize].release;
        if order.releases() {
            join(release, &t.now);
            t.now[thread] += 1;
        } else {
            join(release, &t.fenced);
        }
    }
}

impl Memory for Sc {
    const FENCE_IS_A_STEP: bool = false;

    fn add_word(&mut self, class: Class, owner: Object, init: u64) {
        let variable = Variable::default();
        self.cells.push(Cell { class, owner, init, value: init, release: ZERO, variable });
    }

    fn add_object(&mut self) {
        self.objects.push(Allocation::default());
    }

    fn reset(&mut self, threads: usize) {
        for cell in &mut self.cells {
            (cell.value, cell.release, cell.variable) = (cell.init, ZERO, Variable::default());
        }
        self.objects.fill(Allocation::default());
        self.threads.clear();
        for t in 0..threads {
            let mut now = ZERO;
            now[t] = 1;
            self.threads.push(Thread { now, pending: ZERO, fenced: ZERO, live: true });
        }
    }

    fn ready(&self, word: Word, until: Until) -> bool {
        until.ready(self.cells[word.0 as usize].value)
    }

    fn load(&mut self, thread: usize, word: Word, order: Order, _: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &mut self.cells[word.0 as usize];
        let value = cell.value;
        if cell.class == Class::Plain {
            fault = fault.or_else(|| cell.variable.read(thread, &self.threads[thread].now));
        } else {
            self.acquire(thread, word, order);
        }
        Done { before: value, after: value, ret: value, access: Access::Read, fault }
    }

    fn store(&mut self, thread: usize, word: Word, value: u64, order: Order, _: Choose) -> Done {
        let mut fault = self.touch(thread, word);
        let cell = &mut self.cells[word.0 as usize];
        let before = std::mem::replace(&mut cell.value, value);
        if cell.class == Class::Plain {
            fault = fault.or_else(|| cell.variable.write(thread, &self.threads[thread].now));
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
        let t = &mut self.threads[thread];
        if order.acquires() {
            let pending = t.pending;
            join(&mut t.now, &pending);
        }
        if order.releases() {
            t.fenced = t.now;
            t.now[thread] += 1;
        }
    }

    fn free(&mut self, thread: usize, object: Object) -> Option<Fault> {
        let fault = self.objects[object.0 as usize].free(&self.threads[thread].now);
        for cell in self.cells.iter_mut().filter(|c| c.owner == object) {
            (cell.release, cell.variable) = (ZERO, Variable::default());
        }
        fault
    }

    fn finish(&mut self, thread: usize) {
        self.threads[thread] = Thread { now: ZERO, pending: ZERO, fenced: ZERO, live: false };
    }

    fn peek(&self, word: Word) -> u64 {
        self.cells[word.0 as usize].value
    }

    fn freed(&self, object: Object) -> bool {
        self.objects[object.0 as usize].freed
    }

    fn write_state(&mut self, out: &mut Vec<u8>) {
        let plain = self.cells.iter().filter(|c| c.class == Class::Plain).map(|c| &c.variable);
        let epochs = Epochs::of(plain, self.objects.iter());
        for cell in &self.cells {
            out.extend(cell.value.to_le_bytes());
            if cell.class == Class::Plain {
                epochs.write_variable(&cell.variable, out);
            } else {
                epochs.write(&cell.release, out);
            }
        }
        self.objects.iter().for_each(|o| epochs.write_allocation(o, out));
        for thread in self.threads.iter().filter(|t| t.live) {
            for clock in [&thread.now, &thread.pending, &thread.fenced] {
                epochs.write(clock, out);
            }
        }
    }
}
