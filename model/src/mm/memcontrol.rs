//! `mm/memcontrol.c` and `mm/memcontrol-v1.c`: a cgroup that is at its limit kills one of its own tasks, or
//! waits for a handler in user space. One cgroup; what is charged successfully is not counted.

use super::oom_kill::kill::{Domain, kill_one};
use crate::include::mm_types::MMF_OOM_SKIP;
use crate::include::sched::TaskStruct;
use crate::k::atomic::{AtomicT, atomic_inc, atomic_long_sub, atomic_read, read_once};
use crate::k::bitops::test_bit;
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::lock::{mutex_lock, mutex_unlock};
use crate::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wake_up};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{MemcgOom, Rule};

/// `struct mem_cgroup`.
#[derive(Clone, Copy, Debug)]
pub struct MemCgroup {
    /// `memory`, in pages.
    usage: AtomicT,
    /// `memory.max`, in pages.
    max: u64,
    /// Where a task waits that charges again and again: 1 once there is room.
    room: Word,
    /// `oom_kill_disable`: OOM is left to user space.
    oom_kill_disable: bool,
    /// `under_oom`: tasks that wait for user space.
    under_oom: AtomicT,
    /// `memcg_oom_waitq`.
    oom_waitq: WaitQueue,
    /// The event that tells the handler in user space: 1 once it was raised.
    oom_notify: Word,
}

/// A [`MemCgroup`] to be made.
#[derive(Clone, Copy, Debug)]
pub struct MemCgroupInit {
    /// Pages charged.
    pub usage: u64,
    /// Limit in pages.
    pub max: u64,
    /// Whether OOM is left to user space.
    pub oom_kill_disable: bool,
}

impl MemCgroup {
    /// A cgroup as `init` says.
    pub fn new(owner: Object, init: MemCgroupInit) -> Self {
        Self {
            usage: AtomicT::new(owner, "memcg.memory", init.usage),
            max: init.max,
            room: engine().new_word("memcg.margin", Class::Sync, owner, 0),
            oom_kill_disable: init.oom_kill_disable,
            under_oom: AtomicT::new(owner, "memcg.under_oom", 0),
            oom_waitq: WaitQueue::new(owner, "memcg_oom_waitq"),
            oom_notify: engine().new_word("memcg.oom_notify", Class::Sync, owner, 0),
        }
    }

    /// `mem_cgroup_margin()`: whether a page can be charged.
    fn has_margin(&self) -> bool {
        atomic_read(self.usage) < self.max
    }

    /// `uncharge_batch()`, and whoever waits for it.
    pub fn uncharge(&self, pages: u64) {
        atomic_long_sub(self.usage, pages, "memcg");
        if self.has_margin() {
            let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
            engine().rmw(self.room, Order::Release, &rmw, Site::with("uncharge_batch", "room"));
        }
        // memcg1_oom_recover(): whoever acts on the notification sees that somebody waits.
        if self.oom_kill_disable && read_once(self.under_oom) != 0 {
            wake_up(self.oom_waitq);
        }
    }

    /// The handler in user space waits until it is told that a task waits.
    pub fn read_oom_event(&self) {
        let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
        let site = Site::here("eventfd_read");
        engine().wait_rmw(self.oom_notify, Order::Acquire, Until::any(1), Sleep::Held, &rmw, site);
    }
}

/// What came of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// The page may be used.
    Done,
    /// `-ENOMEM`.
    Failed,
    /// `-ENOMEM`, and `->memcg_in_oom` is set: the page fault ends with [`mem_cgroup_oom_synchronize`].
    FailedInFault,
}

/// `task_is_dying()`.
fn task_is_dying(sys: &System, current: &TaskStruct) -> bool {
    read_once(sys.signals[current.signal].group_exit) != 0
}

