//! What each word that is touched in an order guards: the rules that rest on it, and LKMM's verdict on the
//! shape.

/// A word of the model.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Its name; empty for barriers.
    pub word: &'static str,
    /// Rules of the reference that rest on its order.
    pub rules: &'static [&'static str],
    /// LKMM's litmus tests of the shape, or what else says which order is due.
    pub lkmm: &'static str,
}

const fn guard(word: &'static str, rules: &'static [&'static str], lkmm: &'static str) -> Guard {
    Guard { word, rules, lkmm }
}

const SLAB: &str = "no test: the allocator's own lock";
const LOCK: &str = "a lock (b1, c1); without it b4, c2";
const COUNT: &str = "release by all, acquire by the last (a1 to a5)";
const QUEUE: &str = "the queue's lock (h2), or full on both sides (h1)";
const PUBLISHED: &str = "release and acquire (d1)";
const EXCLUSION: &str = "no test: a lock, as b1";
const HARDWARE: &str = "no test: the machine, not memory";

/// All of them, by word.
pub const GUARDS: &[Guard] = &[
    guard("", &["R14", "R56"], "full, both sides (g1, g2); acquire of the last put (a4 with rmb)"),
    guard("SIGKILL", &[], PUBLISHED),
    guard("__state", &[], QUEUE),
    guard("alloc_lock", &["R1", "R3", "R4", "R5", "R38", "R53", "A3", "A4"], LOCK),
    guard("async_put_work", &[], PUBLISHED),
    guard("context.pinned", &[], COUNT),
    guard("deferred_list_work", &[], PUBLISHED),
    guard("delayed_drop", &[], PUBLISHED),
    guard("fault_pending_wqh", &["R61"], QUEUE),
    guard("flags", &["R33"], "no test; by analysis relaxed"),
    guard("free_pages", &[], EXCLUSION),
    guard("freezer", &["R37", "R39"], QUEUE),
    guard("freezer_lock", &["R39"], EXCLUSION),
    guard("fuse_reply", &[], PUBLISHED),
    guard("ioctx", &[], PUBLISHED),
    guard("irqs", &["R14"], "no test: one CPU"),
    guard("khugepaged_mm_lock", &["R50"], LOCK),
    guard("ksm_mmlist_lock", &["R50", "R51"], LOCK),
    guard("memcg.margin", &[], "no test: the counter's own lock"),
    guard("memcg.oom_notify", &["M2"], PUBLISHED),
    guard("memcg_oom_waitq", &["M2"], QUEUE),
    guard("mm_cachep", &[], SLAB),
    guard("mm_count", &["O2", "R10", "A2"], COUNT),
    guard("mm_cpumask(mm0)", &["R3"], "store buffering with the flush's barrier: full (g1)"),
    guard("mm_pending", &["A8"], "relaxed (i2)"),
    guard("mm_reaper_list", &["A9"], PUBLISHED),
    guard("mm_reaper_wait", &["A9", "O24"], QUEUE),
    guard("mm_users", &["O1", "I3", "I4", "R26", "R57", "A1"], COUNT),
    guard("mmap_lock", &["R11", "R20", "R22", "R23", "R25", "R48", "R49"], "a lock (b1, c8); without it b4"),
    guard("mmlist_lock", &["R12"], LOCK),
    guard("notifier_lock", &["R29"], EXCLUSION),
    guard("oom_lock", &["R38"], EXCLUSION),
    guard("oom_mm", &["I7"], "no test; by analysis release"),
    guard("oom_reaper_lock", &["I7"], EXCLUSION),
    guard("oom_reaper_wait", &["O24"], QUEUE),
    guard("oom_victims", &["R40"], "relaxed for the wake-up (h2); release for what suspend relies on"),
    guard("oom_victims_wait", &["R40"], QUEUE),
    guard("pcpu_alloc_mutex", &[], EXCLUSION),
    guard("percpu_counters_lock", &["R18"], EXCLUSION),
    guard("pgd_lock", &[], EXCLUSION),
    guard("pmd_lock", &["R22"], EXCLUSION),
    guard("pte", &["R22", "R28", "R30"], "no test: a page-table lock is one step here"),
    guard("ptl", &["R22", "R30"], EXCLUSION),
    guard("refcount", &[], COUNT),
    guard("release_work", &[], PUBLISHED),
    guard("rmap_lock", &["R27"], EXCLUSION),
    guard("sigcnt", &[], COUNT),
    guard("spte", &["R24"], HARDWARE),
    guard("srcu", &["R24"], "no test: SRCU as a count of readers"),
    guard("subscriptions->lock", &["R24", "R25"], EXCLUSION),
    guard("subscriptions->wq", &[], QUEUE),
    guard("timers", &[], EXCLUSION),
    guard("tlb", &["R28"], HARDWARE),
    guard("usage", &[], COUNT),
    guard("wait.lock", &["R53"], EXCLUSION),
    guard("waiter", &["R53"], PUBLISHED),
];

/// Rules whose order no engine was asked about, and why.
pub const NOT_RUN: &[(&str, &str)] = &[
    ("R7", "`exec_update_lock` is not in the model"),
    ("R21", "`fork_of_a_victim` is too large to vary it"),
    ("R45", "RCU, for `real_parent`, is not in the model"),
    ("R55", "`mm->owner` is not in the model"),
    ("R62", "a trylock that fails orders nothing, in the model as in the kernel"),
];
