//! The one seam between the model and whoever executes it.
//!
//! Every visible step of the model is a call of [`Engine`], found through a thread local, so that
//! protocol code carries no generics, no engine type and no `cfg`. All threads of one model run on
//! one OS thread.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// A shared 64-bit word; everything that threads share is made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(pub u16);

/// An allocation that owns words (an mm, its page tables, a task): freeing it makes them unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object(pub u16);

/// What a word stands for, and thereby how an engine schedules and checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A counter or flag word: its accesses carry the memory order of the kernel primitive.
    Atomic,
    /// A lock word or wait queue: changed by read-modify-writes only, always up to date.
    Sync,
    /// Ordinary memory: two unordered accesses, one of them a write, are a data race.
    Plain,
    /// Specification only. Accesses join the step before them and order nothing.
    Ghost,
}

/// Memory order of one access, as `Documentation/atomic_t.txt` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `atomic_read()`, `atomic_inc()`, `set_bit()`, `READ_ONCE()`.
    Relaxed,
    /// `smp_load_acquire()`, taking a lock.
    Acquire,
    /// `smp_store_release()`, releasing a lock.
    Release,
    /// Both, without being a barrier.
    AcqRel,
    /// A fully ordered operation: `smp_mb()` before and after (`atomic_dec_and_test()`, `xchg()`).
    Full,
}

impl Order {
    /// Whether later accesses stay behind this one.
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::Full)
    }

    /// Whether earlier accesses stay before this one.
    pub fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::Full)
    }
}

/// Which operation a step is, for traces: the kernel's name, an argument, the place in the model.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Name of the primitive (`atomic_dec_and_test`).
    pub op: &'static str,
    /// Named constant passed to it (`MMF_OOM_SKIP`), or empty.
    pub arg: &'static str,
    /// Caller of the primitive.
    pub at: &'static Location<'static>,
}

impl Site {
    /// The place that called the primitive `op`.
    #[track_caller]
    pub fn here(op: &'static str) -> Self {
        Self { op, arg: "", at: Location::caller() }
    }

    /// The same with a named argument.
    #[track_caller]
    pub fn with(op: &'static str, arg: &'static str) -> Self {
        Self { op, arg, at: Location::caller() }
    }
}

/// Condition under which a blocking step may run, on the value of its own word.
///
/// It is data, not a closure, so that a scheduler can test it while the thread sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// Bits looked at.
    pub mask: u64,
    /// What they are compared with.
    pub value: u64,
    /// Whether the comparison must hold (`true`) or fail.
    pub equal: bool,
}

impl Until {
    /// Ready while all bits of `mask` are clear.
    pub const fn clear(mask: u64) -> Self {
        Self { mask, value: 0, equal: true }
    }

    /// Ready while at least one bit of `mask` is set.
    pub const fn any(mask: u64) -> Self {
        Self { mask, value: 0, equal: false }
    }

    /// Whether the step may run at `value`.
    pub const fn ready(self, value: u64) -> bool {
        ((value & self.mask) == self.value) == self.equal
    }
}

/// Rule broken by a step, and how, as found by the primitive itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Rule of the reference (`R1`) or of the memory model (`race`, `uaf`).
    pub rule: &'static str,
    /// One sentence, in the kernel's words.
    pub what: &'static str,
}

/// Effect of a read-modify-write on the value that it found.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// Value to store; `None` is a failed conditional operation: no write, no ordering.
    pub new: Option<u64>,
    /// What the caller learns. Keep it small: it is what tells two states apart.
    pub ret: u64,
    /// Rule that this very step breaks.
    pub fault: Option<Fault>,
}

impl Effect {
    /// Store `new`, tell the caller nothing.
    pub fn store(new: u64) -> Self {
        Self { new: Some(new), ret: 0, fault: None }
    }

    /// Store `new`, return `ret`.
    pub fn ret(new: u64, ret: u64) -> Self {
        Self { new: Some(new), ret, fault: None }
    }

    /// Change nothing, return `ret`.
    pub fn fail(ret: u64) -> Self {
        Self { new: None, ret, fault: None }
    }

    /// Report `rule` as broken if `bad`.
    #[must_use]
    pub fn fault_if(mut self, bad: bool, rule: &'static str, what: &'static str) -> Self {
        if bad {
            self.fault = Some(Fault { rule, what });
        }
        self
    }
}

