//! Memory under shuttle: one value a word, and a scheduling point before each step.

use crate::engine::native::{Backend, Unordered};
use mmspec_model::k::engine::{Class, Effect, Object, Order, Rmw, Until, Word};
use std::cell::RefCell;
use std::time::Duration;

/// Memory of one execution under shuttle.
pub struct Memory {
    values: RefCell<Vec<u64>>,
    plain_is_a_step: bool,
}

impl Memory {
    /// Without words. If ordinary memory is no step, an access to it joins the step before.
    pub fn new(plain_is_a_step: bool) -> Self {
        Self { values: RefCell::default(), plain_is_a_step }
    }
}

/// Let the scheduler choose who runs on. shuttle has no time: to sleep is nothing else.
fn scheduling_point() {
    shuttle::thread::sleep(Duration::ZERO);
}

impl Backend for Memory {
    const PARKS: bool = false;

    fn new_object(&self) {}

    fn new_word(&self, _: Class, init: u64) {
        self.values.borrow_mut().push(init);
    }

    fn turn(&self, class: Class) {
        let is_a_step = match class {
            Class::Atomic | Class::Sync => true,
            Class::Plain => self.plain_is_a_step,
            Class::Ghost => false,
        };
        if is_a_step {
            scheduling_point();
        }
    }

    fn touch(&self, _: Object) -> Result<(), Unordered> {
        Ok(())
    }

    fn free(&self, _: Object) -> Result<(), Unordered> {
        Ok(())
    }

    fn load(&self, word: Word, _: Order) -> Result<u64, Unordered> {
        Ok(self.newest(word))
    }

    fn store(&self, word: Word, value: u64, _: Order) -> Result<u64, Unordered> {
        Ok(std::mem::replace(&mut self.values.borrow_mut()[word.0 as usize], value))
    }

    fn rmw(&self, word: Word, _: Order, until: Option<Until>, rmw: &Rmw) -> Option<(u64, Effect)> {
        let found = self.newest(word);
        until.is_none_or(|until| until.ready(found)).then(|| {
            let effect = (rmw.apply)(found);
            self.overwrite(word, effect.new.unwrap_or(found));
            (found, effect)
        })
    }

    fn fence(&self, _: Order) {}

    fn settle(&self) {}

    fn newest(&self, word: Word) -> u64 {
        self.values.borrow()[word.0 as usize]
    }

    fn overwrite(&self, word: Word, value: u64) {
        self.values.borrow_mut()[word.0 as usize] = value;
    }

    /// The scheduler chooses a thread that waits only when it can go on.
    fn sleep(&self, _: usize) {
        scheduling_point();
    }

    fn wake(&self, _: usize) {}

    /// The scheduler sees the broken rule, and ends the execution here.
    fn abandon(&self) -> ! {
        scheduling_point();
        unreachable!("the execution has ended")
    }
}
