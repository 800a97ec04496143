//! The engines against the Linux-kernel memory model (LKMM): verdicts and outcome sets of herd7 on
//! named shapes, on random programs, and on the patterns of the protocol.
//!
//! Where an engine differs, the program is named here with the reason; a difference that is not
//! named fails, and so does one that is named and has gone.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Loom, Report, views};
use mmspec_tests::litmus::{self, Litmus, Shape, Verdict, program};
use mmspec_tests::random::{self, Op};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Programs with the reason why an engine and LKMM differ on them.
type Named<'a> = &'a [(&'static str, &'static str)];

const BUFFERING: &str = "load buffering: a read would have to see a write that is executed later";
const UNSEEN_DEPENDENCY: &str =
    "C11 knows no dependencies: a write goes before what the read that it depends on saw";
const SPLIT_RMW: &str =
    "loom's issue 254: a store comes between the read and the write of a read-modify-write";
const HANDOFF: &str =
    "C11 has no counterpart to LKMM's order between an unlock and the next lock, for third parties";

const VIEWS_MISSES: Named = &[("LB+po", BUFFERING), ("LB+data+po", BUFFERING), ("LB+mb+po", BUFFERING)];

const LOOM_MISSES: Named = VIEWS_MISSES;
const LOOM_FALSE_ALARMS: Named = &[
    ("S+rel+data", UNSEEN_DEPENDENCY),
    ("S+rel+ctrl", UNSEEN_DEPENDENCY),
    ("RMW-atomic-WRT-atomic_set (swap vs store, loom #254)", SPLIT_RMW),
    ("loom #254: swap(0) reads 0 and final 0 with a store of 1", SPLIT_RMW),
    ("add_unless vs set (kernel Atomic-RMW-ops test)", SPLIT_RMW),
    ("unlock+lock on same CPU orders writes for other CPU", HANDOFF),
];
/// Takes loom 680,000 executions; this many are tried.
const LOOM_TOO_LARGE: &str = "CoRR2 (two writers, two observers)";
const LOOM_EXECUTIONS: u64 = 20_000;

const PROTOCOL_MISSES: Named = &[("a1-refdrop-useVSpoison-once-relaxed", BUFFERING)];
const PROTOCOL_LOOM_FALSE_ALARMS: Named = &[
    ("c4-mark-task_lock-CLONE_VM-sharer-last-dec_acquire", HANDOFF),
    ("c4x-sharer-last-dec-P1relaxed-P2acquire", HANDOFF),
    ("c4x-sharer-last-dec-P1relaxed-P2relaxed+rmb", HANDOFF),
];

/// Random programs in which `views` does not see so many outcomes of LKMM. In all but rnd83 that is
/// load buffering. In rnd83 a write would have to come before one that an earlier read of its
/// thread saw (shape S): the engine does not know which writes depend on a read, and takes all.
const VIEWS_LACKS: [(&str, usize); 9] = [
    ("rnd9", 1),
    ("rnd83", 1),
    ("rnd140", 2),
    ("rnd155", 3),
    ("rnd194", 6),
    ("rnd218", 8),
    ("rnd251", 2),
    ("rnd273", 1),
    ("rnd322", 1),
];

fn limits(executions: u64) -> Limits {
    Limits { collect: true, executions, ..Limits::default() }
}

fn by_views(test: &Litmus) -> Report {
    views::run(limits(1_000_000), &program(test), &|_| {})
}

fn by_states(reduction: Reduction, test: &Litmus) -> Report {
    states::run(reduction, limits(1_000_000), &program(test), &|_| {})
}

fn by_loom(test: &Litmus) -> Report {
    let loom = Loom { preemptions: None, limits: limits(LOOM_EXECUTIONS) };
    loom.run(&program(test)).expect("no LOOM_* variable may be set")
}

/// Whether a data race ended the exploration; anything else that kept it from its end is an error.
fn races(test: &Litmus, report: &Report) -> bool {
    match &report.failure {
        Some(failure) if failure.rule == "race" => true,
        Some(failure) => panic!("{}: {}\n{test}", failure.rule, failure.what),
        None => {
            assert_eq!(report.effort, Effort::Complete, "{test}");
            false
        }
    }
}

fn all_or_nothing(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} differences\n\n{}", complaints.len(), complaints.join("\n"));
}

