//! The scenarios of the gate.

mod cpus;
mod deferred;
mod faults;
mod frozen;
mod memcg;
mod mrelease;
mod notifiers;
mod oom;
mod outsiders;
mod references;
mod scanners;
mod selection;
mod slab;
mod teardown;
mod vfork;

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
        outsiders::all(),
        notifiers::all(),
        cpus::all(),
        vfork::all(),
        faults::all(),
        scanners::all(),
        deferred::all(),
    ]
    .concat()
}

/// The scenario of this name.
pub fn named(name: &str) -> Option<Scenario> {
    all().into_iter().find(|s| s.name == name)
}
