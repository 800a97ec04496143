//! What the timeline reads from a trace: calls, lock holds, values, order.

use super::fixtures::{self, script};
use mmspec_model::event::Kind;
use mmspec_traces::TraceFile;
use mmspec_traces::timeline::{Blocked, Clash, Mode, Shape, Timeline};

fn timeline(file: &TraceFile) -> Timeline {
    Timeline::new(file)
}

#[test]
fn a_lock_is_held_from_taking_it_to_giving_it_up() {
    let mut s = script("s", &["A", "B"], "R1", "");
    s.write(0, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
    // B joins the queue, waits, and takes the lock.
    s.write(1, "mmap_write_lock", "mm0->mmap_lock", 1, 1 | 1 << 33);
    s.waits(1, "mmap_write_lock", "mm0->mmap_lock");
    s.write(0, "mmap_read_unlock", "mm0->mmap_lock", 1 | 1 << 33, 1 << 33);
    s.write(1, "mmap_write_lock", "mm0->mmap_lock", 1 << 33, 1 << 16);
    s.fails(0, "mmap_read_trylock", "mm0->mmap_lock", 1 << 16);
    let t = timeline(&s.done());
    assert_eq!(t.locks.len(), 1);
    let holds: Vec<_> = t.holds.iter().map(|h| (h.task, h.mode, h.from, h.until)).collect();
    // The wait is one step with joining the queue.
    assert_eq!(holds, [(0, Mode::Read, 0, Some(2)), (1, Mode::Waits, 1, Some(3)), (1, Mode::Write, 3, None)]);
}

#[test]
fn two_readers_hold_one_lock() {
    let mut s = script("s", &["A", "B"], "R1", "");
    s.write(0, "mmap_read_lock", "mm0->mmap_lock", 0, 1).write(
        1,
        "mmap_read_trylock",
        "mm0->mmap_lock",
        1,
        2,
    );
    s.write(0, "mmap_read_unlock", "mm0->mmap_lock", 2, 1);
    let holds: Vec<_> = timeline(&s.done()).holds.iter().map(|h| (h.task, h.mode, h.until)).collect();
    assert_eq!(holds, [(0, Mode::Read, Some(2)), (1, Mode::Read, None)]);
}

#[test]
fn calls_span_the_steps_of_other_tasks() {
    let mut s = script("s", &["A", "B"], "R1", "");
    s.calls(0, "exit_mm mmput").write(0, "atomic_dec_and_test", "mm0->mm_users", 2, 1);
    s.calls(1, "mmget").write(1, "atomic_inc", "mm0->mm_users", 1, 2);
    s.calls(0, "exit_mm").write(0, "write", "T0->mm", 1, 0);
    let calls: Vec<_> =
        timeline(&s.done()).calls.into_iter().map(|c| (c.function, c.depth, c.from, c.to, c.open)).collect();
    let call = |name: &str, depth, from, to, open| (name.to_string(), depth, from, to, open);
    assert_eq!(
        calls,
        [call("exit_mm", 0, 0, 2, true), call("mmput", 1, 0, 0, false), call("mmget", 0, 1, 1, true)]
    );
}

#[test]
fn bits_counters_and_lists_are_tracks_until_their_object_is_freed() {
    let mut s = script("s", &["A"], "R1", "");
    s.bit(0, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 0);
    s.bit(0, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1 << 21);
    s.bit(0, "clear_bit", "MMF_OOM_SKIP", "mm0->flags", 1 << 21, 0);
    s.write(0, "atomic_inc", "mm0->mm_count", 1, 2).write(0, "llist_add", "mm_reaper_list", 0, 1);
    s.frees(0, "free_mm", "mm0");
    let t = timeline(&s.done());
    let seen: Vec<_> = t
        .tracks
        .iter()
        .map(|t| {
            let changes: Vec<_> = t.changes.iter().map(|c| (c.step, c.text.as_str())).collect();
            (t.name.as_str(), t.shape, t.initial_text.as_str(), changes, t.freed)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("MMF_OOM_SKIP", Shape::Flag, "0", vec![(1, "1"), (2, "0")], Some(5)),
            ("mm0->mm_count", Shape::Counter, "1", vec![(3, "2")], Some(5)),
            ("mm_reaper_list", Shape::List, "empty", vec![(4, "[0]")], None),
        ]
    );
}

#[test]
fn flags_of_two_mms_are_told_apart() {
    let mut s = script("s", &["A"], "R1", "");
    for mm in ["mm0->flags", "mm1->flags"] {
        s.bit(0, "set_bit", "MMF_OOM_SKIP", mm, 0, 1 << 21);
    }
    s.bit(0, "set_bit", "MMF_UNSTABLE", "mm1->flags", 0, 1 << 22);
    let names: Vec<String> = timeline(&s.done()).tracks.into_iter().map(|t| t.name).collect();
    assert_eq!(names, ["mm0 MMF_OOM_SKIP", "mm1 MMF_OOM_SKIP", "MMF_UNSTABLE"]);
}

/// A message through `word`: ordered if the write releases and the read acquires.
fn message(write: &str, read: &str, kind: Kind) -> bool {
    let mut s = script("s", &["A", "B"], "race", "");
    s.write(0, "write", "mm0->data", 0, 1).write(0, write, "mm0->ready", 0, 1);
    s.event(1, read, "", "mm0->ready", (1, 1), kind).read(1, "read", "mm0->data", 1);
    timeline(&s.done()).ordered(0, 3)
}

#[test]
fn what_is_released_and_acquired_is_ordered() {
    assert!(message("smp_store_release", "smp_load_acquire", Kind::Read));
    assert!(!message("WRITE_ONCE", "smp_load_acquire", Kind::Read));
    assert!(!message("smp_store_release", "READ_ONCE", Kind::Read));
    assert!(message("atomic_long_add_return", "atomic_long_add_return", Kind::Write));
    assert!(!message("atomic_inc", "atomic_inc", Kind::Write));
    assert!(message("spin_unlock", "spin_lock", Kind::Write));
    // A failed operation orders nothing.
    assert!(!message("atomic_long_add_return", "atomic_inc_not_zero", Kind::Failed));
}

#[test]
fn barriers_order_relaxed_accesses() {
    let order = |first: &str, second: &str| {
        let mut s = script("s", &["A", "B"], "race", "");
        s.write(0, "write", "mm0->data", 0, 1).event(0, first, "", "", (0, 0), Kind::Fence);
        s.write(0, "WRITE_ONCE", "mm0->ready", 0, 1).read(1, "READ_ONCE", "mm0->ready", 1);
        s.event(1, second, "", "", (0, 0), Kind::Fence).read(1, "read", "mm0->data", 1);
        timeline(&s.done()).ordered(0, 5)
    };
    assert!(order("smp_wmb", "smp_rmb"));
    assert!(order("smp_mb", "smp_mb"));
    assert!(!order("smp_rmb", "smp_rmb"));
    assert!(!order("smp_wmb", "smp_wmb"));
}

#[test]
fn only_the_last_to_drop_a_reference_learns_what_the_others_did() {
    let mut s = script("s", &["A", "B", "C"], "race", "");
    for (task, users) in [(0, 3), (1, 2), (2, 1)] {
        s.write(task, "write", &format!("mm0->of{task}"), 0, 1);
        s.write(task, "atomic_dec_and_test", "mm0->mm_users", users, users - 1);
    }
    let t = timeline(&s.done());
    assert!(!t.ordered(0, 3) && t.ordered(0, 5) && t.ordered(2, 5));
    assert_eq!(t.edges.iter().map(|e| (e.from, e.to)).collect::<Vec<_>>(), [(3, 5), (1, 5)]);
}

#[test]
fn readers_of_a_lock_are_ordered_against_writers_only() {
    let mut s = script("s", &["A", "B", "C"], "race", "");
    s.write(0, "mmap_read_lock", "mm0->mmap_lock", 0, 1).write(0, "mmap_read_unlock", "mm0->mmap_lock", 1, 0);
    s.write(1, "mmap_read_lock", "mm0->mmap_lock", 0, 1).write(1, "mmap_read_unlock", "mm0->mmap_lock", 1, 0);
    s.write(2, "mmap_write_lock", "mm0->mmap_lock", 0, 1 << 16);
    let t = timeline(&s.done());
    assert!(!t.ordered(0, 2) && t.ordered(0, 4) && t.ordered(2, 4));
}

#[test]
fn the_steps_that_clash_are_told_with_their_order() {
    assert_eq!(
        timeline(&fixtures::resurrection()).clash,
        Some(Clash { first: Some(4), second: 5, ordered: false })
    );
}

#[test]
fn in_a_deadlock_the_holder_of_each_lock_is_named() {
    let mut s = script("s", &["A", "B"], "deadlock", "");
    s.write(0, "mutex_lock", "oom_lock", 0, 1).write(1, "mmap_write_lock", "mm0->mmap_lock", 0, 1 << 16);
    s.waits(0, "mmap_read_lock", "mm0->mmap_lock").waits(1, "mutex_lock", "oom_lock");
    let t = timeline(&s.done());
    assert_eq!(t.clash, None);
    assert_eq!(t.blocked, [Blocked { waits: 2, holder: 1 }, Blocked { waits: 3, holder: 0 }]);
}

#[test]
fn absurd_numbers_of_tasks_cost_nothing() {
    let mut file = fixtures::resurrection();
    file.tasks = (0..100_000).map(|i| i.to_string()).collect();
    for (i, e) in file.events.iter_mut().enumerate() {
        e.task = i * 1000;
    }
    let t = timeline(&file);
    assert!(!t.ordered(0, 1) && t.edges.is_empty());
}
