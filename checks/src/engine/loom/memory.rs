//! Memory under loom: words, objects, and threads that sleep.

use super::place::{Place, race_checked};
use crate::engine::native::{Backend, Unordered};
use loom::sync::atomic::{Ordering, fence};
use loom::thread::Thread;
use mmspec_model::k::engine::{Class, Effect, Object, Order, Rmw, Until, Word};
use std::cell::RefCell;
use std::panic::resume_unwind;

/// Payload of the panic that ends an exploration. It says nothing: what happened is recorded.
pub struct Stop;

/// Memory of one execution under loom.
#[derive(Default)]
pub struct Memory {
    places: RefCell<Vec<Place>>,
    /// One cell an object: accesses read it, the free writes it.
    lives: RefCell<Vec<loom::cell::Cell<()>>>,
    sleepers: RefCell<Vec<Option<Thread>>>,
}

impl Backend for Memory {
    const PARKS: bool = true;

    fn new_object(&self) {
        self.lives.borrow_mut().push(loom::cell::Cell::new(()));
    }

    fn new_word(&self, class: Class, init: u64) {
        self.places.borrow_mut().push(Place::new(class, init));
    }

    /// loom lets others run at each of its own operations.
    fn turn(&self, _: Class) {}

    fn touch(&self, object: Object) -> Result<(), Unordered> {
        race_checked(|| self.lives.borrow()[object.0 as usize].get())
    }

    fn free(&self, object: Object) -> Result<(), Unordered> {
        race_checked(|| self.lives.borrow()[object.0 as usize].set(()))
    }

    fn load(&self, word: Word, order: Order) -> Result<u64, Unordered> {
        self.places.borrow()[word.0 as usize].load(order)
    }

    fn store(&self, word: Word, value: u64, order: Order) -> Result<u64, Unordered> {
        let before = self.newest(word);
        self.places.borrow()[word.0 as usize].store(value, order).map(|()| before)
    }

    fn rmw(&self, word: Word, order: Order, until: Option<Until>, rmw: &Rmw) -> Option<(u64, Effect)> {
        self.places.borrow()[word.0 as usize].rmw(order, until, rmw)
    }

    fn fence(&self, order: Order) {
        match order {
            Order::Relaxed => {}
            Order::Acquire => fence(Ordering::Acquire),
            Order::Release => fence(Ordering::Release),
            Order::AcqRel => fence(Ordering::AcqRel),
            Order::Full => fence(Ordering::SeqCst),
        }
    }

    fn settle(&self) {
        self.places.borrow().iter().for_each(Place::settle);
    }

    fn newest(&self, word: Word) -> u64 {
        self.places.borrow()[word.0 as usize].newest()
    }

    fn overwrite(&self, word: Word, value: u64) {
        self.places.borrow()[word.0 as usize].overwrite(value);
    }

    fn sleep(&self, thread: usize) {
        let mut sleepers = self.sleepers.borrow_mut();
        if sleepers.len() <= thread {
            sleepers.resize(thread + 1, None);
        }
        sleepers[thread] = Some(loom::thread::current());
        drop(sleepers);
        loom::thread::park();
    }

    fn wake(&self, thread: usize) {
        let sleeper = self.sleepers.borrow()[thread].clone();
        sleeper.expect("a thread that waits has gone to sleep").unpark();
    }

    fn abandon(&self) -> ! {
        resume_unwind(Box::new(Stop))
    }
}
