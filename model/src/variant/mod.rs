//! Which kernel is modelled: a set of choices at named points, and the rules it keeps.

mod rule;

pub use rule::{RULES, Rule, RuleInfo};

/// Who tears down an address space whose last user is an exiting task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teardown {
    /// The exiting task itself: every released kernel.
    Inline,
    /// `mm_reaper`, if the mm is worth it; `uprobe_clear_state()` to `khugepaged_exit()` stay with
    /// the task.
    Async,
    /// `mm_reaper`, all of `__mmput()` included.
    AsyncAll,
}

/// What an exit does while `mm_reaper` is frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhileFrozen {
    /// Queue; the backlog waits for the thaw with its budget charged.
    Queue,
    /// Tear down inline.
    Inline,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Name on the command line.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Who tears down on exit.
    pub teardown: Teardown,
    /// Exits during suspend.
    pub while_frozen: WhileFrozen,
    /// Tries of the OOM reaper for the mmap lock (the kernel's `MAX_OOM_REAP_RETRIES` is 10; two
    /// reach every path).
    pub reap_retries: usize,
    /// Whether it is another design of a proposal, kept for comparison.
    pub alternative: bool,
    removed: u64,
}

const BASE: Kernel = Kernel {
    name: "v6.12",
    about: "Linux 6.12: exit_mmap() unmaps under the read lock, sets MMF_OOM_SKIP, frees under the write lock",
    teardown: Teardown::Inline,
    while_frozen: WhileFrozen::Queue,
    reap_retries: 2,
    alternative: false,
    removed: 0,
};

/// All kernels.
pub const KERNELS: &[Kernel] = &[
    BASE,
    Kernel {
        name: "rfc-async-teardown",
        about: "exit_mm() calls mmput_exit(): the final drop may hand the mm to mm_reaper after the inline hooks",
        teardown: Teardown::Async,
        ..BASE
    },
    Kernel {
        name: "rfc-async-teardown-all",
        about: "the same, but all of __mmput() is deferred, exit_aio() included",
        teardown: Teardown::AsyncAll,
        alternative: true,
        ..BASE
    },
    Kernel {
        name: "rfc-async-teardown-inline-frozen",
        about: "the same as rfc-async-teardown, but exits tear down inline while the freezer is active",
        teardown: Teardown::Async,
        while_frozen: WhileFrozen::Inline,
        alternative: true,
        ..BASE
    },
];

impl Kernel {
    /// The kernel of this name.
    pub fn named(name: &str) -> Option<Self> {
        KERNELS.iter().find(|k| k.name == name).copied()
    }

    /// The same kernel with `rule` broken.
    #[must_use]
    pub fn without(mut self, rule: Rule) -> Self {
        self.removed |= 1 << rule as u32;
        self
    }

    /// Whether it keeps `rule`.
    pub fn keeps(&self, rule: Rule) -> bool {
        self.removed >> rule as u32 & 1 == 0
    }

    /// Rules that it breaks.
    pub fn broken(&self) -> Vec<Rule> {
        RULES.iter().map(|r| r.rule).filter(|&r| !self.keeps(r)).collect()
    }

    /// Whether it has `mm_reaper`.
    pub fn is_async(&self) -> bool {
        self.teardown != Teardown::Inline
    }
}
