//! The simulated tables: calibrated rows are reproduced, the errors of the others are pinned, and
//! inline teardown grows with the pages while a queued one does not.

use mmspec::engine::timed::Costs;
use mmspec::engine::timed::costs::PAGES_A_TABLE;
use mmspec::simulation::execs::gain;
use mmspec::simulation::frozen::{Free, Users, Victim};
use mmspec::simulation::subject::{Measure, Prices, Subject};
use mmspec::simulation::walks::{self, Of, Reaper, VMAS};
use mmspec::simulation::{Line, Simulated, Table};

/// Predictions of the RFC's table and their errors in percent.
#[rustfmt::skip]
const ASYNC_TEARDOWN: &[(&str, &str, &str)] = &[
    ("4 GB", "off", "-2.8"),
    ("4 GB", "on", "+0.0"),
    ("16 GB", "off", "+1.4"),
    ("16 GB", "on", "-6.7"),
    ("16 GB, huge pages", "on", "+7.7"),
    ("16 GB, _exit()", "off", "+5.4"),
    ("16 GB, _exit()", "on", "+12.5"),
    ("redis-server, 16.2 GB", "off", "-1.1"),
    ("redis-server, 16.2 GB", "on", "-41.7"),
    ("32 exits of 0.5 GB, the last", "on", "-12.7"),
    ("30 MB, below the threshold", "off", "+18.5"),
    ("30 MB, below the threshold", "on", "+10.6"),
    ("1 GB, not built in", "-", "-0.0"),
    ("16 GB, not built in", "-", "+1.4"),
    ("16 GB, until all memory is free", "off", "+1.0"),
    ("16 GB, until all memory is free", "on", "+40.5"),
];

fn on(line: &Line) -> &'static str {
    line.r#async.map_or("-", |on| if on { "on" } else { "off" })
}

fn number(line: &Line) -> f64 {
    line.simulated.expect("it happens")
}

fn predictions(simulated: &Simulated) -> impl Iterator<Item = (&'static str, &'static str, f64)> {
    let predicted = simulated.rows.iter().filter(|line| line.calibrates.is_none());
    predicted.map(|line| (line.what, on(line), line.error_percent.expect("as many CPUs as published")))
}

#[test]
fn calibrated_rows_are_reproduced() {
    for (table, prices) in
        [(Table::AsyncTeardown, 5), (Table::WriteLock, 1), (Table::Exec, 2), (Table::Reverse, 3)]
    {
        let simulated = table.simulate(None);
        let calibrated: Vec<&Line> = simulated.rows.iter().filter(|line| line.calibrates.is_some()).collect();
        assert_eq!(calibrated.len(), prices);
        for line in calibrated {
            let error = line.error_percent.expect("as many CPUs as published");
            assert!(error.abs() < 0.5, "{} {}: {error} %", line.what, on(line));
        }
    }
}

/// +0.07 %, where +1.03 % was measured.
#[test]
fn a_write_lock_that_nobody_wants_is_three_atomic_operations() {
    let simulated = Table::WriteLock.simulate(None);
    let [without, with] = &simulated.rows[..] else { panic!("{:?}", simulated.rows) };
    let change = 100.0 * (number(with) / number(without) - 1.0);
    assert_eq!(format!("{change:+.2}"), "+0.07");
}

#[test]
fn predictions_are_as_far_off_as_they_were() {
    let simulated = Table::AsyncTeardown.simulate(None);
    let errors: Vec<(&str, &str, String)> =
        predictions(&simulated).map(|(what, on, error)| (what, on, format!("{error:+.1}"))).collect();
    let errors: Vec<(&str, &str, &str)> =
        errors.iter().map(|(what, on, e)| (*what, *on, e.as_str())).collect();
    assert_eq!(errors, ASYNC_TEARDOWN);
}

