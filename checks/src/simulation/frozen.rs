//! How long an OOM victim in a frozen cgroup pins its memory.

use super::subject::{Prices, with_rest_of_exit};
use super::walks::{PAGES, VMAS};
use crate::engine::timed::run;
use crate::scenario::{Actor, Scenario};
use mmspec_model::variant::Kernel;

/// Who uses the victim's mm. All are frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// One thread.
    One,
    /// Two threads of one group.
    Threads,
    /// The victim, and a task of another group.
    Sharer,
}

/// What is waited for, from the kill on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// The last page.
    Pages,
    /// Page tables.
    PageTables,
    /// `struct mm_struct`.
    MmStruct,
}

/// A victim.
#[derive(Clone, Copy, Debug)]
pub struct Victim {
    /// Kernel.
    pub kernel: &'static str,
    /// Who uses its mm.
    pub users: Users,
    /// What is waited for.
    pub free: Free,
}

impl Victim {
    /// When it is free, in ns; nothing if it never is.
    ///
    /// # Panics
    /// When a rule of the specification is broken meanwhile, but for R39: a thread of the victim that
    /// stays in the refrigerator is what is to be shown.
    pub fn measure(&self, cpus: usize, prices: &Prices) -> Option<u64> {
        let kernel = Kernel::named(self.kernel).expect("a kernel of the model");
        let ran = run(&with_rest_of_exit(self.scenario().program(kernel)), cpus, prices.costs);
        assert!(ran.fault.as_ref().is_none_or(|(rule, _)| rule == "R39"), "{self:?}: {:?}", ran.fault);
        match self.free {
            Free::Pages => ran.page_freed,
            Free::PageTables => ran.freed.get("pgtables0").copied(),
            Free::MmStruct => ran.freed.get("mm0").copied(),
        }
    }

    fn scenario(&self) -> Scenario {
        let victim = Scenario::new("measured", "the OOM killer chooses a task that is frozen")
            .mm_of_vmas(VMAS, PAGES)
            .page_table_locks()
            .victim(0)
            .frozen()
            .actor(Actor::ExitWhenKilled(0));
        let scenario = match self.users {
            Users::One => victim,
            Users::Threads => victim.thread().actor(Actor::ExitWhenKilled(1)),
            Users::Sharer => victim.task(0).frozen().actor(Actor::ExitWhenKilled(1)),
        };
        scenario.actor(Actor::OomKill)
    }
}
