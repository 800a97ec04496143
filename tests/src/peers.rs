//! The mini protocol that other model checkers were given too, at the granularity of their models:
//! exiting tasks on one or two mms, one `mm_reaper`, an OOM killer, one `get_task_mm()` user.
//!
//! It exists to compare engines. What mmspec says about the kernel rests on `model/`, not on this.
//! `tests/benches/peers.pml` is the same for Spin; a change of a step here needs one there.

use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test, atomic_dec_and_test_ordered, atomic_inc, atomic_long_sub,
};
use mmspec_model::k::bitops::{Bit, Flags, set_bit, test_bit};
use mmspec_model::k::engine::{Class, Effect, Fault, Object, Order, Rmw, Shape, Site, Word, engine};
use mmspec_model::k::lock::{
    RwSem, Spinlock, down_read, down_read_trylock, down_write, spin_lock, spin_unlock, up_read, up_write,
};
use mmspec_model::k::plain::{Ghost, Plain, ghost_mark, read, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use std::rc::Rc;
use std::sync::Arc;

const TARGETED: Bit = Bit { nr: 0, name: "TARGETED" };
const SKIP: Bit = Bit { nr: 1, name: "SKIP" };
const VICTIM: u64 = 1;
const QUEUED: u64 = 2;
const MIXED: Fault = Fault { rule: "A4", what: "a victim of the OOM killer is queued" };

/// A mistake that a checker has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The exit path queues a victim of the OOM killer.
    VictimQueued,
    /// The OOM killer marks its victim after `task_unlock()`.
    LateMark,
    /// The OOM killer tests SKIP before it has the lock.
    EarlySkip,
    /// The last user is dropped without order. Only weak memory has this mistake.
    RelaxedDrop,
}

/// Who takes part.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Tasks that exit; the first is the one that the OOM killer and the user go for.
    pub exiters: usize,
    /// How many mms they share.
    pub mms: usize,
    /// Is there an OOM killer?
    pub oom: bool,
    /// Is there a `get_task_mm()` user?
    pub user: bool,
    /// The mistake made, if any.
    pub bug: Option<Bug>,
}

impl Config {
    /// The configuration with so many actors: an exiting task and the reaper, then the OOM killer,
    /// then the user, then more exiting tasks.
    pub fn new(actors: usize, mms: usize) -> Self {
        let exiters = actors.saturating_sub(3).max(1);
        Self { exiters, mms, oom: actors > 2, user: actors > 3, bug: None }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}

struct Mm {
    object: Object,
    users: AtomicT,
    count: AtomicT,
    flags: Flags,
    lock: RwSem,
    pages: Word,
    /// Marked as a victim, or queued: it must not become both.
    fate: Ghost,
    tables_freed: Plain,
    torn: Plain,
    data: Plain,
}

struct World {
    config: Config,
    mms: Vec<Mm>,
    task_lock: Vec<Spinlock>,
    task_mm: Vec<Plain>,
    queue_lock: Spinlock,
    queue: Plain,
    pending: AtomicT,
}

impl World {
    fn new(config: Config) -> Self {
        let Config { exiters, mms, .. } = config;
        let globals = engine().new_object("", 0);
        let sharers = |mm: usize| (0..exiters).filter(|i| i % mms == mm).count() as u64;
        let make = |i: usize| {
            let object = engine().new_object("mm", i as u16);
            Mm {
                object,
                users: AtomicT::new(object, "users", sharers(i)),
                count: AtomicT::new(object, "count", 1),
                flags: Flags::new(object, "flags", &[TARGETED, SKIP]),
                lock: RwSem::new(object, "lock", false),
                pages: engine().new_word("pages", Class::Sync, object, 1),
                fate: Ghost::new(object, "fate"),
                tables_freed: Plain::new(object, "tables_freed", 0),
                torn: Plain::new(object, "torn", 0),
                data: Plain::new(object, "data", 1),
            }
        };
        Self {
            config,
            mms: (0..mms).map(make).collect(),
            task_lock: (0..exiters).map(|_| Spinlock::new(globals, "task_lock")).collect(),
            task_mm: (0..exiters).map(|i| Plain::new(globals, "task_mm", (i % mms) as u64 + 1)).collect(),
            queue_lock: Spinlock::new(globals, "queue_lock"),
            queue: Plain::new(globals, "queue", 0),
            pending: AtomicT::new(globals, "pending", 0),
        }
    }

    fn zap(mm: &Mm) {
        let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(0) };
        engine().rmw(mm.pages, Order::AcqRel, &rmw, Site::here("zap"));
    }

    fn must(holds: bool, rule: &'static str, what: &'static str) {
        if !holds {
            engine().fault(Fault { rule, what });
        }
    }

    fn drop_user(&self, mm: &Mm) -> bool {
        let order = if self.config.has(Bug::RelaxedDrop) { Order::Relaxed } else { Order::Full };
        atomic_dec_and_test_ordered(mm.users, order)
    }

    fn mmdrop(mm: &Mm) {
        if atomic_dec_and_test(mm.count) {
            engine().free(mm.object, Site::here("free"));
        }
    }

