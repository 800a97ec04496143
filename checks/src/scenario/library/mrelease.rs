//! The ways out of `process_mrelease()`.

use crate::scenario::Actor::{
    ExitWhenKilled, KillAndMrelease, KillAndMreleaseAsServer, KillServer, MmapServedFile, WorkInDriver,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "mrelease_is_killed",
            "process_mrelease() waits for a lock whose holder waits for its caller, until that is killed",
        )
        .inline_only()
        .mm(3)
        .task(0)
        .actor(MmapServedFile(0))
        .actor(KillAndMreleaseAsServer(0))
        .actor(KillServer(0))
        .reaches("process_mrelease() reaps")
        .reaches("process_mrelease() returns -EINTR"),
        Scenario::new(
            "mrelease_vs_driver",
            "a driver that mirrors the mm is busy when process_mrelease() comes",
        )
        .inline_only()
        .mirrored_mm(3)
        .task(0)
        .actor(ExitWhenKilled(0))
        .actor(KillAndMrelease(0))
        .actor(WorkInDriver(0))
        .reaches("process_mrelease() reaps")
        .reaches("process_mrelease() returns -EAGAIN")
        .reaches("process_mrelease() returns -ESRCH"),
    ]
}
