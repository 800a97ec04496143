//! Objects that are used after they are freed, or freed too often.

use crate::{dfs, failure, loom, mm, outcomes, program, setup, thread};
use mmspec_model::event::Kind;
use mmspec_model::k::atomic::{
    AtomicT, atomic_dec_and_test, atomic_dec_and_test_ordered, atomic_inc, write_once,
};
use mmspec_model::k::engine::{Order, Site, engine};
use mmspec_model::k::program::Setup;
use mmspec_model::k::work::{Work, process_one_work, schedule_work};

#[test]
fn a_word_of_a_freed_object_is_a_use_after_free() {
    let setup = setup(|| {
        let mm = mm();
        let users = AtomicT::new(mm, "mm_users", 1);
        let freer = thread("freer", move || {
            atomic_dec_and_test(users);
            engine().free(mm, Site::here("free_mm"));
        });
        let user = thread("user", move || atomic_inc(users));
        program(vec![freer, user], String::new)
    });
    for report in [loom(&setup), dfs(&setup)] {
        let uaf = failure(&report);
        assert_eq!(uaf.rule, "uaf", "{uaf:?}");
        assert!(uaf.events.iter().any(|e| e.kind == Kind::Free && e.object == "mm0"));
    }
}

#[test]
fn an_object_freed_twice_is_noticed() {
    let setup = setup(|| {
        let mm = mm();
        let freer = |name| thread(name, move || engine().free(mm, Site::here("free_mm")));
        program(vec![freer("A"), freer("B")], String::new)
    });
    assert_eq!(failure(&dfs(&setup)).rule, "double-free");
    assert_eq!(failure(&loom(&setup)).rule, "double-free");
}

/// Two holders use an object, drop their reference, and the last one frees it.
fn two_holders(order: Order) -> Setup {
    setup(move || {
        let (mm, global) = (mm(), engine().new_object("", 0));
        let (flags, users) = (AtomicT::new(mm, "flags", 0), AtomicT::new(global, "users", 2));
        let holder = |name| {
            thread(name, move || {
                write_once(flags, 1);
                if atomic_dec_and_test_ordered(users, order) {
                    engine().free(mm, Site::here("free_mm"));
                }
            })
        };
        program(vec![holder("A"), holder("B")], move || format!("freed {}", engine().freed(mm)))
    })
}

#[test]
fn a_relaxed_drop_of_the_last_reference_lets_a_use_pass_the_free() {
    let report = loom(&two_holders(Order::Relaxed));
    assert_eq!(failure(&report).rule, "uaf");
    assert_eq!(outcomes(&loom(&two_holders(Order::Full))), ["freed true"]);
    assert_eq!(outcomes(&dfs(&two_holders(Order::Relaxed))), ["freed true"], "shuttle cannot see it");
}

#[test]
fn an_idle_worker_outlives_the_object_of_its_work() {
    let setup = setup(|| {
        let (mm, global) = (mm(), engine().new_object("", 0));
        let (work, done) = (Work::new(mm, "async_put_work"), AtomicT::new(global, "done", 0));
        let queuer = thread("queuer", move || schedule_work(work));
        let worker = thread("kworker", move || {
            process_one_work(work, || {
                atomic_inc(done);
                engine().free(mm, Site::here("free_mm"));
            });
        });
        program(vec![queuer, worker], move || format!("freed {}", engine().freed(mm)))
    });
    for report in [loom(&setup), dfs(&setup)] {
        assert_eq!(outcomes(&report), ["freed true"]);
    }
}