    fn exit_mmap(mm: &Mm) {
        Self::must(read(mm.torn) == 0, "I3", "torn down twice");
        write(mm.torn, 1);
        write(mm.data, 0);
        down_read(mm.lock, "down_read");
        Self::zap(mm);
        up_read(mm.lock, "up_read");
        set_bit(SKIP, mm.flags);
        down_write(mm.lock, "down_write");
        write(mm.tables_freed, 1);
        up_write(mm.lock, "up_write");
        Self::mmdrop(mm);
    }

    fn mmput_exit(&self, i: usize) {
        let mm = &self.mms[i];
        if !self.drop_user(mm) {
            return;
        }
        let victim = || !self.config.has(Bug::VictimQueued) && test_bit(TARGETED, mm.flags);
        if test_bit(SKIP, mm.flags) || victim() || !self.charge() {
            return Self::exit_mmap(mm);
        }
        spin_lock(self.queue_lock);
        ghost_mark(mm.fate, QUEUED, 0, VICTIM, MIXED);
        write(self.queue, read(self.queue) | 1 << i);
        spin_unlock(self.queue_lock);
    }

    fn charge(&self) -> bool {
        let rmw = Rmw {
            shape: Shape::Conditional,
            apply: &|v| if v >= 1 { Effect::fail(0) } else { Effect::ret(v + 1, 1) },
        };
        engine().rmw(self.pending.0, Order::Relaxed, &rmw, Site::here("charge")) != 0
    }

    fn exiter(&self, task: usize) {
        spin_lock(self.task_lock[task]);
        let mm = read(self.task_mm[task]);
        write(self.task_mm[task], 0);
        spin_unlock(self.task_lock[task]);
        self.mmput_exit(mm as usize - 1);
    }

    fn drain(&self) {
        spin_lock(self.queue_lock);
        let queued = read(self.queue);
        write(self.queue, 0);
        spin_unlock(self.queue_lock);
        for (_, mm) in self.mms.iter().enumerate().filter(|(i, _)| queued >> i & 1 == 1) {
            Self::exit_mmap(mm);
            atomic_long_sub(self.pending, 1, "budget");
        }
    }

    fn oom(&self) {
        spin_lock(self.task_lock[0]);
        let mm = read(self.task_mm[0]);
        if mm == 0 {
            return spin_unlock(self.task_lock[0]);
        }
        let mm = &self.mms[mm as usize - 1];
        atomic_inc(mm.count);
        let mark = || {
            set_bit(TARGETED, mm.flags);
            ghost_mark(mm.fate, VICTIM, 0, QUEUED, MIXED);
        };
        if self.config.has(Bug::LateMark) {
            spin_unlock(self.task_lock[0]);
            mark();
        } else {
            mark();
            spin_unlock(self.task_lock[0]);
        }
        let early = self.config.has(Bug::EarlySkip).then(|| test_bit(SKIP, mm.flags));
        if down_read_trylock(mm.lock, "trylock") {
            if !early.unwrap_or_else(|| test_bit(SKIP, mm.flags)) {
                Self::must(read(mm.tables_freed) == 0, "uaf", "the page tables are freed");
                Self::zap(mm);
            }
            up_read(mm.lock, "up_read");
        }
        set_bit(SKIP, mm.flags);
        Self::mmdrop(mm);
    }

    fn user(&self) {
        spin_lock(self.task_lock[0]);
        let mm = read(self.task_mm[0]);
        if mm == 0 {
            return spin_unlock(self.task_lock[0]);
        }
        let mm = &self.mms[mm as usize - 1];
        atomic_inc(mm.users);
        spin_unlock(self.task_lock[0]);
        read(mm.data);
        if self.drop_user(mm) {
            Self::exit_mmap(mm);
        }
    }

    fn judge(&self) -> Ending {
        let freed = self.mms.iter().filter(|mm| engine().freed(mm.object)).count();
        let queued = self.queue.peek().count_ones() as usize;
        let mut ending = Ending { outcome: format!("freed {freed} queued {queued}"), faults: Vec::new() };
        if freed + queued != self.mms.len() || self.pending.peek() != queued as u64 {
            ending.faults.push(("leak", "an mm is neither freed nor queued".into()));
        }
        ending
    }
}

/// The program of a configuration.
pub fn program(config: Config) -> Setup {
    Arc::new(move || {
        let world = Rc::new(World::new(config));
        let mut threads = Vec::new();
        let mut add = |name: String, f: Box<dyn Fn(&World)>| {
            let world = world.clone();
            threads.push(Thread { name, body: Rc::new(move || f(&world)) });
        };
        for i in 0..config.exiters {
            add(format!("T{i} exit"), Box::new(move |w| w.exiter(i)));
        }
        add("mm_reaper".into(), Box::new(World::drain));
        if config.oom {
            add("oom".into(), Box::new(World::oom));
        }
        if config.user {
            add("user".into(), Box::new(World::user));
        }
        Program { threads, judge: Rc::new(move || world.judge()) }
    })
}
