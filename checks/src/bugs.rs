//! Bugs of history that the model shows: a kernel that has them, one that does not, the scenario, and
//! the rule that breaks. Numbers are those of the catalogue in `docs/limits.md`.

/// A bug.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// Its number in the catalogue.
    pub id: &'static str,
    /// What went wrong.
    pub what: &'static str,
    /// Commit that fixed it, or the release if the commit is not known.
    pub fix: &'static str,
    /// Affected versions, from the first to the last one before the fix.
    pub span: &'static str,
    /// Kernels that have it; the first one is nearest to the fix.
    pub broken: &'static [&'static str],
    /// The nearest kernel here that does not.
    pub fixed: &'static str,
    /// Scenario that shows it.
    pub scenario: &'static str,
    /// Rule that breaks.
    pub rule: &'static str,
}

/// Bugs that come with a kernel.
pub const BUGS: &[Bug] = &[
    Bug {
        id: "P01",
        what: "the reaper takes a victim without users for done, though it has not unmapped anything yet",
        fix: "212925802454",
        span: "4.9 to 4.13",
        broken: &["v4.9"],
        fixed: "v4.14",
        scenario: "victim_waits_for_io",
        rule: "R44",
    },
    Bug {
        id: "P02",
        what: "exit_mmap() munlocks a page that the reaper frees (CVE-2018-1000200)",
        fix: "27ae357fa82b",
        span: "4.14 to 4.16",
        broken: &["v4.14"],
        fixed: "v4.17",
        scenario: "mlocked_victim_vs_reaper",
        rule: "uaf",
    },
    Bug {
        id: "P03",
        what: "a stranger drops the victim's mm last, and exit_mmap() does not wait for the reaper",
        fix: "4837fe37adff",
        span: "4.14",
        broken: &["v4.14"],
        fixed: "v4.17",
        scenario: "reader_of_a_victim",
        rule: "uaf",
    },
    Bug {
        id: "P05",
        what: "process_mrelease() walks page tables that exit_mmap() frees without its lock",
        fix: "337546e83fc7",
        span: "5.15-rc",
        broken: &["v5.15-rc1"],
        fixed: "v5.15",
        scenario: "exit_vs_mrelease",
        rule: "uaf",
    },
    Bug {
        id: "P06",
        what: "process_mrelease() follows mm->mmap to a VMA that exit_mmap() has freed",
        fix: "f798a1d4f94d",
        span: "5.17-rc",
        broken: &["v5.17-rc1"],
        fixed: "v5.17",
        scenario: "exit_vs_mrelease",
        rule: "uaf",
    },
    Bug {
        id: "P09",
        what: "the reaper's mmput() is the last one: it tears down and waits for I/O",
        fix: "ec8d7c14ea14",
        span: "4.6",
        broken: &["v4.6"],
        fixed: "v4.9",
        scenario: "exit_vs_reaper",
        rule: "R32",
    },
    Bug {
        id: "P12",
        what: "a thread of the victim is linked twice on oom_reaper_list",
        fix: "9bcdeb51bd7d",
        span: "4.6 to 4.20",
        broken: &["v4.17", "v4.6", "v4.9", "v4.14"],
        fixed: "v5.15",
        scenario: "threads_of_a_victim_allocate",
        rule: "R33",
    },
    Bug {
        id: "S4",
        what: "the mmput() of process_mrelease() is the last one: the caller waits for I/O",
        fix: "ba535c1caf3e",
        span: "5.15 to 5.16",
        broken: &["v5.15"],
        fixed: "v5.17",
        scenario: "exit_vs_mrelease",
        rule: "R32",
    },
    Bug {
        id: "4.6",
        what: "a victim that cannot be reaped stays the one that everybody waits for",
        fix: "in 4.7",
        span: "4.6",
        broken: &["v4.6"],
        fixed: "v4.9",
        scenario: "allocator_holds_the_lock",
        rule: "deadlock",
    },
    Bug {
        id: "V1",
        what: "a walker without mm_users faults a page in between unmapping and freeing",
        fix: "the write lock throughout",
        span: "proposal",
        broken: &["count-walkers-read-lock"],
        fixed: "count-walkers-2026",
        scenario: "exit_vs_proc_mem",
        rule: "rss",
    },
];

/// The bugs that explain why `kernel` breaks `rule`.
pub fn explaining(kernel: &str, rule: &str) -> impl Iterator<Item = &'static Bug> {
    BUGS.iter().filter(move |bug| bug.rule == rule && bug.broken.contains(&kernel))
}
