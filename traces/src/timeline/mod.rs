//! What happens when: one reading of a trace for every drawing that has a time axis.
//!
//! The steps that a reader sees are numbered from 0; calls, lock holds, tracks of values and
//! happens-before edges refer to these numbers.

mod calls;
mod clocks;
mod locks;
mod order;
mod tracks;
mod value;

pub use calls::Call;
pub use clocks::Edge;
pub(crate) use locks::waits;
pub use locks::{Hold, Lock, Mode};
pub use tracks::{Change, Shape, Track};

use crate::file::TraceFile;
use crate::table::words::{Fate, Lexicon, Story, text};
use clocks::Clocks;
use mmspec_model::event::{Event, Kind};
use std::collections::HashSet;

/// One step that a reader sees.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Index of its event in the file.
    pub event: usize,
    /// Index of the task.
    pub task: usize,
    /// Kernel functions around it, outermost first; one that is named like the step is the step.
    pub stack: Vec<String>,
    /// Call or assignment, as in C.
    pub text: String,
    /// Values, or empty.
    pub remark: String,
    /// Whether it has to do with the violation.
    pub matters: bool,
    /// Whether the task only arrives there and cannot go on.
    pub waits: bool,
}

/// The two steps that break a rule together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The earlier step, if there is one of another task.
    pub first: Option<usize>,
    /// The step that breaks the rule.
    pub second: usize,
    /// Whether the earlier one happens before the later one.
    pub ordered: bool,
}

/// A task that can never go on because of what another one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Where it waits.
    pub waits: usize,
    /// The step by which the other task took what it waits for.
    pub holder: usize,
}

/// A trace, read.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Steps in order.
    pub steps: Vec<Moment>,
    /// Function calls of all tasks, by where they begin.
    pub calls: Vec<Call>,
    /// Locks in the order of their first use.
    pub locks: Vec<Lock>,
    /// Who holds or awaits them, by where it begins.
    pub holds: Vec<Hold>,
    /// Words whose value changes, in the order of their first use.
    pub tracks: Vec<Track>,
    /// Happens-before edges between tasks, each of which says something new to the task it leads to.
    pub edges: Vec<Edge>,
    /// What breaks the rule; nothing where nobody can move any more.
    pub clash: Option<Clash>,
    /// Who waits for whom in the end.
    pub blocked: Vec<Blocked>,
    clocks: Clocks,
}

impl Timeline {
    /// The timeline of `file`.
    pub fn new(file: &TraceFile) -> Self {
        let story = Story::new(file);
        let lexicon = Lexicon::new(file);
        let shown = |i: &usize| story.fates[*i] != Fate::Hidden;
        let near: HashSet<usize> = story.nearest.iter().copied().collect();
        let moment = |event: usize| {
            let e = &file.events[event];
            let words = text(e, &lexicon);
            Moment {
                event,
                task: e.task,
                stack: calls::around(e).to_vec(),
                text: words.call,
                remark: words.remark,
                matters: near.contains(&event),
                waits: waits(e),
            }
        };
        let steps: Vec<Moment> = (0..file.events.len()).filter(shown).map(moment).collect();
        let numbers = numbers(&steps, file.events.len());

        let clocks = Clocks::new(file, &numbers);
        let (locks, holds) = locks::locks(file, &steps);
        let tracks = tracks::tracks(file, &steps, &lexicon);
        let clash = story.broken.map(|second| Clash {
            first: story.rival.map(|r| numbers[r]),
            second: numbers[second],
            ordered: story.rival.is_some_and(|r| clocks.ordered(r, second)),
        });
        let blocked = if clash.is_none() { blocked(&holds) } else { Vec::new() };
        let calls = calls::calls(&steps);
        let edges = clocks.edges().to_vec();
        Self { steps, calls, locks, holds, tracks, edges, clash, blocked, clocks }
    }

    /// Whether event `a` of the file happens before event `b`, by what the kernel's primitives order.
    pub fn ordered(&self, a: usize, b: usize) -> bool {
        self.clocks.ordered(a, b)
    }
}

/// The number of the step that each event belongs to: its own, or that of its task before it.
fn numbers(steps: &[Moment], events: usize) -> Vec<usize> {
    let mut numbers = vec![0; events];
    let mut next = steps.iter().enumerate().peekable();
    let mut number = 0;
    for (event, slot) in numbers.iter_mut().enumerate() {
        if let Some((n, _)) = next.next_if(|(_, m)| m.event == event) {
            number = n;
        }
        *slot = number;
    }
    numbers
}

/// For each lock that is waited for to the end, by whom it is held.
fn blocked(holds: &[Hold]) -> Vec<Blocked> {
    let open = |h: &&Hold| h.until.is_none();
    let waits = holds.iter().filter(open).filter(|h| h.mode == Mode::Waits);
    let held_by = |w: &Hold| {
        let held = |h: &&Hold| h.lock == w.lock && h.mode != Mode::Waits && h.task != w.task;
        holds.iter().filter(open).find(held).map(|h| Blocked { waits: w.from, holder: h.from })
    };
    waits.filter_map(held_by).collect()
}

/// Whether `e` touches a word of the kernel, and not one of the specification's.
fn is_kernels(e: &Event) -> bool {
    e.kind != Kind::Ghost && e.kind != Kind::Fence
}
