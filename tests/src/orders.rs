//! The weakest memory order that suffices: each ordered step of the protocol, with weaker orders in its
//! place, on the engines that know weak memory.

use crate::wrapped::{Step, Watch, wrap};
use mmspec::engine::{Effort, Limits, Loom, views};
use mmspec::scenario::library;
use mmspec_model::k::engine::Order;
use mmspec_model::variant::Kernel;
use std::time::Duration;

/// Most threads of a scenario that loom is asked about: with more it does not finish.
const LOOM_THREADS: usize = 2;

/// Orders that are tried, the strongest first.
pub const ORDERS: [(Order, &str); 5] = [
    (Order::Full, "full"),
    (Order::AcqRel, "acquire + release"),
    (Order::Release, "release"),
    (Order::Acquire, "acquire"),
    (Order::Relaxed, "relaxed"),
];

/// A step whose order is varied.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Primitive.
    pub op: &'static str,
    /// Named constant passed to it, or empty.
    pub arg: &'static str,
    /// Name of the word.
    pub word: &'static str,
    /// Order of the kernel's primitive.
    pub kernel: Order,
    /// Where: `file:function()`.
    pub at: &'static str,
    /// Rule or edge of the reference.
    pub rule: &'static str,
    /// Scenarios and kernels that it is varied in.
    pub subjects: &'static [(&'static str, &'static str)],
    /// What LKMM asks for, with the litmus test that says so.
    pub lkmm: &'static str,
}

const V6_12: &str = "v6.12";
const RFC: &str = "rfc-async-teardown";

/// All steps that are varied.
pub const PLACES: &[Place] = &[
    Place {
        op: "atomic_dec_and_test",
        arg: "",
        word: "mm_users",
        kernel: Order::Full,
        at: "kernel/fork.c:mmput()",
        rule: "O1",
        subjects: &[("two_sharers_exit", V6_12), ("exit_vs_proc_mem", V6_12), ("two_sharers_exit", RFC)],
        lkmm: "release by all, acquire by the last (a1 to a4); acquire alone if a lock orders the others (c4)",
    },
    Place {
        op: "atomic_dec_and_test",
        arg: "",
        word: "mm_count",
        kernel: Order::Full,
        at: "include/linux/sched/mm.h:mmdrop()",
        rule: "O2",
        subjects: &[("exit_vs_proc_mem", V6_12), ("sharers_vs_two_readers", V6_12)],
        lkmm: "release by all, acquire by the last (a1 to a5)",
    },
    Place {
        op: "atomic_inc_not_zero",
        arg: "",
        word: "mm_users",
        kernel: Order::Full,
        at: "include/linux/sched/mm.h:mmget_not_zero()",
        rule: "R2",
        subjects: &[("exit_vs_proc_mem", V6_12), ("exit_vs_proc_mem", RFC)],
        lkmm: "relaxed: the drop orders (f2)",
    },
    Place {
        op: "cmpxchg",
        arg: "",
        word: "oom_mm",
        kernel: Order::Full,
        at: "mm/oom_kill.c:mark_oom_victim()",
        rule: "O8",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "no test; by analysis release",
    },
    Place {
        op: "test_and_set_bit",
        arg: "MMF_OOM_REAP_QUEUED",
        word: "flags",
        kernel: Order::Full,
        at: "mm/oom_kill.c:queue_oom_reaper()",
        rule: "O7",
        subjects: &[("victim_allocates", V6_12), ("exit_vs_reaper", V6_12)],
        lkmm: "no test; by analysis relaxed",
    },
    Place {
        op: "test_and_set_bit",
        arg: "TIF_MEMDIE",
        word: "flags",
        kernel: Order::Full,
        at: "mm/oom_kill.c:mark_oom_victim()",
        rule: "O9",
        subjects: &[("exit_vs_reaper", V6_12), ("frozen_victim", V6_12)],
        lkmm: "no test; by analysis relaxed, under freezer_lock",
    },
    Place {
        op: "atomic_dec_return",
        arg: "",
        word: "oom_victims",
        kernel: Order::Full,
        at: "mm/oom_kill.c:exit_oom_victim()",
        rule: "O11",
        subjects: &[("victim_vs_oom_disable", V6_12)],
        lkmm: "for the wake-up relaxed, because wake_up() takes a lock (h2); release for what suspend relies on",
    },
    Place {
        op: "prepare_to_wait",
        arg: "",
        word: "oom_reaper_wait",
        kernel: Order::Full,
        at: "mm/oom_kill.c:oom_reaper()",
        rule: "O24",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "full without the queue's lock (h1), relaxed with it (h2)",
    },
    Place {
        op: "prepare_to_wait",
        arg: "",
        word: "mm_reaper_wait",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_reaper()",
        rule: "O24",
        subjects: &[("exit_to_mm_reaper", RFC)],
        lkmm: "full without the queue's lock (h1), relaxed with it (h2)",
    },
    Place {
        op: "wake_up",
        arg: "",
        word: "mm_reaper_wait",
        kernel: Order::AcqRel,
        at: "mm/mm_reaper.c:queue_mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC)],
        lkmm: "the queue's lock (h2); relaxed loses the wake-up (h1)",
    },
    Place {
        op: "llist_add",
        arg: "",
        word: "mm_reaper_list",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:queue_mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC), ("backpressure", RFC)],
        lkmm: "release (d1); full only if the waker looks whether anybody sleeps (h3)",
    },
    Place {
        op: "llist_del_all",
        arg: "",
        word: "mm_reaper_list",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC), ("backpressure", RFC)],
        lkmm: "relaxed, by address dependency (d2); acquire if the entry is no pointer (d1)",
    },
    Place {
        op: "atomic_long_add_return",
        arg: "",
        word: "mm_pending",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_try_charge()",
        rule: "A8",
        subjects: &[("backpressure", RFC), ("exit_to_mm_reaper", RFC)],
        lkmm: "relaxed (i2)",
    },
];

