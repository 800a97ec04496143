//! Parents and children of `vfork()`.

use crate::scenario::Actor::{Exit, Kill, VforkAndExit};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "vfork_parent_is_killed",
            "a parent is killed while it waits for its vforked child, which exits",
        )
        .inline_only()
        .mm(1)
        .task(0)
        .vforked_by(1)
        .task(0)
        .actor(Exit(0))
        .actor(VforkAndExit(1))
        .actor(Kill(1))
        .reaches("a vforked child lets its parent go on")
        .reaches("a parent is killed while it waits for its vforked child")
        .reaches("a vforked child finds no completion")
        .reaches("a vforked child finds its completion gone under the lock"),
    ]
}
