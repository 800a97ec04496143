//! The locking rules: what a kernel has to keep, why, where it does, and where the model does.
//!
//! [`RULES`](crate::variant::RULES) are the places at which a rule can be taken away: R23-set and
//! R23-test both belong to R23. What shows that a rule is needed follows from them, and from the
//! kernels that break it.

mod counts;
mod deferred;
pub mod functions;
mod killer;
mod reaper;
mod scanners;
mod structs;
mod task;
mod teardown;

/// A rule of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockingRule {
    /// Name: R locking, O order, I invariant, M what memory cgroups keep, A what the RFC has to keep.
    pub id: &'static str,
    /// What must be done, or what holds.
    pub statement: &'static str,
    /// Why.
    pub why: &'static str,
    /// What goes wrong without it.
    pub broken: &'static str,
    /// Where the kernel keeps it: `file:function()`.
    pub kernel: &'static [&'static str],
    /// Where the model keeps it: `file:function()` from the root of the repository.
    pub model: &'static [&'static str],
    /// Kernels to which it applies.
    pub versions: &'static str,
    /// Memory order that it takes.
    pub order: &'static str,
    /// If nothing takes it away: what the model would need; empty otherwise.
    pub missing: &'static str,
}

/// Rules about one thing.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// What they are about.
    pub title: &'static str,
    /// The rules.
    pub rules: &'static [LockingRule],
}

/// All rules.
pub const TOPICS: &[Topic] = &[
    Topic { title: "The two counts", rules: counts::RULES },
    Topic { title: "Changing ->mm", rules: task::RULES },
    Topic { title: "The struct and its CPUs", rules: structs::RULES },
    Topic { title: "Teardown", rules: teardown::RULES },
    Topic { title: "The OOM reaper", rules: reaper::RULES },
    Topic { title: "The OOM killer", rules: killer::RULES },
    Topic { title: "Scanners and others who come from outside", rules: scanners::RULES },
    Topic { title: "Deferred teardown (RFC)", rules: deferred::RULES },
];

/// All rules, those of a topic together.
pub fn all() -> impl Iterator<Item = &'static LockingRule> {
    TOPICS.iter().flat_map(|topic| topic.rules)
}

impl LockingRule {
    /// The rule with this name, whatever the case of its letters.
    pub fn named(id: &str) -> Option<&'static Self> {
        all().find(|rule| rule.id.eq_ignore_ascii_case(id))
    }

    /// Whether the rule of the model, or the broken rule of a report, with this name is (a part of) this
    /// one: R23-set is of R23.
    pub fn covers(&self, id: &str) -> bool {
        id.split_once('-').map_or(id, |(rule, _)| rule).eq_ignore_ascii_case(self.id)
    }
}
