//! One execution along a schedule of named steps.

use super::Explorer;
use super::memory::Memory;
use super::memory::sc::Sc;
use super::record::{Decision, Recorder};
use super::search::named::{Divergence, Edit, Named, Path, Stand, Wanted};
use super::search::tree::Tree;
use mmspec_model::event::Event;
use mmspec_model::k::engine::Class;
use mmspec_model::k::program::Setup;
use std::cell::RefCell;
use std::rc::Rc;

/// What came of following a schedule.
pub struct Followed {
    /// Names of the threads.
    pub tasks: Vec<String>,
    /// Rule broken, with a sentence.
    pub fault: Option<(String, String)>,
    /// First step that no longer fits.
    pub divergence: Option<Divergence>,
    /// Where the schedule was left, and joined again.
    pub edits: Vec<Edit>,
    /// Events up to there.
    pub events: Vec<Event>,
    /// Steps taken.
    pub decisions: Vec<Decision>,
    /// For each step taken, how many events came before.
    pub starts: Vec<usize>,
    /// For each step taken, its position in the schedule, if it is there.
    pub positions: Vec<Option<usize>>,
    /// Where each thread stood before each decision, the last one included that chose nobody.
    pub stands: Vec<Vec<Stand>>,
}

impl Followed {
    /// How often a thread was interrupted that could have run on.
    pub fn preemptions(&self) -> u32 {
        let switches = self.decisions.windows(2).zip(self.stands.iter().skip(1));
        let preempted = switches
            .filter(|(pair, stands)| pair[0].thread != pair[1].thread && stands[pair[0].thread].can_run);
        preempted.count() as u32
    }
}

/// Follow `schedule` through `setup` on `memory`, leaving it up to `edits` times where it does not fit.
pub fn follow<M: Memory + 'static>(
    memory: M,
    schedule: Vec<Wanted>,
    edits: usize,
    setup: &Setup,
) -> Followed {
    let _quiet = crate::engine::quiet::exploring();
    let path = Rc::new(RefCell::new(Path::default()));
    let mut explorer = Explorer::new(memory, Box::new(Tree::plain()), setup);
    let named = Named::new(schedule, explorer.tasks.len(), edits, path.clone());
    explorer.machine.core.borrow_mut().search = Box::new(named);
    let fault = loop {
        explorer.machine.core.borrow_mut().recorder = Some(Recorder::default());
        let run = explorer.run();
        if let Some(divergence) = &mut path.borrow_mut().divergence {
            let thread = divergence.expected.as_ref().map(|decision| decision.thread);
            divergence.obstacle = thread.and_then(|t| explorer.machine.core.borrow().obstacle(t));
        }
        explorer.drain();
        if !explorer.machine.core.borrow_mut().search.advance() {
            break run.fault;
        }
    };
    let recorder = explorer.machine.core.borrow_mut().recorder.take().expect("set above");
    let Recorder { events, decisions, starts, .. } = recorder;
    let Path { divergence, edits, stands, positions } = path.take();
    let tasks = explorer.tasks.clone();
    Followed { tasks, fault, divergence, edits, events, decisions, starts, positions, stands }
}

/// Name, as decisions have it, and class of each word of a program. The bits of a flag word share one.
pub fn words(setup: &Setup) -> Vec<(String, Class)> {
    let explorer = Explorer::new(Sc::default(), Box::new(Tree::plain()), setup);
    let core = explorer.machine.core.borrow();
    let words = core.names.words.iter().map(|&(name, class, owner)| {
        let object = core.names.object(owner);
        (if object.is_empty() { name.into() } else { format!("{object}->{name}") }, class)
    });
    words.collect()
}
