//! A litmus test as a program over the facade.

use super::statement::{Action, Change, Guard, Operand, Reg, Returns, Statement, Var};
use super::{Litmus, Place};
use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test, atomic_inc, atomic_inc_not_zero, read_once, smp_load_acquire, smp_mb,
    smp_store_release, write_once,
};
use mmspec_model::k::engine::{Class, Effect, Order, Rmw, Shape, Site, Word, engine};
use mmspec_model::k::lock::{Spinlock, spin_lock, spin_unlock};
use mmspec_model::k::plain::{Plain, read, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The program that runs `test`; its outcomes are those of [`Litmus::outcome`].
///
/// What is observed of a thread's registers is kept in words that only it writes, so that it is part
/// of the state after the thread has ended too.
pub fn program(test: &Litmus) -> Setup {
    let test = Arc::new(test.clone());
    Arc::new(move || {
        let globals = engine().new_object("", 0);
        let words: BTreeMap<Var, Word> = classes(&test)
            .into_iter()
            .map(|(name, class)| (name, engine().new_word(name, class, globals, test.initially(name))))
            .collect();
        let words = Rc::new(words);
        let places: Vec<Word> = test
            .observe
            .iter()
            .map(|place| match place {
                Place::Reg(_, reg) => Plain::new(globals, reg, 0).0,
                Place::Var(name) => words[name],
            })
            .collect();
        let thread = |index: usize| {
            let seen = test.observe.iter().zip(&places).filter_map(|(place, &word)| match place {
                Place::Reg(owner, reg) if *owner == index => Some((*reg, Plain(word))),
                _ => None,
            });
            let (test, words, seen): (_, _, Vec<_>) = (test.clone(), words.clone(), seen.collect());
            Thread {
                name: format!("P{index}"),
                body: Rc::new(move || run(&test.threads[index], &words, &seen)),
            }
        };
        let threads = (0..test.threads.len()).map(thread).collect();
        let judged = test.clone();
        let judge = move || {
            let values: Vec<u64> = places.iter().map(|&place| engine().peek(place)).collect();
            Ending { outcome: judged.outcome(&values), faults: Vec::new() }
        };
        Program { threads, judge: Rc::new(judge) }
    })
}

/// What each variable is, by the way it is accessed.
fn classes(test: &Litmus) -> BTreeMap<Var, Class> {
    let mut classes = BTreeMap::new();
    for action in test.threads.iter().flatten().map(|statement| statement.action) {
        let class = match action {
            Action::Lock(_) | Action::Unlock(_) => Class::Sync,
            Action::Read(_) | Action::Write(..) => Class::Plain,
            _ => Class::Atomic,
        };
        if let Some(name) = action.var() {
            let before = classes.insert(name, class);
            assert!(before.is_none_or(|before| before == class), "{name} is accessed in two ways\n{test}");
        }
    }
    classes
}

fn run(statements: &[Statement], words: &BTreeMap<Var, Word>, seen: &[(Reg, Plain)]) {
    let mut regs: Vec<(Reg, u64)> = Vec::new();
    for Statement { guards, reg, action, .. } in statements {
        let get = |reg: Reg| regs.iter().find(|(name, _)| *name == reg).map_or(0, |&(_, value)| value);
        if guards.iter().any(|&Guard { reg, equal, value }| (get(reg) == value) != equal) {
            continue;
        }
        let word = action.var().map_or(Word(u16::MAX), |name| words[name]);
        let value = step(*action, word, |operand| match operand {
            Operand::Number(number) => number,
            Operand::Reg(reg) => get(reg),
        });
        if let Some(reg) = *reg {
            regs.retain(|(name, _)| *name != reg);
            regs.push((reg, value));
            if let Some(&(_, place)) = seen.iter().find(|(name, _)| *name == reg) {
                write(place, value);
            }
        }
    }
}

/// Take one step; what it returns, 0 if nothing.
fn step(action: Action, word: Word, value_of: impl Fn(Operand) -> u64) -> u64 {
    let atomic = AtomicT(word);
    match action {
        Action::Read(_) => return read(Plain(word)),
        Action::ReadOnce(_) => return read_once(atomic),
        Action::LoadAcquire(_) => return smp_load_acquire(atomic),
        Action::DecAndTest(_) => return u64::from(atomic_dec_and_test(atomic)),
        Action::IncNotZero(_) => return u64::from(atomic_inc_not_zero(atomic)),
        Action::Rmw(_, order, change, returns) => return rmw(word, order, change, returns, value_of),
        Action::Write(_, value) => write(Plain(word), value_of(value)),
        Action::WriteOnce(_, value) => write_once(atomic, value_of(value)),
        Action::StoreRelease(_, value) => smp_store_release(atomic, value_of(value)),
        Action::Fence(Order::Full) => smp_mb(),
        Action::Fence(order) => engine().fence(order, Site::here("fence")),
        Action::AtomicInc(_) => atomic_inc(atomic),
        Action::SetBit(nr, _) => set_bit(nr, word),
        Action::Lock(_) => spin_lock(Spinlock(word)),
        Action::Unlock(_) => spin_unlock(Spinlock(word)),
    }
    0
}

/// `set_bit()` on a whole word.
fn set_bit(nr: u32, word: Word) {
    let rmw = Rmw { shape: Shape::BlindOr(1 << nr), apply: &|found| Effect::store(found | 1 << nr) };
    engine().rmw(word, Order::Relaxed, &rmw, Site::here("set_bit"));
}

fn rmw(word: Word, order: Order, change: Change, returns: Returns, value_of: impl Fn(Operand) -> u64) -> u64 {
    let shape = match change {
        Change::Add(n) if returns == Returns::Nothing => Shape::BlindAdd(n),
        Change::Add(n) => Shape::Add(n),
        Change::Xchg(new) => Shape::Xchg(value_of(new)),
        Change::Cmpxchg(..) => Shape::Conditional,
    };
    let new = |found: u64| match change {
        Change::Add(n) => Some(found.wrapping_add(n)),
        Change::Xchg(new) => Some(value_of(new)),
        Change::Cmpxchg(old, new) => (found == value_of(old)).then(|| value_of(new)),
    };
    let apply = |found: u64| match (new(found), returns) {
        (Some(new), Returns::Nothing) => Effect::store(new),
        (Some(new), Returns::Old) => Effect::ret(new, found),
        (Some(new), Returns::New) => Effect::ret(new, new),
        (None, _) => Effect::fail(found),
    };
    engine().rmw(word, order, &Rmw { shape, apply: &apply }, Site::here("rmw"))
}
