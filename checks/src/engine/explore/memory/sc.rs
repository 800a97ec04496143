//! Sequential consistency: one value a word. Data races and uses of freed objects are found by
//! happens-before, so that one execution speaks for all that differ only in unordered accesses.

use super::races::{Allocation, Epochs, Variable};
use super::{Choose, Done, Memory, Relevant};
use crate::engine::explore::footprint::{Access, Clock, MAX_THREADS, join};
use mmspec_model::k::engine::{Class, Fault, Object, Order, Rmw, Until, Word};

const ZERO: Clock = [0; MAX_THREADS];

struct Cell {
    class: Class,
    owner: Object,
    init: u64,
    value: u64,
    /// Happens-before that an acquiring access of this word joins.
    release: Clock,
    /// The part of it that readers of a lock join: what its writers have released.
    written: Clock,
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

    /// A reader takes or gives up a lock: it is ordered against writers only.
    fn reader(&mut self, thread: usize, word: Word, order: Order) {
        if order.acquires() {
            join(&mut self.threads[thread].now, &self.cells[word.0 as usize].written);
        } else {
            self.publish(thread, word, order);
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
        self.cells.push(Cell { class, owner, init, value: init, release: ZERO, written: ZERO, variable });
    }

    fn add_object(&mut self) {
        self.objects.push(Allocation::default());
    }

    fn reset(&mut self, threads: usize) {
        for cell in &mut self.cells {
            (cell.value, cell.release, cell.written, cell.variable) =
                (cell.init, ZERO, ZERO, Variable::default());
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
        let access = Access::of_rmw(rmw, order, before, after, effect.ret);
        match access {
            _ if ghost => {}
            Access::Reader => self.reader(thread, word, order),
            // A drop that is not the last learns nothing, so that the order of two does not matter.
            Access::Drop => self.publish(thread, word, if order.releases() { Order::Release } else { order }),
            _ => {
                if order == Order::Full {
                    self.fence(thread, Order::Full);
                }
                self.acquire(thread, word, order);
                self.publish(thread, word, order);
                self.cells[word.0 as usize].written = self.cells[word.0 as usize].release;
                if order == Order::Full {
                    self.fence(thread, Order::Full);
                }
            }
        }
        Done { before, after, ret: effect.ret, access, fault }
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
            (cell.release, cell.written, cell.variable) = (ZERO, ZERO, Variable::default());
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

    fn write_state(&mut self, relevant: &Relevant, out: &mut Vec<u8>) {
        let cells = || self.cells.iter().enumerate().filter(|(i, _)| relevant.word(*i));
        let plain = cells().filter(|(_, c)| c.class == Class::Plain).map(|(_, c)| &c.variable);
        let objects = self.objects.iter().enumerate().filter(|(i, _)| relevant.object(*i)).map(|(_, o)| o);
        let epochs = Epochs::of(plain, objects);
        self.cells.iter().for_each(|c| out.extend(c.value.to_le_bytes()));
        for (_, cell) in cells() {
            if cell.class == Class::Plain {
                epochs.write_variable(&cell.variable, out);
            } else {
                epochs.write(&cell.release, out);
                epochs.write(&cell.written, out);
            }
        }
        for (i, object) in self.objects.iter().enumerate() {
            epochs.write_allocation(object, relevant.object(i), out);
        }
        for thread in self.threads.iter().filter(|t| t.live) {
            for clock in [&thread.now, &thread.pending, &thread.fenced] {
                epochs.write(clock, out);
            }
        }
    }
}
