//! What each thread may still touch, learned while exploring; from that, which threads are worth
//! moving at a state (a persistent set).
//!
//! A thread at a step may later touch only what some thread at the same place of its program was
//! seen to touch later. That is an assumption until exploration with it finds nothing new; then it
//! is true: an execution that breaks it would, up to the step that does, be an execution that
//! keeps it, of which an equivalent was explored. So exploration is repeated until nothing is learned.

use super::footprint::{Access, Footprint, KINDS};
use super::memory::Relevant;
use mmspec_model::k::engine::Word;
use rustc_hash::FxHashMap;

/// Most words of a program for this reduction.
const MAX_WORDS: u16 = 127;

/// A place of a thread's program: the step it stands before.
pub type Place = u32;

/// Words touched, by kind of access.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Words([u128; KINDS]);

impl Words {
    fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    fn conflicts(&self, other: &Self) -> bool {
        let any = other.0.iter().fold(0, |all, words| all | words);
        let write = Access::Write as usize;
        self.0[write] & any != 0
            || (0..write).any(|kind| {
                self.0[kind]
                    & other.0.iter().enumerate().filter(|(k, _)| *k != kind).fold(0, |all, (_, w)| all | w)
                    != 0
            })
    }

    fn insert(&mut self, word: Word, access: Access) {
        // Others may drop any number of references first: then this drop may be the last.
        let access = if access == Access::Drop { Access::Write } else { access };
        self.0[access as usize] |= 1 << word.0.min(MAX_WORDS);
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
    /// Plain words and frees: of the step, and of it and all that follows.
    other: Relevant,
    other_future: Relevant,
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

    /// The step at `place` waits for `word`: it may never be seen to run.
    pub fn blocking(&mut self, place: Place, word: Word) {
        let step = &mut self.nodes[place as usize].step;
        let before = *step;
        step.insert(word, Access::Write);
        if *step != before {
            self.learned();
        }
    }

    /// The step at `place` has touched this, and these plain words and freed objects.
    pub fn step(&mut self, place: Place, footprint: &Footprint, other: Relevant) {
        let node = &mut self.nodes[place as usize];
        let mut step = node.step;
        for touch in footprint {
            step.insert(touch.word, touch.access);
        }
        let other =
            Relevant { words: node.other.words | other.words, objects: node.other.objects | other.objects };
        if step != node.step || other != node.other {
            (node.step, node.other) = (step, other);
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
                let node = &self.nodes[i];
                let (mut future, mut other) = (node.step, node.other);
                for &next in &node.next {
                    let next = &self.nodes[next as usize];
                    future.add(&next.future);
                    other.words |= next.other_future.words;
                    other.objects |= next.other_future.objects;
                }
                changed |= future != node.future || other != node.other_future;
                (self.nodes[i].future, self.nodes[i].other_future) = (future, other);
            }
        }
    }

    /// What threads at these places may still touch.
    pub fn relevant(&mut self, at: &[Option<Place>]) -> Relevant {
        self.refresh();
        let mut all = Relevant::default();
        for place in at.iter().flatten() {
            let node = &self.nodes[*place as usize];
            all.words |= node.future.0.iter().fold(node.other_future.words, |all, words| all | words);
            all.objects |= node.other_future.objects;
        }
        all
    }

    /// Threads that suffice at a state: no other thread can, before one of these has moved, touch
    /// what their next steps touch. `at` has the place of each thread that has not finished.
    pub fn persistent(&mut self, at: &[Option<Place>], enabled: u32, last: Option<usize>) -> u32 {
        self.refresh();
        let mut best = enabled;
        let first = last.filter(|t| enabled >> t & 1 == 1);
        let seeds =
            first.into_iter().chain((0..at.len()).filter(|t| enabled >> t & 1 == 1 && Some(*t) != first));
        for seed in seeds {
            let found = self.closure(at, seed) & enabled;
            if found.count_ones() < best.count_ones() {
                best = found;
            }
            if best.is_power_of_two() {
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
