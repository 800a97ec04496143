//! Published numbers beside the numbers of a simulation: the model on the [`timed`](crate::engine::timed)
//! engine, whose prices come from some of the published numbers and predict the others. What nobody has
//! published is predicted from the prices of another table.

mod calibrate;
pub mod execs;
pub mod frozen;
pub mod published;
pub mod subject;
pub mod walks;

use crate::engine::timed::Costs;
use published::{Of, Publication, Row};
use serde::Serialize;
use subject::{Measure, Subject};

/// Numbers of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Table {
    /// Asynchronous teardown: from SIGKILL until the task is reaped
    AsyncTeardown,
    /// One exit with `exit_mmap()` under the write lock
    WriteLock,
    /// Execs with and without per-CPU memory from a slab constructor
    Exec,
    /// A victim's exit beside a reaper that walks upwards or downwards
    Reverse,
    /// How long a frozen victim pins its memory
    Frozen,
}

/// A published table and its simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// Which.
    pub table: Table,
    /// Message that has the published numbers.
    pub message: &'static str,
    /// What was measured.
    pub about: &'static str,
    /// CPUs of the machine that was measured, the largest if there were some.
    pub published_cpus: usize,
    /// CPUs of the simulation.
    pub cpus: usize,
    /// Numbers.
    pub rows: Vec<Line>,
    /// Prices that no row tells, in ns.
    pub assumed: Costs,
    /// What the simulation cannot show.
    pub not_shown: &'static [&'static str],
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What was measured.
    pub what: &'static str,
    /// `vm.async_mm_teardown`; nothing on a kernel without.
    pub r#async: Option<bool>,
    /// `ms`, `ns`, `x` or `%`.
    pub unit: &'static str,
    /// CPUs of the machine that was measured.
    pub published_cpus: usize,
    /// What was published, if anything.
    pub published: Option<f64>,
    /// What the simulation gives; nothing if it does not happen.
    pub simulated: Option<f64>,
    /// By how much that is larger, in percent; nothing on another number of CPUs.
    pub error_percent: Option<f64>,
    /// Price calibrated from this row; nothing if it is a prediction.
    pub calibrates: Option<String>,
}

impl Table {
    /// What was published.
    pub fn publication(self) -> Publication {
        match self {
            Self::AsyncTeardown => published::ASYNC_TEARDOWN,
            Self::WriteLock => published::WRITE_LOCK,
            Self::Exec => published::EXEC,
            Self::Reverse => published::REVERSE_WALK,
            Self::Frozen => published::FROZEN_VICTIM,
        }
    }

    /// Simulate it, on the number of CPUs that was published or another. Prices are calibrated on the
    /// published number in either case.
    pub fn simulate(self, cpus: Option<usize>) -> Simulated {
        self.simulate_assuming(cpus, Costs::ASSUMED)
    }

    /// The same with other prices where no row tells them.
    pub fn simulate_assuming(self, cpus: Option<usize>, assumed: Costs) -> Simulated {
        let publication = self.publication();
        let calibrated = publication.prices_of.map_or(publication, Self::publication);
        let prices = calibrate::calibrate(&calibrated, assumed);
        let line = |row: &Row| {
            let published_cpus = row.cpus.unwrap_or(publication.cpus);
            let cpus = cpus.unwrap_or(published_cpus);
            let simulated = row.of.measure(cpus, &prices);
            let (unit, scale) = match row.of {
                Of::Exits(Subject { measure: Measure::ReaperCpu, .. }) => ("x", 1_000),
                Of::Walk(_, walks::Of::ReaperSpins) => ("%", 1_000),
                _ => publication.unit,
            };
            let compared = cpus == published_cpus;
            Line {
                what: row.what,
                r#async: match row.of {
                    Of::Exits(Subject { kernel: "rfc-async-teardown", on, .. }) => Some(on),
                    _ => None,
                },
                unit,
                published_cpus,
                published: row.published.map(|value| in_unit(value, scale)),
                simulated: simulated.map(|value| in_unit(value, scale)),
                error_percent: simulated
                    .zip(row.published)
                    .filter(|_| compared)
                    .map(|(simulated, published)| error_percent(simulated, published)),
                calibrates: row.fixes.map(|parameter| parameter.describe(&prices)),
            }
        };
        Simulated {
            table: self,
            message: publication.message,
            about: publication.about,
            published_cpus: publication.cpus,
            cpus: cpus.unwrap_or(publication.cpus),
            rows: publication.rows.iter().map(line).collect(),
            assumed,
            not_shown: publication.not_shown,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "all are far below 2^52")]
fn in_unit(value: u64, scale: u32) -> f64 {
    value as f64 / f64::from(scale)
}

#[allow(clippy::cast_precision_loss, reason = "all are far below 2^52")]
fn error_percent(simulated: u64, published: u64) -> f64 {
    100.0 * (simulated as f64 - published as f64) / published as f64
}
