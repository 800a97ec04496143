//! How near each step is to the violation, for a table that has no room for all.
//!
//! The distance of a step is the length of the shortest chain of reasons from the steps that clash:
//! what a step reads was written by another task, a step is under a lock, a task was interrupted
//! here, a task had read that before it came there.

use super::clash::touches;
use super::step::{only_queues, releases, takes};
use crate::file::TraceFile;
use mmspec_model::event::{Event, Kind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Beyond this distance a step is no part of the story.
const FARTHEST: u32 = 7;

/// Steps before the end beyond which none is looked at: a trace may be as long as its file.
const HORIZON: usize = 4096;

/// Prices of the reasons, by how soon a reader asks for them.
mod price {
    /// The write that a step reads or overwrites, by another task.
    pub const WRITER: u32 = 1;
    /// Taking and dropping a lock that sleeps, around a step.
    pub const SLEEPING_LOCK: u32 = 2;
    /// Taking and dropping a spinlock around a step.
    pub const SPINLOCK: u32 = 4;
    /// What the task did last to the same word.
    pub const OWN_WRITE: u32 = 2;
    /// What another task does next to what a step has written.
    pub const READER: u32 = 3;
    /// The write by another task that comes too late for a step.
    pub const LATE_WRITER: u32 = 2;
    /// The test that a task made last before a step.
    pub const TEST: u32 = 2;
    /// A step at which a task is interrupted, or goes on.
    pub const SWITCH: u32 = 1;
}

/// Indices of the steps that have to do with the violation, the nearest first, and of those that are
/// equally near the last first. `seeds` come with their distances; `visible` steps only are considered.
pub fn by_distance(file: &TraceFile, seeds: &[(u32, usize)], visible: &[bool]) -> Vec<usize> {
    let events = &file.events;
    let steps = Steps { events, visible, from: events.len().saturating_sub(HORIZON) };
    let mut distance: Vec<Option<u32>> = vec![None; events.len()];
    let mut queue: BinaryHeap<Reverse<(u32, usize)>> = seeds.iter().map(|&seed| Reverse(seed)).collect();
    queue.extend(steps.switches().map(|i| Reverse((price::SWITCH, i))));
    while let Some(Reverse((d, i))) = queue.pop() {
        if distance[i].is_none() && d <= FARTHEST {
            distance[i] = Some(d);
            queue.extend(steps.reasons(i).into_iter().map(|(price, j)| Reverse((d + price, j))));
        }
    }
    let mut near: Vec<usize> = (0..events.len()).filter(|&i| visible[i] && distance[i].is_some()).collect();
    near.sort_by_key(|&i| (distance[i], Reverse(i)));
    near
}

struct Steps<'a> {
    events: &'a [Event],
    visible: &'a [bool],
    /// The first step that is looked at.
    from: usize,
}

impl Steps<'_> {
    /// Steps before and after which a task is interrupted that could have run on, and does later.
    fn switches(&self) -> impl Iterator<Item = usize> {
        let shown: Vec<usize> = (self.from..self.events.len()).filter(|&i| self.visible[i]).collect();
        let mut switches = Vec::new();
        for pair in shown.windows(2) {
            let (last, task) = (&self.events[pair[0]], self.events[pair[0]].task);
            let waits = last.kind == Kind::Waits || only_queues(last);
            let resumes = shown.iter().find(|&&i| i > pair[0] && self.events[i].task == task);
            if let Some(&resumes) = resumes.filter(|&&r| r != pair[1] && !waits) {
                switches.extend([pair[0], resumes]);
            }
        }
        switches.into_iter()
    }

    /// Steps that a reader of step `i` asks for, with their prices.
    fn reasons(&self, i: usize) -> Vec<(u32, usize)> {
        let e = &self.events[i];
        let mine = |j: &usize| self.events[*j].task == e.task;
        let same = |j: &usize| self.visible[*j] && touches(&self.events[*j], e);
        let changes = |j: &usize| same(j) && writes(&self.events[*j]);
        let asks = |j: &usize| self.visible[*j] && mine(j) && is_test(&self.events[*j]);

        let writer = (self.from..i).rev().find(changes).filter(|j| !mine(j)).map(|j| (price::WRITER, j));
        let own = (self.from..i).rev().find(changes).filter(mine).map(|j| (price::OWN_WRITE, j));
        // Whoever comes next to what is written, or writes next to what is read.
        let (wanted, price): (&dyn Fn(&usize) -> bool, _) =
            if writes(e) { (&same, price::READER) } else { (&changes, price::LATE_WRITER) };
        let later = (i + 1..self.events.len()).find(wanted);
        let later = later.filter(|j| !mine(j)).map(|j| (price, j));
        let test = (self.from..i).rev().find(asks).map(|j| (price::TEST, j));
        let mut reasons: Vec<_> = [writer, own, later, test].into_iter().flatten().collect();
        reasons.extend(self.locks_around(i));
        reasons
    }

    /// Where the locks are taken and dropped that the task of step `i` holds there.
    fn locks_around(&self, i: usize) -> Vec<(u32, usize)> {
        let task = self.events[i].task;
        let mine = |j: &usize| self.visible[*j] && self.events[*j].task == task;
        let mut dropped: Vec<&Event> = Vec::new();
        let mut around = Vec::new();
        for j in (self.from..i).rev().filter(mine) {
            let e = &self.events[j];
            if releases(e) {
                dropped.push(e);
            } else if takes(e) {
                if let Some(at) = dropped.iter().position(|d| touches(d, e)) {
                    dropped.swap_remove(at);
                    continue;
                }
                let price = if e.step.starts_with("spin_") { price::SPINLOCK } else { price::SLEEPING_LOCK };
                around.push((price, j));
                let drop = |j: &usize| mine(j) && releases(&self.events[*j]) && touches(&self.events[*j], e);
                around.extend((i..self.events.len()).find(drop).map(|j| (price, j)));
            }
        }
        around
    }
}

fn writes(e: &Event) -> bool {
    e.kind == Kind::Free || (e.kind == Kind::Write && e.before != e.after)
}

/// Whether what the step found may decide what its task does next.
fn is_test(e: &Event) -> bool {
    e.kind == Kind::Failed || (e.kind == Kind::Read && e.step != "read") || e.step.starts_with("test_")
}
