//! The step that breaks the rule, and the step of another task that it clashes with.

use crate::file::TraceFile;
use mmspec_model::event::{Event, Kind};

/// The last step of the trace breaks the rule; a ghost step belongs to the step of its task before
/// it. Where nothing can move any more there is no such step.
pub fn broken(file: &TraceFile, hidden: impl Fn(usize) -> bool) -> Option<usize> {
    if file.at_end || file.rule == "deadlock" || file.rule == "livelock" {
        return None;
    }
    let last = file.events.last()?;
    (0..file.events.len()).rev().find(|&i| !hidden(i) && file.events[i].task == last.task)
}

/// The last step of another task that clashes with the step `broken`.
pub fn rival(events: &[Event], broken: usize, hidden: impl Fn(usize) -> bool) -> Option<usize> {
    let by_word = || (0..broken).rev().find(|&i| clash(&events[i], &events[broken]));
    ghost_rival(events, broken, hidden).or_else(by_word)
}

/// The step of another task that last changed a ghost word which the step `broken` goes with. A rule
/// over two places is tied to such a word by both, so it knows better than the words themselves.
fn ghost_rival(events: &[Event], broken: usize, hidden: impl Fn(usize) -> bool) -> Option<usize> {
    let mut mine =
        events[broken + 1..].iter().rev().filter(|e| e.task == events[broken].task && e.kind == Kind::Ghost);
    let theirs = |g: &Event| {
        (0..broken).rev().find(|&i| {
            let e = &events[i];
            e.kind == Kind::Ghost && e.task != g.task && same_word(e, g) && e.before != e.after
        })
    };
    let ghost = mine.find_map(theirs)?;
    (0..ghost).rev().find(|&i| !hidden(i) && events[i].task == events[ghost].task)
}

/// Whether both touch the same word.
pub fn same_word(a: &Event, b: &Event) -> bool {
    a.object == b.object && a.word == b.word
}

/// Whether a step changes what others see; a wait changes nothing yet.
fn writes(e: &Event) -> bool {
    matches!(e.kind, Kind::Write | Kind::Free)
}

/// Whether the two steps are by different tasks, on the same word (all words, if one frees the
/// object), and not both reads, nor about different bits.
fn clash(a: &Event, b: &Event) -> bool {
    let told = a.kind != Kind::Ghost && a.kind != Kind::Waits;
    told && a.task != b.task && touches(a, b) && (writes(a) || writes(b))
}

/// Whether both touch the same word, or the same bit of it, or one frees the object.
pub fn touches(a: &Event, b: &Event) -> bool {
    let frees = a.kind == Kind::Free || b.kind == Kind::Free;
    let other_bit = !a.arg.is_empty() && !b.arg.is_empty() && a.arg != b.arg && !frees;
    let named = !(a.object.is_empty() && a.word.is_empty());
    named && a.object == b.object && (a.word == b.word || frees) && !other_bit
}
