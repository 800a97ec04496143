//! Raw log of one execution: cheap enough to keep always, told in events only if a rule breaks.

use crate::engine::explore::footprint::Access;
use crate::engine::explore::memory::Done;
use crate::engine::explore::record::{Names, Recorder};
use mmspec_model::event::{Event, Kind};
use mmspec_model::k::engine::{Class, Object, Site, Word};

/// A step on a word.
#[derive(Clone, Copy)]
pub struct Step {
    /// Word touched.
    pub word: Word,
    /// Operation and place.
    pub site: Site,
    /// Value found.
    pub before: u64,
    /// Value left.
    pub after: u64,
    /// What the caller was told.
    pub ret: u64,
    /// How it went.
    pub kind: Kind,
}

/// What a thread did.
#[derive(Clone, Copy)]
pub enum Entry {
    /// Took a step.
    Step(Step),
    /// Arrived at a step that could not run.
    Waits(Word, Site),
    /// Freed an object.
    Free(Object, Site),
    /// Issued a memory barrier.
    Fence(Site),
    /// Called a kernel function.
    Enter(&'static str),
    /// Returned from it.
    Leave,
    /// Returned from its body.
    Done,
}

/// Whether an access of a word of this class counts as a step: the in-house engines have the same.
pub fn is_decided(class: Class) -> bool {
    matches!(class, Class::Atomic | Class::Sync)
}

/// Everything that happened, in order.
#[derive(Default)]
pub struct Log {
    entries: Vec<(usize, Entry)>,
}

impl Log {
    /// Forget everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// `thread` did `entry`.
    pub fn push(&mut self, thread: usize, entry: Entry) {
        self.entries.push((thread, entry));
    }

    /// Thread of each step that was a choice.
    pub fn schedule(&self, names: &Names) -> Vec<u16> {
        let threads = self.entries.iter().filter_map(|(thread, entry)| match entry {
            Entry::Step(step) if is_decided(names.words[step.word.0 as usize].1) => Some(*thread as u16),
            _ => None,
        });
        threads.collect()
    }

    /// How often a thread was interrupted that could have run on.
    pub fn preemptions(&self) -> u32 {
        let mut preemptions = 0;
        let mut last = None;
        let mut stopped = Vec::new();
        for &(thread, entry) in &self.entries {
            match entry {
                Entry::Step(_) => {
                    preemptions += u32::from(last.is_some_and(|l| l != thread && !stopped.contains(&l)));
                    stopped.retain(|&t| t != thread);
                    last = Some(thread);
                }
                Entry::Waits(..) | Entry::Done => stopped.push(thread),
                _ => {}
            }
        }
        preemptions
    }

    /// The execution as events.
    pub fn events(&self, names: &Names) -> Vec<Event> {
        let mut recorder = Recorder::default();
        for &(thread, entry) in &self.entries {
            match entry {
                Entry::Step(Step { word, site, before, after, ret, kind }) => {
                    let access = if kind == Kind::Write { Access::Write } else { Access::Read };
                    let done = Done { before, after, ret, access, fault: None };
                    recorder.step(names, thread, word, site, &done, kind);
                }
                Entry::Waits(word, site) => recorder.waits(names, thread, word, site),
                Entry::Free(object, site) => recorder.free(names, thread, object, site),
                Entry::Fence(site) => recorder.fence(thread, site),
                Entry::Enter(function) => recorder.enter(thread, function),
                Entry::Leave => recorder.leave(thread),
                Entry::Done => {}
            }
        }
        recorder.events
    }
}
