//! `mm/mmap.c`: the end of a mapping tree.

use crate::include::mm_types::{MmStruct, life};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock};
use crate::include::sched::TaskStruct;
use crate::k::call;
use crate::k::engine::{Fault, Site, engine};
use crate::k::plain::{ghost_mark, ghost_read, read, write};
use crate::kernel::freezer::Phase;
use crate::mm::memory::unmap_page_range;
use crate::mm::oom_kill::set_oom_skip;
use crate::system::System;
use crate::variant::Rule;

/// `exit_mmap()`: unmap under the read lock, tell the OOM reaper to stay out, free page tables and
/// VMAs under the write lock. 6.1 to 7.1. `by` is the exiting task, if it is one that tears down.
///
/// `unmap_vmas()` may meet a reaper, because nobody changes the tree under the read lock and each
/// PTE is cleared once. What follows may not: the flag is stored before the write lock is taken, so
/// whoever gets the read lock later sees it.
pub fn exit_mmap(sys: &System, mm: &MmStruct, by: Option<&TaskStruct>) {
    let _call = call("exit_mmap");
    let me = (engine().current() as u64 + 1) << life::BY_SHIFT;
    let twice = Fault { rule: "I3", what: "an address space is torn down twice" };
    ghost_mark(mm.life, life::TORN | me, 0, life::TORN, twice);
    if by.is_some_and(|task| ghost_read(task.victim) != 0) {
        sys.freezer.tears_down(Phase::NoVictims, "R40");
    }
    let skip_early = sys.kernel.keeps(Rule::R23Set);
    let free_late = sys.kernel.keeps(Rule::R22);

    mmap_read_lock(mm);
    read(mm.mm_mt);
    unmap_page_range(mm);
    if !free_late {
        free_pgtables(mm);
    }
    mmap_read_unlock(mm);
    if skip_early {
        set_oom_skip(sys, mm);
    }
    mmap_write_lock(mm);
    if free_late {
        free_pgtables(mm);
    }
    write(mm.mm_mt, 0);
    mmap_write_unlock(mm);
    if !skip_early {
        set_oom_skip(sys, mm);
    }
}

/// `free_pgtables()`.
fn free_pgtables(mm: &MmStruct) {
    let _call = call("free_pgtables");
    engine().free(mm.pgtables, Site::here("free_pgd_range"));
}
