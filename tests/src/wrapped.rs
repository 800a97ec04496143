//! An engine around the engine: what a program does is watched, or its memory orders are changed, without
//! a word in the model.

use mmspec_model::k::engine::{
    Class, Engine, Fault, Note, Object, Order, Rmw, Site, Sleep, Until, Word, engine, install,
};
use mmspec_model::k::program::Setup;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What is done with each step.
pub trait Watch {
    /// Order that `step` has in place of `order`.
    fn order(&self, _step: &Step, order: Order) -> Order {
        order
    }
    /// A thread is about to take a step.
    fn before(&self, _thread: usize) {}
    /// It has taken it, and was told `value`.
    fn after(&self, _thread: usize, _step: &Step, _value: u64) {}
    /// It has made a remark.
    fn note(&self, _thread: usize, _note: Note) {}
    /// A thread of an execution starts, thread 0 first.
    fn begins(&self, _thread: usize) {}
    /// It has come to its end.
    fn ends(&self, _thread: usize) {}
}

/// A step on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Primitive (`atomic_dec_and_test`).
    pub op: &'static str,
    /// Named constant passed to it, or empty.
    pub arg: &'static str,
    /// Name of the word (`mm_users`); empty for a barrier.
    pub word: &'static str,
    /// Function of the kernel that takes it (`exit_mm`); empty outside of all.
    pub function: &'static str,
    /// Whether it is one that waits until it can be taken.
    pub waits: bool,
}

struct Wrapped<W> {
    inner: Rc<dyn Engine>,
    names: RefCell<Vec<&'static str>>,
    /// Functions that each thread is in.
    calls: RefCell<Vec<Vec<&'static str>>>,
    watch: W,
}

/// `setup`, under an engine that `watch` makes.
pub fn wrap<W: Watch + 'static>(setup: Setup, watch: impl Fn() -> W + Send + Sync + 'static) -> Setup {
    Arc::new(move || {
        let wrapped = Rc::new(Wrapped {
            inner: engine(),
            names: RefCell::default(),
            calls: RefCell::default(),
            watch: watch(),
        });
        install(Some(wrapped.clone()));
        let mut program = setup();
        wrapped.calls.borrow_mut().resize(program.threads.len(), Vec::new());
        for (index, thread) in program.threads.iter_mut().enumerate() {
            let (body, wrapped) = (thread.body.clone(), wrapped.clone());
            thread.body = Rc::new(move || {
                // An execution that was given up has left it in the middle of a function.
                wrapped.calls.borrow_mut()[index].clear();
                wrapped.watch.begins(index);
                body();
                wrapped.watch.ends(index);
            });
        }
        program
    })
}

impl<W: Watch> Wrapped<W> {
    fn step(&self, word: Word, site: Site, waits: bool) -> Step {
        self.named(self.names.borrow()[usize::from(word.0)], site, waits)
    }

    fn named(&self, word: &'static str, site: Site, waits: bool) -> Step {
        let function = if self.inner.stopping() {
            ""
        } else {
            let calls = self.calls.borrow();
            calls.get(self.inner.current()).and_then(|calls| calls.last()).copied().unwrap_or("")
        };
        Step { op: site.op, arg: site.arg, word, function, waits }
    }

    /// Take a step with the order that it is to have.
    fn take(&self, what: Step, order: Order, step: impl FnOnce(Order) -> u64) -> u64 {
        if self.inner.stopping() {
            return step(order);
        }
        let thread = self.inner.current();
        self.watch.before(thread);
        let value = step(self.watch.order(&what, order));
        if !self.inner.stopping() {
            self.watch.after(thread, &what, value);
        }
        value
    }
}

impl<W: Watch> Engine for Wrapped<W> {
    fn new_object(&self, kind: &'static str, index: u16) -> Object {
        self.inner.new_object(kind, index)
    }

    fn new_word(&self, name: &'static str, class: Class, owner: Object, init: u64) -> Word {
        let word = self.inner.new_word(name, class, owner, init);
        let mut names = self.names.borrow_mut();
        assert_eq!(names.len(), usize::from(word.0), "words are numbered in their order");
        names.push(name);
        word
    }

    fn free(&self, object: Object, site: Site) {
        self.inner.free(object, site);
    }

    fn load(&self, word: Word, order: Order, site: Site) -> u64 {
        self.take(self.step(word, site, false), order, |order| self.inner.load(word, order, site))
    }

    fn store(&self, word: Word, value: u64, order: Order, site: Site) {
        self.take(self.step(word, site, false), order, |order| {
            self.inner.store(word, value, order, site);
            value
        });
    }

    fn rmw(&self, word: Word, order: Order, rmw: &Rmw, site: Site) -> u64 {
        self.take(self.step(word, site, false), order, |order| self.inner.rmw(word, order, rmw, site))
    }

    fn wait_rmw(&self, word: Word, order: Order, until: Until, sleep: Sleep, rmw: &Rmw, site: Site) -> u64 {
        let step = self.step(word, site, true);
        self.take(step, order, |order| self.inner.wait_rmw(word, order, until, sleep, rmw, site))
    }

    fn fence(&self, order: Order, site: Site) {
        self.take(self.named("", site, false), order, |order| {
            self.inner.fence(order, site);
            0
        });
    }

    fn current(&self) -> usize {
        self.inner.current()
    }

    fn note(&self, note: Note) {
        self.inner.note(note);
        if !self.inner.stopping() {
            let thread = self.inner.current();
            if let Some(calls) = self.calls.borrow_mut().get_mut(thread) {
                match note {
                    Note::Enter(function) => calls.push(function),
                    Note::Leave => drop(calls.pop()),
                    _ => {}
                }
            }
            self.watch.note(thread, note);
        }
    }

    fn fault(&self, fault: Fault) {
        self.inner.fault(fault);
    }

    fn peek(&self, word: Word) -> u64 {
        self.inner.peek(word)
    }

    fn freed(&self, object: Object) -> bool {
        self.inner.freed(object)
    }

    fn stopping(&self) -> bool {
        self.inner.stopping()
    }
}