#[test]
fn what_a_constructor_gains_on_24_cpus_follows_from_1_and_192() {
    let simulated = Table::Exec.simulate(None);
    let errors: Vec<String> =
        predictions(&simulated).map(|(what, _, error)| format!("{what} {error:+.1}")).collect();
    assert_eq!(errors, ["24 hardware threads, a desktop -4.4"]);
}

/// Three rows tell three prices; walking downwards is a prediction, and so is who spins.
#[test]
fn what_walking_downwards_saves_follows_from_walking_upwards() {
    let simulated = Table::Reverse.simulate(None);
    let errors: Vec<String> =
        predictions(&simulated).map(|(what, _, error)| format!("{what} {error:+.1}")).collect();
    assert_eq!(
        errors,
        [
            "reaper downwards: exit -1.9",
            "reaper downwards: oom_reaper +1.1",
            "reaper upwards: spins for locks +28.0",
            "reaper downwards: spins for locks -100.0",
        ]
    );
}

/// An exit that does nothing but zap cannot run longer than the reaper: both are off by a tenth then.
#[test]
fn an_exit_is_more_than_its_walk() {
    let costs = Costs { page_ps: 404_000, ptl_permille: 772, ..Costs::ASSUMED };
    let time = |reaper, of| walks::measure(reaper, of, VMAS, 8, &Prices { costs, huge_page: 0 });
    let near = |found: u64, published: u64| found.abs_diff(published) * 200 < published;
    assert!(near(time(Reaper::Absent, Of::Exit), 106_020_000));
    assert!(near(time(Reaper::Upwards, Of::Exit), 81_850_000));
    let error = |found: u64, published: u64| (found * 100 / published).cast_signed() - 100;
    assert_eq!(error(time(Reaper::Upwards, Of::Reaper), 69_320_000), 18);
    assert_eq!(error(time(Reaper::Downwards, Of::Exit), 60_690_000), -13);
    assert_eq!(error(time(Reaper::Downwards, Of::Reaper), 46_490_000), 14);
}

/// Up to half of a page's time under the lock nobody waits: two that walk the same way take turns.
#[test]
fn walkers_queue_only_if_most_of_their_time_is_under_the_lock() {
    let time = |reaper, permille| {
        let costs = Costs { page_ps: 100_000, ptl_permille: permille, locked_percent: 0, ..Costs::ASSUMED };
        walks::measure(reaper, Of::Reaper, VMAS, 8, &Prices { costs, huge_page: 0 }) / 262_144
    };
    assert_eq!([300, 500, 600, 800, 1_000].map(|f| time(Reaper::Upwards, f)), [50, 50, 60, 80, 100]);
    assert_eq!([300, 500, 600, 800, 1_000].map(|f| time(Reaper::Downwards, f)), [50; 5]);
}

/// The message does not say how large the process was, and some prices were guessed.
#[test]
fn walking_downwards_hardly_depends_on_what_is_assumed() {
    let given = Costs::ASSUMED;
    let variants = [
        Costs { locked_percent: 0, ..given },
        Costs { locked_percent: 2 * given.locked_percent, ..given },
        Costs { wake: 10 * given.wake, ..given },
        Costs { hand_over: 1_000, ..given },
        Costs { atomic: 4 * given.atomic, load: 4 * given.load, ..given },
    ];
    let base = Table::Reverse.simulate(None);
    for assumed in variants {
        let simulated = Table::Reverse.simulate_assuming(None, assumed);
        for (line, before) in simulated.rows.iter().zip(&base.rows).filter(|(line, _)| line.unit == "ms") {
            let moved = 100.0 * (number(line) / number(before) - 1.0).abs();
            assert!(moved < 2.0, "{} moves by {moved} % with {assumed:?}", line.what);
        }
    }
    let costs = |pages| Costs { page_ps: 93_500_000_000 / pages * 1_000, ptl_permille: 742, ..given };
    let time = |vmas: usize| {
        let prices = Prices { costs: costs(vmas as u64 * 512), huge_page: 0 };
        let time = |reaper| walks::measure(reaper, Of::Reaper, vmas, 8, &prices);
        (time(Reaper::Upwards), time(Reaper::Downwards))
    };
    for vmas in [100, 2_000] {
        let ((up, down), (same_up, same_down)) = (time(vmas), time(VMAS));
        assert!(up.abs_diff(same_up) * 100 < 2 * same_up, "{vmas}: {up} {same_up}");
        assert!(down.abs_diff(same_down) * 100 < 2 * same_down, "{vmas}: {down} {same_down}");
    }
}

