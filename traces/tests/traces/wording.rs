//! Single steps in the words of C.

use crate::fixtures::{Script, script};
use mmspec_traces::{TableOptions, render};

/// How the last step of a one-task trace is written: the line above the underline.
fn said(write: impl FnOnce(&mut Script)) -> String {
    let mut s = script("one_task", &["T0", "T1"], "R1", "broken");
    write(&mut s);
    let table = render(&s.done(), &TableOptions { width: 120, ..TableOptions::default() });
    let lines: Vec<&str> = table.lines().collect();
    let at = lines.iter().position(|l| l.trim_start().starts_with('^')).expect("the last step is underlined");
    lines[at - 1].trim().to_string()
}

fn write(step: &str, word: &str, before: u64, after: u64) -> String {
    said(|s| _ = s.write(0, step, word, before, after))
}

fn read(step: &str, word: &str, value: u64) -> String {
    said(|s| _ = s.read(0, step, word, value))
}

#[test]
fn counters_show_what_they_were_and_are() {
    assert_eq!(write("atomic_inc", "mm0->mm_count", 1, 2), "atomic_inc(&mm0->mm_count)  # 1 -> 2");
    assert_eq!(read("atomic_read", "mm0->mm_users", 3), "atomic_read(&mm0->mm_users)  # 3");
    assert_eq!(write("atomic_set", "mm0->mm_users", 0, 1), "atomic_set(&mm0->mm_users, 1)  # 0 -> 1");
    assert_eq!(
        write("atomic_long_add_return", "pending", 2, 5),
        "atomic_long_add_return(3, &pending)  # 2 -> 5"
    );
    assert_eq!(write("atomic_long_sub", "pending", 5, 2), "atomic_long_sub(3, &pending)  # 5 -> 2");
    assert_eq!(
        write("atomic_dec_and_test", "mm0->mm_users", 0, u64::MAX),
        "atomic_dec_and_test(&mm0->mm_users)  # 0 -> -1"
    );
    let fails = said(|s| _ = s.fails(0, "atomic_inc_not_zero", "mm0->mm_users", 0));
    assert_eq!(fails, "atomic_inc_not_zero(&mm0->mm_users)  # 0, fails");
}

#[test]
fn a_mutant_says_how_it_departs_from_the_kernel() {
    let kind = mmspec_model::event::Kind::Write;
    let relaxed = said(|s| _ = s.event(0, "atomic_dec_and_test", "relaxed", "mm0->mm_users", (2, 1), kind));
    assert_eq!(relaxed, "atomic_dec_and_test(&mm0->mm_users)  # 2 -> 1, relaxed");
}

#[test]
fn pointers_and_plain_memory() {
    assert_eq!(write("cmpxchg", "T1->signal->oom_mm", 0, 1), "cmpxchg(&T1->signal->oom_mm, 0, 1)  # 0 -> 1");
    let fails = said(|s| _ = s.fails(0, "cmpxchg", "T1->signal->oom_mm", 1));
    assert_eq!(fails, "cmpxchg(&T1->signal->oom_mm, 0, ...)  # 1, fails");
    assert_eq!(read("READ_ONCE", "oom_killer_disabled", 0), "READ_ONCE(oom_killer_disabled)  # 0");
    assert_eq!(
        write("WRITE_ONCE", "oom_killer_disabled", 0, 1),
        "WRITE_ONCE(oom_killer_disabled, 1)  # 0 -> 1"
    );
    assert_eq!(write("smp_store_release", "T1->mm", 1, 0), "smp_store_release(&T1->mm, 0)  # 1 -> 0");
    assert_eq!(read("smp_load_acquire", "T1->mm", 1), "smp_load_acquire(&T1->mm)  # 1");
    assert_eq!(read("read", "T1->mm", 1), "read T1->mm  # 1");
    assert_eq!(write("write", "T1->mm", 1, 0), "T1->mm = 0  # was 1");
    assert_eq!(write("write", "T1->mm", 0, 0), "T1->mm = 0");
    assert_eq!(said(|s| _ = s.frees(0, "kmem_cache_free", "mm0")), "kmem_cache_free(mm0)");
    let kind = mmspec_model::event::Kind::Fence;
    assert_eq!(said(|s| _ = s.event(0, "smp_mb", "", "", (0, 0), kind)), "smp_mb()");
}

