//! Small random programs over the facade's primitives, to compare engines with each other.

use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test, atomic_inc, atomic_inc_not_zero, atomic_read, atomic_set, cmpxchg_null,
    refcount_dec_and_test, refcount_inc, smp_mb,
};
use mmspec_model::k::bitops::{Bit, Flags, set_bit, test_and_set_bit, test_bit};
use mmspec_model::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use mmspec_model::k::llist::{LlistHead, llist_add, llist_del_all};
use mmspec_model::k::lock::{
    Mutex, RwSem, Spinlock, down_read, down_read_trylock, down_write, mutex_lock, mutex_unlock, spin_lock,
    spin_unlock, up_read, up_write,
};
use mmspec_model::k::plain::{Ghost, Plain, read, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use mmspec_model::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wake_up};
use std::rc::Rc;
use std::sync::Arc;

/// One statement of a random program; the numbers pick a variable.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "named after the primitives")]
pub enum Op {
    Read(u8),
    Set(u8, u8),
    Inc(u8),
    DecAndTest(u8),
    IncNotZero(u8),
    Cmpxchg(u8),
    SetBit(u8),
    TestAndSetBit(u8),
    TestBit(u8),
    /// Read-modify-write a plain variable under a spinlock.
    Locked(u8),
    /// Change a variable under its write lock.
    Written(u8),
    /// Read two variables under the read lock of the first.
    ReadLocked(u8),
    /// Try the first read lock, whatever the number.
    Tried(u8),
    /// Two locks, nested in the order given: deadlocks are possible.
    Nested(bool),
    Wake,
    /// Sleep until flag 0 is set or somebody wakes.
    Sleep,
    /// Wait until the counter has been raised.
    AwaitNonZero(u8),
    /// A step that waits, with a ghost word in it.
    AwaitGhost(u8),
    /// A step with a ghost word in it.
    Ghost(u8),
    /// Read-modify-write a plain variable under a mutex.
    Mutexed(u8),
    /// Take a reference that is there, and give it back.
    Referenced,
    /// Add to the lock-less list.
    Push(u8),
    /// Drain it.
    Drain,
    Mb,
}

const BITS: [Bit; 2] = [Bit { nr: 0, name: "A" }, Bit { nr: 1, name: "B" }];

struct Vars {
    atomics: [AtomicT; 2],
    flags: Flags,
    bits: [Bit; 2],
    locks: [Spinlock; 2],
    plain: Plain,
    /// The first is also tried without waiting.
    sems: [RwSem; 2],
    /// Each under its semaphore.
    guarded: [Plain; 2],
    queue: WaitQueue,
    gates: [Word; 2],
    ghosts: [Ghost; 2],
    mutex: Mutex,
    /// Under the mutex.
    owned: Plain,
    references: AtomicT,
    list: LlistHead,
}

fn vars() -> Vars {
    let o: Object = engine().new_object("", 0);
    Vars {
        atomics: [AtomicT::new(o, "x", 0), AtomicT::new(o, "y", 1)],
        flags: Flags::new(o, "flags", &BITS),
        bits: BITS,
        locks: [Spinlock::new(o, "l"), Spinlock::new(o, "m")],
        plain: Plain::new(o, "p", 0),
        sems: [RwSem::new(o, "sem", true), RwSem::new(o, "sem2", false)],
        guarded: [Plain::new(o, "g", 0), Plain::new(o, "h", 0)],
        queue: WaitQueue::new(o, "queue"),
        gates: [engine().new_word("gate", Class::Sync, o, 0), engine().new_word("gate2", Class::Sync, o, 0)],
        ghosts: [Ghost::new(o, "s"), Ghost::new(o, "t")],
        mutex: Mutex::new(o, "mutex"),
        owned: Plain::new(o, "q", 0),
        references: AtomicT::new(o, "references", 1),
        list: LlistHead::new(o, "list", 15),
    }
}

fn gate(word: Word) -> u64 {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v + 1, v) };
    engine().rmw(word, Order::AcqRel, &rmw, Site::here("gate"))
}

fn ghost(v: &Vars, i: u8) -> u64 {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v * 2 + 1, v) };
    engine().rmw(v.ghosts[(i & 1) as usize].0, Order::Relaxed, &rmw, Site::here("ghost"))
}

