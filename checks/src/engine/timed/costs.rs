//! What each step costs.

use mmspec_model::k::engine::Class;
use serde::Serialize;

/// Site of a step that stands for all that an exit does outside the model.
pub const REST_OF_EXIT: &str = "do_exit";
/// Site of a step that stands for what is done under `tasklist_lock`.
pub const UNDER_TASKLIST_LOCK: &str = "exit_notify";
/// Site of a step that stands for a part of what an exec does outside the model.
pub const PART_OF_EXEC: &str = "execve";
/// Parts of an exec of medium length.
pub const EXEC_PARTS: u64 = 10;
/// Lock under which per-CPU memory is allocated.
const PCPU_ALLOC_MUTEX: &str = "pcpu_alloc_mutex";

/// Prices of the machine, in ns unless the name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// A read, or a write of ordinary memory.
    pub load: u64,
    /// An atomic read-modify-write, and so a lock that nobody else wants.
    pub atomic: u64,
    /// A memory barrier.
    pub barrier: u64,
    /// A spinlock goes from its holder to a CPU that spins for it.
    pub hand_over: u64,
    /// A mutex goes from its holder to a thread that waits, and that has spun for it as mutexes do.
    pub mutex: u64,
    /// From the wake-up of a sleeping thread until it can be given a CPU.
    pub wake: u64,
    /// From the arming of a timer to its expiry (`OOM_REAPER_DELAY`).
    pub timer: u64,
    /// A page is zapped and freed, in ps.
    pub page_ps: u64,
    /// Part of it that is spent under a page-table lock, where that is a lock of its own, in thousandths.
    pub ptl_permille: u64,
    /// Pages freed in one section of `zone->lock`.
    pub batch: u64,
    /// Part of the cost of a page, without that under a page-table lock, that is spent under `zone->lock`, in
    /// percent.
    pub locked_percent: u64,
    /// A page of page tables is freed.
    pub table: u64,
    /// A slab object is freed.
    pub object: u64,
    /// All that an exit does outside the model, `waitpid()` in the parent included.
    pub rest: u64,
    /// One section of `tasklist_lock`.
    pub notify: u64,
    /// An exec outside the model.
    pub exec: u64,
    /// A chunk of per-CPU memory is allocated, under `pcpu_alloc_mutex`.
    pub percpu_locked: u64,
    /// A chunk of per-CPU memory is cleared and later freed, outside.
    pub percpu: u64,
    /// What `mm_reaper` pays for a teardown, in percent of what the exiting task would.
    pub reaper_percent: u64,
}

/// Pages of address space that one page of page tables maps.
pub const PAGES_A_TABLE: u64 = 512;

impl Costs {
    /// What no published number tells: orders of magnitude of a current x86 server. The predictions
    /// hardly depend on them.
    pub const ASSUMED: Self = Self {
        load: 1,
        atomic: 20,
        barrier: 20,
        hand_over: 0,
        mutex: 100,
        wake: 5_000,
        timer: 2_000_000_000,
        page_ps: 0,
        ptl_permille: 0,
        batch: 63,
        locked_percent: 25,
        table: 100,
        object: 100,
        rest: 0,
        notify: 1_000,
        exec: 300_000,
        percpu_locked: 0,
        percpu: 0,
        reaper_percent: 100,
    };

    /// A step `op` on the word `name` of `class` that did or did not write.
    pub(super) fn step(&self, name: &str, class: Class, op: &str, read_only: bool) -> u64 {
        match (class, op) {
            (Class::Ghost, _) => 0,
            (_, REST_OF_EXIT) => self.rest,
            (_, UNDER_TASKLIST_LOCK) => self.notify,
            (_, PART_OF_EXEC) => self.exec / EXEC_PARTS,
            (_, "mutex_lock") if name == PCPU_ALLOC_MUTEX => self.atomic + self.percpu_locked,
            (Class::Plain, _) => self.load,
            _ if read_only => self.load,
            _ => self.atomic,
        }
    }

    /// How long a thread that is told to go on at `op` stays off the CPU.
    pub(super) fn sleep(&self, op: &str) -> u64 {
        match op {
            "run_timer_softirq" => self.timer,
            "mutex_lock" => self.mutex,
            _ => self.wake,
        }
    }

    /// An object of this kind is freed.
    pub(super) fn free(&self, kind: &str) -> u64 {
        if matches!(kind, "pcpu_cid" | "rss_stat") { self.percpu } else { self.object }
    }

    /// Time for `pages` pages under their page-table lock, for a thread that pays `percent`.
    pub(super) fn zap(&self, pages: u64, percent: u64) -> u64 {
        pages * self.page_ps * percent / 100_000 * self.ptl_permille / 1_000
    }

    /// Time outside and under `zone->lock` for `pages` pages, for a thread that pays `percent`, without what
    /// it has paid if they are `gathered` from under a page-table lock.
    pub(super) fn pages(&self, pages: u64, percent: u64, gathered: bool) -> (u64, u64) {
        let paid = if gathered { self.zap(pages, percent) } else { 0 };
        let all = (pages * self.page_ps * percent / 100_000).saturating_sub(paid);
        let locked = all * self.locked_percent / 100;
        (all - locked, locked)
    }
}
