//! Page faults where a reaper has been, by those who pass on what they find there.

use crate::scenario::Actor::{ActOnPage, FillPage, OomKill, PassPageOn, WritePage};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "vhost_vs_reaper",
            "a kernel thread that has borrowed the mm of a victim reads a page of it",
        )
        .inline_only()
        .mm(1)
        .victim(0)
        .actor(ActOnPage(0))
        .actor(OomKill)
        .reaches("a kernel thread finds data")
        .reaches("a kernel thread gets -EFAULT")
        .reaches("a fault finds MMF_UNSTABLE"),
        Scenario::new("writer_vs_reaper", "a victim is within write() of a page while it is reaped")
            .inline_only()
            .mm(1)
            .victim(0)
            .actor(WritePage(0))
            .actor(OomKill)
            .reaches("write() copies data")
            .reaches("write() returns -EFAULT")
            .reaches("a fault finds MMF_UNSTABLE"),
        Scenario::new(
            "vhost_vs_reaped_file",
            "a kernel thread that has borrowed the mm of a victim reads a page that the victim has copied from a file",
        )
        .inline_only()
        .mm_of_file(1)
        .victim(0)
        .actor(ActOnPage(0))
        .actor(OomKill)
        .reaches("a kernel thread finds data")
        .reaches("a kernel thread gets -EFAULT"),
        Scenario::new(
            "writer_vs_reaped_file",
            "a victim is within write() of a page that it has copied from a file while it is reaped",
        )
        .inline_only()
        .mm_of_file(1)
        .victim(0)
        .actor(WritePage(0))
        .actor(OomKill)
        .reaches("write() copies data")
        .reaches("write() returns -EFAULT"),
        Scenario::new(
            "two_faults_vs_reaper",
            "two threads of a victim read into one page while it is reaped, and one writes its part on",
        )
        .inline_only()
        .mm(0)
        .victim(0)
        .thread()
        .actor(PassPageOn(0))
        .actor(FillPage(1))
        .actor(OomKill)
        .reaches("read() has filled its part of a page")
        .reaches("write() copies data")
        .reaches("read() returns -EFAULT")
        .reaches("write() returns -EFAULT"),
        Scenario::new(
            "two_faults_vs_reaped_file",
            "two threads of a victim read into one page of a file, which is copied, while it is reaped",
        )
        .inline_only()
        .mm_of_file(0)
        .victim(0)
        .thread()
        .actor(PassPageOn(0))
        .actor(FillPage(1))
        .actor(OomKill)
        .reaches("read() has filled its part of a page")
        .reaches("write() copies data")
        .reaches("read() returns -EFAULT")
        .reaches("write() returns -EFAULT"),
    ]
}
