//! What a table leaves out, and how it keeps within its width.

use crate::fixtures::{Script, crowd, resurrection, script, victim_queued, waiting};
use mmspec_model::event::Kind;
use mmspec_traces::{TableOptions, TraceFile, render};

fn table(file: &TraceFile) -> String {
    render(file, &TableOptions::default())
}

fn two_tasks() -> Script {
    script("two", &["T0", "T1"], "R1", "broken")
}

#[test]
fn every_table_keeps_to_its_width() {
    for file in [resurrection(), victim_queued(), crowd(), waiting()] {
        for width in [60, 75, 100, 160] {
            let table = render(&file, &TableOptions { width, ..TableOptions::default() });
            for line in table.lines() {
                assert!(line.chars().count() <= width, "wider than {width}: {line}\n{table}");
            }
        }
    }
}

#[test]
fn no_name_is_cut() {
    let file = victim_queued();
    for width in [40, 50, 66, 75] {
        let table = render(&file, &TableOptions { width, ..TableOptions::default() });
        for e in file.events.iter().filter(|e| e.kind != Kind::Ghost && e.arg == "MMF_OOM_TARGETED") {
            for name in [&e.step, &e.arg, &format!("&{}->{}", e.object, e.word)] {
                assert!(table.contains(name.as_str()), "{name} is cut at {width}:\n{table}");
            }
        }
    }
}

#[test]
fn a_name_wider_than_its_column_starts_further_left() {
    let mut s = two_tasks();
    let name = "mmu_notifier_invalidate_range_start_nonblock_or_any_longer_name";
    s.write(0, "spin_lock", "lock", 0, 1).calls(1, name).write(1, "spin_unlock", "lock", 1, 0);
    let table = table(&s.done());
    assert!(table.lines().any(|l| l.trim() == format!("{name}()")), "{table}");
    assert!(table.lines().all(|l| l.chars().count() <= 75), "{table}");
}

#[test]
fn ghost_steps_are_hidden_but_say_what_clashes() {
    let table = table(&victim_queued());
    assert!(!table.contains("ghost") && !table.contains("marked"), "{table}");
    let first = table.lines().position(|l| l.ends_with("(1)")).expect("a clashing step");
    assert!(table.lines().take(first + 1).any(|l| l.contains("set_bit(MMF_OOM_TARGETED")), "{table}");
}

#[test]
fn what_a_task_does_for_itself_in_the_end_is_one_line() {
    let mut s = two_tasks();
    s.write(0, "atomic_inc", "shared", 0, 1).calls(0, "do_exit");
    for i in 0..5 {
        s.write(0, "atomic_inc", "private_count", i, i + 1);
    }
    s.write(1, "atomic_inc", "shared", 1, 2);
    let table = table(&s.done());
    assert!(!table.contains("private_count") && !table.contains("do_exit"), "{table}");
    assert_eq!(table.matches("...").count(), 1, "{table}");
}

#[test]
fn a_task_that_never_meets_another_has_no_column() {
    let mut s = script("three", &["T0", "T1", "T2 idle"], "R1", "broken");
    s.waits(2, "schedule", "idle_wait");
    s.write(0, "atomic_inc", "shared", 0, 1).write(1, "atomic_inc", "shared", 1, 2);
    assert!(!table(&s.done()).contains("idle"));
}

#[test]
fn a_long_table_keeps_to_a_screen_and_to_what_is_near() {
    let fixture = |steps: u64| {
        let mut s = two_tasks();
        s.calls(0, "exit_mmap");
        for i in 0..steps {
            s.write(0, "atomic_inc", "private_count", i, i + 1);
        }
        s.write(0, "atomic_inc", "shared", 0, 1).write(1, "atomic_inc", "shared", 1, 2);
        s.done()
    };
    let (short, long) = (table(&fixture(20)), table(&fixture(60)));
    assert_eq!(short.matches("private_count").count(), 20, "{short}");
    assert!(long.contains("exit_mmap()  # shared 0 -> 1") || long.contains("atomic_inc(&shared)"), "{long}");
    assert!(long.lines().count() <= 40 && !long.contains("private_count"), "{long}");
    assert!(long.ends_with("\n(2 of 62 steps; show --full has all)\n"), "{long}");
    let full = render(&fixture(60), &TableOptions { full: true, ..TableOptions::default() });
    assert_eq!(full.matches("private_count").count(), 60, "{full}");
}

/// A race that is long over 40 lines of other steps, of which some have to do with it.
fn long_story() -> TraceFile {
    let mut s = two_tasks();
    let noise = |s: &mut Script, task: usize, word: &str| {
        for i in 0..20 {
            s.write(task, "atomic_inc", word, i, i + 1);
        }
    };
    s.calls(1, "oom_reap_task");
    noise(&mut s, 1, "counter_of_1");
    s.bit(1, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 0);
    s.calls(0, "exit_mmap");
    noise(&mut s, 0, "counter_of_0");
    s.write(0, "spin_lock", "T0->alloc_lock", 0, 1).write(0, "spin_unlock", "T0->alloc_lock", 1, 0);
    s.bit(0, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1);
    s.write(0, "mmap_write_lock", "mm0->mmap_lock", 0, 1 << 16).write(0, "write", "mm0->mm_mt", 1, 0);
    s.write(0, "mmap_write_unlock", "mm0->mmap_lock", 1 << 16, 0);
    s.write(1, "mmap_read_trylock", "mm0->mmap_lock", 0, 1).read(1, "read", "mm0->mm_mt", 0);
    s.done()
}

