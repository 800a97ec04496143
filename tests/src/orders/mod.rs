//! The weakest memory order that suffices: each ordered step of the protocol, with weaker orders in its
//! place, on the engines that know weak memory.

mod counts;
mod locks;
pub mod survey;
mod waits;
pub mod words;

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
    /// Name of the word; empty for a barrier.
    pub word: &'static str,
    /// Function that it is varied in; empty for all that have it.
    pub function: &'static str,
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

/// What most places have in common.
const ANY: Place = Place {
    op: "",
    arg: "",
    word: "",
    function: "",
    kernel: Order::Full,
    at: "",
    rule: "",
    subjects: &[],
    lkmm: "",
};

/// All steps that are varied.
pub fn places() -> impl Iterator<Item = &'static Place> {
    [counts::PLACES, waits::PLACES, locks::PLACES].into_iter().flatten()
}

struct Weaken {
    place: Place,
    order: Order,
}

impl Watch for Weaken {
    fn order(&self, step: &Step, order: Order) -> Order {
        let Place { op, arg, word, function, .. } = self.place;
        let there = function.is_empty() || function == step.function;
        if there && (step.op, step.arg, step.word) == (op, arg, word) { self.order } else { order }
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

/// Whether `order` is weaker than `than`.
fn weaker(order: Order, than: Order) -> bool {
    let orders = |o: Order| (o.acquires(), o.releases(), o == Order::Full);
    let (a, b) = (orders(order), orders(than));
    a != b && (!a.0 || b.0) && (!a.1 || b.1) && (!a.2 || b.2)
}

/// What comes of the orders of [`ORDERS`] after the first at `place`; nothing for one that is not weaker than
/// the kernel's. An order that suffices speaks for all that are stronger: they allow fewer executions.
pub fn try_orders(place: Place, engine: Engine) -> [Option<Verdict>; 4] {
    let mut known: Vec<(Order, Verdict)> = Vec::new();
    let mut verdicts = [const { None }; 4];
    for (index, (order, _)) in ORDERS.iter().enumerate().skip(1).rev() {
        if !weaker(*order, place.kernel) {
            continue;
        }
        let suffices = known.iter().find(|(o, v)| weaker(*o, *order) && !matches!(v, Verdict::Breaks(_)));
        let verdict = suffices.map_or_else(|| try_order(place, *order, engine), |(_, v)| v.clone());
        known.push((*order, verdict.clone()));
        verdicts[index - 1] = Some(verdict);
    }
    verdicts
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