#[test]
fn locks_have_no_values() {
    assert_eq!(write("spin_lock", "T1->alloc_lock", 0, 1), "spin_lock(&T1->alloc_lock)");
    assert_eq!(write("mutex_unlock", "oom_lock", 1, 0), "mutex_unlock(&oom_lock)");
    assert_eq!(write("mmap_write_lock", "mm0->mmap_lock", 0, 1 << 16), "mmap_write_lock(mm0)");
    assert_eq!(write("down_read", "exec_update_lock", 0, 1), "down_read(&exec_update_lock)");
    assert_eq!(
        write("down_read_trylock", "mm0->mmap_lock", 0, 1),
        "down_read_trylock(&mm0->mmap_lock) = true"
    );
    let fails = said(|s| _ = s.fails(0, "down_read_trylock", "mm0->mmap_lock", 1 << 16));
    assert_eq!(fails, "down_read_trylock(&mm0->mmap_lock) = false");
    let killed = said(|s| _ = s.fails(0, "mmap_write_lock_killable", "mm0->mmap_lock", 1));
    assert_eq!(killed, "mmap_write_lock_killable(mm0)  # fails");
}

#[test]
fn waits_name_the_object_only_where_two_have_such_a_word() {
    let queued = 1 << 32;
    assert_eq!(write("mmap_write_lock", "mm0->mmap_lock", 1, 1 | queued), "<waits: mmap_lock>");
    assert_eq!(said(|s| _ = s.waits(0, "mutex_lock", "oom_lock")), "<waits: oom_lock>");
    let two = said(|s| {
        s.write(1, "mmap_write_lock", "mm1->mmap_lock", 0, 1 << 16).waits(
            0,
            "mmap_read_lock",
            "mm0->mmap_lock",
        );
    });
    assert_eq!(two, "<waits: mm0->mmap_lock>");
}

#[test]
fn bits_are_told_apart_by_the_steps_that_change_them() {
    let among_others = said(|s| {
        s.bit(1, "set_bit", "MMF_UNSTABLE", "mm0->flags", 0, 0b10);
        s.bit(1, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0b10, 0b11);
        s.bit(1, "clear_bit", "MMF_OOM_SKIP", "mm0->flags", 0b11, 0b10);
        s.bit(0, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0b10, 0b10);
    });
    assert_eq!(among_others, "if (test_bit(MMF_OOM_SKIP, &mm0->flags))  # 0  (2)");
    let never_set = said(|s| {
        s.bit(1, "set_bit", "MMF_UNSTABLE", "mm0->flags", 0, 0b10);
        s.bit(0, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0b10, 0b10);
    });
    assert_eq!(never_set, "if (test_bit(MMF_OOM_SKIP, &mm0->flags))  # 0");
    let unknown = said(|s| _ = s.bit(0, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0b10, 0b10));
    assert_eq!(unknown, "if (test_bit(MMF_OOM_SKIP, &mm0->flags))  # 0x2");
    let again = said(|s| {
        s.bit(1, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1);
        s.bit(0, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 1, 1);
    });
    assert_eq!(again, "set_bit(MMF_OOM_SKIP, &mm0->flags)  # already set  (2)");
    let ticket = said(|s| _ = s.bit(0, "test_and_set_bit", "MMF_OOM_REAP_QUEUED", "mm0->flags", 0, 4));
    assert_eq!(ticket, "if (test_and_set_bit(MMF_OOM_REAP_QUEUED, &mm0->flags))  # 0");
}

#[test]
fn lists_show_their_entries_oldest_first() {
    assert_eq!(
        write("llist_add", "mm_reaper_list", 0x1, 0x13),
        "llist_add(2, &mm_reaper_list)  # [0] -> [0 2]"
    );
    assert_eq!(
        write("llist_del_all", "mm_reaper_list", 0x13, 0),
        "llist_del_all(&mm_reaper_list)  # [0 2] -> empty"
    );
    assert_eq!(read("llist_empty", "mm_reaper_list", 0), "if (llist_empty(&mm_reaper_list))  # 1");
}

#[test]
fn wake_ups_name_who_is_woken() {
    assert_eq!(
        write("wake_up", "oom_reaper_wait", 0b11, 3 << 32),
        "wake_up(&oom_reaper_wait)  # wakes T0, T1"
    );
    assert_eq!(write("wake_up", "oom_reaper_wait", 0, 0), "wake_up(&oom_reaper_wait)  # nobody waits");
    assert_eq!(write("prepare_to_wait", "oom_reaper_wait", 0, 2), "prepare_to_wait(&oom_reaper_wait)");
    assert_eq!(write("schedule_work", "mm0->async_put_work", 0, 1), "schedule_work(&mm0->async_put_work)");
}

#[test]
fn a_primitive_that_nobody_knows_is_still_a_call() {
    assert_eq!(write("call_rcu", "mm0->rcu", 0, 1), "call_rcu(&mm0->rcu)  # 0 -> 1");
    let kind = mmspec_model::event::Kind::Write;
    let named = said(|s| _ = s.event(0, "set_tsk_thread_flag", "TIF_MEMDIE", "T1->flags", (0, 1), kind));
    assert_eq!(named, "set_tsk_thread_flag(TIF_MEMDIE, &T1->flags)  # 0 -> 1");
}