/// In ms, or never: pages and page tables on 6.12, on 6.18, and without delay.
#[test]
fn frozen_victims_pin_their_memory_for_so_long() {
    let simulated = Table::Frozen.simulate(None);
    let found = |users: &str, what: &str| {
        ["v6.12", "v6.18", "frozen-no-delay-v6"].map(|kernel| {
            let row = simulated.rows.iter().find(|row| row.what == format!("{users}, {kernel}: {what}"));
            row.expect("a row").simulated.map_or("never".into(), |ms| format!("{ms:.0}"))
        })
    };
    assert_eq!(found("1 thread", "pages"), ["93", "93", "47"]);
    assert_eq!(found("1 thread", "page tables"), ["93", "93", "47"]);
    assert_eq!(found("1 thread", "mm_struct"), ["2000", "2000", "47"]);
    assert_eq!(found("2 threads", "pages"), ["2093", "93", "93"]);
    assert_eq!(found("2 threads", "page tables"), ["never", "93", "never"]);
    assert_eq!(found("CLONE_VM sharer", "pages"), ["2093", "2093", "93"]);
    assert_eq!(found("CLONE_VM sharer", "page tables"), ["never"; 3]);
}

/// The delay is all that keeps a frozen sharer's pages.
#[test]
fn the_pages_of_a_frozen_sharer_wait_for_the_timer() {
    let pages = |timer| {
        let costs = Costs { page_ps: 100_000, timer, ..Costs::ASSUMED };
        let victim = Victim { kernel: "v6.18", users: Users::Sharer, free: Free::Pages };
        victim.measure(8, &Prices { costs, huge_page: 0 }).expect("they are reaped")
    };
    assert_eq!(pages(3_000_000_000) - pages(1_000_000_000), 2_000_000_000);
}

/// Only a part of what per-CPU memory costs one process can be under the global mutex.
#[test]
fn a_mutex_held_for_all_of_the_single_process_gain_would_cost_far_more_on_192_cpus() {
    let given = Costs { percpu_locked: 0, percpu: 5_900, ..Costs::ASSUMED };
    let all_locked = Costs { percpu_locked: 5_900, percpu: 0, ..Costs::ASSUMED };
    assert_eq!(gain(1, given), gain(1, all_locked));
    assert!((3_900..4_100).contains(&gain(1, given)), "{}", gain(1, given));
    assert!(gain(192, given) < 6_000, "{}", gain(192, given));
    assert!((660_000..680_000).contains(&gain(192, all_locked)), "{}", gain(192, all_locked));
    let sleeping = Costs { mutex: Costs::ASSUMED.wake, ..given };
    assert!((490_000..560_000).contains(&gain(192, sleeping)), "{}", gain(192, sleeping));
}

/// In points: how long an exec takes, how a mutex is handed over, and what an atomic operation costs.
#[test]
fn the_gain_on_24_cpus_hardly_depends_on_what_is_assumed() {
    let given = Costs::ASSUMED;
    let variants = [
        Costs { exec: given.exec / 2, ..given },
        Costs { exec: given.exec * 2, ..given },
        Costs { mutex: 0, ..given },
        Costs { mutex: given.mutex * 4, ..given },
        Costs { atomic: given.atomic * 2, load: given.load * 2, ..given },
    ];
    let base = number(&Table::Exec.simulate(None).rows[1]);
    for assumed in variants {
        let simulated = number(&Table::Exec.simulate_assuming(None, assumed).rows[1]);
        assert!((simulated - base).abs() < 0.3, "{base} becomes {simulated} with {assumed:?}");
    }
}