/// Verdicts and races as LKMM has them, except the named ones.
fn verdicts(tests: &[Shape], engine: impl Fn(&Litmus) -> Report, misses: Named, false_alarms: Named) {
    let find = |list: Named, name: &str| list.iter().find(|(n, _)| *n == name).map(|(_, reason)| *reason);
    let mut complaints = Vec::new();
    for shape in tests {
        let report = engine(&shape.test);
        let race = races(&shape.test, &report);
        let found = if race { shape.lkmm } else { shape.verdict(&report.outcomes) };
        let named = find(misses, shape.test.name).or_else(|| find(false_alarms, shape.test.name));
        let expected = match named {
            None => shape.lkmm,
            Some(_) if find(misses, shape.test.name).is_some() => Verdict::Never,
            Some(_) => Verdict::Sometimes,
        };
        assert!(named.is_none() || expected != shape.lkmm, "{} is no exception", shape.test.name);
        if (found, race) != (expected, shape.race) {
            complaints.push(format!(
                "{}LKMM: {:?}{}, {}: {found:?}{}, outcomes {:?}{}\n",
                shape.test,
                shape.lkmm,
                if shape.race { " with a race" } else { "" },
                report.engine,
                if race { " with a race" } else { "" },
                report.outcomes,
                named.map_or(String::new(), |reason| format!(", named as an exception ({reason})")),
            ));
        }
    }
    for (name, _) in misses.iter().chain(false_alarms) {
        assert!(tests.iter().any(|shape| shape.test.name == *name), "there is no test {name}");
    }
    all_or_nothing(&complaints);
}

/// How the outcomes of an engine differ from those that it should have found.
fn difference(test: &Litmus, found: &BTreeSet<String>, expected: &BTreeSet<String>) -> String {
    let list = |title: &str, a: &BTreeSet<String>, b: &BTreeSet<String>| {
        let outcomes: String = a.difference(b).flat_map(|outcome| ["\n    ", outcome]).collect();
        if outcomes.is_empty() { outcomes } else { format!("  {title}:{outcomes}\n") }
    };
    format!("{test}{}{}", list("lacks", expected, found), list("must not show", found, expected))
}

#[test]
fn statements_are_shown_as_they_are_written() {
    let shapes = [litmus::shapes(), litmus::protocol()].concat();
    let shown: BTreeSet<String> =
        shapes.iter().flat_map(|s| s.test.threads.concat()).map(|s| s.to_string()).collect();
    let written = [include_str!("../litmus/shapes.json"), include_str!("../litmus/protocol.json")].concat();
    for statement in shown {
        assert!(written.contains(&format!("\"{statement}\"")), "{statement}");
    }
}

#[test]
fn views_gives_the_verdicts_of_lkmm_on_the_shapes() {
    verdicts(&litmus::shapes(), by_views, VIEWS_MISSES, &[]);
}

#[test]
fn views_gives_the_verdicts_of_lkmm_on_the_protocol() {
    verdicts(&litmus::protocol(), by_views, PROTOCOL_MISSES, &[]);
}

#[test]
fn views_gives_the_outcomes_of_lkmm_on_random_programs() {
    let (tests, mut complaints) = (litmus::random(), Vec::new());
    for (name, _) in VIEWS_LACKS {
        assert!(tests.iter().any(|random| random.test.name == name), "there is no test {name}");
    }
    for random in tests {
        let (lkmm, report) = (random.outcomes(), by_views(&random.test));
        assert!(!races(&random.test, &report), "{}", random.test);
        let named =
            VIEWS_LACKS.iter().find(|(name, _)| *name == random.test.name).map_or(0, |(_, lacks)| *lacks);
        let lacking = lkmm.difference(&report.outcomes).count();
        if lacking != named || !report.outcomes.is_subset(&lkmm) {
            let difference = difference(&random.test, &report.outcomes, &lkmm);
            complaints.push(format!("{difference}  lacks {lacking}, named as {named}\n"));
        }
    }
    all_or_nothing(&complaints);
}

#[test]
fn states_shows_only_what_lkmm_allows() {
    let mut complaints = Vec::new();
    for shape in [litmus::shapes(), litmus::protocol()].concat() {
        let report = by_states(Reduction::Hashing, &shape.test);
        // Races are defined by happens-before, not by interleavings: this engine must see them too.
        let race = races(&shape.test, &report);
        let verdict = shape.verdict(&report.outcomes);
        if race != shape.race || (shape.lkmm, verdict) == (Verdict::Never, Verdict::Sometimes) {
            complaints.push(format!("{}  race: {race}, outcomes {:?}\n", shape.test, report.outcomes));
        }
    }
    for random in litmus::random() {
        let (lkmm, report) = (random.outcomes(), by_states(Reduction::Hashing, &random.test));
        if races(&random.test, &report) || !report.outcomes.is_subset(&lkmm) {
            complaints.push(difference(&random.test, &report.outcomes, &lkmm));
        }
    }
    all_or_nothing(&complaints);
}

