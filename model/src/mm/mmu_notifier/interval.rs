//! A notifier of a range. What comes or goes while an invalidation is under way is put off to its end.

use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::mmdrop;
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::engine::{Object, Site, Sleep, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, read, write};
use crate::k::wait::{WaitQueue, wait_event, wake_up};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::Rule;

/// `struct mmu_interval_notifier`, and what an mm has for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The allocation, the driver's.
    object: Object,
    /// `deferred_item`.
    deferred_item: Plain,
    /// `subscriptions->lock`.
    lock: Spinlock,
    /// `invalidate_seq`: odd during an invalidation.
    invalidate_seq: AtomicT,
    /// Whether the notifier is on `deferred_list`.
    deferred_list: Plain,
    /// `subscriptions->wq`.
    wq: WaitQueue,
}

impl Interval {
    /// One of mm number `mm`, `owner`, during an invalidation.
    pub fn new(owner: Object, mm: usize) -> Self {
        let object = engine().new_object("interval_sub", mm as u16);
        Self {
            object,
            deferred_item: Plain::new(object, "deferred_item", 0),
            lock: Spinlock::new(owner, "subscriptions->lock"),
            invalidate_seq: AtomicT::new(owner, "invalidate_seq", 1),
            deferred_list: Plain::new(owner, "deferred_list", 0),
            wq: WaitQueue::new(owner, "subscriptions->wq"),
        }
    }
}

/// `mn_itree_inv_end()`: the last invalidation ends.
pub fn mn_itree_inv_end(mm: &MmStruct) {
    let Some(i) = mm.interval else { return };
    let _call = call("mn_itree_inv_end");
    spin_lock(i.lock);
    write_once(i.invalidate_seq, 2);
    if read(i.deferred_list) != 0 {
        goal("the removal of a notifier was put off");
        // interval_tree_remove()
        write(i.deferred_item, 0);
        write(i.deferred_list, 0);
    }
    spin_unlock(i.lock);
    wake_up(i.wq);
}

/// `mmu_interval_notifier_remove()`, and the end of the driver's object. The driver owns an `mm_count`.
pub fn mmu_interval_notifier_remove(sys: &System, mm: &MmStruct) {
    let Some(i) = mm.interval else { return };
    {
        let _call = call("mmu_interval_notifier_remove");
        spin_lock(i.lock);
        let seq = read_once(i.invalidate_seq);
        let invalidating = !seq.is_multiple_of(2);
        if invalidating {
            write(i.deferred_item, 1);
            write(i.deferred_list, 1);
        }
        spin_unlock(i.lock);
        if invalidating {
            wait_event(i.wq, Sleep::Held, || mmu_interval_seq_released(sys, i, seq));
        }
        mmdrop(sys, mm);
    }
    engine().free(i.object, Site::here("kfree"));
}

/// `mmu_interval_seq_released()`: the end of an invalidation is seen only once it is done with the list.
fn mmu_interval_seq_released(sys: &System, i: Interval, seq: u64) -> bool {
    let locked = sys.kernel.keeps(Rule::R24Seq);
    if locked {
        spin_lock(i.lock);
    }
    let released = read_once(i.invalidate_seq) != seq;
    if locked {
        spin_unlock(i.lock);
    }
    released
}