/// Machine operation behind a read-modify-write: what commutes, and what a native engine issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Addition whose caller learns nothing; two of them commute. If it checks a rule, that is broken
    /// at 0 or at whatever is less than what it subtracts.
    BlindAdd(u64),
    /// Bitwise or whose caller learns nothing; two of them commute.
    BlindOr(u64),
    /// Addition (wrapping).
    Add(u64),
    /// Subtraction of 1 that tells whether the counter has reached 0; two that tell no commute.
    Drop,
    /// Bitwise or.
    Or(u64),
    /// Bitwise and.
    And(u64),
    /// Exchange.
    Xchg(u64),
    /// Compare-and-exchange loop: the effect depends on the value.
    Conditional,
    /// A reader takes or gives up a lock without waiting: two of them commute, and readers order
    /// nothing among themselves.
    Reader,
    /// Taking a spinlock: what its last holder wrote is ordered before what this thread writes, for
    /// everybody.
    Lock,
    /// Release of a lock that nobody can try without waiting: until it happens no other thread can
    /// take a step on the word, so it commutes with everything that others do meanwhile.
    Unlock,
}

/// A read-modify-write. `apply` must be a pure function: engines call it on candidate values.
pub struct Rmw<'a> {
    /// Machine operation.
    pub shape: Shape,
    /// Effect on the value found.
    pub apply: &'a dyn Fn(u64) -> Effect,
}

/// How a thread waits at a blocking step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// For another thread to act; still asleep at the end of a run is a deadlock.
    Held,
    /// For work, as a kernel thread does; a run may end with it asleep.
    Idle,
}

/// Remarks that cost no step: they shape a trace or count towards coverage.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// A kernel function is entered.
    Enter(&'static str),
    /// It returns.
    Leave,
    /// A coverage goal of the scenario is reached.
    Goal(&'static str),
    /// The thread keeps nothing of what it has observed; what it does next is told by a number that
    /// is unique within the thread, from 1 (top of a kernel thread's loop).
    Forget(u64),
    /// A part begins of which the thread will keep nothing that it observes.
    Enclose,
    /// It ends.
    Disclose,
}

/// Who executes the model.
pub trait Engine {
    /// Make an object named `kind` (`mm`, `task`) with an index; only while a program is set up.
    fn new_object(&self, kind: &'static str, index: u16) -> Object;
    /// Make a word of `owner`; only while a program is set up.
    fn new_word(&self, name: &'static str, class: Class, owner: Object, init: u64) -> Word;
    /// Free `object`: a write to all of it.
    fn free(&self, object: Object, site: Site);
    /// Read an Atomic or Plain word.
    fn load(&self, word: Word, order: Order, site: Site) -> u64;
    /// Write an Atomic or Plain word.
    fn store(&self, word: Word, value: u64, order: Order, site: Site);
    /// Read-modify-write of an Atomic, Sync or Ghost word.
    fn rmw(&self, word: Word, order: Order, rmw: &Rmw, site: Site) -> u64;
    /// Read-modify-write of a Sync word that runs only when `until` holds.
    fn wait_rmw(&self, word: Word, order: Order, until: Until, sleep: Sleep, rmw: &Rmw, site: Site) -> u64;
    /// Memory barrier: `smp_mb()` (Full), `smp_rmb()` (Acquire), `smp_wmb()` (Release).
    fn fence(&self, order: Order, site: Site);
    /// Index of the running thread.
    fn current(&self) -> usize;
    /// A remark.
    fn note(&self, note: Note);
    /// Report a broken rule at this point of the running thread.
    fn fault(&self, fault: Fault);
    /// Newest value of a word; only when a run has ended, to judge it.
    fn peek(&self, word: Word) -> u64;
    /// Whether an object is freed; only when a run has ended.
    fn freed(&self, object: Object) -> bool;
    /// Whether the run is over and threads only return: long-running loops must leave.
    fn stopping(&self) -> bool;
}

thread_local! {
    static ENGINE: RefCell<Option<Rc<dyn Engine>>> = const { RefCell::new(None) };
}

/// Make `engine` the one that executes the model on this OS thread; `None` removes it.
pub fn install(engine: Option<Rc<dyn Engine>>) {
    ENGINE.with(|e| *e.borrow_mut() = engine);
}

/// The engine of this OS thread.
///
/// # Panics
/// When model code runs outside an engine.
pub fn engine() -> Rc<dyn Engine> {
    ENGINE.with(|e| e.borrow().clone()).expect("model code runs only under an engine")
}
