//! What each step costs.

use mmspec_model::k::engine::Class;
use serde::Serialize;

/// Site of a step that stands for all that an exit does outside the model.
pub const REST_OF_EXIT: &str = "do_exit";
/// Site of a step that stands for what is done under `tasklist_lock`.
pub const UNDER_TASKLIST_LOCK: &str = "exit_notify";

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
    /// From the wake-up of a sleeping thread until it can be given a CPU.
    pub wake: u64,
    /// From the arming of a timer to its expiry (`OOM_REAPER_DELAY`).
    pub timer: u64,
    /// A page is zapped and freed, in ps.
    pub page_ps: u64,
    /// Pages freed in one section of `zone->lock`.
    pub batch: u64,
    /// Part of the cost of a page that is spent under `zone->lock`, in percent.
    pub locked_percent: u64,
    /// A page of page tables is freed.
    pub table: u64,
    /// A slab object is freed.
    pub object: u64,
    /// All that an exit does outside the model, `waitpid()` in the parent included.
    pub rest: u64,
    /// One section of `tasklist_lock`.
    pub notify: u64,
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
        wake: 5_000,
        timer: 2_000_000_000,
        page_ps: 0,
        batch: 63,
        locked_percent: 25,
        table: 100,
        object: 100,
        rest: 0,
        notify: 1_000,
        reaper_percent: 100,
    };

    /// A step `op` on a word of `class` that did or did not write.
    pub(super) fn step(&self, class: Class, op: &str, read_only: bool) -> u64 {
        match (class, op) {
            (Class::Ghost, _) => 0,
            (_, REST_OF_EXIT) => self.rest,
            (_, UNDER_TASKLIST_LOCK) => self.notify,
            (Class::Plain, _) => self.load,
            _ if read_only => self.load,
            _ => self.atomic,
        }
    }

    /// How long a thread that is told to go on at `op` stays off the CPU.
    pub(super) fn sleep(&self, op: &str) -> u64 {
        if op == "run_timer_softirq" { self.timer } else { self.wake }
    }

    /// Time outside and under `zone->lock` for `pages` pages, for a thread that pays `percent`.
    pub(super) fn pages(&self, pages: u64, percent: u64) -> (u64, u64) {
        let all = pages * self.page_ps * percent / 100_000;
        let locked = all * self.locked_percent / 100;
        (all - locked, locked)
    }
}