#[test]
fn reductions_of_states_lose_nothing() {
    let shapes = [litmus::shapes(), litmus::protocol()].concat().into_iter();
    let tests = shapes.filter(|shape| !shape.race).map(|shape| shape.test);
    let mut complaints = Vec::new();
    for test in tests.chain(litmus::random().into_iter().map(|random| random.test)) {
        let plain = by_states(Reduction::Plain, &test);
        assert!(!races(&test, &plain), "{test}");
        for reduction in [Reduction::Dpor, Reduction::Hashing] {
            let reduced = by_states(reduction, &test);
            if reduced.effort != Effort::Complete || reduced.outcomes != plain.outcomes {
                let difference = difference(&test, &reduced.outcomes, &plain.outcomes);
                complaints.push(format!("{reduction:?}, {:?}: {difference}", reduced.effort));
            }
        }
    }
    all_or_nothing(&complaints);
}

#[test]
fn with_full_order_views_sees_interleavings_only() {
    let mut complaints = Vec::new();
    for random in litmus::random() {
        let states = by_states(Reduction::Hashing, &random.test);
        for strong in [random.test.fenced(), random.test.exchanged()] {
            let views = by_views(&strong);
            assert!(!races(&strong, &views), "{strong}");
            if views.outcomes != states.outcomes {
                complaints.push(difference(&strong, &views.outcomes, &states.outcomes));
            }
        }
    }
    all_or_nothing(&complaints);
}

#[test]
fn loom_differs_from_lkmm_where_it_is_known_to() {
    let (shapes, protocol) = (litmus::shapes(), litmus::protocol());
    let (large, shapes): (Vec<_>, Vec<_>) = shapes.into_iter().partition(|s| s.test.name == LOOM_TOO_LARGE);
    verdicts(&shapes, by_loom, LOOM_MISSES, LOOM_FALSE_ALARMS);
    verdicts(&protocol, by_loom, PROTOCOL_MISSES, PROTOCOL_LOOM_FALSE_ALARMS);
    for shape in large {
        let report = by_loom(&shape.test);
        assert_eq!(report.effort, Effort::Unfinished, "{}", shape.test);
        assert_eq!(shape.verdict(&report.outcomes), shape.lkmm, "{}", shape.test);
    }
}

/// Not `Op::Ghost`: a ghost follows the order in which steps are executed, and a relaxed step that has
/// been executed need not be visible before the barrier behind it.
fn op() -> impl Strategy<Value = Op> {
    let ops: Vec<fn(u8) -> Op> = vec![
        Op::Read,
        |i| Op::Set(i, i + 1),
        Op::Inc,
        Op::DecAndTest,
        Op::IncNotZero,
        Op::Cmpxchg,
        Op::SetBit,
        Op::TestAndSetBit,
        Op::TestBit,
        Op::Locked,
        Op::Written,
        Op::ReadLocked,
        Op::Tried,
        |i| Op::Nested(i & 1 == 0),
        |_| Op::Wake,
        |_| Op::Sleep,
        Op::AwaitNonZero,
    ];
    (proptest::sample::select(ops), 0u8..4).prop_map(|(op, i)| op(i))
}

fn threads() -> impl Strategy<Value = Vec<Vec<Op>>> {
    use proptest::collection::vec;
    prop_oneof![vec(vec(op(), 1..4), 2), vec(vec(op(), 1..3), 3)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    /// Locks and wait queues included: `smp_mb()` between the statements is all it takes.
    #[test]
    fn between_full_barriers_views_sees_interleavings_only(threads in threads()) {
        let fenced = |ops: &Vec<Op>| ops.iter().flat_map(|&op| [Op::Mb, op]).chain([Op::Mb]).collect();
        let setup = random::program(threads.iter().map(fenced).collect());
        let states = states::run(Reduction::Hashing, limits(1_000_000), &setup, &|_| {});
        let views = views::run(limits(1_000_000), &setup, &|_| {});
        let rule = |report: &Report| report.failure.as_ref().map(|failure| failure.rule.clone());
        prop_assert_eq!(rule(&views), rule(&states));
        if states.failure.is_none() {
            prop_assert_eq!((states.effort, views.effort), (Effort::Complete, Effort::Complete));
            prop_assert_eq!(&views.outcomes, &states.outcomes);
        }
    }
}
