//! One check: a scenario on a kernel, by one engine.

use crate::counterexample::minimal;
use crate::engine::loom::{Loom, fits};
use crate::engine::shuttle::{Scheduler, Shuttle};
use crate::engine::states::{self, Reduction};
use crate::engine::{Effort, ForeignSetting, Limits, Report, views};
use crate::scenario::{Actor, Scenario};
use crate::verdict::Verdict;
use mmspec_model::k::program::Setup;
use mmspec_model::variant::{
    CoreDump, ExitMmap, Guarded, Kernel, MemcgOom, Mrelease, NotifierMode, Queue, ReaperPin, UffdPin,
    UffdWriteProtect, Vmas,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Who executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Exhaustive, sequentially consistent
    States,
    /// Exhaustive, weak memory
    Views,
    /// A second opinion on weak memory (C11)
    Loom,
    /// Random schedules
    Shuttle,
}

impl Engine {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Views => "views",
            Self::Loom => "loom",
            Self::Shuttle => "shuttle",
        }
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Most preemptions; `None` is unbounded. For `states` and `loom`.
    pub preemptions: Option<u32>,
    /// Limits of each engine run.
    pub limits: Limits,
    /// Seed and number of random executions, for `shuttle`.
    pub random: (u64, u64),
}

impl Default for Options {
    fn default() -> Self {
        let limits = Limits { time: Duration::from_mins(5), ..Limits::default() };
        Self { preemptions: None, limits, random: (1, 20_000) }
    }
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The engine's report. Of a violation on `states`, one with the fewest preemptions.
    pub report: Report,
    /// What is known now.
    pub verdict: Verdict,
}

/// Executions that partial-order reduction may take before state hashing is tried: it is the cheaper
/// of the two except where many like threads meet.
const FIRST_TRY: u64 = 300_000;
/// Executions that state hashing may then take before partial-order reduction goes on to the end.
const SECOND_TRY: u64 = 600_000;
/// Executions of each bound in the search for a counterexample with few preemptions.
const MINIMISE: u64 = 300_000;
/// Bounds that are tried for a violation that loom has found without one.
const LOOM_BOUNDS: u32 = 4;

/// Check `scenario` on `kernel`.
///
/// # Errors
/// When loom or shuttle is asked for and a variable of theirs is set in the environment.
pub fn check(
    scenario: &Scenario,
    kernel: Kernel,
    engine: Engine,
    options: &Options,
    progress: &dyn Fn(u64),
) -> Result<Checked, ForeignSetting> {
    let setup = scenario.program(kernel);
    let threads = scenario.threads(&kernel);
    let limits = options.limits;
    let report = match engine {
        Engine::States => {
            if let Some(k) = options.preemptions {
                states::run_bounded(k, limits, &setup, progress)
            } else {
                let report = exhaust(limits, &setup, progress);
                fewest_preemptions(report, limits, &setup, progress)
            }
        }
        Engine::Views => views::run(limits, &setup, progress),
        Engine::Loom if fits(threads) => by_loom(options.preemptions, limits, &setup)?,
        Engine::Loom => Report::new("loom", crate::engine::loom::TOO_MANY_THREADS),
        Engine::Shuttle => {
            let (seed, runs) = options.random;
            let report = Shuttle { scheduler: Scheduler::Portfolio { seed, runs }, limits }.run(&setup)?;
            let limits = Limits { executions: MINIMISE, ..limits };
            minimal(report, limits, &setup, progress)
        }
    };
    let verdict = Verdict::of(&report, scenario.goals_on(&kernel));
    Ok(Checked { report, verdict })
}

/// What loom finds, and of a violation one with the least bound that shows it.
fn by_loom(preemptions: Option<u32>, limits: Limits, setup: &Setup) -> Result<Report, ForeignSetting> {
    let report = Loom { preemptions, limits }.run(setup)?;
    let Some(failure) = &report.failure else { return Ok(report) };
    let limits = Limits { executions: MINIMISE, ..limits };
    for bound in 0..preemptions.unwrap_or(LOOM_BOUNDS) {
        let least = Loom { preemptions: Some(bound), limits }.run(setup)?;
        if least.failure.as_ref().is_some_and(|least| least.rule == failure.rule) {
            return Ok(least);
        }
    }
    Ok(report)
}

