//! Prices from published numbers, one from each.

use super::published::{Parameter, Publication, Row};
use super::subject::Prices;
use crate::engine::timed::Costs;

impl Parameter {
    /// What it is, and its value in `prices`.
    pub fn describe(self, prices: &Prices) -> String {
        let costs = &prices.costs;
        let us = |ns: u64| format!("{}.{:02} us", ns / 1_000, ns % 1_000 / 10);
        match self {
            Self::Rest => format!("an exit outside the model, waitpid() included: {}", us(costs.rest)),
            Self::Page => {
                format!(
                    "a page zapped and freed: {}.{:01} ns",
                    costs.page_ps / 1_000,
                    costs.page_ps % 1_000 / 100
                )
            }
            Self::PageLocked => format!(
                "part of it under the page-table lock: {}.{} %",
                costs.ptl_permille / 10,
                costs.ptl_permille % 10
            ),
            Self::HugePage => format!("a huge page zapped and freed: {}", us(prices.huge_page)),
            Self::HandOver => format!("a contended spinlock changes hands: {}", us(costs.hand_over)),
            Self::PercpuLocked => {
                format!(
                    "per-CPU memory allocated under pcpu_alloc_mutex, a chunk: {}",
                    us(costs.percpu_locked)
                )
            }
            Self::Percpu => format!("per-CPU memory cleared and freed, a chunk: {}", us(costs.percpu)),
            Self::Reaper => {
                format!("a teardown in mm_reaper, of the inline CPU time: {} %", costs.reaper_percent)
            }
        }
    }

    fn set(self, prices: &mut Prices, value: u64) {
        let costs = &mut prices.costs;
        *match self {
            Self::Rest => &mut costs.rest,
            Self::Page => &mut costs.page_ps,
            Self::PageLocked => &mut costs.ptl_permille,
            Self::HugePage => &mut prices.huge_page,
            Self::HandOver => &mut costs.hand_over,
            Self::PercpuLocked => &mut costs.percpu_locked,
            Self::Percpu => &mut costs.percpu,
            Self::Reaper => &mut costs.reaper_percent,
        } = value;
    }
}

/// Prices at which the rows that fix some are reproduced, the rest being `assumed`.
pub fn calibrate(publication: &Publication, assumed: Costs) -> Prices {
    let mut prices = Prices { costs: assumed, huge_page: 0 };
    for &parameter in publication.calibration {
        let row = publication.rows.iter().find(|row| row.fixes == Some(parameter)).expect("a row fixes it");
        solve(row, parameter, row.cpus.unwrap_or(publication.cpus), &mut prices);
    }
    prices
}

/// The value whose result comes next to `row`. Results rise with each price, by integers.
fn solve(row: &Row, parameter: Parameter, cpus: usize, prices: &mut Prices) {
    let published = row.published.expect("a row that fixes a price has a number");
    let mut result = |value: u64| {
        parameter.set(prices, value);
        row.of.measure(cpus, prices).expect("it happens")
    };
    let mut high = 1;
    while result(high) < published {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if result(middle) < published {
            low = middle;
        } else {
            high = middle;
        }
    }
    let far = |found: u64| found.abs_diff(published);
    let best = if far(result(low)) < far(result(high)) { low } else { high };
    parameter.set(prices, best);
}
