//! The reductions of the states engine lose nothing: on random programs, plain search, partial-order
//! reduction and state hashing find the same outcomes. On the protocol that other model checkers were
//! given too, they find the same outcomes as weak memory, and the mistakes.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report, views};
use mmspec_tests::peers::{self, Bug, Config};
use mmspec_tests::random::{Op, program};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    let i = || 0u8..4;
    prop_oneof![
        i().prop_map(Op::Read),
        (i(), i()).prop_map(|(i, n)| Op::Set(i, n)),
        i().prop_map(Op::Inc),
        i().prop_map(Op::DecAndTest),
        i().prop_map(Op::IncNotZero),
        i().prop_map(Op::Cmpxchg),
        i().prop_map(Op::SetBit),
        i().prop_map(Op::TestAndSetBit),
        i().prop_map(Op::TestBit),
        i().prop_map(Op::Locked),
        i().prop_map(Op::Written),
        i().prop_map(Op::ReadLocked),
        i().prop_map(Op::Tried),
        any::<bool>().prop_map(Op::Nested),
        Just(Op::Wake),
        Just(Op::Sleep),
        i().prop_map(Op::AwaitNonZero),
        i().prop_map(Op::AwaitGhost),
        i().prop_map(Op::Ghost),
        i().prop_map(Op::Mutexed),
        Just(Op::Referenced),
        i().prop_map(Op::Push),
        Just(Op::Drain),
        Just(Op::Mb),
    ]
}

fn threads() -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop_oneof![
        proptest::collection::vec(proptest::collection::vec(op(), 1..4), 2),
        proptest::collection::vec(proptest::collection::vec(op(), 1..3), 3),
    ]
}

fn larger() -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop_oneof![
        proptest::collection::vec(proptest::collection::vec(op(), 1..4), 3),
        proptest::collection::vec(proptest::collection::vec(op(), 1..3), 4),
    ]
}

fn run(reduction: Reduction, threads: &[Vec<Op>]) -> Report {
    let limits = Limits { collect: true, executions: 100_000, ..Limits::default() };
    states::run(reduction, limits, &program(threads.to_vec()), &|_| {})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn reductions_find_what_plain_search_finds(threads in threads()) {
        let plain = run(Reduction::Plain, &threads);
        prop_assume!(plain.effort == Effort::Complete);
        prop_assert!(plain.failure.is_none(), "{:?}", plain.failure);
        for reduction in [Reduction::Dpor, Reduction::Hashing] {
            let reduced = run(reduction, &threads);
            prop_assert_eq!(reduced.effort, Effort::Complete);
            prop_assert_eq!(&reduced.outcomes, &plain.outcomes, "{:?}", reduction);
            prop_assert!(reduced.complete <= plain.complete);
        }
    }

    /// With every thread as a starting point everywhere, sleep sets leave one execution of each trace:
    /// looking for races must not leave fewer.
    #[test]
    fn no_trace_is_overlooked(threads in larger()) {
        let all = run(Reduction::SleepSets, &threads);
        prop_assume!(all.effort == Effort::Complete);
        let reduced = run(Reduction::Dpor, &threads);
        prop_assert_eq!(reduced.complete, all.complete);
        prop_assert_eq!(reduced.outcomes, all.outcomes);
    }
}

/// Programs of which a search that looks for races has overlooked traces before.
#[test]
fn hidden_races_are_found() {
    for threads in [
        // A step that waits races by a ghost word: it comes earlier only with what it waits for.
        vec![vec![Op::AwaitGhost(0)], vec![Op::Ghost(0)], vec![Op::AwaitNonZero(0)]],
        // A writer comes between two readers whose sections overlapped.
        vec![vec![Op::ReadLocked(3), Op::Written(1)], vec![Op::Inc(1), Op::ReadLocked(1)], vec![Op::Read(0)]],
        // Nobody but a sleeping thread can move, because others have locked each other out.
        vec![
            vec![Op::Read(2)],
            vec![Op::DecAndTest(1)],
            vec![Op::Nested(true)],
            vec![Op::Nested(false), Op::Ghost(2)],
        ],
    ] {
        let all = run(Reduction::SleepSets, &threads);
        assert_eq!(all.effort, Effort::Complete);
        let reduced = run(Reduction::Dpor, &threads);
        assert_eq!((reduced.complete, reduced.outcomes), (all.complete, all.outcomes), "{threads:?}");
    }
}

fn on_states(reduction: Reduction, config: Config) -> Report {
    states::run(reduction, Limits::default(), &peers::program(config), &|_| {})
}

fn on_views(config: Config) -> Report {
    views::run(Limits::default(), &peers::program(config), &|_| {})
}

#[test]
fn the_peers_protocol_holds() {
    for (actors, mms) in [(2, 1), (3, 1), (4, 1), (5, 1), (5, 2)] {
        let config = Config::new(actors, mms);
        let dpor = on_states(Reduction::Dpor, config);
        for report in [&dpor, &on_states(Reduction::Hashing, config), &on_views(config)] {
            assert_eq!(report.effort, Effort::Complete, "{config:?}: {:?}", report.failure);
            assert_eq!(report.outcomes, dpor.outcomes, "{config:?}");
        }
    }
}

#[test]
fn mistakes_in_the_peers_protocol_are_found() {
    let with = |bug, actors| Config { bug: Some(bug), ..Config::new(actors, 1) };
    for (bug, rule) in [(Bug::VictimQueued, "A4"), (Bug::LateMark, "A4"), (Bug::EarlySkip, "uaf")] {
        for reduction in [Reduction::Dpor, Reduction::Hashing] {
            let failure = on_states(reduction, with(bug, 3)).failure.expect("a mistake");
            assert_eq!(failure.rule, rule, "{bug:?}");
        }
    }
    let failure = on_views(with(Bug::RelaxedDrop, 4)).failure.expect("a mistake");
    assert_eq!(failure.rule, "race");
}
