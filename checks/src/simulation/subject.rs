//! What is measured, as a scenario of the model, and the measurement.

use super::published::{RFC_MAX_PENDING_PAGES, RFC_THRESH_PAGES};
use crate::engine::timed::costs::{REST_OF_EXIT, UNDER_TASKLIST_LOCK};
use crate::engine::timed::{Costs, Ran, run};
use crate::scenario::{Actor, Scenario, Sysctl};
use mmspec_model::k::engine::{Class, Effect, Order, Rmw, Shape, Site, Word, engine};
use mmspec_model::k::lock::{Spinlock, spin_lock, spin_unlock};
use mmspec_model::k::program::{Setup, Thread};
use mmspec_model::variant::Kernel;
use std::rc::Rc;
use std::sync::Arc;

/// What is read off a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// When the last task is reaped, in ns.
    Reap,
    /// When the last address space is freed, in ns.
    MemoryBack,
    /// CPU time of `mm_reaper` to that of the same teardown in the exiting task, in thousandths.
    ReaperCpu,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Kernel.
    pub kernel: &'static str,
    /// `vm.async_mm_teardown`.
    pub on: bool,
    /// Resident pages of each task, of 4 KiB each.
    pub pages: u64,
    /// Whether they are mapped and freed 512 at a time.
    pub huge: bool,
    /// Tasks that end at once, each with an mm of its own.
    pub tasks: usize,
    /// Whether they are killed, or exit.
    pub killed: bool,
    /// What is read off.
    pub measure: Measure,
}

/// Prices, with that of huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// All others.
    pub costs: Costs,
    /// A huge page is zapped and freed, in ns.
    pub huge_page: u64,
}

/// Pages of 4 KiB in a huge page, which the allocator takes back as a whole.
const HUGE: u64 = 512;

impl Subject {
    /// Measure it on a machine of so many CPUs.
    ///
    /// # Panics
    /// When a rule of the specification is broken meanwhile.
    pub fn measure(&self, cpus: usize, prices: &Prices) -> u64 {
        let ran = self.run(cpus, prices);
        match self.measure {
            Measure::Reap => ran.threads.iter().filter_map(|t| t.ended).max().unwrap_or(0),
            Measure::MemoryBack => {
                let mms = ran.freed.iter().filter(|(object, _)| object.starts_with("mm"));
                mms.map(|(_, time)| *time).max().unwrap_or(0)
            }
            Measure::ReaperCpu => {
                let inline = Self { on: false, ..*self }.run(cpus, prices);
                let tasks = |ran: &Ran| cpu(ran, |name| name.starts_with('T'));
                let saved = tasks(&inline).saturating_sub(tasks(&ran)).max(1);
                cpu(&ran, |name| name == "mm_reaper") * 1_000 / saved
            }
        }
    }

    fn run(&self, cpus: usize, prices: &Prices) -> Ran {
        let costs = if self.huge {
            Costs { page_ps: prices.huge_page * 1_000 / HUGE, batch: HUGE, ..prices.costs }
        } else {
            prices.costs
        };
        let kernel = Kernel::named(self.kernel).expect("a kernel of the model");
        let ran = run(&with_rest_of_exit(self.scenario().program(kernel)), cpus, costs);
        assert!(ran.fault.is_none(), "{self:?}: {:?}", ran.fault);
        ran
    }

    /// The world that is run.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::new("measured", "tasks end at once");
        scenario.sysctl =
            Sysctl { on: self.on, thresh_pages: RFC_THRESH_PAGES, max_pending_pages: RFC_MAX_PENDING_PAGES };
        for task in 0..self.tasks {
            scenario = scenario.mm(self.pages).task(task);
            scenario = if self.killed {
                scenario.actor(Actor::ExitWhenKilled(task)).actor(Actor::Kill(task))
            } else {
                scenario.actor(Actor::Exit(task))
            };
        }
        scenario
    }
}

fn cpu(ran: &Ran, of: impl Fn(&str) -> bool) -> u64 {
    ran.threads.iter().filter(|t| of(&t.name)).map(|t| t.cpu).sum()
}

/// The same program whose tasks also do what `do_exit()` does besides giving up the mm, and are then
/// reaped. All of it is two prices; `tasklist_lock` is taken by `exit_notify()` and `release_task()`.
pub(super) fn with_rest_of_exit(setup: Setup) -> Setup {
    Arc::new(move || {
        let mut program = setup();
        let globals = engine().new_object("", 0);
        let outside = engine().new_word("outside", Class::Sync, globals, 0);
        let tasklist_lock = Spinlock::new(globals, "tasklist_lock");
        for Thread { name, body } in &mut program.threads {
            if name.starts_with('T') {
                let exit_mm = body.clone();
                *body = Rc::new(move || {
                    exit_mm();
                    pay(outside, REST_OF_EXIT);
                    for _exit_notify_then_release_task in 0..2 {
                        spin_lock(tasklist_lock);
                        pay(outside, UNDER_TASKLIST_LOCK);
                        spin_unlock(tasklist_lock);
                    }
                });
            }
        }
        program
    })
}

/// A step that changes nothing and has a price of its own.
pub(super) fn pay(outside: Word, site: &'static str) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    engine().rmw(outside, Order::Relaxed, &rmw, Site::here(site));
}