#[test]
fn a_simulation_is_the_same_each_time() {
    for cpus in [None, Some(2)] {
        assert_eq!(Table::AsyncTeardown.simulate(cpus), Table::AsyncTeardown.simulate(cpus));
        let exec = || gain(cpus.unwrap_or(24), Costs { percpu_locked: 1_000, ..Costs::ASSUMED });
        assert_eq!(exec(), exec());
    }
}

/// What no row tells was guessed. Half or twice the guess moves one prediction: 32 exits that only
/// queue meet under `tasklist_lock`, whose sections are a guess.
#[test]
fn predictions_hardly_depend_on_what_is_assumed() {
    let given = Costs::ASSUMED;
    let variants = [
        Costs { load: 2 * given.load, atomic: 2 * given.atomic, barrier: 2 * given.barrier, ..given },
        Costs { wake: given.wake / 2, ..given },
        Costs { wake: 2 * given.wake, ..given },
        Costs { table: 2 * given.table, object: 2 * given.object, ..given },
        Costs { notify: given.notify / 2, ..given },
        Costs { notify: 2 * given.notify, ..given },
        Costs { locked_percent: given.locked_percent / 2, ..given },
        Costs { batch: 2 * given.batch, ..given },
    ];
    let base = Table::AsyncTeardown.simulate(None);
    for assumed in variants {
        let simulated = Table::AsyncTeardown.simulate_assuming(None, assumed);
        for (line, before) in simulated.rows.iter().zip(&base.rows) {
            let moved = 100.0 * (number(line) / number(before) - 1.0).abs();
            let most = if line.what.starts_with("32 exits") && on(line) == "on" { 30.0 } else { 4.0 };
            assert!(moved < most, "{} {} moves by {moved} % with {assumed:?}", line.what, on(line));
        }
    }
}

#[test]
fn time_grows_with_pages_inline_and_does_not_when_queued() {
    let costs = Costs { page_ps: 50_000, rest: 100_000, ..Costs::ASSUMED };
    let prices = Prices { costs, huge_page: 0 };
    let time = |on, size: u64| {
        let subject = Subject {
            kernel: "rfc-async-teardown",
            on,
            pages: size * 40 * PAGES_A_TABLE,
            huge: false,
            tasks: 1,
            killed: true,
            measure: Measure::Reap,
        };
        subject.measure(4, &prices)
    };
    let inline: Vec<u64> = (1..=4).map(|n| time(false, n)).collect();
    let step = inline[1] - inline[0];
    assert!(step > 1_000_000, "{inline:?}");
    assert!(inline.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(step) * 1_000 < step), "{inline:?}");
    let queued: Vec<u64> = (1..=4).map(|n| time(true, n)).collect();
    assert!(queued.iter().all(|&ns| ns == queued[0] && ns < 200_000), "{queued:?}");
}

#[test]
fn the_document_has_these_numbers() {
    let document = include_str!("../../docs/simulation.md");
    let simulated = Table::AsyncTeardown.simulate(None);
    let (exec, reverse) = (Table::Exec.simulate(None), Table::Reverse.simulate(None));
    let rows = simulated.rows.iter().chain(&exec.rows).chain(&reverse.rows);
    for calibrates in rows.filter_map(|line| line.calibrates.as_deref()) {
        let (price, value) = calibrates.split_once(": ").expect("a price and its value");
        let is_row =
            |line: &str| line.starts_with(&format!("| {price} |")) && line.ends_with(&format!("| {value} |"));
        assert!(document.lines().any(is_row), "docs/simulation.md should have a row for {calibrates}");
    }
    let predicted = predictions(&simulated).chain(predictions(&reverse));
    for (what, on, error) in predicted.filter(|(_, _, error)| error.abs() > 10.0) {
        assert!(document.contains(&format!("{error:+.1} %")), "{what} {on}: {error:+.1} % is not explained");
    }
}
