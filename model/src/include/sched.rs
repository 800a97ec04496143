//! `include/linux/sched.h`: `struct task_struct` and `struct signal_struct`.

use crate::include::mm_types::MmStruct;
use crate::k::atomic::{AtomicT, read_once, write_once};
use crate::k::bitops::{Bit, Flags};
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::Ghost;
use crate::k::work::{Timer, TimerWheel};
use crate::system::TaskInit;

/// The task is an OOM victim with access to reserves.
pub const TIF_MEMDIE: Bit = Bit { nr: 0, name: "TIF_MEMDIE" };
/// Stands for `MMF_OOM_TARGETED` where it is wrongly a flag of the task.
pub const TIF_OOM_TARGETED: Bit = Bit { nr: 1, name: "TIF_OOM_TARGETED" };

const TIF_BITS: &[Bit] = &[TIF_MEMDIE, TIF_OOM_TARGETED];

/// A task made by `vfork()`, and its parent, which waits for it on the same mm.
#[derive(Clone, Copy, Debug)]
pub struct Vfork {
    /// Index of the parent.
    pub real_parent: usize,
    /// 1 while the parent waits. Cleared under `task_lock()` of the child, who looks at it without too.
    pub vfork_done: AtomicT,
}

/// `struct task_struct`.
#[derive(Clone, Copy, Debug)]
pub struct TaskStruct {
    /// Index.
    pub index: usize,
    /// Index of its thread group.
    pub signal: usize,
    /// The allocation.
    pub object: Object,
    /// References to the struct: its own until it is released, and whoever pins it.
    pub usage: AtomicT,
    /// `task_lock()`: protects `mm`.
    pub alloc_lock: Spinlock,
    /// `->mm`: 1 + index of the mm, or 0. Changed by the task itself under `task_lock()`.
    mm: AtomicT,
    /// `thread_info->flags`.
    pub flags: Flags,
    /// `__state`, of a task that may be frozen: 1 while it stands in the refrigerator.
    pub state: Word,
    /// `frozen`: cleared by the task itself once it runs on.
    pub frozen: AtomicT,
    /// `->mm` at the start.
    pub first_mm: usize,
    /// Whether it is global init: it cannot be killed.
    pub init: bool,
    /// Whether it does nothing and is there in the end, as somebody who sleeps.
    pub stays: bool,
    /// Whether it is there in the end if nobody has killed it.
    pub unless_killed: bool,
    /// Whether its `oom_score_adj` is `OOM_SCORE_ADJ_MIN`: the OOM killer must not choose it.
    pub oom_score_adj_min: bool,
    /// Whether it is in the memory cgroup.
    pub memcg: bool,
    /// Whether others find it, and it runs: 1 once it is linked, of a task that is forked while all is going on.
    linked: Option<Word>,
    /// What a task made by `vfork()` has to do with its parent.
    pub vfork: Option<Vfork>,
    /// Whether it owns a robust futex.
    pub robust: bool,
    /// Whether it runs on the CPU of a kernel thread, which takes over its mm.
    pub on_cpu: bool,
    /// Timer that brings the task to the OOM reaper.
    pub oom_reaper_timer: Timer,
    /// Specification: 1 once the task was marked as an OOM victim.
    pub victim: Ghost,
}

impl TaskStruct {
    /// Task `index` as `init` says. `lockless` says whether anyone reads `->mm` without `task_lock()`.
    pub fn new(index: usize, init: &TaskInit, lockless: bool, wheel: TimerWheel) -> Self {
        let object = engine().new_object("T", index as u16);
        Self {
            index,
            signal: init.group,
            object,
            usage: AtomicT::new(object, "usage", 1 + init.pins),
            alloc_lock: Spinlock::new(object, "alloc_lock"),
            mm: AtomicT::new_or_plain(
                object,
                "mm",
                if init.forked { 0 } else { init.mm as u64 + 1 },
                lockless,
            ),
            flags: Flags::new(object, "flags", TIF_BITS),
            state: engine().new_word("__state", Class::Sync, object, u64::from(init.frozen)),
            frozen: AtomicT::new(object, "frozen", u64::from(init.frozen)),
            first_mm: init.mm,
            init: init.init,
            stays: init.stays,
            unless_killed: init.unless_killed,
            oom_score_adj_min: init.oom_score_adj_min,
            memcg: init.memcg,
            linked: init.forked.then(|| engine().new_word("linked", Class::Sync, object, 0)),
            vfork: init.vforked_by.map(|real_parent| Vfork {
                real_parent,
                vfork_done: AtomicT::new_or_plain(object, "vfork_done", 1, init.awaited),
            }),
            robust: init.robust,
            on_cpu: init.on_cpu,
            oom_reaper_timer: Timer { wheel, nr: index as u32 },
            victim: Ghost::new(object, "victim"),
        }
    }

