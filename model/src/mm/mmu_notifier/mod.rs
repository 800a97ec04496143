//! `mm/mmu_notifier.c`: a driver that mirrors an address space is told before pages go away, and takes a
//! lock of its own in the callback.

pub mod hlist;
pub mod interval;

use crate::drivers::kfd::{Svms, kfd_process_notifier_release};
use crate::include::mm_types::MmStruct;
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::call;
use crate::k::engine::Object;
use crate::k::lock::{RwSem, down_read, down_read_trylock, down_write, up_read, up_write};
use crate::system::System;
use crate::variant::NotifierMode;
use hlist::mn_hlist_release;

/// A registered notifier.
#[derive(Clone, Copy, Debug)]
pub struct MmuNotifier {
    /// Lock of the driver, taken in callbacks.
    lock: RwSem,
    /// Whether it is still registered.
    registered: AtomicT,
    /// What amdkfd has of the mm, if it is the driver.
    pub svms: Option<Svms>,
}

/// How a reaper gets on with the notifier of an mm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidate {
    /// There is none.
    Nobody,
    /// It was told, and [`mmu_notifier_invalidate_range_end`] must follow.
    Told,
    /// It would have to wait.
    Refused,
}

impl MmuNotifier {
    /// A registered one of mm number `mm`, `owner`; `svm` says whether the driver is amdkfd.
    pub fn new(owner: Object, mm: usize, svm: bool) -> Self {
        Self {
            lock: RwSem::new(owner, "notifier_lock", true),
            registered: AtomicT::new(owner, "notifier", 1),
            svms: svm.then(|| Svms::new(mm as u16)),
        }
    }
}

/// `mm_has_notifiers()`.
pub fn mm_has_notifiers(mm: &MmStruct) -> bool {
    mm.notifier.is_some_and(|notifier| read_once(notifier.registered) != 0)
}

/// `mmu_notifier_invalidate_range_start()` of a reaper: waiting for the driver until 4.13, not since 4.19.
pub fn mmu_notifier_invalidate_range_start(sys: &System, mm: &MmStruct) -> Invalidate {
    let Some(notifier) = mm.notifier.filter(|_| mm_has_notifiers(mm)) else { return Invalidate::Nobody };
    let _call = call("mmu_notifier_invalidate_range_start");
    if sys.kernel.notifiers == NotifierMode::Blocking {
        down_read(notifier.lock, "down_read");
    } else if !down_read_trylock(notifier.lock, "down_read_trylock") {
        return Invalidate::Refused;
    }
    Invalidate::Told
}

/// `mmu_notifier_invalidate_range_end()`.
pub fn mmu_notifier_invalidate_range_end(mm: &MmStruct) {
    if let Some(notifier) = mm.notifier {
        up_read(notifier.lock, "up_read");
    }
}

/// `mmu_notifier_release()`, first thing in `exit_mmap()`: the driver lets go of the mm, in
/// `__mmu_notifier_release()`.
pub fn mmu_notifier_release(sys: &System, mm: &MmStruct) {
    mn_hlist_release(sys, mm);
    let Some(notifier) = mm.notifier else { return };
    let _call = call("mmu_notifier_release");
    down_write(notifier.lock, "down_write");
    write_once(notifier.registered, 0);
    up_write(notifier.lock, "up_write");
    if let Some(svms) = &notifier.svms {
        kfd_process_notifier_release(sys, svms);
    }
}

/// The driver does something under its lock.
pub fn under_notifier_lock(mm: &MmStruct, work: impl FnOnce()) {
    let Some(notifier) = mm.notifier else { return };
    down_write(notifier.lock, "down_write");
    work();
    up_write(notifier.lock, "up_write");
}
