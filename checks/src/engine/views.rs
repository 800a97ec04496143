//! The `views` engine: exhaustive under weak memory, load buffering aside.

use super::explore::memory::views::Views;
use super::explore::search::tree::Tree;
use super::explore::{Progress, explore};
use super::report::{Limits, Report};
use mmspec_model::k::program::Setup;

/// Explore every state of `setup`.
pub fn run(limits: Limits, setup: &Setup, progress: Progress) -> Report {
    let search = Box::new(Tree::hashing(None));
    explore(Report::new("views", "hashing"), Views::default(), search, true, limits, setup, progress)
}
