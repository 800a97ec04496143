//! The `states` engine: exhaustive under sequential consistency.

use super::explore::memory::sc::Sc;
use super::explore::search::Search;
use super::explore::search::dpor::Dpor;
use super::explore::search::tree::Tree;
use super::explore::{Progress, explore};
use super::report::{Limits, Report};
use mmspec_model::k::program::Setup;

/// How the engine avoids doing work twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Not at all.
    Plain,
    /// One execution for each Mazurkiewicz trace.
    Dpor,
    /// The same without looking for races, to check that none is overlooked.
    SleepSets,
    /// Each state once.
    Hashing,
}

/// Explore `setup` with one reduction.
pub fn run(reduction: Reduction, limits: Limits, setup: &Setup, progress: Progress) -> Report {
    let (name, search): (_, Box<dyn Search>) = match reduction {
        Reduction::Plain => ("plain", Box::new(Tree::plain())),
        Reduction::Dpor => ("dpor", Box::new(Dpor::new())),
        Reduction::SleepSets => ("sleep-sets", Box::new(Dpor::sleep_sets())),
        Reduction::Hashing => ("hashing", Box::new(Tree::hashing(None))),
    };
    let learn = reduction == Reduction::Hashing;
    explore(Report::new("states", name), Sc::default(), search, learn, limits, setup, progress)
}

/// Explore all executions with at most `preemptions` preemptions.
pub fn run_bounded(preemptions: u32, limits: Limits, setup: &Setup, progress: Progress) -> Report {
    let search = Box::new(Tree::hashing(Some(preemptions)));
    explore(Report::new("states", "hashing"), Sc::default(), search, false, limits, setup, progress)
}

/// Counterexample with the fewest preemptions, if one with at most `most` exists, and of those that
/// break the same rule one with the fewest steps, as far as `limits` allow.
pub fn fewest_preemptions(most: u32, limits: Limits, setup: &Setup, progress: Progress) -> Option<Report> {
    (0..=most).find_map(|k| {
        let search = Box::new(Tree::shortest(k));
        let report =
            explore(Report::new("states", "hashing"), Sc::default(), search, false, limits, setup, progress);
        report.failure.is_some().then_some(report)
    })
}
