//! Depth-first search over all decisions, plain or cutting at states seen before.

use super::{Blocked, Point, Search, prefer};
use crate::engine::explore::footprint::Footprint;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

struct Node {
    /// Alternatives not tried yet: threads, or numbered alternatives of a step.
    todo: u32,
    chosen: u16,
    /// Thread that a switch away from would be a preemption.
    running: Option<usize>,
}

/// For each number of preemptions the fewest decisions that have led to a state, as far as known: the
/// last number is good for more preemptions too. A single 0 where neither counts.
type Reached = SmallVec<[u32; 4]>;

/// Depth-first search; reaches everything, one execution a path.
pub struct Tree {
    nodes: Vec<Node>,
    depth: usize,
    /// How each state (and running thread, under a bound) was reached.
    seen: Option<FxHashMap<u128, Reached>>,
    bound: Option<u32>,
    /// Whether to go on for the shortest counterexample.
    shortest: bool,
    /// Decisions at which an execution is no shorter than the best one.
    most: usize,
    hit_bound: bool,
    preemptions: u32,
}

impl Tree {
    /// Every path.
    pub fn plain() -> Self {
        Self {
            nodes: Vec::new(),
            depth: 0,
            seen: None,
            bound: None,
            shortest: false,
            most: usize::MAX,
            hit_bound: false,
            preemptions: 0,
        }
    }

    /// Every state. With a bound, every state that needs no more than that many preemptions.
    pub fn hashing(bound: Option<u32>) -> Self {
        Self { seen: Some(FxHashMap::default()), bound, ..Self::plain() }
    }

    /// Every state that needs no more than `bound` preemptions, by every way that may be the shortest
    /// to a counterexample.
    pub fn shortest(bound: u32) -> Self {
        Self { shortest: true, ..Self::hashing(Some(bound)) }
    }

    fn push(&mut self, alternatives: u32, first: usize, running: Option<usize>) -> usize {
        let todo = alternatives & !(1 << first);
        self.nodes.push(Node { todo, chosen: first as u16, running });
        self.depth += 1;
        first
    }

    fn visited(&mut self, at: &mut Point) -> bool {
        let Some(seen) = &mut self.seen else { return false };
        let mut state = (at.state)();
        if self.bound.is_some() {
            let running = at.last.filter(|t| at.enabled >> t & 1 == 1).map_or(0, |t| t as u128 + 1);
            state ^= running.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        }
        let depth = if self.shortest { self.depth as u32 } else { 0 };
        let spent = if self.bound.is_some() { self.preemptions as usize } else { 0 };
        let best = seen.entry(state).or_default();
        // Who has spent less could have done it too: the last number stands for all that follow.
        let known = best.get(spent).or(best.last()).copied().unwrap_or(u32::MAX);
        if known <= depth {
            return true;
        }
        let last = best.last().copied().unwrap_or(u32::MAX);
        if best.len() <= spent {
            best.resize(spent + 1, last);
        }
        best[spent..].iter_mut().for_each(|b| *b = depth.min(*b));
        false
    }
}

impl Search for Tree {
    fn begin(&mut self) {
        self.depth = 0;
        self.preemptions = 0;
    }

    fn decide(&mut self, mut at: Point) -> Option<usize> {
        let running = at.last.filter(|t| at.enabled >> t & 1 == 1);
        let chosen = if let Some(node) = self.nodes.get(self.depth) {
            self.depth += 1;
            node.chosen as usize
        } else {
            if self.depth >= self.most || self.visited(&mut at) {
                return None;
            }
            let mut alternatives = match at.sole {
                _ if self.seen.is_none() => at.enabled,
                Some(t) => 1 << t,
                // Under a bound, what others could do first costs preemptions: no further reduction.
                None if self.bound.is_some() => at.enabled,
                None => (at.persistent)(),
            };
            if let (Some(bound), Some(t)) = (self.bound, running)
                && self.preemptions >= bound
                && alternatives >> t & 1 == 1
            {
                self.hit_bound |= alternatives != 1 << t;
                alternatives = 1 << t;
            }
            self.push(alternatives, prefer(at.last, alternatives), running)
        };
        self.preemptions += u32::from(running.is_some_and(|t| t != chosen));
        Some(chosen)
    }

    fn choose(&mut self, n: usize) -> usize {
        if n == 1 {
            return 0;
        }
        if let Some(node) = self.nodes.get(self.depth) {
            self.depth += 1;
            return node.chosen as usize;
        }
        self.push((1 << n) - 1, 0, None)
    }

    fn step_done(&mut self, _: usize, _: &Footprint) {}

    fn end(&mut self, _: &[Blocked]) {}

    fn shorten(&mut self) -> bool {
        self.most = self.depth.saturating_sub(1);
        self.shortest
    }

    fn advance(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if node.todo != 0 {
                // Preemptions are counted anew on the way down; `running` stays what it was.
                let next = prefer(node.running, node.todo);
                node.todo &= !(1 << next);
                node.chosen = next as u16;
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    fn restart(&mut self) {
        self.nodes.clear();
        if let Some(seen) = &mut self.seen {
            seen.clear();
        }
    }

    fn schedule(&self) -> Vec<u16> {
        self.nodes[..self.depth].iter().map(|n| n.chosen).collect()
    }

    fn preemptions(&self) -> u32 {
        self.preemptions
    }

    fn states(&self) -> u64 {
        self.seen.as_ref().map_or(0, |s| s.len() as u64)
    }

    fn hit_bound(&self) -> Option<u32> {
        self.bound.filter(|_| self.hit_bound)
    }
}
