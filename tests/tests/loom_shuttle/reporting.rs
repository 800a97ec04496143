//! What the two engines report besides outcomes and rules.

use crate::{
    dfs, failure, loom, mm, outcomes, program, sampled, setup, sleeper, store_buffering, thread, two_adders,
};
use mmspec::engine::loom::{TOO_MANY_THREADS, fits};
use mmspec::engine::shuttle::Scheduler;
use mmspec::engine::{Effort, Limits, Loom, Shuttle};
use mmspec_model::k::atomic::{AtomicT, atomic_dec_and_test, atomic_read, read_once};
use std::process::Command;

#[test]
fn events_tell_who_did_what_where() {
    let report = loom(&two_adders(false));
    let events = &failure(&report).events;
    let racing = events.last().expect("there are events");
    assert_eq!((racing.object.as_str(), racing.word.as_str()), ("mm0", "counter"));
    assert_eq!(racing.stack, ["add"]);
    assert!(racing.site.file.ends_with("tests/loom_shuttle.rs"), "{}", racing.site.file);
    assert_eq!(report.tasks, ["A", "B"]);
}

#[test]
fn a_panic_of_the_model_is_a_failure() {
    let setup = setup(|| {
        let users = AtomicT::new(mm(), "mm_users", 1);
        let dropper = |name| thread(name, move || assert!(!atomic_dec_and_test(users), "dropped to 0"));
        program(vec![dropper("A")], String::new)
    });
    for report in [loom(&setup), dfs(&setup)] {
        let panic = failure(&report);
        assert_eq!((panic.rule.as_str(), panic.what.as_str()), ("panic", "dropped to 0"));
    }
}

#[test]
fn an_endless_loop_is_a_livelock() {
    let setup = setup(|| {
        let flag = AtomicT::new(mm(), "flag", 0);
        let spinner = thread("spinner", move || while read_once(flag) == 0 {});
        program(vec![spinner], String::new)
    });
    for report in [loom(&setup), dfs(&setup)] {
        assert_eq!(failure(&report).rule, "livelock");
    }
}

#[test]
fn six_threads_are_too_many_for_loom() {
    let crowd = |n: usize| {
        setup(move || {
            let count = AtomicT::new(mm(), "count", 0);
            let threads = (0..n).map(|t| thread(&format!("T{t}"), move || assert!(atomic_read(count) == 0)));
            program(threads.collect(), String::new)
        })
    };
    assert!(fits(5) && !fits(6));
    let report = Loom::default().run(&crowd(6)).expect("no settings from outside");
    assert_eq!((report.effort, report.executions, report.search), (Effort::Unfinished, 0, TOO_MANY_THREADS));
    assert!(report.failure.is_none());
    let limits = Limits { executions: 50, ..Limits::default() };
    let report = Loom { limits, ..Loom::default() }.run(&crowd(5)).expect("no settings from outside");
    assert_eq!((report.effort, report.executions), (Effort::Unfinished, 50));
}

#[test]
fn bounds_and_limits_are_told() {
    let report = Loom { preemptions: Some(1), ..Loom::default() }.run(&store_buffering(false)).expect("runs");
    assert_eq!(report.effort, Effort::Bounded(1));
    let limits = Limits { executions: 2, ..Limits::default() };
    let report = Shuttle { scheduler: Scheduler::Dfs, limits }.run(&store_buffering(false)).expect("runs");
    assert_eq!((report.effort, report.executions, report.complete), (Effort::Unfinished, 2, 2));
}

#[test]
fn on_request_bad_ends_are_outcomes() {
    let limits = Limits { collect: true, ..Limits::default() };
    let reports = [
        Loom { limits, ..Loom::default() }.run(&sleeper(true)).expect("runs"),
        Shuttle { scheduler: Scheduler::Dfs, limits }.run(&sleeper(true)).expect("runs"),
    ];
    for report in reports {
        assert_eq!(report.effort, Effort::Complete);
        assert_eq!(outcomes(&report), ["VIOLATED deadlock", "woken"]);
    }
}

#[test]
fn depth_first_search_counts_interleavings_of_steps() {
    // Two threads of two steps each: 4! / (2! 2!).
    assert_eq!(dfs(&store_buffering(true)).executions, 6);
}

#[test]
fn a_portfolio_is_the_same_for_the_same_seed() {
    let report = sampled(&sleeper(false), 101);
    assert_eq!((report.effort, report.complete), (Effort::Sampled { seed: 1 }, 101));
    let [a, b] = [(); 2].map(|()| sampled(&sleeper(true), 1000));
    assert_eq!((a.executions, &failure(&a).schedule), (b.executions, &failure(&b).schedule));
}

#[test]
fn settings_from_outside_are_refused() {
    let binary = std::env::current_exe().expect("this binary has a path");
    for variable in ["LOOM_MAX_BRANCHES", "SHUTTLE_RANDOM_SEED"] {
        let child = ["reporting::child_is_refused", "--exact", "--ignored", "--nocapture"];
        let output = Command::new(&binary).args(child).env(variable, "1").output().expect("starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert_eq!(
            text.matches(&format!("refused: the environment variable {variable} is set")).count(),
            2,
            "{text}"
        );
    }
}

#[test]
#[ignore = "run with settings by settings_from_outside_are_refused"]
fn child_is_refused() {
    let shuttle = Shuttle { scheduler: Scheduler::Dfs, limits: Limits::default() };
    for refused in [Loom::default().run(&store_buffering(true)), shuttle.run(&store_buffering(true))] {
        match refused {
            Ok(report) => println!("{report:?}"),
            Err(error) => println!("refused: {error}"),
        }
    }
}
