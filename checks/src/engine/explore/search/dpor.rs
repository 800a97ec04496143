//! Dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson,
//! Sagonas: "Source sets: a foundation for optimal dynamic partial order reduction", 2017).
//!
//! Two executions that differ only in the order of independent steps are one Mazurkiewicz trace;
//! exactly one of each runs to its end. Independence is judged by what steps did, not by what they
//! might have done. A blocking step that waits for a value can be moved before an earlier step on
//! its word only if the value is right there: that is what makes lock hand-overs irreversible.

use super::{Blocked, Point, Search, prefer};
use crate::engine::explore::footprint::{
    Access, Clock, Footprint, KINDS, MAX_THREADS, Touch, dependent, join,
};

#[derive(Default)]
struct Node {
    /// Threads that can take a step.
    enabled: u32,
    /// Threads worth starting with, explored ones included.
    backtrack: u32,
    /// Threads explored from here.
    explored: Vec<(u8, Footprint)>,
    /// Threads whose next step was explored before an equivalent of this point, and is unaffected
    /// by what happened since.
    sleep: Vec<(u8, Footprint)>,
    chosen: u8,
    footprint: Footprint,
    /// Thread that a switch away from is a preemption.
    running: Option<usize>,
}

impl Node {
    fn asleep(&self) -> u32 {
        self.sleep.iter().fold(0, |mask, (t, _)| mask | 1 << t)
    }

    fn done(&self) -> u32 {
        self.explored.iter().fold(0, |mask, (t, _)| mask | 1 << t)
    }
}

/// A step taken; its position in the execution is also the index of its node.
struct Step {
    thread: u8,
    /// Number of this step among the steps of its thread, from 1.
    number: u16,
    /// Steps that happen before it, itself included.
    clock: Clock,
}

#[derive(Clone, Copy)]
struct Logged {
    step: u32,
    access: Access,
    before: u64,
    after: u64,
}

#[derive(Default)]
struct WordLog {
    accesses: Vec<Logged>,
    /// Joined clocks of all accesses so far, by kind.
    clocks: [Clock; KINDS],
}

impl WordLog {
    /// Add to `clock` all steps so far that an access would depend on.
    fn join_conflicting(&self, clock: &mut Clock, access: Access) {
        for (kind, earlier) in self.clocks.iter().enumerate() {
            if access == Access::Write || kind != access as usize {
                join(clock, earlier);
            }
        }
    }
}

/// Source-DPOR with sleep sets. For sequentially consistent memory.
#[derive(Default)]
pub struct Dpor {
    nodes: Vec<Node>,
    /// Nodes in use; those behind it keep their buffers.
    len: usize,
    depth: usize,
    /// Position from which on this execution is new.
    fresh: usize,
    steps: Vec<Step>,
    words: Vec<WordLog>,
    clocks: [Clock; MAX_THREADS],
    /// Whether each thread is a starting point everywhere.
    everywhere: bool,
}

impl Dpor {
    /// Nothing explored yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same executions by sleep sets alone: slow, and without the need to find races.
    pub fn sleep_sets() -> Self {
        Self { everywhere: true, ..Self::default() }
    }

    fn push(&mut self, at: &Point) -> Option<usize> {
        if self.nodes.len() == self.len {
            self.nodes.push(Node::default());
        }
        let (before, rest) = self.nodes.split_at_mut(self.len);
        let node = &mut rest[0];
        node.sleep.clear();
        if let Some(parent) = before.last() {
            let slept = parent.sleep.iter().chain(&parent.explored);
            node.sleep.extend(slept.filter(|(_, f)| !dependent(f, &parent.footprint)).cloned());
        }
        let awake = at.enabled & !node.asleep();
        if awake == 0 {
            return None;
        }
        let chosen = prefer(at.last, awake);
        node.explored.clear();
        node.enabled = at.enabled;
        node.backtrack = if self.everywhere { at.enabled } else { 1 << chosen };
        node.chosen = chosen as u8;
        node.running = at.last.filter(|t| at.enabled >> t & 1 == 1);
        self.len += 1;
        Some(chosen)
    }

    /// Add backtrack points for the steps that race with a step `touches` of `thread`, of which
    /// everything before but the step itself is in `clock`.
    fn reverse_races(&mut self, thread: usize, touches: &[Touch], clock: &Clock) {
        let mut covered = *clock;
        for touch in touches {
            // Latest first: a step that happens before a later racing one is reached by reversing that.
            let log = self.words.get(touch.word.0 as usize).map_or(&[][..], |w| &w.accesses);
            let mut races = [0u32; 32];
            let mut count = 0;
            for (i, logged) in log.iter().enumerate().rev().filter(|(_, l)| l.access.conflicts(touch.access))
            {
                let step = &self.steps[logged.step as usize];
                let other = step.thread as usize;
                if covered[other] >= step.number || other == thread {
                    if logged.access == Access::Write {
                        break;
                    }
                    continue;
                }
                if touch.until.is_none_or(|until| until.ready(self.value_without(&log[i..]))) {
                    races[count] = logged.step;
                    count += 1;
                    join(&mut covered, &step.clock);
                    if count == races.len() {
                        break;
                    }
                }
            }
            for &step in &races[..count] {
                self.reverse(step as usize, thread, touches, clock);
            }
            // What comes before the step by this word cannot be reversed by another.
            if let Some(word) = self.words.get(touch.word.0 as usize) {
                word.join_conflicting(&mut covered, touch.access);
            }
        }
    }

