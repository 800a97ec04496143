//! The top of an address space's page tables, in programs with a CPU that walks it.
//!
//! The kernel's own half hangs on it too: a kernel thread on a borrowed mm needs it, whatever it does.

use crate::include::mm_types::MmStruct;
use crate::k::engine::{Object, Site, engine};
use crate::k::plain::{Plain, read};
use crate::k::preempt_rt::{rt_spin_lock, rt_spin_unlock};
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

/// The pgd goes with the struct: `mm_free_pgd()`. Where it is asked who sleeps, it leaves the list of all first,
/// as by `pgd_dtor()`.
pub fn free_pgd(sys: &System, mm: &MmStruct, preemptible: bool) {
    let Some(pgd) = mm.pgd else { return };
    if let Some(rt) = &sys.preempt_rt {
        rt_spin_lock(rt.pgd_lock, preemptible);
        rt_spin_unlock(rt.pgd_lock);
    }
    engine().free(pgd.object, Site::here("pgd_free"));
}