/// All of it, by whichever reduction gets there first.
fn exhaust(limits: Limits, setup: &Setup, progress: &dyn Fn(u64)) -> Report {
    let within = |executions: u64| Limits { executions: executions.min(limits.executions), ..limits };
    let first = states::run(Reduction::Dpor, within(FIRST_TRY), setup, progress);
    if first.effort != Effort::Unfinished || first.failure.is_some() || limits.executions <= FIRST_TRY {
        return first;
    }
    // What is broken is mostly broken with few preemptions, where depth-first search comes late.
    if let Some(broken) = states::fewest_preemptions(1, within(MINIMISE), setup, progress) {
        return broken;
    }
    let second = states::run(Reduction::Hashing, within(SECOND_TRY), setup, progress);
    if second.effort != Effort::Unfinished || second.failure.is_some() {
        return second;
    }
    states::run(Reduction::Dpor, limits, setup, progress)
}

/// A counterexample that needs no more interruptions than necessary, in place of the one found.
fn fewest_preemptions(report: Report, limits: Limits, setup: &Setup, progress: &dyn Fn(u64)) -> Report {
    let Some(failure) = &report.failure else { return report };
    let limits = Limits { executions: MINIMISE, ..limits };
    states::fewest_preemptions(failure.preemptions, limits, setup, progress).unwrap_or(report)
}

impl Scenario {
    /// Goals that a check on `kernel` must reach.
    pub fn goals_on(&self, kernel: &Kernel) -> impl Iterator<Item = &str> {
        let more = if kernel.is_async() { &self.async_goals[..] } else { &[] };
        self.goals.iter().chain(more).map(String::as_str).filter(|goal| can_happen(goal, kernel))
    }

    /// Whether it says something about `kernel`.
    pub fn applies_to(&self, kernel: &Kernel) -> bool {
        let mrelease = self.actors.iter().any(Actor::mreleases);
        if mrelease && kernel.mrelease == Mrelease::Absent {
            return false;
        }
        let half_built = self.actors.iter().any(|a| matches!(a, Actor::ForkFailsHalfway(_)));
        if half_built && kernel.vmas != Vmas::Tree {
            return false;
        }
        let interrupted = self.actors.contains(&Actor::AllocatePgd);
        if interrupted && kernel.queue != Queue::TicketTimer {
            return false;
        }
        if kernel.is_async() { !self.inline_only } else { !self.async_only }
    }
}

/// Whether `kernel` has the code that reaches `goal`.
fn can_happen(goal: &str, kernel: &Kernel) -> bool {
    match goal {
        "the reaper's timer finds nothing to do" => kernel.queue == Queue::TicketTimer,
        // Nobody holds the lock for writing or sets the flag while the reaper owns a use.
        "the reaper finds the mmap lock taken" | "the reaper gives up" | "the reaper finds MMF_OOM_SKIP" => {
            kernel.reaper_pin == ReaperPin::Task
        }
        // Only the exit of a victim's mm sets it.
        "process_mrelease() finds MMF_OOM_SKIP" => kernel.guarded == Guarded::All,
        // Until 4.6 the file has a use as long as it is open.
        "a writer comes before a dump" | "a writer finds that the mm is dumped" => {
            kernel.core_dump == CoreDump::StillValid
        }
        "UFFDIO_WRITEPROTECT returns -ESRCH" => {
            kernel.uffd_writeprotect == UffdWriteProtect::Users && kernel.uffd_pin == UffdPin::Count
        }
        "a dying task does not start a memcg OOM kill" => kernel.memcg_oom != MemcgOom::BeforeLock,
        "a notifier refuses to be reaped" => kernel.notifiers == NotifierMode::NonBlocking,
        // Nobody else walks while exit_mmap() holds the lock for writing, or the reaper owns a use.
        "a walker waits for a page-table lock" => {
            kernel.exit_mmap != ExitMmap::Write && kernel.reaper_pin == ReaperPin::Task
        }
        _ => true,
    }
}
