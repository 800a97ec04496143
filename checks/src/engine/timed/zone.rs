//! `zone->lock`: what all CPUs share when they free pages.
//!
//! The model has no page allocator, but many exits at once are bound by it. The lock is a queue, as a
//! qspinlock is, and stands for everything that frees of pages have in common.

use std::collections::VecDeque;

/// The lock of the one zone.
#[derive(Debug, Default)]
pub struct Zone {
    held: bool,
    /// Threads that spin for it, and how long each will hold it.
    waiting: VecDeque<(usize, u64)>,
}

impl Zone {
    /// `thread` takes the lock for `ns`; false if it has to spin.
    pub fn take(&mut self, thread: usize, ns: u64) -> bool {
        if self.held {
            self.waiting.push_back((thread, ns));
            return false;
        }
        self.held = true;
        true
    }

    /// The holder gives it back: who has it now, and for how long.
    pub fn give(&mut self) -> Option<(usize, u64)> {
        let next = self.waiting.pop_front();
        self.held = next.is_some();
        next
    }
}
