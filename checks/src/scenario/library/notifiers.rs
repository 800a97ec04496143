//! Notifiers that come and go while an mm does.

use crate::scenario::Actor::{
    Exit, GuestReads, InvalidateAndExit, ReclaimPage, RegisterNotifier, RemoveInterval, UnregisterNotifier,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("notifier_unregistered_at_exit", "a driver unregisters its notifier while the mm goes")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(UnregisterNotifier(0))
            .reaches("exit_mmap() unlinks a notifier that its driver unregisters"),
        Scenario::new("notifier_registered_at_exit", "a driver registers a notifier while the mm goes")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(RegisterNotifier(0))
            .reaches("a driver is told that the mm goes")
            .reaches("a driver finds no users"),
        Scenario::new("reclaim_vs_notifier_release", "a page of a guest is reclaimed while its mm goes")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(ReclaimPage)
            .actor(GuestReads(0))
            .reaches("reclaim frees a page")
            .reaches("reclaim finds the page unmapped"),
        Scenario::new(
            "interval_removed_in_invalidation",
            "a driver removes a notifier while an invalidation ends",
        )
        .inline_only()
        .mm(1)
        .task(0)
        .actor(InvalidateAndExit(0))
        .actor(RemoveInterval(0))
        .reaches("the removal of a notifier was put off"),
    ]
}
