//! Whole tables, as they are read.

use crate::fixtures::{crowd, resurrection, victim_queued, waiting};
use mmspec_traces::{TableOptions, TraceFile, render};

fn table(file: &TraceFile) -> String {
    render(file, &TableOptions::default())
}

#[test]
fn two_tasks() {
    insta::assert_snapshot!(table(&resurrection()), @r"
    kernel rfc-async-teardown without R1, scenario exit_vs_get_task_mm:
      VIOLATED R1 - a reference is taken from 0

    T1 exit                       T2 get_task_mm
    -------                       --------------
                                  get_task_mm()
                                    spin_lock(&T1->alloc_lock)
                                    read T1->mm  # 1
    exit_mm()
      mmap_read_lock(mm0)
      mmap_read_unlock(mm0)
      mmput()
        atomic_dec_and_test(&mm0->mm_users)  # 1 -> 0  (1)
                                    mmget()
                                      atomic_inc(&mm0->mm_users)  # 0 -> 1  (2)
                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^
                                  *** rule R1: a reference is taken from 0
    ");
}

#[test]
fn three_tasks() {
    insta::assert_snapshot!(table(&victim_queued()), @r"
    kernel rfc-async-teardown without A3, scenario
      exit_and_sharer_vs_oom_killer: VIOLATED A3 - an mm that the OOM killer
      has chosen is queued for asynchronous teardown

    T1 exit               T2 CLONE_VM sharer    T3 out_of_memory
    -------               ------------------    ----------------
    exit_mm()
      mmput_exit()
        if (test_bit(MMF_OOM_TARGETED, &mm0->flags))  # 0
                                                out_of_memory()
                                                  oom_kill_process()
                                                    spin_lock(&T2->alloc_lock)
                                                    mark_oom_victim()
                                                      set_bit(MMF_OOM_TARGETED,
                                                          &mm0->flags)  (1)
                                                    spin_unlock(
                                                        &T2->alloc_lock)
                          exit_mm()
                            mmput_exit()
                              if (test_bit(MMF_OOM_TARGETED, &mm0->flags))  # 1
                              atomic_dec_and_test(&mm0->mm_users)  # 2 -> 1
        atomic_dec_and_test(&mm0->mm_users)  # 1 -> 0
        llist_add(0, &mm_reaper_list)  # empty -> [0]  (2)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    *** rule A3: an mm that the OOM killer has chosen is queued for
        asynchronous teardown
    (8 of 21 steps; show --full has all)
    ");
}

#[test]
fn seven_tasks_share_one_column() {
    insta::assert_snapshot!(table(&crowd()), @r"
    kernel rfc-async-teardown without R21, scenario everybody_vs_exit: VIOLATED
      uaf - page tables are walked after exit_mmap() has freed them

    sysctl              | proc_dointvec()
                        |   WRITE_ONCE(sysctl_async_mm_teardown, 0)  # 1 -> 0
    T3 /proc reader     | get_task_mm()
                        |   mmget()  # mm0->mm_users 2 -> 3
    T4 process_mrelease | process_mrelease()
                        |   mmgrab()  # mm0->mm_count 1 -> 2
                        |   mmap_read_lock(mm0)
                        |   if (test_bit(MMF_OOM_SKIP, &mm0->flags))  # 0
    T2 CLONE_VM sharer  | exit_mm()
                        |   mmput()  # mm0->mm_users 3 -> 2
                        |   ...
    T1 exit             | exit_mm()
                        |   mmput_exit()
                        |     READ_ONCE(sysctl_async_mm_teardown)  # 0
                        |     atomic_dec_and_test(&mm0->mm_users)  # 2 -> 1
    T3 /proc reader     | mmput()
                        |   atomic_dec_and_test(&mm0->mm_users)  # 1 -> 0
                        |   __mmput()
                        |     exit_mmap()
                        |       set_bit(MMF_OOM_SKIP, &mm0->flags)
                        |       free_pgtables()
                        |         pte_free(pgtables0)  (1)
    T4 process_mrelease | # in process_mrelease()
                        |   __oom_reap_task_mm()
                        |     read pgtables0->pte  # 1  (2)
                        |     ^^^^^^^^^^^^^^^^^^^
                        | *** uaf: page tables are walked after exit_mmap() has
                        |     freed them
    ");
}

#[test]
fn waiting_for_locks_and_wake_ups() {
    insta::assert_snapshot!(table(&waiting()), @r"
    kernel rfc-async-teardown without R20, scenario exit_vs_reaper: VIOLATED
      R20 - a VMA of a torn down tree is walked

    T1 exit                   oom_reaper
    -------                   ----------
                              <waits: oom_reaper_wait>
    mmput()
      atomic_dec_and_test(&mm0->mm_users)  # 1 -> 0
      __mmput()
        exit_mmap()
          wake_up(&oom_reaper_wait)  # wakes oom_reaper
                              oom_reaper()
                                schedule()
                                oom_reap_task_mm()
                                  if (test_bit(MMF_OOM_SKIP, &mm0->flags))  # 0
                                  mmap_read_trylock(mm0) = true
          set_bit(MMF_OOM_SKIP, &mm0->flags)
          <waits: mmap_lock>
                                  mmap_read_unlock(mm0)
          mmap_write_lock(mm0)
                                  mmap_read_trylock(mm0) = false
          mm0->mm_mt = 0  # was 1  (1)
          mmap_write_unlock(mm0)
                                  mmap_read_trylock(mm0) = true
                                  __oom_reap_task_mm()
                                    read mm0->mm_mt  # 0  (2)
                                    ^^^^^^^^^^^^^^^
                              *** rule R20: a VMA of a torn down tree is walked
    ");
}
