//! The scenarios of the gate.

mod deferred;
mod frozen;
mod memcg;
mod mrelease;
mod oom;
mod references;
mod selection;
mod slab;
mod teardown;

use super::Scenario;

/// All scenarios.
pub fn all() -> Vec<Scenario> {
    [
        references::all(),
        oom::all(),
        selection::all(),
        memcg::all(),
        teardown::all(),
        mrelease::all(),
        frozen::all(),
        slab::all(),
        deferred::all(),
    ]
    .concat()
}

/// The scenario of this name.
pub fn named(name: &str) -> Option<Scenario> {
    all().into_iter().find(|s| s.name == name)
}