#[test]
fn what_is_kept_is_where_a_task_was_interrupted_its_locks_and_who_came_too_late() {
    let table = table(&long_story());
    for step in
        ["test_bit(MMF_OOM_SKIP", "set_bit(MMF_OOM_SKIP", "mmap_write_lock(mm0)", "mmap_read_trylock(mm0)"]
    {
        assert!(table.contains(step), "{step} is lost:\n{table}");
    }
    assert!(!table.contains("counter_of"), "{table}");
    assert!(!table.contains("alloc_lock"), "a lock without anything under it says nothing:\n{table}");
}

#[test]
fn where_the_end_was_judged_the_last_change_of_what_is_named_is_kept() {
    let mut s = script("leak", &["T0", "T1"], "leak", "mm0 is never freed");
    s.write(0, "atomic_inc", "mm0->mm_count", 1, 2);
    for i in 0..50 {
        s.write(1, "atomic_inc", "shared", i, i + 1);
    }
    s.write(0, "atomic_inc", "shared", 50, 51);
    let mut file = s.done();
    file.at_end = true;
    let table = table(&file);
    assert!(table.contains("atomic_inc(&mm0->mm_count)  # 1 -> 2"), "{table}");
    assert!(!table.contains('^') && table.contains("*** leak: mm0 is never freed"), "{table}");
}

#[test]
fn a_deadlock_is_a_verdict_on_all() {
    let mut s = script("abba", &["T0", "T1"], "deadlock", "nobody can move");
    s.write(0, "mutex_lock", "a", 0, 1).write(1, "mutex_lock", "b", 0, 1);
    s.waits(0, "mutex_lock", "b").waits(1, "mutex_lock", "a");
    let table = table(&s.done());
    assert!(table.contains("<waits: a>") && table.contains("<waits: b>"), "{table}");
    assert!(table.ends_with("\n*** deadlock: nobody can move\n") && !table.contains('^'), "{table}");
}

#[test]
fn a_sleeper_that_nobody_wakes_is_shown_in_a_deadlock_only() {
    let fixture = |rule| {
        let mut s = script("no_wake", &["T0", "mm_reaper"], rule, "mm_reaper sleeps over a full queue");
        s.read(1, "llist_empty", "mm_reaper_list", 0).waits(1, "schedule", "mm_reaper_wait");
        table(&s.write(0, "llist_add", "mm_reaper_list", 0, 1).done())
    };
    assert!(fixture("deadlock").contains("<waits: mm_reaper_wait>"));
    assert!(!fixture("R41").contains("<waits:"));
}

#[test]
fn a_private_step_that_a_ghost_word_ties_to_the_violation_is_shown() {
    let mut s = two_tasks();
    s.write(0, "atomic_inc", "shared", 0, 1).write(0, "write", "done", 0, 1);
    s.event(0, "ghost", "", "seen", (0, 1), Kind::Ghost).write(0, "write", "more", 0, 1);
    s.write(1, "atomic_inc", "shared", 1, 2).event(1, "ghost", "", "seen", (1, 1), Kind::Ghost);
    let table = table(&s.done());
    assert!(table.contains("\ndone = 1  # was 0  (1)\n...\n"), "{table}");
}

#[test]
fn reads_do_not_clash_with_reads_nor_bits_with_other_bits() {
    let mut reads = two_tasks();
    reads.read(0, "atomic_read", "shared", 1).read(1, "atomic_read", "shared", 1);
    let mut bits = two_tasks();
    bits.bit(0, "set_bit", "MMF_UNSTABLE", "mm0->flags", 0, 2).bit(
        1,
        "test_bit",
        "MMF_OOM_SKIP",
        "mm0->flags",
        2,
        2,
    );
    for file in [reads.done(), bits.done()] {
        let table = table(&file);
        assert!(!table.contains("(1)") && !table.contains("(2)"), "{table}");
    }
}

#[test]
fn a_function_named_like_its_only_step_takes_one_line() {
    let mut s = two_tasks();
    s.calls(0, "exit_mmap mmap_write_lock").write(0, "mmap_write_lock", "mm0->mmap_lock", 0, 1 << 16);
    s.calls(0, "exit_mmap mmap_write_unlock").write(0, "mmap_write_unlock", "mm0->mmap_lock", 1 << 16, 0);
    s.write(1, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
    let table = table(&s.done());
    assert!(table.contains("exit_mmap()\n  mmap_write_lock(mm0)\n  mmap_write_unlock(mm0)"), "{table}");
}

#[test]
fn a_lock_is_taken_at_the_depth_where_it_was_waited_for() {
    let mut s = two_tasks();
    s.write(1, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
    s.calls(0, "exit_mmap mmap_write_lock").waits(0, "mmap_write_lock", "mm0->mmap_lock");
    s.write(1, "mmap_read_unlock", "mm0->mmap_lock", 1, 0).write(
        0,
        "mmap_write_lock",
        "mm0->mmap_lock",
        0,
        1 << 16,
    );
    let table = table(&s.done());
    assert!(
        table.contains("\n  <waits: mmap_lock>\n") && table.contains("\n  mmap_write_lock(mm0)  (2)\n"),
        "{table}"
    );
}

#[test]
fn nothing_from_a_file_steers_the_terminal() {
    let mut s = script("a\u{1b}[2J", &["T0\n", "T1"], "R1", "two\nlines\u{7}");
    s.calls(0, "f\u{8}").write(0, "atomic_inc", "w\r", 0, 1).write(1, "atomic_inc", "w\r", 1, 2);
    assert!(table(&s.done()).chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_trace_without_events_has_its_verdict() {
    let table = table(&script("none", &["T0"], "panic", "the model panicked").done());
    assert!(table.ends_with("*** panic: the model panicked\n"), "{table}");
}
