//! Turns steps into events, for the one execution that is shown.

use super::memory::Done;
use super::thread::Pending;
use mmspec_model::event::{Event, Kind, Place};
use mmspec_model::k::engine::{Class, Object, Site, Word};

/// Names of the words and objects of a program.
#[derive(Default)]
pub struct Names {
    /// Name, class and owner of each word.
    pub words: Vec<(&'static str, Class, Object)>,
    /// Kind and index of each object.
    pub objects: Vec<(&'static str, u16)>,
}

impl Names {
    /// `mm0`, or `""` for what is global.
    pub fn object(&self, object: Object) -> String {
        let (kind, index) = self.objects[object.0 as usize];
        if kind.is_empty() { String::new() } else { format!("{kind}{index}") }
    }

    /// Word of a step, empty for a barrier.
    pub fn step_word(&self, word: Word) -> String {
        if usize::from(word.0) < self.words.len() { self.word(word) } else { String::new() }
    }

    /// `mm0->mm_users`.
    pub fn word(&self, word: Word) -> String {
        let (name, _, owner) = self.words[word.0 as usize];
        let object = self.object(owner);
        if object.is_empty() { name.into() } else { format!("{object}->{name}") }
    }
}

/// A step that was scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Thread.
    pub thread: usize,
    /// Innermost kernel function.
    pub function: String,
    /// Primitive.
    pub step: String,
    /// Named constant passed to it, or empty.
    pub arg: String,
    /// Word, as [`Names::word`] gives it.
    pub word: String,
    /// Alternative taken, on weak memory.
    pub alternative: u16,
}

/// Path of a source file within the repository.
pub fn repository_path(file: &str) -> String {
    let start = ["model/src", "checks/src", "tests/src"].iter().find_map(|dir| file.rfind(dir)).unwrap_or(0);
    file[start..].to_string()
}

fn place(site: Site) -> Place {
    Place { file: repository_path(site.at.file()), line: site.at.line() }
}

/// The event log of one execution, with the call stack of each thread.
#[derive(Default)]
pub struct Recorder {
    /// Events so far.
    pub events: Vec<Event>,
    /// Each step that was scheduled.
    pub decisions: Vec<Decision>,
    /// For each of them, how many events came before.
    pub starts: Vec<usize>,
    stacks: Vec<Vec<&'static str>>,
}

impl Recorder {
    fn stack(&mut self, thread: usize) -> &mut Vec<&'static str> {
        if self.stacks.len() <= thread {
            self.stacks.resize(thread + 1, Vec::new());
        }
        &mut self.stacks[thread]
    }

    /// `thread` calls `function`.
    pub fn enter(&mut self, thread: usize, function: &'static str) {
        self.stack(thread).push(function);
    }

    /// `thread` returns from the function entered last.
    pub fn leave(&mut self, thread: usize) {
        self.stack(thread).pop();
    }

    fn push(&mut self, thread: usize, site: Site, object: String, word: &str, kind: Kind) -> &mut Event {
        let stack = self.stack(thread).iter().map(ToString::to_string).collect();
        let event = Event {
            task: thread,
            stack,
            step: site.op.into(),
            arg: site.arg.into(),
            object,
            word: word.into(),
            before: 0,
            after: 0,
            result: None,
            kind,
            site: place(site),
        };
        self.events.push(event);
        self.events.last_mut().expect("just pushed")
    }

    /// A step on a word, with its `result` if the caller learns one.
    pub fn step(&mut self, names: &Names, thread: usize, word: Word, site: Site, done: &Done, kind: Kind) {
        let (name, class, owner) = names.words[word.0 as usize];
        let kind = if class == Class::Ghost { Kind::Ghost } else { kind };
        let event = self.push(thread, site, names.object(owner), name, kind);
        (event.before, event.after) = (done.before, done.after);
        event.result = (kind != Kind::Write || done.ret != 0).then_some(done.ret);
    }

    /// The step of `thread` on `word` is scheduled.
    pub fn decided(&mut self, thread: usize, step: &Pending, word: String) {
        let function = self.stack(thread).last().map(ToString::to_string).unwrap_or_default();
        let (step, arg) = (step.op.into(), step.arg.into());
        self.decisions.push(Decision { thread, function, step, arg, word, alternative: 0 });
        self.starts.push(self.events.len());
    }

    /// The step scheduled last takes this alternative.
    pub fn chose(&mut self, alternative: usize) {
        if let Some(decision) = self.decisions.last_mut() {
            decision.alternative = alternative as u16;
        }
    }

    /// The thread arrives at a step that it has to wait for.
    pub fn waits(&mut self, names: &Names, thread: usize, word: Word, site: Site) {
        let (name, _, owner) = names.words[word.0 as usize];
        self.push(thread, site, names.object(owner), name, Kind::Waits);
    }

    /// An object is freed.
    pub fn free(&mut self, names: &Names, thread: usize, object: Object, site: Site) {
        self.push(thread, site, names.object(object), "", Kind::Free);
    }

    /// A barrier.
    pub fn fence(&mut self, thread: usize, site: Site) {
        self.push(thread, site, String::new(), "", Kind::Fence);
    }
}
