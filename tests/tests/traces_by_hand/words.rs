//! Steps on counters and flag words, which never wait.

use super::{assert_counts, body, each, factorial, multinomial, program};
use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test, atomic_inc, atomic_inc_not_zero, atomic_long_sub, read_once, refcount_inc,
    smp_mb, write_once,
};
use mmspec_model::k::engine::Object;
use mmspec_model::k::llist::{LlistHead, llist_add, llist_del_all};
use mmspec_model::k::plain::{Ghost, ghost_read, ghost_say};

type Words = Vec<AtomicT>;

fn words(n: u64) -> impl Fn(Object) -> Words {
    move |o| (0..n).map(|_| AtomicT::new(o, "x", 0)).collect()
}

fn counter(init: u64) -> impl Fn(Object) -> AtomicT {
    move |o| AtomicT::new(o, "count", init)
}

/// No two threads share a word, so no two steps are dependent: 1 trace.
#[test]
fn threads_apart() {
    for (threads, steps) in [(2, 4), (3, 3), (4, 2)] {
        let write = move |v: &Words, i: u64| {
            (0..steps).for_each(|_| write_once(v[i as usize], 1));
            0
        };
        assert_counts(&program(words(threads), each(threads, write)), 1, multinomial(threads, steps));
    }
}

/// All steps write one word, so each interleaving is a trace. Barriers are no steps.
#[test]
fn writers_of_one_word() {
    for (threads, steps) in [(2, 1), (3, 1), (4, 1), (5, 1), (2, 3), (2, 5), (3, 2)] {
        let write = move |v: &AtomicT, i: u64| {
            for n in 0..steps {
                write_once(*v, 10 * i + n);
                smp_mb();
            }
            0
        };
        let all = multinomial(threads, steps);
        assert_counts(&program(counter(0), each(threads, write)), all, all);
    }
}

/// Nobody learns anything from increments, nor changes anything by reads: 1 trace each.
#[test]
fn only_readers_and_only_increments() {
    for n in 2..=5 {
        assert_counts(&program(counter(7), each(n, |v, _| read_once(*v))), 1, factorial(n));
        let increment = |v: &AtomicT, _| {
            atomic_inc(*v);
            0
        };
        assert_counts(&program(counter(7), each(n, increment)), 1, factorial(n));
    }
}

/// The writes are in one of w! orders, and each read is in one of the w + 1 gaps between them, on its
/// own: w! (w + 1)^r traces. As many for increments and reads if there is 1 increment; with more, a
/// read is before or after each of them: 2^(ir) traces as long as r is 1.
#[test]
fn readers_and_writers_of_one_word() {
    for (writers, readers) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 3), (3, 1), (3, 2)] {
        let mut bodies = each(readers, |v, _| read_once(*v));
        bodies.extend(each(writers, |v, i| {
            write_once(*v, i + 1);
            0
        }));
        let traces = factorial(writers) * (writers + 1).pow(readers as u32);
        assert_counts(&program(counter(0), bodies), traces, factorial(writers + readers));
    }
    for increments in 1..=5 {
        let mut bodies = each(increments, |v, _| {
            atomic_inc(*v);
            0
        });
        bodies.push(body(|v| read_once(*v)));
        assert_counts(&program(counter(0), bodies), 1 << increments, factorial(increments + 1));
    }
}

/// Only the last drop learns anything: a trace for each thread that can be it. If a reference stays,
/// there is none, and 1 trace.
#[test]
fn drops_of_references() {
    let drop = |v: &AtomicT, _| u64::from(atomic_dec_and_test(*v));
    for n in 2..=5 {
        assert_counts(&program(counter(n), each(n, drop)), n, factorial(n));
        assert_counts(&program(counter(n + 1), each(n, drop)), 1, factorial(n));
    }
}

/// A thread that takes a reference looks whether it is there: takers commute with each other, and not
/// with increments that may put it there. So do those that subtract what must be there. With 2 takers
/// and 1 increment each is before it or after it: 2^2 traces; with 1 subtraction too, that is in one of
/// 2 places to the increment, and then the takers are in one of 3: 2 * 3^2.
#[test]
fn takers_of_references() {
    let take = |v: &AtomicT, _| {
        refcount_inc(*v, "reference");
        0
    };
    let subtract = |v: &AtomicT, _| {
        atomic_long_sub(*v, 1, "sum");
        0
    };
    for n in 2..=4 {
        assert_counts(&program(counter(5), each(n, take)), 1, factorial(n));
        assert_counts(&program(counter(5), each(n, subtract)), 1, factorial(n));
    }
    let increment = body(|v: &AtomicT| {
        atomic_inc(*v);
        0
    });
    let mut bodies = each(2, take);
    bodies.push(increment);
    assert_counts(&program(counter(5), bodies.clone()), 4, factorial(3));
    bodies.extend(each(1, subtract));
    assert_counts(&program(counter(5), bodies), 18, factorial(4));
}

/// Of drops A and B and an attempt C to take a reference, all on 2 references:
/// CAB and CBA are one trace, because C keeps both drops from being the last. In ACB and BCA no drop
/// is the last either, but C is between them. In ABC and BAC the second is, and C fails. 5 traces.
#[test]
fn drops_and_a_taker() {
    let mut bodies = each(2, |v, _| u64::from(atomic_dec_and_test(*v)));
    bodies.push(body(|v| u64::from(atomic_inc_not_zero(*v))));
    assert_counts(&program(counter(2), bodies), 5, 6);
}

/// One holder drops the only reference, a user takes one and drops it again. The user comes too late,
/// or takes it, and then either drops last: 3.
#[test]
fn a_reference_taken_in_time_or_not() {
    let holder = body(|v: &AtomicT| u64::from(atomic_dec_and_test(*v)));
    let user = body(|v: &AtomicT| u64::from(atomic_inc_not_zero(*v) && atomic_dec_and_test(*v)));
    assert_counts(&program(counter(1), vec![holder, user]), 3, 3);
}

/// Steps on different words that change one ghost word: n! traces. If they only read it: 1.
#[test]
fn ghost_words_tie_steps_together() {
    fn vars(o: Object) -> (Words, Ghost) {
        (words(4)(o), Ghost::new(o, "ghost"))
    }
    for n in 2..=4 {
        let change = |(words, ghost): &(Words, Ghost), i: u64| {
            atomic_inc(words[i as usize]);
            ghost_say(*ghost, 1 << i, 0, "");
            0
        };
        assert_counts(&program(vars, each(n, change)), factorial(n), factorial(n));
        let look = |(words, ghost): &(Words, Ghost), i: u64| {
            atomic_inc(words[i as usize]);
            ghost_read(*ghost)
        };
        assert_counts(&program(vars, each(n, look)), 1, factorial(n));
    }
}

/// The order of the entries of a list can be seen: n additions and 1 removal have (n + 1)! traces.
#[test]
fn a_list_keeps_its_order() {
    for n in 1..=4 {
        let mut bodies = each(n, |list, i| u64::from(llist_add(i, *list)));
        bodies.push(body(|list| llist_del_all(*list).iter().fold(0, |all, entry| (all << 4) + entry + 1)));
        let all = factorial(n + 1);
        assert_counts(&program(|o| LlistHead::new(o, "list", 15), bodies), all, all);
    }
}
