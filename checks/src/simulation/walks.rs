//! A frozen victim that is thawed and exits while the OOM reaper walks the same VMAs, and how long
//! either runs.

use super::subject::{Prices, with_rest_of_exit};
use crate::engine::timed::{Ran, Timeline, run};
use crate::scenario::{Actor, Scenario};
use mmspec_model::variant::Kernel;

/// VMAs of the victim, each with one page table. Together they are 1 GiB; the message does not say how
/// much it was, and the price of a page makes up for it.
pub const VMAS: usize = 512;
/// Pages of each.
pub const PAGES: u64 = 512;

/// The kernel whose reaper does not wait for a frozen victim.
const NO_DELAY: &str = "frozen-no-delay-v6";

/// How the reaper walks while the victim exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaper {
    /// Nobody reaps.
    Absent,
    /// It goes upwards, as `exit_mmap()` does: patch 1 without patch 2.
    Upwards,
    /// It goes downwards.
    Downwards,
}

/// What is read off a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// How long the exiting thread runs, in ns.
    Exit,
    /// How long the reaper runs, in ns.
    Reaper,
    /// Part of the reaper's time in which it spins for page-table locks, in thousandths of a percent.
    ReaperSpins,
}

/// Measure `of` on a machine of so many CPUs, with a victim of `vmas` VMAs.
///
/// # Panics
/// When a rule of the specification is broken meanwhile.
pub fn measure(reaper: Reaper, of: Of, vmas: usize, cpus: usize, prices: &Prices) -> u64 {
    let mut kernel = Kernel::named(NO_DELAY).expect("a kernel of the model");
    if reaper == Reaper::Upwards {
        kernel.walk = Kernel::named("v6.12").expect("a kernel of the model").walk;
    }
    let ran = run(&with_rest_of_exit(scenario(reaper, vmas).program(kernel)), cpus, prices.costs);
    assert!(ran.fault.is_none(), "{reaper:?}: {:?}", ran.fault);
    match of {
        Of::Exit => thread(&ran, |name| name.starts_with('T')).cpu,
        Of::Reaper => thread(&ran, |name| name == "oom_reaper").cpu,
        Of::ReaperSpins => {
            let Timeline { spun, cpu, .. } = thread(&ran, |name| name == "oom_reaper");
            spun * 100_000 / cpu
        }
    }
}

fn thread(ran: &Ran, is: impl Fn(&str) -> bool) -> &Timeline {
    ran.threads.iter().find(|thread| is(&thread.name)).expect("it takes part")
}

fn scenario(reaper: Reaper, vmas: usize) -> Scenario {
    let victim = Scenario::new("measured", "a thawed victim exits while it is reaped")
        .mm_of_vmas(vmas, PAGES)
        .page_table_locks()
        .victim(0);
    if reaper == Reaper::Absent {
        return victim.actor(Actor::Exit(0));
    }
    victim.frozen().actor(Actor::ExitWhenKilled(0)).actor(Actor::OomKill)
}
