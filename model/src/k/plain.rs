//! Ordinary memory, and specification-only words.

use super::engine::{Class, Effect, Fault, Object, Order, Rmw, Shape, Site, Word, engine};

/// A plain variable: unordered conflicting accesses to it are data races.
#[derive(Clone, Copy, Debug)]
pub struct Plain(pub Word);

impl Plain {
    /// A variable `name` inside `owner`.
    pub fn new(owner: Object, name: &'static str, init: u64) -> Self {
        Self(engine().new_word(name, Class::Plain, owner, init))
    }

    /// Final value, for judging an ended run.
    pub fn peek(self) -> u64 {
        engine().peek(self.0)
    }
}

/// Plain read.
#[track_caller]
pub fn read(p: Plain) -> u64 {
    engine().load(p.0, Order::Relaxed, Site::here("read"))
}

/// Plain write.
#[track_caller]
pub fn write(p: Plain, value: u64) {
    engine().store(p.0, value, Order::Relaxed, Site::here("write"));
}

/// A word of the specification: not in the kernel, never a step of its own, orders nothing. A
/// property over two places is tied to one of these by both, so that no reduction can separate them.
#[derive(Clone, Copy, Debug)]
pub struct Ghost(pub Word);

impl Ghost {
    /// A ghost word `name` that belongs to `owner` in traces.
    pub fn new(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Ghost, owner, 0))
    }

    /// Final value, for judging an ended run.
    pub fn peek(self) -> u64 {
        engine().peek(self.0)
    }
}

/// Set the bits `set` and clear `clear`; breaks `fault` if a bit of `forbidden` was set before.
#[track_caller]
pub fn ghost_mark(g: Ghost, set: u64, clear: u64, forbidden: u64, fault: Fault) {
    mark(g, (set, clear, forbidden), fault, Site::here("ghost"));
}

/// Set the bits `set` and clear `clear`; traces show it as the comment `what`.
#[track_caller]
pub fn ghost_say(g: Ghost, set: u64, clear: u64, what: &'static str) {
    mark(g, (set, clear, 0), Fault { rule: "", what: "" }, Site::with("ghost", what));
}

/// Add `n`; traces show it as the comment `what`.
#[track_caller]
pub fn ghost_add(g: Ghost, n: u64, what: &'static str) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v + n) };
    engine().rmw(g.0, Order::Relaxed, &rmw, Site::with("ghost", what));
}

fn mark(g: Ghost, (set, clear, forbidden): (u64, u64, u64), fault: Fault, site: Site) {
    let rmw = Rmw {
        shape: Shape::Conditional,
        apply: &|v| Effect::store(v & !clear | set).fault_if(v & forbidden != 0, fault.rule, fault.what),
    };
    engine().rmw(g.0, Order::Relaxed, &rmw, site);
}

/// Value of a ghost word, as part of the step before.
#[track_caller]
pub fn ghost_read(g: Ghost) -> u64 {
    let rmw = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
    engine().rmw(g.0, Order::Relaxed, &rmw, Site::here("ghost"))
}
