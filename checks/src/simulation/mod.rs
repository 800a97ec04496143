//! Published numbers beside the numbers of a simulation: the model on the [`timed`](crate::engine::timed)
//! engine, whose prices come from some of the published numbers and predict the others.

mod calibrate;
pub mod execs;
pub mod published;
pub mod subject;

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
    /// What was published.
    pub published: f64,
    /// What the simulation gives.
    pub simulated: f64,
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
        let prices = calibrate::calibrate(&publication, assumed);
        let line = |row: &Row| {
            let published_cpus = row.cpus.unwrap_or(publication.cpus);
            let cpus = cpus.unwrap_or(published_cpus);
            let simulated = row.of.measure(cpus, &prices);
            let ratio = matches!(row.of, Of::Exits(Subject { measure: Measure::ReaperCpu, .. }));
            let (unit, scale) = if ratio { ("x", 1_000) } else { publication.unit };
            let compared = cpus == published_cpus;
            Line {
                what: row.what,
                r#async: match row.of {
                    Of::Exits(Subject { kernel: "rfc-async-teardown", on, .. }) => Some(on),
                    _ => None,
                },
                unit,
                published_cpus,
                published: in_unit(row.published, scale),
                simulated: in_unit(simulated, scale),
                error_percent: compared.then(|| error_percent(simulated, row.published)),
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
