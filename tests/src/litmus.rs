//! Litmus tests with the verdict of the Linux-kernel memory model (LKMM), as herd7 gives it.
//!
//! - `shapes.json`: named shapes (store buffering, message passing, ...) over the kernel's primitives;
//! - `random.json`: random programs of two or three threads, with all their outcomes under LKMM;
//! - `protocol.json`: the patterns of an mm's life (reference drops, `MMF_OOM_SKIP`, marking a victim,
//!   `llist`, wait queues, ...), with and without the order that they need. The models of v6.12 and
//!   v7.1 agree on them. Patterns that rest on RCU or on an address dependency are left out: the
//!   facade has neither.

mod run;
pub mod statement;

use mmspec_model::k::engine::Order;
pub use run::program;
use serde::Deserialize;
use statement::{Action, Change, Reg, Returns, Statement, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A place whose final value is part of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "&'static str", bound(deserialize = "'de: 'static"))]
pub enum Place {
    /// A register of a thread: `1:r0`.
    Reg(usize, Reg),
    /// A variable.
    Var(Var),
}

impl TryFrom<&'static str> for Place {
    type Error = std::num::ParseIntError;

    fn try_from(text: &'static str) -> Result<Self, Self::Error> {
        Ok(match text.split_once(':') {
            Some((thread, reg)) => Self::Reg(thread.parse()?, reg),
            None => Self::Var(text),
        })
    }
}

/// A program of a few threads.
#[derive(Clone, Debug, Deserialize)]
pub struct Litmus {
    /// What it is called.
    pub name: &'static str,
    /// Variables that do not start as 0.
    #[serde(default)]
    pub init: BTreeMap<Var, u64>,
    /// What each thread does.
    pub threads: Vec<Vec<Statement>>,
    /// What makes up an outcome.
    pub observe: Vec<Place>,
}

impl Litmus {
    /// Initial value of a variable.
    pub fn initially(&self, name: Var) -> u64 {
        self.init.get(name).copied().unwrap_or(0)
    }

    /// The outcome in which the places of `observe` hold `values`: `0:r0=1 x=2`.
    pub fn outcome(&self, values: &[u64]) -> String {
        let terms = self.observe.iter().zip(values).map(|(place, value)| match place {
            Place::Reg(thread, reg) => format!("{thread}:{reg}={value}"),
            Place::Var(name) => format!("{name}={value}"),
        });
        terms.collect::<Vec<_>>().join(" ")
    }

    fn outcomes(&self, values: &[Vec<u64>]) -> BTreeSet<String> {
        values.iter().map(|values| self.outcome(values)).collect()
    }

    /// The same with `smp_mb()` around every statement: sequentially consistent on any kernel.
    #[must_use]
    pub fn fenced(&self) -> Self {
        let fence = |thread: &Vec<Statement>| {
            let fenced = thread.iter().flat_map(|statement| [Statement::smp_mb(), statement.clone()]);
            fenced.chain([Statement::smp_mb()]).collect()
        };
        Self { threads: self.threads.iter().map(fence).collect(), ..self.clone() }
    }

    /// The same with a fully ordered read-modify-write in place of every load, store and
    /// read-modify-write. A failed `cmpxchg()` orders nothing, so it keeps `smp_mb()` around it.
    #[must_use]
    pub fn exchanged(&self) -> Self {
        let exchange = |thread: &Vec<Statement>| thread.iter().flat_map(exchanged).collect();
        Self { threads: self.threads.iter().map(exchange).collect(), ..self.clone() }
    }
}

fn exchanged(statement: &Statement) -> Vec<Statement> {
    let mut strong = statement.clone();
    strong.action = match statement.action {
        Action::ReadOnce(x) | Action::LoadAcquire(x) => {
            strong.text = format!("atomic_fetch_add(0, {x})");
            Action::Rmw(x, Order::Full, Change::Add(0), Returns::Old)
        }
        Action::WriteOnce(x, value) | Action::StoreRelease(x, value) => {
            strong.text = format!("xchg({x}, {value})");
            Action::Rmw(x, Order::Full, Change::Xchg(value), Returns::Old)
        }
        Action::AtomicInc(x) => {
            strong.text = format!("atomic_inc_return({x})");
            Action::Rmw(x, Order::Full, Change::Add(1), Returns::New)
        }
        Action::Rmw(x, _, change, returns) => Action::Rmw(x, Order::Full, change, returns),
        same => same,
    };
    let fails = matches!(strong.action, Action::Rmw(_, _, Change::Cmpxchg(..), _) | Action::IncNotZero(_));
    if fails { vec![Statement::smp_mb(), strong, Statement::smp_mb()] } else { vec![strong] }
}

impl fmt::Display for Litmus {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let init: Vec<String> = self.init.iter().map(|(name, value)| format!("{name} = {value}; ")).collect();
        writeln!(f, "{}: {{ {}}}", self.name, init.concat())?;
        for (index, thread) in self.threads.iter().enumerate() {
            let statements: Vec<String> = thread.iter().map(ToString::to_string).collect();
            writeln!(f, "  P{index}: {};", statements.join("; "))?;
        }
        Ok(())
    }
}

/// LKMM's verdict on an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Verdict {
    /// Forbidden.
    Never,
    /// Allowed.
    Sometimes,
}

/// A program and a question: can it end so?
#[derive(Clone, Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Shape {
    /// The program.
    #[serde(flatten)]
    pub test: Litmus,
    /// Outcomes asked about, as values of the observed places.
    exists: Vec<Vec<u64>>,
    /// Whether LKMM allows one of them.
    pub lkmm: Verdict,
    /// Whether LKMM finds a data race.
    #[serde(default)]
    pub race: bool,
}

impl Shape {
    /// Verdict of an engine that found `outcomes`.
    pub fn verdict(&self, outcomes: &BTreeSet<String>) -> Verdict {
        let asked = self.test.outcomes(&self.exists);
        if asked.is_disjoint(outcomes) { Verdict::Never } else { Verdict::Sometimes }
    }
}

/// A program and all its outcomes under LKMM.
#[derive(Clone, Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Random {
    /// The program.
    #[serde(flatten)]
    pub test: Litmus,
    states: Vec<Vec<u64>>,
}

impl Random {
    /// All outcomes under LKMM.
    pub fn outcomes(&self) -> BTreeSet<String> {
        self.test.outcomes(&self.states)
    }
}

fn parse<T: Deserialize<'static>>(file: &str, text: &'static str) -> Vec<T> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The tests of `shapes.json`.
pub fn shapes() -> Vec<Shape> {
    parse("shapes.json", include_str!("../litmus/shapes.json"))
}

/// The tests of `random.json`.
pub fn random() -> Vec<Random> {
    parse("random.json", include_str!("../litmus/random.json"))
}

/// The tests of `protocol.json`.
pub fn protocol() -> Vec<Shape> {
    parse("protocol.json", include_str!("../litmus/protocol.json"))
}
