//! `mm/mm_slot.h`: the list of mms that a scanner goes through, and where it is in that. mm 0 is all that
//! may be on it. A slot owns an `mm_count`.

use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, read, write};

/// A list of slots, and the scanner's cursor in it.
#[derive(Clone, Copy, Debug)]
pub struct MmSlots {
    /// `ksm_mmlist_lock` or `khugepaged_mm_lock`.
    pub lock: Spinlock,
    /// Whether the slot is on the list.
    listed: Plain,
    /// Whether the cursor is on it.
    cursor: Plain,
    /// 1 while there is something to do for a scanner that comes back.
    work: Option<Word>,
}

/// What a list starts with.
#[derive(Clone, Copy, Debug)]
pub struct SlotsInit {
    /// Whether the slot is on it.
    pub listed: bool,
    /// Whether the scanner comes back.
    pub comes_back: bool,
}

/// What an exit finds of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// There is none, or none any more.
    Absent,
    /// The scanner was elsewhere: the slot is off the list, and its count the caller's.
    Taken,
    /// The scanner is on it, and will free it.
    Scanned,
}

impl MmSlots {
    /// A list whose lock and cursor have these names.
    pub fn new(owner: Object, lock: &'static str, cursor: &'static str, init: SlotsInit) -> Self {
        Self {
            lock: Spinlock::new(owner, lock),
            listed: Plain::new(owner, "mm_slot", u64::from(init.listed)),
            cursor: Plain::new(owner, cursor, 0),
            work: init
                .comes_back
                .then(|| engine().new_word("scan_again", Class::Sync, owner, u64::from(init.listed))),
        }
    }
}

/// The slot joins the list, under its lock.
#[track_caller]
pub fn mm_slot_insert(slots: MmSlots) {
    write(slots.listed, 1);
    scan_again(slots, "a slot for the scanner");
}

/// The slot leaves the list, under its lock.
#[track_caller]
pub fn mm_slot_del(slots: MmSlots) {
    write(slots.listed, 0);
}

/// The scanner goes to the slot. False if it is not there.
#[track_caller]
pub fn scan_begins(slots: MmSlots) -> bool {
    spin_lock(slots.lock);
    let listed = read(slots.listed) != 0;
    write(slots.cursor, u64::from(listed));
    spin_unlock(slots.lock);
    listed
}

/// The scanner goes on to the next slot, under the lock of the list.
#[track_caller]
pub fn scan_moves_on(slots: MmSlots) {
    write(slots.cursor, 0);
}

/// What an exit does first: take its slot, unless the scanner is on it.
#[track_caller]
pub fn mm_slot_take(slots: MmSlots) -> Slot {
    spin_lock(slots.lock);
    let listed = read(slots.listed) != 0;
    let taken = listed && read(slots.cursor) == 0;
    if taken {
        mm_slot_del(slots);
    }
    spin_unlock(slots.lock);
    match (listed, taken) {
        (false, _) => Slot::Absent,
        (true, true) => Slot::Taken,
        (true, false) => {
            scan_again(slots, "the slot is left to the scanner");
            Slot::Scanned
        }
    }
}

fn scan_again(slots: MmSlots, why: &'static str) {
    if let Some(work) = slots.work {
        let set = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
        engine().rmw(work, Order::Relaxed, &set, Site::with("scan_again", why));
    }
}

/// The scanner sleeps, and scans again, for ever. What it finds then is mostly what it has found before, so
/// here it sleeps until a slot was listed since its last scan, or an exit has left one to it.
#[track_caller]
pub fn schedule_timeout(slots: MmSlots) {
    if let Some(work) = slots.work {
        let take = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(0) };
        let site = Site::here("schedule_timeout");
        engine().wait_rmw(work, Order::Relaxed, Until::any(1), Sleep::Idle, &take, site);
    }
}
