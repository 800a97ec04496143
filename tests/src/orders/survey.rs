//! Every ordered step of the model, one at a time without its order: which of them the scenarios need.

use crate::wrapped::{Step, Watch, wrap};
use mmspec::engine::{Effort, Limits, views};
use mmspec::manifest::Manifest;
use mmspec::scenario::Scenario;
use mmspec_model::k::engine::Order;
use mmspec_model::variant::Kernel;
use std::sync::{Arc, Mutex};

/// Kernels that are surveyed.
const KERNELS: [&str; 2] = ["v6.12", "rfc-async-teardown"];
/// Most executions on `views` of a scenario that takes part: each of its steps takes an exploration.
const SMALL: u64 = 3_000;

/// An ordered step of the model, in all scenarios that take part.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// Primitive, word, and the function that it stands in.
    pub step: Step,
    /// Kernels and scenarios that have it, and what breaks there when it is relaxed.
    pub seen: Vec<Seen>,
}

/// What comes of a relaxed step.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Scenario.
    pub scenario: String,
    /// Kernel.
    pub kernel: String,
    /// Rule that breaks.
    pub broken: Option<String>,
}

/// Whether two steps are one line of the kernel, as far as their names tell.
fn same(a: &Step, b: &Step) -> bool {
    (a.op, a.arg, a.word, a.function) == (b.op, b.arg, b.word, b.function)
}

/// Collects the ordered steps of a program: those of the kernel's functions, not of the world around them
/// (user mode, the machine).
struct Collect(Arc<Mutex<Vec<Step>>>);

impl Watch for Collect {
    fn order(&self, step: &Step, order: Order) -> Order {
        let mut steps = self.0.lock().expect("no panic");
        let code = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let of_the_kernel = !step.function.is_empty() && code(step.op) && code(step.arg);
        if order != Order::Relaxed && of_the_kernel && !steps.iter().any(|s| same(s, step)) {
            steps.push(*step);
        }
        order
    }
}

/// Takes the order from a step.
struct Relax(Step);

impl Watch for Relax {
    fn order(&self, step: &Step, order: Order) -> Order {
        if same(step, &self.0) { Order::Relaxed } else { order }
    }
}

/// All ordered steps of the scenarios that take part, by word.
pub fn survey() -> Vec<Ordered> {
    let mut all: Vec<Ordered> = Vec::new();
    for row in Manifest::committed().check {
        let small = row.views.as_ref().is_some_and(|pin| !pin.deep && pin.executions <= SMALL);
        if !small || !KERNELS.contains(&&*row.kernel) {
            continue;
        }
        let (scenario, kernel) = row.subject();
        for step in ordered(&scenario, &kernel) {
            let broken = relaxed(&scenario, &kernel, step);
            let seen = Seen { scenario: row.scenario.clone(), kernel: row.kernel.clone(), broken };
            match all.iter_mut().find(|o| same(&o.step, &step)) {
                Some(known) => known.seen.push(seen),
                None => all.push(Ordered { step, seen: vec![seen] }),
            }
        }
    }
    all.sort_by_key(|o| (o.step.word, o.step.op, o.step.arg, o.step.function));
    all
}

fn ordered(scenario: &Scenario, kernel: &Kernel) -> Vec<Step> {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let collected = steps.clone();
    let setup = wrap(scenario.program(*kernel), move || Collect(collected.clone()));
    let report = views::run(Limits::default(), &setup, &|_| {});
    assert_eq!(report.effort, Effort::Complete, "{} on {}", scenario.name, kernel.name);
    steps.lock().expect("no panic").clone()
}

/// The rule that breaks when `step` orders nothing.
fn relaxed(scenario: &Scenario, kernel: &Kernel, step: Step) -> Option<String> {
    let setup = wrap(scenario.program(*kernel), move || Relax(step));
    let report = views::run(Limits::default(), &setup, &|_| {});
    let rule = report.failure.map(|failure| failure.rule);
    assert!(rule.is_some() || report.effort == Effort::Complete, "{} on {}", scenario.name, kernel.name);
    rule
}
