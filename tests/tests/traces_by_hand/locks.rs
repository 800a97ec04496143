//! Spinlocks, mutexes and rwsems, alone and nested.

use super::{assert_counts, body, each, factorial, multinomial, program};
use mmspec_model::k::atomic::{AtomicT, write_once};
use mmspec_model::k::engine::Object;
use mmspec_model::k::lock::{
    Mutex, RwSem, Spinlock, down_read, down_read_trylock, down_write, mutex_lock, mutex_unlock, spin_lock,
    spin_unlock, up_read, up_write,
};
use mmspec_model::k::plain::{Plain, read, write};

/// Sections follow each other in one of n! orders. While somebody holds the lock nobody else can move,
/// so there are as many interleavings. What a section does to ordinary memory is no step.
#[test]
fn sections_of_one_lock() {
    for n in 2..=5 {
        let section = |(lock, p): &(Spinlock, Plain), i: u64| {
            spin_lock(*lock);
            write(*p, read(*p) * 8 + i);
            spin_unlock(*lock);
            0
        };
        let vars = |o| (Spinlock::new(o, "lock"), Plain::new(o, "p", 1));
        assert_counts(&program(vars, each(n, section)), factorial(n), factorial(n));
        let section = |lock: &Mutex, _| {
            mutex_lock(*lock);
            mutex_unlock(*lock);
            0
        };
        assert_counts(&program(|o| Mutex::new(o, "mutex"), each(n, section)), factorial(n), factorial(n));
    }
}

/// Each has its own lock, inside which it takes 1 step: 1 trace.
#[test]
fn sections_of_different_locks() {
    let section = |v: &[(Spinlock, AtomicT); 3], i: u64| {
        let (lock, x) = v[i as usize];
        spin_lock(lock);
        write_once(x, 1);
        spin_unlock(lock);
        0
    };
    let vars = |o: Object| [0; 3].map(|_| (Spinlock::new(o, "lock"), AtomicT::new(o, "x", 0)));
    assert_counts(&program(vars, each(2, section)), 1, multinomial(2, 3));
    assert_counts(&program(vars, each(3, section)), 1, multinomial(3, 3));
}

/// One takes A, then B, the other B, then A. Either is first at both locks, or each at its first one,
/// and both are stuck: 3 traces. Each of them is 2 interleavings: the second to come may take its first
/// lock before or after the other gives back his, and of two that are stuck either may be first.
#[test]
fn lock_inversion() {
    let nested = |locks: &[Spinlock; 2], i: u64| {
        let (outer, inner) = (locks[i as usize], locks[1 - i as usize]);
        spin_lock(outer);
        spin_lock(inner);
        spin_unlock(inner);
        spin_unlock(outer);
        0
    };
    let vars = |o: Object| [Spinlock::new(o, "A"), Spinlock::new(o, "B")];
    assert_counts(&program(vars, each(2, nested)), 3, 6);
}

fn read_locked(sem: RwSem) -> u64 {
    down_read(sem, "down_read");
    up_read(sem, "up_read");
    0
}

fn write_locked(sem: RwSem) -> u64 {
    down_write(sem, "down_write");
    up_write(sem, "up_write");
    0
}

fn sem(o: Object) -> RwSem {
    RwSem::new(o, "sem", false)
}

/// Readers never wait for each other, and their steps commute: 1 trace.
#[test]
fn readers_of_a_semaphore() {
    for n in 2..=4 {
        assert_counts(&program(sem, each(n, |sem, _| read_locked(*sem))), 1, multinomial(n, 2));
    }
}

/// Write sections are in one of w! orders, and each reader's section in one of the w + 1 gaps between
/// them: w! (w + 1)^r traces.
///
/// Sections of writers, and of 1 reader, follow each other: (w + 1)! interleavings with 1 reader. With 2
/// readers and 1 writer: the 4 orders in which the readers' sections overlap leave him 2 places, the
/// other 2 leave him 3, 14 in all. With 2 writers: 2 places hold them in 2 * 3 ways (3 ways to share
/// them out, 2 orders), 3 places in 2 * 6: 4 * 6 + 2 * 12 = 48.
#[test]
fn readers_and_writers_of_a_semaphore() {
    for (writers, readers, interleavings) in
        [(1, 1, 2), (2, 1, 6), (3, 1, 24), (1, 2, 14), (2, 2, 48), (4, 0, 24)]
    {
        let mut bodies = each(readers, |sem, _| read_locked(*sem));
        bodies.extend(each(writers, |sem, _| write_locked(*sem)));
        let traces = factorial(writers) * (writers + 1).pow(readers as u32);
        assert_counts(&program(sem, bodies), traces, interleavings);
    }
}

fn tried(sem: RwSem) -> u64 {
    let taken = down_read_trylock(sem, "down_read_trylock");
    if taken {
        up_read(sem, "up_read");
    }
    u64::from(taken)
}

fn tried_sem(o: Object) -> RwSem {
    RwSem::new(o, "sem", true)
}

/// Without a writer all attempts succeed: 1 trace, as for readers that wait.
///
/// With a writer all steps are on one word, and dependent. The reader is done before the writer comes;
/// or still holds it, so that the writer queues; or comes while the writer holds it, and fails; or
/// comes after him: 4.
#[test]
fn attempts_on_a_semaphore() {
    for n in 2..=4 {
        assert_counts(&program(tried_sem, each(n, |sem, _| tried(*sem))), 1, multinomial(n, 2));
    }
    let bodies = vec![body(|sem: &RwSem| tried(*sem)), body(|sem: &RwSem| write_locked(*sem))];
    assert_counts(&program(tried_sem, bodies), 4, 4);
}
