//! What each thread may still touch, learned while exploring; from that, which threads are worth
//! moving at a state (a persistent set).
//!
//! A thread at a step may later touch only what some thread at the same place of its program was
//! seen to touch later. That is an assumption until exploration with it finds nothing new; then it
//! is true: an execution that breaks it would, up to the step that does, be an execution that
//! keeps it, of which an equivalent was explored. So exploration is repeated until nothing is learned.

use super::footprint::{Access, Footprint};
use mmspec_model::k::engine::Word;
use rustc_hash::FxHashMap;

/// Most words of a program for this reduction.
const MAX_WORDS: u16 = 127;

/// A place of a thread's program: the step it stands before.
pub type Place = u32;

/// Words by how they are touched.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Words {
    read: u128,
    blind: u128,
    write: u128,
}

impl Words {
    fn add(&mut self, other: &Self) {
        self.read |= other.read;
        self.blind |= other.blind;
        self.write |= other.write;
    }

    fn conflicts(&self, other: &Self) -> bool {
        let all = other.read | other.blind | other.write;
        self.write & all != 0
            || other.write & (self.read | self.blind) != 0
            || self.read & other.blind != 0
            || self.blind & other.read != 0
    }

    fn insert(&mut self, word: Word, access: Access) {
        let bit = 1 << word.0.min(MAX_WORDS);
        match access {
            Access::Read => self.read |= bit,
            Access::Blind => self.blind |= bit,
            Access::Write => self.write |= bit,
        }
    }
}

#[derive(Default)]
struct Node {
    /// What the step itself touches.
    step: Words,
    /// Places seen next.
    next: Vec<Place>,
    /// What it and all that follows touches.
    future: Words,
}

/// All that was learned about a program.
#[derive(Default)]
pub struct Futures {
    places: FxHashMap<(usize, usize, u16), Place>,
    nodes: Vec<Node>,
    /// Whether something was learned since the last [`Self::settle`].
    grown: bool,
    /// Whether `future` is out of date.
    stale: bool,
}

impl Futures {
    /// The place of `thread` before the step at `site` on `word`.
    pub fn place(&mut self, thread: usize, site: usize, word: Word) -> Place {
        let new = self.nodes.len() as Place;
        let place = *self.places.entry((thread, site, word.0)).or_insert(new);
        if place == new {
            self.nodes.push(Node::default());
            self.learned();
        }
        place
    }

    fn learned(&mut self) {
        self.grown = true;
        self.stale = true;
    }

    /// The step at `place` has touched this.
    pub fn step(&mut self, place: Place, footprint: &Footprint) {
        let node = &mut self.nodes[place as usize];
        let mut step = node.step;
        for touch in footprint {
            step.insert(touch.word, touch.access);
        }
        if step != node.step {
            node.step = step;
            self.learned();
        }
    }

    /// A thread went from `from` to `to`.
    pub fn edge(&mut self, from: Place, to: Place) {
        let next = &mut self.nodes[from as usize].next;
        if !next.contains(&to) {
            next.push(to);
            self.learned();
        }
    }

    /// Whether nothing was learned since the last call.
    pub fn settle(&mut self) -> bool {
        !std::mem::take(&mut self.grown)
    }

    fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in (0..self.nodes.len()).rev() {
                let mut future = self.nodes[i].step;
                future.add(&self.nodes[i].future);
                for n in 0..self.nodes[i].next.len() {
                    let next = self.nodes[i].next[n] as usize;
                    let words = self.nodes[next].future;
                    future.add(&words);
                }
                changed |= future != self.nodes[i].future;
                self.nodes[i].future = future;
            }
        }
    }

    /// Threads that suffice at a state: no other thread can, before one of these has moved, touch
    /// what their next steps touch. `at` has the place of each thread that has not finished.
    pub fn persistent(&mut self, at: &[Option<Place>], enabled: u32, last: Option<usize>) -> u32 {
        self.refresh();
        let mut best = enabled;
        let first = last.filter(|t| enabled >> t & 1 == 1);
        let seeds = first.into_iter().chain((0..at.len()).filter(|t| enabled >> t & 1 == 1 && Some(*t) != first));
        for seed in seeds {
            let found = self.closure(at, seed) & enabled;
            if found.count_ones() < best.count_ones() {
                best = found;
            }
            if best.count_ones() == 1 {
                break;
            }
        }
        best
    }

    fn closure(&self, at: &[Option<Place>], seed: usize) -> u32 {
        let mut set = 1u32 << seed;
        let mut todo = set;
        while todo != 0 {
            let t = todo.trailing_zeros() as usize;
            todo &= !(1 << t);
            let step = &self.nodes[at[t].expect("in the set") as usize].step;
            for (q, place) in at.iter().enumerate() {
                if let Some(place) = place
                    && set >> q & 1 == 0
                    && step.conflicts(&self.nodes[*place as usize].future)
                {
                    set |= 1 << q;
                    todo |= 1 << q;
                }
            }
        }
        set
    }
}
