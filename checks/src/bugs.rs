//! Bugs of history that the model shows: a kernel that has them, one that does not, the scenario, and
//! the rule that breaks. Numbers are those of the catalogue in `docs/limits.md`.

use mmspec_model::variant::{Kernel, Rule};

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
    /// Who has it.
    pub broken: Broken,
    /// The nearest kernel here that does not.
    pub fixed: &'static str,
    /// Scenario that shows it.
    pub scenario: &'static str,
    /// Rule that breaks.
    pub rule: &'static str,
}

/// Who has a bug.
#[derive(Clone, Copy, Debug)]
pub enum Broken {
    /// These kernels; the first one is nearest to the fix.
    Kernels(&'static [&'static str]),
    /// The fixed kernel, this rule taken away.
    Without(Rule),
}

/// Bugs, by their numbers.
pub const BUGS: &[Bug] = &[
    Bug {
        id: "P01",
        what: "the reaper takes a victim without users for done, though it has not unmapped anything yet",
        fix: "212925802454",
        span: "4.9 to 4.13",
        broken: Broken::Kernels(&["v4.9"]),
        fixed: "v4.14",
        scenario: "victim_waits_for_io",
        rule: "R44",
    },
    Bug {
        id: "P02",
        what: "exit_mmap() munlocks a page that the reaper frees (CVE-2018-1000200)",
        fix: "27ae357fa82b",
        span: "4.14 to 4.16",
        broken: Broken::Kernels(&["v4.14"]),
        fixed: "v4.17",
        scenario: "mlocked_victim_vs_reaper",
        rule: "uaf",
    },
    Bug {
        id: "P03",
        what: "a stranger drops the victim's mm last, and exit_mmap() does not wait for the reaper",
        fix: "4837fe37adff",
        span: "4.14",
        broken: Broken::Kernels(&["v4.14"]),
        fixed: "v4.17",
        scenario: "reader_of_a_victim",
        rule: "uaf",
    },
    Bug {
        id: "P04",
        what: "the reaper frees pages that a running thread of the victim has in its TLB (CVE-2017-18202)",
        fix: "687cb0884a71",
        span: "4.6 to 4.14",
        broken: Broken::Kernels(&["v4.14", "v4.6", "v4.9"]),
        fixed: "v4.17",
        scenario: "running_victim_vs_reaper",
        rule: "uaf",
    },
    Bug {
        id: "P05",
        what: "process_mrelease() walks page tables that exit_mmap() frees without its lock",
        fix: "337546e83fc7",
        span: "5.15-rc",
        broken: Broken::Kernels(&["v5.15-rc1"]),
        fixed: "v5.15",
        scenario: "exit_vs_mrelease",
        rule: "uaf",
    },
    Bug {
        id: "P06",
        what: "process_mrelease() follows mm->mmap to a VMA that exit_mmap() has freed",
        fix: "f798a1d4f94d",
        span: "5.17-rc",
        broken: Broken::Kernels(&["v5.17-rc1"]),
        fixed: "v5.17",
        scenario: "exit_vs_mrelease",
        rule: "uaf",
    },
    Bug {
        id: "P09",
        what: "the reaper's mmput() is the last one: it tears down and waits for I/O",
        fix: "ec8d7c14ea14",
        span: "4.6",
        broken: Broken::Kernels(&["v4.6"]),
        fixed: "v4.9",
        scenario: "exit_vs_reaper",
        rule: "R32",
    },
    Bug {
        id: "P12",
        what: "a thread of the victim is linked twice on oom_reaper_list",
        fix: "9bcdeb51bd7d",
        span: "4.6 to 4.20",
        broken: Broken::Kernels(&["v4.17", "v4.6", "v4.9", "v4.14"]),
        fixed: "v5.15",
        scenario: "threads_of_a_victim_allocate",
        rule: "R33",
    },
    Bug {
        id: "P15",
        what: "the reaper takes the memory that the victim's robust list is in before the victim has read it",
        fix: "e4a38402c36e",
        span: "4.6 to 5.17",
        broken: Broken::Kernels(&[
            "v5.17",
            "v4.6",
            "v4.9",
            "v4.14",
            "v4.17",
            "v5.15-rc1",
            "v5.15",
            "v5.17-rc1",
            "write-lock-2021",
        ]),
        fixed: "v5.18",
        scenario: "robust_futex_of_a_victim",
        rule: "R36",
    },
    Bug {
        id: "S11",
        what: "only the marked thread of a frozen victim is thawed, the others keep the mm",
        fix: "59d4d36158ba",
        span: "to 6.17",
        broken: Broken::Kernels(&[
            "v6.2",
            "v6.1",
            "v4.6",
            "v4.9",
            "v4.14",
            "v4.17",
            "v5.15-rc1",
            "v5.15",
            "v5.17-rc1",
            "v5.17",
            "v5.18",
            "write-lock-2021",
            "frozen-no-delay-v6",
        ]),
        fixed: "v6.18",
        scenario: "frozen_threads_of_a_victim",
        rule: "R39",
    },
    Bug {
        id: "V4",
        what: "a victim that is being thawed still counts as frozen, and its robust list is reaped at once",
        fix: "59d4d36158ba, in its place",
        span: "proposal",
        broken: Broken::Kernels(&["frozen-no-delay-v6"]),
        fixed: "v6.18",
        scenario: "robust_futex_of_a_frozen_victim",
        rule: "R36",
    },
    Bug {
        id: "P18",
        what: "a kill that has begun before oom_killer_disable() ends after suspend has looked for victims",
        fix: "c32b3cbe0d06",
        span: "to 3.19",
        broken: Broken::Without(Rule::R38Disable),
        fixed: "v6.12",
        scenario: "victim_vs_oom_disable",
        rule: "R40",
    },
    Bug {
        id: "P19",
        what: "the reaper runs while devices are suspended",
        fix: "e26796066fdf",
        span: "4.6-rc",
        broken: Broken::Without(Rule::R37),
        fixed: "v6.12",
        scenario: "suspend_vs_reaper_and_reader",
        rule: "R37",
    },
    Bug {
        id: "P20",
        what: "a dying task that has left its mm is marked as a victim, for ever",
        fix: "d7a94e7e11ba",
        span: "to 3.19",
        broken: Broken::Without(Rule::R38Current),
        fixed: "v6.12",
        scenario: "allocation_after_exit_mm",
        rule: "R38",
    },
    Bug {
        id: "P22",
        what: "a sharer whose leader has exited is not killed, and holds the mm",
        fix: "4d7b3394f76e",
        span: "to 4.3",
        broken: Broken::Without(Rule::R43Leader),
        fixed: "v6.12",
        scenario: "sharer_with_a_dead_leader",
        rule: "deadlock",
    },
    Bug {
        id: "P24",
        what: "the mm that global init uses is reaped",
        fix: "a commit of 4.8",
        span: "4.6 to 4.7",
        broken: Broken::Without(Rule::R43Init),
        fixed: "v6.12",
        scenario: "init_shares_the_victims_mm",
        rule: "R43",
    },
    Bug {
        id: "S10",
        what: "a victim is counted as gone before its memory is torn down",
        fix: "26db62f179d1",
        span: "-",
        broken: Broken::Without(Rule::R40),
        fixed: "v6.12",
        scenario: "victim_vs_oom_disable",
        rule: "R40",
    },
    Bug {
        id: "S1",
        what: "page tables are freed under the read lock",
        fix: "64591e8605d6",
        span: "the class of 5.16",
        broken: Broken::Without(Rule::R22),
        fixed: "v6.12",
        scenario: "exit_vs_reaper",
        rule: "uaf",
    },
    Bug {
        id: "P42",
        what: "the arch context is leaked when the per-CPU counters cannot be allocated",
        fix: "b20b0368c614",
        span: "6.2 to 6.3",
        broken: Broken::Kernels(&["v6.2"]),
        fixed: "v6.18",
        scenario: "fork_fails",
        rule: "leak",
    },
    Bug {
        id: "V5a",
        what: "a failed charge frees the per-CPU memory that the constructor owns; the next fork uses NULL",
        fix: "a label that leaves it alone",
        span: "proposal",
        broken: Broken::Kernels(&["rfc-slab-ctor"]),
        fixed: "rfc-slab-ctor-fixed",
        scenario: "fork_after_a_failed_one",
        rule: "null",
    },
    Bug {
        id: "V5b",
        what: "the same label no longer destroys the arch context",
        fix: "a label that does",
        span: "proposal",
        broken: Broken::Kernels(&["rfc-slab-ctor"]),
        fixed: "rfc-slab-ctor-fixed",
        scenario: "fork_fails",
        rule: "leak",
    },
    Bug {
        id: "S4",
        what: "the mmput() of process_mrelease() is the last one: the caller waits for I/O",
        fix: "ba535c1caf3e",
        span: "5.15 to 5.16",
        broken: Broken::Kernels(&["v5.15"]),
        fixed: "v5.17",
        scenario: "exit_vs_mrelease",
        rule: "R32",
    },
    Bug {
        id: "4.6",
        what: "a victim that cannot be reaped stays the one that everybody waits for",
        fix: "a commit of 4.7",
        span: "4.6",
        broken: Broken::Kernels(&["v4.6"]),
        fixed: "v4.9",
        scenario: "allocator_holds_the_lock",
        rule: "deadlock",
    },
    Bug {
        id: "V1",
        what: "a walker without mm_users faults a page in between unmapping and freeing",
        fix: "the write lock throughout",
        span: "proposal",
        broken: Broken::Kernels(&["count-walkers-read-lock"]),
        fixed: "count-walkers-2026",
        scenario: "exit_vs_proc_mem",
        rule: "rss",
    },
];

impl Bug {
    /// The kernel that shows it, and the one that does not.
    ///
    /// # Panics
    /// When the table names a kernel that does not exist.
    pub fn kernels(&self) -> (Kernel, Kernel) {
        let kernel = |name| Kernel::named(name).unwrap_or_else(|| panic!("{}: no kernel {name}", self.id));
        let fixed = kernel(self.fixed);
        match self.broken {
            Broken::Kernels(kernels) => (kernel(kernels[0]), fixed),
            Broken::Without(rule) => (fixed.without(rule), fixed),
        }
    }
}

/// The bugs that explain why `kernel` breaks `rule`.
pub fn explaining(kernel: &str, rule: &str) -> impl Iterator<Item = &'static Bug> {
    let has = move |bug: &Bug| matches!(bug.broken, Broken::Kernels(kernels) if kernels.contains(&kernel));
    BUGS.iter().filter(move |bug| bug.rule == rule && has(bug))
}
