//! `arch/x86/mm/pgtable.c`: the top of an address space's page tables, in programs with a CPU that walks it, and
//! the list of all of them.
//!
//! The kernel's own half hangs on it too: a kernel thread on a borrowed mm needs it, whatever it does. The
//! lock of the list is taken with interrupts on.

use crate::include::mm_types::MmStruct;
use crate::k::engine::{Object, Site, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, read};
use crate::k::preempt_rt::{rt_spin_lock, rt_spin_unlock};
use crate::k::work::interrupting_timer;
use crate::k::{call, goal};
use crate::mm::oom_kill::reaper::wake_oom_reaper;
use crate::system::System;

/// `mm->pgd`.
#[derive(Clone, Copy, Debug)]
pub struct Pgd {
    object: Object,
    /// Entries of the kernel's half.
    kernel: Plain,
}

impl Pgd {
    /// That of mm `index`.
    pub fn new(index: usize) -> Self {
        let object = engine().new_object("pgd", index as u16);
        Self { object, kernel: Plain::new(object, "kernel", 1) }
    }
}

/// The CPU translates an address of the kernel, for whoever runs there.
#[track_caller]
pub fn walk_pgd(mm: &MmStruct) {
    if let Some(pgd) = mm.pgd {
        read(pgd.kernel);
    }
}

/// `pgd_alloc()` of a fork: the new directory comes on the list, in which timers may expire on this CPU.
/// They may anywhere else too, but there nobody has the lock.
pub fn pgd_alloc(sys: &System, pgd_lock: Spinlock) {
    let _call = call("pgd_alloc");
    spin_lock(pgd_lock);
    if let Some(task) = interrupting_timer(sys.timers) {
        goal("a timer interrupts a holder of pgd_lock");
        wake_oom_reaper(sys, &sys.tasks[task]);
    }
    spin_unlock(pgd_lock);
}

/// `pgd_free()`, with `pgd_dtor()`: the directory leaves the list, and goes with the struct. With `PREEMPT_RT` a
/// waiter for the lock of the list sleeps.
pub fn pgd_free(sys: &System, mm: &MmStruct, preemptible: bool) {
    if let Some(pgd_lock) = sys.pgd_lock {
        let _call = call("pgd_free");
        spin_lock(pgd_lock);
        spin_unlock(pgd_lock);
    }
    if let Some(rt) = &sys.preempt_rt {
        let _call = call("pgd_free");
        rt_spin_lock(rt.pgd_lock, preemptible);
        rt_spin_unlock(rt.pgd_lock);
    }
    if let Some(pgd) = mm.pgd {
        engine().free(pgd.object, Site::here("pgd_free"));
    }
}