    /// Value of a word if the first of the accesses `log` had not come yet, nor what depends on it: the
    /// others are of its kind, and their effects add up.
    fn value_without(&self, log: &[Logged]) -> u64 {
        let first = &self.steps[log[0].step as usize];
        let kept = |l: &&Logged| self.steps[l.step as usize].clock[first.thread as usize] < first.number;
        let others = log[1..].iter().filter(kept);
        others.fold(log[0].before, |value, l| value.wrapping_add(l.after).wrapping_sub(l.before))
    }

    /// Make sure that something equivalent to the execution in which `thread`'s step comes before
    /// step `first` is explored from there.
    fn reverse(&mut self, first: usize, thread: usize, touches: &[Touch], clock: &Clock) {
        let earlier = &self.steps[first];
        let mut starts = [0u16; MAX_THREADS];
        let mut initials = 0u32;
        for step in &self.steps[first + 1..] {
            let t = step.thread as usize;
            if step.clock[earlier.thread as usize] >= earlier.number || starts[t] != 0 {
                continue;
            }
            if starts.iter().zip(&step.clock).all(|(&start, &seen)| start == 0 || seen < start) {
                initials |= 1 << t;
            }
            starts[t] = step.number;
        }
        if starts[thread] == 0 {
            // The step's own dependencies on the remaining steps: its thread's past, and conflicts on
            // any of its words (those that depend on `first` too are not among them).
            let mut own = *clock;
            for touch in touches {
                let log = self.words.get(touch.word.0 as usize).map_or(&[][..], |w| &w.accesses);
                for logged in log.iter().rev().take_while(|l| l.step as usize > first) {
                    let step = &self.steps[logged.step as usize];
                    let kept = step.clock[earlier.thread as usize] < earlier.number;
                    if kept && logged.access.conflicts(touch.access) {
                        join(&mut own, &step.clock);
                    }
                }
            }
            if starts.iter().zip(&own).all(|(&start, &seen)| start == 0 || seen < start) {
                initials |= 1 << thread;
            }
        }
        let node = &mut self.nodes[first];
        if (node.backtrack | node.asleep()) & initials == 0 {
            let pick = if initials >> thread & 1 == 1 { thread as u32 } else { initials.trailing_zeros() };
            debug_assert!(node.enabled >> pick & 1 == 1, "a step is moved to where it cannot run");
            node.backtrack |= 1 << pick;
        }
    }
}

impl Search for Dpor {
    fn begin(&mut self) {
        self.depth = 0;
        self.steps.clear();
        for word in &mut self.words {
            word.accesses.clear();
            word.clocks = Default::default();
        }
        self.clocks = Default::default();
    }

    fn decide(&mut self, at: Point) -> Option<usize> {
        let chosen =
            if self.depth < self.len { self.nodes[self.depth].chosen as usize } else { self.push(&at)? };
        self.depth += 1;
        Some(chosen)
    }

    fn choose(&mut self, n: usize) -> usize {
        assert!(n == 1, "partial-order reduction is for steps with one result");
        0
    }

    fn step_done(&mut self, thread: usize, footprint: &Footprint) {
        let position = self.depth - 1;
        let before = self.clocks[thread];
        if position >= self.fresh {
            self.reverse_races(thread, footprint, &before);
            self.nodes[position].footprint.clone_from(footprint);
        }
        let clock = &mut self.clocks[thread];
        for touch in footprint {
            let index = touch.word.0 as usize;
            if self.words.len() <= index {
                self.words.resize_with(index + 1, WordLog::default);
            }
            self.words[index].join_conflicting(clock, touch.access);
        }
        clock[thread] += 1;
        for &Touch { word, access, before, after, .. } in footprint {
            let word = &mut self.words[word.0 as usize];
            join(&mut word.clocks[access as usize], clock);
            word.accesses.push(Logged { step: position as u32, access, before, after });
        }
        self.steps.push(Step { thread: thread as u8, number: clock[thread], clock: *clock });
    }

    fn end(&mut self, blocked: &[Blocked]) {
        // A thread that never got to run again might have run earlier.
        for b in blocked {
            let touch =
                Touch { word: b.word, access: Access::Write, before: 0, after: 0, until: Some(b.until) };
            let clock = self.clocks[b.thread];
            self.reverse_races(b.thread, &[touch], &clock);
        }
    }

    fn advance(&mut self) -> bool {
        while self.len > 0 {
            let node = &mut self.nodes[self.len - 1];
            node.explored.push((node.chosen, std::mem::take(&mut node.footprint)));
            let todo = node.backtrack & !node.done() & !node.asleep();
            if todo != 0 {
                node.chosen = todo.trailing_zeros() as u8;
                self.fresh = self.len - 1;
                return true;
            }
            self.len -= 1;
        }
        false
    }

    fn schedule(&self) -> Vec<u16> {
        self.nodes[..self.depth].iter().map(|n| u16::from(n.chosen)).collect()
    }

    fn preemptions(&self) -> u32 {
        let interrupted = |n: &Node| n.running.is_some_and(|t| t != n.chosen as usize);
        self.nodes[..self.depth].iter().map(|n| u32::from(interrupted(n))).sum()
    }
}
