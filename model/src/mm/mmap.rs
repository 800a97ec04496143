//! `mm/mmap.c`: the end of a mapping tree.

use super::khugepaged::{free_file_table, zap_file};
use super::memory::{munlock_vma_pages_range, unmap_page_range};
use super::mmu_notifier::mmu_notifier_release;
use super::oom_kill::{__oom_reap_task_mm, set_oom_skip};
use super::page_alloc::free_pages;
use super::rmap::unlink_vmas;
use super::vma::{for_each_vma, remove_vmas};
use crate::include::mm_types::{MMF_OOM_VICTIM, MmStruct, life};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched::TaskStruct;
use crate::k::atomic::read_once;
use crate::k::bitops::test_bit;
use crate::k::engine::{Fault, Site, engine};
use crate::k::plain::{ghost_mark, ghost_read};
use crate::k::{call, goal};
use crate::kernel::freezer::Phase;
use crate::system::System;
use crate::variant::{ExitMmap, Guarded, Munlock, Rule};

/// `exit_mmap()`: unmap, free page tables and VMAs. `mm_users` is 0. `by` is the exiting task, if it
/// is one that tears down.
///
/// What may meet a reaper and what may not: see [`ExitMmap`] for how each kernel keeps them apart.
pub fn exit_mmap(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    let _call = call("exit_mmap");
    let me = (engine().current() as u64 + 1) << life::BY_SHIFT;
    let twice = Fault { rule: "I3", what: "an address space is torn down twice" };
    ghost_mark(mm.life, life::TORN | me, 0, life::TORN, twice);
    if by.is_some_and(|task| ghost_read(task.victim) != 0) {
        sys.freezer.tears_down(Phase::NoVictims, "R40");
    }
    mmu_notifier_release(sys, mm);
    match sys.kernel.exit_mmap {
        ExitMmap::NoLock => {
            unmap_vmas(sys, mm);
            free_pgtables(sys, mm);
            remove_vmas(sys, mm);
            set_oom_skip(sys, mm);
        }
        ExitMmap::Cycle => {
            unmap_vmas(sys, mm);
            set_oom_skip(sys, mm);
            if must_guard(sys, mm, by) {
                empty_cycle(mm);
            }
            free_pgtables(sys, mm);
            remove_vmas(sys, mm);
        }
        ExitMmap::ReapThenCycle => {
            if reap_victim(sys, mm, by) {
                empty_cycle(mm);
            }
            unmap_vmas(sys, mm);
            free_pgtables(sys, mm);
            remove_vmas(sys, mm);
        }
        ExitMmap::ReapThenWrite => {
            reap_victim(sys, mm, by);
            mmap_write_lock(mm);
            unmap_vmas(sys, mm);
            free_pgtables(sys, mm);
            remove_vmas(sys, mm);
            mmap_write_unlock(mm);
        }
        ExitMmap::ReadFlagWrite => read_flag_write(sys, mm),
        ExitMmap::Write => {
            mmap_write_lock(mm);
            unmap_vmas(sys, mm);
            set_oom_skip(sys, mm);
            free_pgtables(sys, mm);
            remove_vmas(sys, mm);
            mmap_write_unlock(mm);
        }
    }
    free_pages(sys, mm);
}

/// 6.0 to 7.1. `unmap_vmas()` may meet a reaper, because nobody changes the tree under the read lock
/// and each PTE is cleared once. What follows may not: the flag is stored before the write lock is
/// taken, so whoever gets the read lock later sees it.
fn read_flag_write(sys: &System, mm: &MmStruct) {
    let skip_early = sys.kernel.keeps(Rule::R23Set);
    let free_late = sys.kernel.keeps(Rule::R22);
    mmap_read_lock(mm);
    unmap_vmas(sys, mm);
    if !free_late {
        free_pgtables(sys, mm);
    }
    mmap_read_unlock(mm);
    if skip_early {
        set_oom_skip(sys, mm);
    }
    mmap_write_lock(mm);
    if free_late {
        free_pgtables(sys, mm);
    }
    remove_vmas(sys, mm);
    mmap_write_unlock(mm);
    if !skip_early {
        set_oom_skip(sys, mm);
    }
}

/// Whether a reaper may come for this mm, as far as this kernel asks.
fn must_guard(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) -> bool {
    match sys.kernel.guarded {
        Guarded::VictimTask => by.is_some_and(|task| read_once(sys.signals[task.signal].oom_mm) != 0),
        Guarded::VictimMm => test_bit(MMF_OOM_VICTIM, mm.flags),
        Guarded::All => true,
    }
}

/// A victim's mm is reaped here, so that nothing is left to do for the reaper, which may still run.
fn reap_victim(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) -> bool {
    let victim = must_guard(sys, mm, by);
    if victim {
        goal("exit_mmap() reaps a victim's mm");
        __oom_reap_task_mm(sys, mm);
        set_oom_skip(sys, mm);
    }
    victim
}

/// Wait until whoever holds the lock has let go of it.
fn empty_cycle(mm: &MmStruct) {
    mmap_write_lock(mm);
    mmap_write_unlock(mm);
}

/// `unmap_vmas()`, with the munlock walk before it that there was until 5.17.
fn unmap_vmas(sys: &System, mm: &MmStruct) {
    if sys.kernel.munlock == Munlock::BeforeUnmap && mm.vmas.iter().any(|vma| vma.munlocked) {
        for_each_vma(sys, mm, munlock_vma_pages_range);
    }
    for_each_vma(sys, mm, |vma| unmap_page_range(sys, mm, vma));
    zap_file(sys, mm);
}

/// `free_pgtables()`: nobody finds the VMAs through their pages any more, and the tables go.
fn free_pgtables(sys: &System, mm: &MmStruct) {
    let _call = call("free_pgtables");
    let hidden = sys.kernel.keeps(Rule::R27);
    if hidden {
        unlink_vmas(sys, mm);
    }
    free_file_table(mm);
    engine().free(mm.pgtables, Site::here("free_pgd_range"));
    if !hidden {
        unlink_vmas(sys, mm);
    }
}
