//! A notifier on the list of an mm. It goes when the mm does, or when its driver unregisters it; a guest
//! may have a page in its secondary MMU until the driver is told. One that is registered here is put by its
//! driver once that is told that the mm goes.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::atomic::{AtomicT, read_once, smp_mb, write_once};
use crate::k::engine::{Fault, Object, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::srcu::{Srcu, srcu_read_lock, srcu_read_unlock, synchronize_srcu};
use crate::k::{call, goal};
use crate::mm::tlb::{Tlb, flush_tlb};
use crate::system::System;
use crate::variant::Rule;

/// `struct mmu_notifier`, and the list that it is on.
#[derive(Clone, Copy, Debug)]
pub struct Subscription {
    /// `hlist.pprev`: 1 while it is linked.
    hlist: AtomicT,
    /// `subscriptions->lock`.
    lock: Spinlock,
    srcu: Srcu,
    /// Whether `->release()` calls `mmu_notifier_put()`.
    puts: bool,
    /// The secondary MMU, if there is a guest.
    pub guest: Option<Tlb>,
}

impl Subscription {
    /// One of the mm `owner`, linked unless it is `registered` later. The MMU of a `guest` has a page of the mm.
    pub fn new(owner: Object, guest: bool, registered: bool) -> Self {
        Self {
            hlist: AtomicT::new(owner, "hlist", u64::from(!registered)),
            lock: Spinlock::new(owner, "subscriptions->lock"),
            srcu: Srcu::new(owner),
            puts: registered,
            guest: guest.then(|| Tlb::filled(engine().new_object("kvm", 0), "spte")),
        }
    }

    /// Whether it is linked in the end.
    pub fn peek_linked(&self) -> bool {
        self.hlist.peek() != 0
    }

    /// `->release()`, and what it does of `->invalidate_range()`: the driver forgets the pages.
    fn tell(&self) {
        if let Some(guest) = self.guest {
            flush_tlb(guest);
            // To wait for the CPUs of the guest is a full barrier.
            smp_mb();
        }
    }
}

/// `mn_hlist_release()`: in `exit_mmap()`, before any page is freed.
pub(super) fn mn_hlist_release(sys: &System, mm: &MmStruct) {
    let Some(s) = mm.subscription else { return };
    let _call = call("mn_hlist_release");
    srcu_read_lock(s.srcu);
    let first = sys.kernel.keeps(Rule::R24Release);
    if first && read_once(s.hlist) != 0 {
        s.tell();
    }
    spin_lock(s.lock);
    let linked = read_once(s.hlist) != 0;
    if linked {
        hlist_del(s);
    }
    spin_unlock(s.lock);
    if !first && linked {
        s.tell();
    }
    srcu_read_unlock(s.srcu);
    synchronize_srcu(s.srcu);
    if s.puts && linked {
        goal("a driver is told that the mm goes");
        // mmu_notifier_free_rcu()
        mmdrop(sys, mm);
    }
}

/// `mmu_notifier_register()`, by a driver that owns an `mm_users`: the notifier owns an `mm_count`.
pub fn mmu_notifier_register(mm: &MmStruct) {
    let Some(s) = mm.subscription else { return };
    let _call = call("mmu_notifier_register");
    mmap_write_lock(mm);
    mmgrab(mm);
    spin_lock(s.lock);
    write_once(s.hlist, 1);
    spin_unlock(s.lock);
    mmap_write_unlock(mm);
}

/// `mmu_notifier_unregister()`, by a driver that owns an `mm_count`.
pub fn mmu_notifier_unregister(sys: &System, mm: &MmStruct) {
    let Some(s) = mm.subscription else { return };
    let _call = call("mmu_notifier_unregister");
    if read_once(s.hlist) != 0 {
        srcu_read_lock(s.srcu);
        s.tell();
        srcu_read_unlock(s.srcu);
        spin_lock(s.lock);
        // mn_hlist_release() may have been faster.
        if !sys.kernel.keeps(Rule::R24Unlink) || read_once(s.hlist) != 0 {
            hlist_del(s);
        } else {
            goal("exit_mmap() unlinks a notifier that its driver unregisters");
        }
        spin_unlock(s.lock);
    }
    synchronize_srcu(s.srcu);
    mmdrop(sys, mm);
}

/// `hlist_del_init_rcu()` of one that must be linked.
fn hlist_del(s: Subscription) {
    if read_once(s.hlist) == 0 {
        engine().fault(Fault { rule: "R24", what: "a notifier is unlinked that is not linked any more" });
    }
    write_once(s.hlist, 0);
}

/// `mmu_notifier_invalidate_range_start()` to `_end()`, by somebody who unmaps a page.
pub fn invalidate(mm: &MmStruct) {
    let Some(s) = mm.subscription else { return };
    let _call = call("mmu_notifier_invalidate_range_start");
    srcu_read_lock(s.srcu);
    if read_once(s.hlist) != 0 {
        s.tell();
    }
    srcu_read_unlock(s.srcu);
}
