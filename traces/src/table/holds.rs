//! Locks that a folded table need not show.

use super::clash::same_word;
use super::step::{releases, takes};
use super::story::Fate;
use mmspec_model::event::Event;

/// Lock operations that say nothing: the other end of the hold is folded, or all that is done under
/// the lock is. A write lock without anything under it waits for readers, and stays.
pub fn idle(events: &[Event], fates: &[Fate]) -> Vec<usize> {
    let mut idle = Vec::new();
    let mut paired = vec![false; events.len()];
    for (i, e) in events.iter().enumerate().filter(|(_, e)| takes(e)) {
        let mine = |j: &usize| events[*j].task == e.task;
        let drop =
            (i + 1..events.len()).find(|j| mine(j) && releases(&events[*j]) && same_word(&events[*j], e));
        let shown = |j: usize| fates[j] == Fate::Shown;
        let Some(drop) = drop else { continue };
        paired[drop] = true;
        let works =
            (i + 1..drop).any(|j| mine(&j) && shown(j) && !takes(&events[j]) && !releases(&events[j]));
        if !(shown(i) && shown(drop) && (works || e.step.contains("write"))) {
            idle.extend([i, drop]);
        }
    }
    idle.extend((0..events.len()).filter(|&i| releases(&events[i]) && !paired[i]));
    idle
}
