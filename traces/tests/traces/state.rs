//! What memory holds after each step of a trace.

use crate::fixtures::script;
use mmspec_model::event::Kind::{Failed, Free, Read, Waits, Write};
use mmspec_traces::State;
use std::collections::BTreeMap;

const READER: u64 = 1;
const WRITER: u64 = 1 << 16;
const QUEUED: u64 = 1 << 33;

/// What each word holds in the end, and how often anything changed.
fn ends(script: &crate::fixtures::Script) -> (BTreeMap<String, String>, usize) {
    let states = State::all(&script.done());
    let changes = states.windows(2).map(|pair| pair[0].changes(&pair[1]).len()).sum();
    (states.last().unwrap().lines().into_iter().collect(), changes)
}

#[test]
fn numbers_are_those_found_first_until_somebody_writes() {
    let mut s = script("s", &["A", "B"], "R1", "");
    s.event(0, "atomic_read", "", "mm0->mm_users", (2, 2), Read);
    s.event(1, "atomic_dec_return", "", "mm0->mm_users", (2, u64::MAX), Write);
    s.event(1, "atomic_inc_not_zero", "", "mm0->mm_count", (0, 0), Failed);
    let states = State::all(&s.done());
    assert_eq!(states.len(), 4);
    let users =
        |state: &State| state.lines().iter().find(|(word, _)| word == "mm0->mm_users").unwrap().1.clone();
    assert_eq!([users(&states[0]), users(&states[1]), users(&states[2])], ["2", "2", "-1"]);
    let change = ("mm0->mm_users".into(), "2".into(), "-1".into());
    assert_eq!(states[1].changes(&states[2]), [change]);
    assert_eq!(states[2].changes(&states[3]), []);
    let event = &s.done().events[1];
    assert_eq!((states[1].newest(event), states[2].newest(event)), (Some(2), Some(u64::MAX)));
}

#[test]
fn bits_have_names() {
    let mut s = script("s", &["A"], "R1", "");
    s.event(0, "test_bit", "MMF_UNSTABLE", "mm0->flags", (4, 4), Read);
    s.event(0, "set_bit", "MMF_OOM_SKIP", "mm0->flags", (0, 8), Write);
    assert_eq!(ends(&s).0["mm0->flags"], "MMF_OOM_SKIP | MMF_UNSTABLE");
    s.event(0, "clear_bit", "MMF_UNSTABLE", "mm0->flags", (4, 0), Write);
    s.event(0, "clear_bit", "MMF_OOM_SKIP", "mm0->flags", (8, 0), Write);
    assert_eq!(ends(&s), ([("mm0->flags".into(), "0".into())].into(), 3));
}

#[test]
fn locks_name_their_holders_and_who_waits() {
    let lock = "mm0->mmap_lock";
    let mut s = script("s", &["A", "B", "C"], "R1", "");
    let mut steps = vec![
        (0, "mmap_read_lock", (0, READER), Write, "read by A"),
        (1, "mmap_read_trylock", (READER, 2 * READER), Write, "read by A, B"),
        (2, "mmap_write_lock", (2, 2 | QUEUED), Write, "read by A, B; waited for by C"),
        (2, "mmap_write_lock", (2 | QUEUED, 2 | QUEUED), Waits, "read by A, B; waited for by C"),
        (1, "mmap_read_trylock", (2 | QUEUED, 2 | QUEUED), Failed, "read by A, B; waited for by C"),
        (0, "mmap_read_unlock", (2 | QUEUED, 1 | QUEUED), Write, "read by B; waited for by C"),
        (1, "mmap_read_unlock", (1 | QUEUED, QUEUED), Write, "free; waited for by C"),
        (2, "mmap_write_lock", (QUEUED, WRITER), Write, "held by C"),
        (2, "mmap_write_unlock", (WRITER, 0), Write, "free"),
    ];
    for (task, step, values, kind, holds) in steps.drain(..) {
        s.event(task, step, "", lock, values, kind);
        assert_eq!(ends(&s).0[lock], holds, "{step} of {task}");
    }
    s.event(0, "spin_lock", "", "T0->alloc_lock", (0, 1), Write);
    assert_eq!(ends(&s).0["T0->alloc_lock"], "held by A");
    // Somebody else gives it back: it is free all the same.
    s.event(1, "spin_unlock", "", "T0->alloc_lock", (1, 0), Write);
    assert_eq!(ends(&s).0["T0->alloc_lock"], "free");
}

#[test]
fn freed_objects_are_listed() {
    let mut s = script("s", &["A"], "uaf", "");
    s.event(0, "free_mm", "", "mm0", (0, 0), Free);
    assert_eq!(ends(&s), ([("mm0".into(), "freed".into())].into(), 1));
}