    /// `->mm` as an index.
    #[track_caller]
    pub fn mm(&self) -> Option<usize> {
        (read_once(self.mm) as usize).checked_sub(1)
    }

    /// Whether it was forked while all was going on.
    pub fn is_forked(&self) -> bool {
        self.linked.is_some()
    }

    /// It is linked into the lists of tasks, under the parent's `siglock`: others find its `->mm`, and it runs.
    #[track_caller]
    pub fn link(&self, mm: &MmStruct) {
        let Some(linked) = self.linked else { return };
        write_once(self.mm, mm.index as u64 + 1);
        let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
        engine().rmw(linked, Order::Release, &rmw, Site::with("list_add_tail_rcu", "the child is linked"));
    }

    /// It starts to run, if it is ever linked.
    #[track_caller]
    pub fn ret_from_fork(&self) -> bool {
        let Some(linked) = self.linked else { return true };
        let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
        let site = Site::here("ret_from_fork");
        engine().wait_rmw(linked, Order::Acquire, Until::any(1), Sleep::Idle, &rmw, site);
        !engine().stopping()
    }

    /// `->mm` in the end, for judging an ended run.
    pub fn peek_mm(&self) -> Option<usize> {
        (self.mm.peek() as usize).checked_sub(1)
    }

    /// `->mm = NULL`.
    #[track_caller]
    pub fn clear_mm(&self) {
        write_once(self.mm, 0);
    }
}

/// `struct signal_struct`.
#[derive(Clone, Copy, Debug)]
pub struct SignalStruct {
    /// The allocation.
    pub object: Object,
    /// Threads that are not released yet.
    pub sigcnt: AtomicT,
    /// `sighand->siglock`, in programs that fork a task.
    pub siglock: Option<Spinlock>,
    /// `SIGNAL_GROUP_EXIT`: 1 once the group was told to die.
    pub group_exit: AtomicT,
    /// Where a thread waits for SIGKILL: 1 once it is pending.
    pub sigkill: Word,
    /// mm of the OOM victim: 1 + index, or 0. Written once; owns an `mm_count`.
    pub oom_mm: AtomicT,
}

impl SignalStruct {
    /// Group `index` of `threads` threads; `forks` says whether somebody forks.
    pub fn new(index: usize, threads: u64, forks: bool) -> Self {
        let object = engine().new_object("signal", index as u16);
        Self {
            object,
            sigcnt: AtomicT::new(object, "sigcnt", threads),
            siglock: forks.then(|| Spinlock::new(object, "siglock")),
            group_exit: AtomicT::new(object, "SIGNAL_GROUP_EXIT", 0),
            sigkill: engine().new_word("SIGKILL", Class::Sync, object, 0),
            oom_mm: AtomicT::new(object, "oom_mm", 0),
        }
    }
}

/// `do_send_sig_info(SIGKILL)` to a whole group.
#[track_caller]
pub fn send_sigkill(signal: &SignalStruct) {
    if let Some(siglock) = signal.siglock {
        spin_lock(siglock);
    }
    write_once(signal.group_exit, 1);
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
    engine().rmw(signal.sigkill, Order::Release, &rmw, Site::with("do_send_sig_info", "SIGKILL"));
    if let Some(siglock) = signal.siglock {
        spin_unlock(siglock);
    }
}

/// `signal_pending()` (include/linux/sched/signal.h) of a thread of the group: whether SIGKILL is.
#[track_caller]
pub fn signal_pending(signal: &SignalStruct) -> bool {
    let look = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
    engine().rmw(signal.sigkill, Order::Acquire, &look, Site::with("signal_pending", "SIGKILL")) != 0
}

/// A thread runs in user mode until it is killed.
#[track_caller]
pub fn wait_for_sigkill(signal: &SignalStruct) {
    get_signal(signal, Sleep::Held, Site::with("get_signal", "SIGKILL"));
}

/// The same for a thread that may never be killed: false if the run ends before.
#[track_caller]
pub fn wait_for_sigkill_if_any(signal: &SignalStruct) -> bool {
    get_signal(signal, Sleep::Idle, Site::with("get_signal", "SIGKILL"));
    !engine().stopping()
}

fn get_signal(signal: &SignalStruct, sleep: Sleep, site: Site) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    engine().wait_rmw(signal.sigkill, Order::Acquire, Until::any(1), sleep, &rmw, site);
}