struct Weaken {
    place: Place,
    order: Order,
}

impl Watch for Weaken {
    fn order(&self, step: &Step, order: Order) -> Order {
        let Place { op, arg, word, .. } = self.place;
        if (step.op, step.arg, step.word) == (op, arg, word) { self.order } else { order }
    }
}

/// What came of an order on an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every execution keeps all rules.
    Holds,
    /// This rule breaks.
    Breaks(String),
    /// The engine was not asked: no scenario is small enough for it.
    Unknown,
}

/// An engine that knows weak memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Ours.
    Views,
    /// loom.
    Loom,
}

/// What comes of the orders of [`ORDERS`] after the first at `place`. An order that suffices speaks for all
/// that are stronger: they allow fewer executions.
pub fn try_orders(place: Place, engine: Engine) -> [Verdict; 4] {
    let relaxed = try_order(place, Order::Relaxed, engine);
    if !matches!(relaxed, Verdict::Breaks(_)) {
        return [relaxed.clone(), relaxed.clone(), relaxed.clone(), relaxed];
    }
    let acquire = try_order(place, Order::Acquire, engine);
    let release = try_order(place, Order::Release, engine);
    let both = [&acquire, &release].into_iter().find(|v| **v == Verdict::Holds).cloned();
    let both = both.unwrap_or_else(|| try_order(place, Order::AcqRel, engine));
    [both, release, acquire, relaxed]
}

/// Whether `order` suffices at `place`.
pub fn try_order(place: Place, order: Order, engine: Engine) -> Verdict {
    let limits = Limits { time: Duration::from_mins(2), ..Limits::default() };
    let mut verdict = Verdict::Unknown;
    for (scenario, kernel) in place.subjects {
        let kernel = Kernel::named(kernel).expect("a kernel");
        let scenario = library::named(scenario).expect("a scenario");
        let setup = wrap(scenario.program(kernel), move || Weaken { place, order });
        let report = match engine {
            Engine::Views => views::run(limits, &setup, &|_| {}),
            Engine::Loom if scenario.threads(&kernel) > LOOM_THREADS => continue,
            Engine::Loom => Loom { preemptions: None, limits }.run(&setup).expect("no foreign settings"),
        };
        if let Some(failure) = report.failure {
            return Verdict::Breaks(failure.rule);
        }
        assert_eq!(report.effort, Effort::Complete, "{} on {} takes too long", scenario.name, kernel.name);
        verdict = Verdict::Holds;
    }
    verdict
}
