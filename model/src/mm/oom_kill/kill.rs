//! The OOM killer: from an allocation that fails to a victim that dies.

use super::reaper::queue_oom_reaper;
use super::victims::{mark_oom_victim, target_mm};
use super::{find_lock_task_mm, set_oom_skip, task_will_free_mem};
use crate::include::mm_types::{MMF_OOM_SKIP, MmStruct, life};
use crate::include::sched::{TaskStruct, send_sigkill};
use crate::include::sched_mm::{mmdrop, mmgrab};
use crate::k::atomic::{atomic_read, read_once};
use crate::k::bitops::test_bit;
use crate::k::engine::{Fault, engine};
use crate::k::lock::{mutex_lock, mutex_unlock, spin_lock, spin_unlock};
use crate::k::plain::ghost_read;
use crate::k::{call, goal};
use crate::kernel::fork::put_task_struct;
use crate::kernel::vfork::in_vfork;
use crate::system::System;
use crate::variant::{Rule, UnkillableSharer, Vforked};

/// Who runs out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The machine.
    Global,
    /// The cgroup, whose tasks alone can be chosen, for a task that is dying itself or not.
    Memcg {
        /// Whether it was when `oom_lock` was taken.
        dying: bool,
    },
}

/// `out_of_memory()` for an allocation of `current`, or of somebody outside the model. The scan's
/// RCU read section is a reference on every task, taken when the program is set up.
pub fn out_of_memory(sys: &System, current: Option<&TaskStruct>) {
    let _call = call("out_of_memory");
    mutex_lock(sys.oom.lock);
    kill_one(sys, current, Domain::Global);
    mutex_unlock(sys.oom.lock);
    for task in &sys.tasks {
        put_task_struct(sys, task);
    }
}

/// `out_of_memory()` under `oom_lock`: whether somebody is dying now.
pub(in crate::mm) fn kill_one(sys: &System, current: Option<&TaskStruct>, domain: Domain) -> bool {
    if read_once(sys.oom.killer_disabled) != 0 {
        goal("the OOM killer is disabled");
        return false;
    }
    if current.is_some_and(|task| kill_current(sys, task)) {
        return true;
    }
    match select_bad_process(sys, domain) {
        Selected::Nobody => return false,
        Selected::Awaited => {}
        Selected::Victim(victim) => {
            if domain == (Domain::Memcg { dying: true }) {
                let what = "another process is killed for a task that is dying itself";
                engine().fault(Fault { rule: "R44", what });
            }
            oom_kill_process(sys, victim);
        }
    }
    true
}

/// The short cut for an allocation by a task that is dying anyway.
fn kill_current(sys: &System, current: &TaskStruct) -> bool {
    let will_free = match current.mm() {
        Some(mm) => task_will_free_mem(sys, current, &sys.mms[mm]),
        None if sys.kernel.keeps(Rule::R38Current) => {
            goal("the allocating task has left its mm");
            false
        }
        None => read_once(sys.signals[current.signal].group_exit) != 0,
    };
    if will_free {
        mark_oom_victim(sys, current);
        queue_oom_reaper(sys, current);
        goal("the allocating task is dying");
    }
    will_free
}

/// What the scan has found.
enum Selected<'a> {
    Nobody,
    /// A victim that has not got `MMF_OOM_SKIP` yet.
    Awaited,
    Victim(&'a TaskStruct),
}

/// Those who can be chosen, in the order of the scan.
fn candidates(sys: &System, domain: Domain) -> impl Iterator<Item = &TaskStruct> {
    let in_domain = move |t: &&TaskStruct| domain == Domain::Global || t.memcg;
    sys.group_leaders().filter(|t| sys.killable[t.index]).filter(in_domain)
}

/// `select_bad_process()`, with `oom_evaluate_task()`: the first candidate, unless a victim is still being
/// waited for.
fn select_bad_process(sys: &System, domain: Domain) -> Selected<'_> {
    let _call = call("select_bad_process");
    let mut chosen = None;
    for task in candidates(sys, domain) {
        let oom_mm = read_once(sys.signals[task.signal].oom_mm) as usize;
        if oom_mm != 0 {
            if test_bit(MMF_OOM_SKIP, sys.mms[oom_mm - 1].flags) {
                continue;
            }
            goal("a victim is still being waited for");
            if sys.kernel.keeps(Rule::R44) {
                return Selected::Awaited;
            }
            continue;
        }
        if chosen.is_none() && oom_badness(sys, task) {
            chosen = Some(task);
        }
    }
    if sys.two_kills && chosen.is_some() {
        nobody_is_waited_for(sys, domain);
    }
    chosen.map_or(Selected::Nobody, Selected::Victim)
}

/// Whether every victim that could have been seen has got `MMF_OOM_SKIP` (specification only).
fn nobody_is_waited_for(sys: &System, domain: Domain) {
    let waited_for = |task: &&TaskStruct| {
        let life = sys.mms[task.first_mm].life;
        ghost_read(task.victim) != 0 && ghost_read(life) & life::SKIPPED == 0
    };
    let seen = |t: &&TaskStruct| sys.killable[t.index] && (domain == Domain::Global || t.memcg);
    if sys.tasks.iter().filter(seen).any(|t| waited_for(&t)) {
        engine()
            .fault(Fault { rule: "R44", what: "a second victim is chosen while the first is waited for" });
    }
}