fn run(v: &Vars, op: Op) -> u64 {
    let pick = |i: u8| (i & 1) as usize;
    match op {
        Op::Read(i) => atomic_read(v.atomics[pick(i)]),
        Op::Set(i, n) => {
            atomic_set(v.atomics[pick(i)], u64::from(n & 3));
            0
        }
        Op::Inc(i) => {
            atomic_inc(v.atomics[pick(i)]);
            0
        }
        Op::DecAndTest(i) => {
            atomic_inc(v.atomics[pick(i)]);
            u64::from(atomic_dec_and_test(v.atomics[pick(i)]))
        }
        Op::IncNotZero(i) => u64::from(atomic_inc_not_zero(v.atomics[pick(i)])),
        Op::Cmpxchg(i) => u64::from(cmpxchg_null(v.atomics[pick(i)], 3)),
        Op::SetBit(i) => {
            set_bit(v.bits[pick(i)], v.flags);
            0
        }
        Op::TestAndSetBit(i) => u64::from(test_and_set_bit(v.bits[pick(i)], v.flags)),
        Op::TestBit(i) => u64::from(test_bit(v.bits[pick(i)], v.flags)),
        Op::Locked(i) => {
            spin_lock(v.locks[0]);
            let old = read(v.plain);
            write(v.plain, old * 2 + u64::from(i & 1));
            spin_unlock(v.locks[0]);
            old
        }
        Op::Written(i) => {
            down_write(v.sems[pick(i)], "down_write");
            let old = read(v.guarded[pick(i)]);
            write(v.guarded[pick(i)], old + 1);
            up_write(v.sems[pick(i)], "up_write");
            old
        }
        Op::ReadLocked(i) => {
            down_read(v.sems[pick(i)], "down_read");
            let value = read(v.guarded[pick(i)]) * 8 + atomic_read(v.atomics[pick(i >> 1)]);
            up_read(v.sems[pick(i)], "up_read");
            value
        }
        Op::Tried(_) => {
            if !down_read_trylock(v.sems[0], "down_read_trylock") {
                return 99;
            }
            let value = read(v.guarded[0]);
            up_read(v.sems[0], "up_read");
            value
        }
        Op::Nested(swap) => {
            let (a, b) = if swap { (1, 0) } else { (0, 1) };
            spin_lock(v.locks[a]);
            spin_lock(v.locks[b]);
            spin_unlock(v.locks[b]);
            spin_unlock(v.locks[a]);
            0
        }
        Op::Wake => {
            set_bit(v.bits[0], v.flags);
            wake_up(v.queue);
            0
        }
        Op::Sleep => {
            prepare_to_wait(v.queue);
            let ready = test_bit(v.bits[0], v.flags);
            if !ready {
                schedule(v.queue, Sleep::Held);
            }
            finish_wait(v.queue);
            u64::from(ready)
        }
        Op::AwaitNonZero(i) => {
            if i & 2 == 0 {
                return gate(v.gates[pick(i)]);
            }
            let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v.wrapping_sub(1), v) };
            engine().wait_rmw(
                v.gates[pick(i)],
                Order::Acquire,
                Until::any(u64::MAX),
                Sleep::Held,
                &rmw,
                Site::here("await"),
            )
        }
        Op::AwaitGhost(i) => {
            let seen = run(v, Op::AwaitNonZero(2 | i));
            seen * 16 + ghost(v, i >> 1)
        }
        Op::Ghost(i) => {
            atomic_inc(v.atomics[pick(i)]);
            ghost(v, i >> 1)
        }
        Op::Mutexed(i) => {
            mutex_lock(v.mutex);
            let old = read(v.owned);
            write(v.owned, old * 2 + u64::from(i & 1));
            mutex_unlock(v.mutex);
            old
        }
        Op::Referenced => {
            refcount_inc(v.references, "reference");
            u64::from(refcount_dec_and_test(v.references, "reference"))
        }
        Op::Push(i) => u64::from(llist_add(i.into(), v.list)),
        Op::Drain => llist_del_all(v.list).iter().fold(0, |all, entry| all * 8 + entry + 1),
        Op::Mb => {
            smp_mb();
            0
        }
    }
}

/// The program whose thread `i` runs the statements `threads[i]`; its outcomes are everything that
/// threads observe (kept in words, so that it is part of the state) and the final values.
pub fn program(threads: Vec<Vec<Op>>) -> Setup {
    Arc::new(move || {
        let v = Rc::new(vars());
        let own = engine().new_object("", 0);
        let seen: Vec<Plain> = threads.iter().map(|_| Plain::new(own, "seen", 0)).collect();
        let thread = |(i, ops): (usize, &Vec<Op>)| {
            let (v, seen, ops) = (v.clone(), seen[i], ops.clone());
            let body = move || {
                for &op in &ops {
                    let value = run(&v, op);
                    write(seen, read(seen) * 128 + value + 1);
                }
            };
            Thread { name: format!("t{i}"), body: Rc::new(body) }
        };
        let (judged, seen) = (v.clone(), seen.clone());
        let judge = move || {
            let seen: Vec<u64> = seen.iter().map(|p| p.peek()).collect();
            let words = [judged.plain.0, judged.atomics[0].0, judged.atomics[1].0];
            let finals = (words.map(|w| engine().peek(w)), BITS.map(|bit| judged.flags.peek(bit)));
            Ending { outcome: format!("{seen:x?} {finals:?}"), faults: Vec::new() }
        };
        Program { threads: threads.iter().enumerate().map(thread).collect(), judge: Rc::new(judge) }
    })
}