/// `try_charge_memcg()` of one page, in a fault of user mode or not. Its retries are one wait for room.
pub fn try_charge_memcg(
    sys: &System,
    memcg: &MemCgroup,
    current: &TaskStruct,
    in_user_fault: bool,
) -> Charge {
    let _call = call("try_charge_memcg");
    if memcg.has_margin() {
        goal("a charge succeeds");
        return Charge::Done;
    }
    if sys.kernel.memcg_oom == MemcgOom::FailsDying {
        let oom_mm = read_once(sys.signals[current.signal].oom_mm) as usize;
        if oom_mm != 0 && test_bit(MMF_OOM_SKIP, sys.mms[oom_mm - 1].flags) {
            goal("a victim that is reaped is not charged");
            return Charge::Failed;
        }
    } else if task_is_dying(sys, current) {
        goal("a dying task is charged beyond the limit");
        return Charge::Done;
    }
    if memcg.oom_kill_disable {
        return leave_it_to_user_space(sys, memcg, in_user_fault);
    }
    if !mem_cgroup_out_of_memory(sys, memcg, current) || task_is_dying(sys, current) {
        return Charge::Failed;
    }
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    let site = Site::here("try_to_free_mem_cgroup_pages");
    engine().wait_rmw(memcg.room, Order::Acquire, Until::any(1), Sleep::Held, &rmw, site);
    goal("a charge succeeds");
    Charge::Done
}

/// `mem_cgroup_out_of_memory()`: whether it is worth while to charge again.
fn mem_cgroup_out_of_memory(sys: &System, memcg: &MemCgroup, current: &TaskStruct) -> bool {
    let _call = call("mem_cgroup_out_of_memory");
    let locks = sys.kernel.keeps(Rule::R38Memcg);
    if locks {
        mutex_lock(sys.oom.lock);
    }
    let looks_again = sys.kernel.memcg_oom != MemcgOom::BeforeLock;
    let dying = task_is_dying(sys, current);
    let progress = if looks_again && memcg.has_margin() {
        goal("there is room once oom_lock is taken");
        true
    } else if looks_again && dying && sys.kernel.keeps(Rule::R44Dying) {
        goal("a dying task does not start a memcg OOM kill");
        true
    } else {
        kill_one(sys, Some(current), Domain::Memcg { dying })
    };
    if locks {
        mutex_unlock(sys.oom.lock);
    }
    progress
}

/// `memcg1_oom_prepare()` where `oom_kill_disable` is set: whoever charges may hold locks, so the wait comes
/// later, and only at the end of a page fault.
fn leave_it_to_user_space(sys: &System, memcg: &MemCgroup, in_user_fault: bool) -> Charge {
    let _call = call("memcg1_oom_prepare");
    if !sys.kernel.keeps(Rule::M1) {
        mem_cgroup_oom_synchronize(sys, memcg);
        return Charge::Done;
    }
    if in_user_fault { Charge::FailedInFault } else { Charge::Failed }
}

/// `mem_cgroup_oom_synchronize()`, last thing in a page fault: no lock is held. Sleep until something is
/// uncharged.
pub fn mem_cgroup_oom_synchronize(sys: &System, memcg: &MemCgroup) {
    let _call = call("mem_cgroup_oom_synchronize");
    let queues_first = sys.kernel.keeps(Rule::M2);
    if !queues_first {
        mem_cgroup_oom_notify(memcg);
    }
    prepare_to_wait(memcg.oom_waitq);
    atomic_inc(memcg.under_oom);
    if queues_first {
        mem_cgroup_oom_notify(memcg);
    }
    schedule(memcg.oom_waitq, Sleep::Held);
    atomic_long_sub(memcg.under_oom, 1, "memcg");
    finish_wait(memcg.oom_waitq);
    goal("a page fault has waited for the handler");
}

fn mem_cgroup_oom_notify(memcg: &MemCgroup) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
    engine().rmw(memcg.oom_notify, Order::Release, &rmw, Site::here("eventfd_signal"));
}