/// `oom_badness()`, as far as being eligible goes.
fn oom_badness(sys: &System, task: &TaskStruct) -> bool {
    let _call = call("oom_badness");
    let Some((locked, mm)) = find_candidate(sys, task) else {
        goal("a candidate has no mm any more");
        return false;
    };
    let eligible = if task.oom_score_adj_min && sys.kernel.keeps(Rule::R45Adj) {
        goal("a task with OOM_SCORE_ADJ_MIN is passed over");
        false
    } else if sys.kernel.keeps(Rule::R44Skip) && test_bit(MMF_OOM_SKIP, mm.flags) {
        goal("a candidate whose mm has MMF_OOM_SKIP is passed over");
        false
    } else if passes_over_vforked(sys) && in_vfork(sys, locked) {
        goal("a vforked child is passed over");
        false
    } else {
        true
    };
    spin_unlock(locked.alloc_lock);
    eligible
}

fn passes_over_vforked(sys: &System) -> bool {
    sys.kernel.vforked == Vforked::PassedOver && sys.kernel.keeps(Rule::R45)
}

/// A thread of the candidate that has its mm, locked.
fn find_candidate<'a>(sys: &'a System, leader: &'a TaskStruct) -> Option<(&'a TaskStruct, &'a MmStruct)> {
    if sys.kernel.keeps(Rule::R45Leader) {
        return find_lock_task_mm(sys, leader);
    }
    spin_lock(leader.alloc_lock);
    let mm = leader.mm();
    if mm.is_none() {
        spin_unlock(leader.alloc_lock);
    }
    mm.map(|mm| (leader, &sys.mms[mm]))
}

/// `oom_kill_process()`.
fn oom_kill_process(sys: &System, victim: &TaskStruct) {
    let _call = call("oom_kill_process");
    spin_lock(victim.alloc_lock);
    let will_free = victim.mm().filter(|&mm| task_will_free_mem(sys, victim, &sys.mms[mm]));
    if let Some(mm) = will_free {
        goal("the victim is dying anyway");
        mark_oom_victim(sys, victim);
        queue_oom_reaper(sys, victim);
        spin_unlock(victim.alloc_lock);
        if !sys.kernel.keeps(Rule::A3Late) {
            target_mm(sys, victim, mm);
        }
        return;
    }
    spin_unlock(victim.alloc_lock);
    __oom_kill_process(sys, victim);
}

/// `__oom_kill_process()`: kill the victim and all who share its mm, and have it reaped.
fn __oom_kill_process(sys: &System, victim: &TaskStruct) {
    let _call = call("__oom_kill_process");
    let Some((victim, mm)) = find_lock_task_mm(sys, victim) else {
        goal("the victim has no mm any more");
        return;
    };
    // Compared below, after task_unlock(): it must not become another process's mm. Since
    // signal->oom_mm owns a count too, this one is redundant as long as the victim is pinned.
    mmgrab(mm);
    let first = sys.kernel.keeps(Rule::R41);
    if first {
        send_sigkill(&sys.signals[victim.signal]);
    }
    if sys.kernel.keeps(Rule::R38) {
        mark_oom_victim(sys, victim);
        spin_unlock(victim.alloc_lock);
    } else {
        spin_unlock(victim.alloc_lock);
        mark_oom_victim(sys, victim);
    }
    if !first {
        send_sigkill(&sys.signals[victim.signal]);
    }
    if !sys.kernel.keeps(Rule::A3Late) {
        target_mm(sys, victim, mm.index);
    }
    if kill_sharers(sys, victim, mm) {
        queue_oom_reaper(sys, victim);
    }
    mmdrop(sys, mm);
}

/// Everybody else who uses `mm` is killed; false if that cannot be, because it is global init.
fn kill_sharers(sys: &System, victim: &TaskStruct, mm: &MmStruct) -> bool {
    let mut can_oom_reap = true;
    if !sys.kernel.keeps(Rule::R43) {
        return can_oom_reap;
    }
    for other in sys.group_leaders().filter(|t| t.signal != victim.signal) {
        if !process_shares_mm(sys, other, mm) {
            continue;
        }
        if other.init {
            if sys.kernel.keeps(Rule::R43Init) {
                can_oom_reap = false;
                set_oom_skip(sys, mm);
                goal("global init uses the victim's mm");
            }
            continue;
        }
        if other.oom_score_adj_min && sys.kernel.unkillable_sharer == UnkillableSharer::Spared {
            can_oom_reap = false;
            continue;
        }
        send_sigkill(&sys.signals[other.signal]);
        goal("a sharer outside the thread group is killed");
    }
    can_oom_reap
}

/// `process_shares_mm()`: by the first thread of the process that has an mm.
fn process_shares_mm(sys: &System, process: &TaskStruct, mm: &MmStruct) -> bool {
    if !sys.kernel.keeps(Rule::R43Leader) {
        return process.mm() == Some(mm.index);
    }
    let found = sys.threads_of(process.signal).find_map(|t| t.mm());
    if let Some(other) = found
        && other != mm.index
    {
        goal("the mm of a process that shares nothing is compared");
        return !sys.kernel.keeps(Rule::R59) && atomic_read(sys.mms[other].mm_users) == 0;
    }
    found == Some(mm.index)
}
