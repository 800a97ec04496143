//! One execution, by a given schedule.

use super::{Blocked, Point, Search, prefer};
use crate::engine::explore::footprint::Footprint;

/// Follows a schedule; past its end, runs threads without switching.
pub struct Replay {
    schedule: Vec<u16>,
    at: usize,
    /// First position at which the schedule asked for a thread that could not run.
    pub diverged: Option<usize>,
}

impl Replay {
    /// Replay `schedule`.
    pub fn new(schedule: Vec<u16>) -> Self {
        Self { schedule, at: 0, diverged: None }
    }

    fn next(&mut self) -> Option<usize> {
        let choice = self.schedule.get(self.at).map(|&c| c as usize);
        self.at += 1;
        choice
    }
}

impl Search for Replay {
    fn begin(&mut self) {
        self.at = 0;
    }

    fn decide(&mut self, at: Point) -> Option<usize> {
        let position = self.at;
        match self.next() {
            Some(t) if at.enabled >> t & 1 == 1 => Some(t),
            Some(_) => {
                self.diverged.get_or_insert(position);
                None
            }
            None => Some(prefer(at.last, at.enabled)),
        }
    }

    fn choose(&mut self, n: usize) -> usize {
        if n == 1 {
            return 0;
        }
        self.next().filter(|&c| c < n).unwrap_or(0)
    }

    fn step_done(&mut self, _: usize, _: &Footprint) {}

    fn end(&mut self, _: &[Blocked]) {}

    fn advance(&mut self) -> bool {
        false
    }

    fn schedule(&self) -> Vec<u16> {
        self.schedule[..self.at.min(self.schedule.len())].to_vec()
    }

    fn preemptions(&self) -> u32 {
        0
    }
}
