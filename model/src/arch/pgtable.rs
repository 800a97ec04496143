//! `arch/x86/mm/pgtable.c`: all page directories are on one list, whose lock is taken with interrupts on.

use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::work::interrupting_timer;
use crate::k::{call, goal};
use crate::mm::oom_kill::reaper::wake_oom_reaper;
use crate::system::System;

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

/// `pgd_free()`, with `pgd_dtor()`: the directory leaves the list.
pub fn pgd_free(pgd_lock: Spinlock) {
    let _call = call("pgd_free");
    spin_lock(pgd_lock);
    spin_unlock(pgd_lock);
}
