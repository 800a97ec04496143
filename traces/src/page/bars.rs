//! Locks and words over time.

use super::Page;
use super::lanes::tint;
use super::layout::{COUNTER, Column, LOCK, STEP};
use crate::timeline::{Hold, Mode, Shape, Track};
use maud::{Markup, html};
use std::fmt::Write;

/// A bar for each time that a lock is held or waited for.
pub fn locks(page: &Page) -> Markup {
    let (layout, timeline) = (&page.layout, &page.timeline);
    html! {
        g.locks {
            @for lock in 0..timeline.locks.len() {
                @let x = layout.locks + lock * LOCK + 8;
                line.rail x1=(x) x2=(x) y1="0" y2=(layout.height - 40) {}
            }
            @for (index, hold) in timeline.holds.iter().enumerate() { (bar(page, index, hold)) }
        }
    }
}

fn bar(page: &Page, index: usize, hold: &Hold) -> Markup {
    let layout = &page.layout;
    let from = layout.rows[hold.from].middle();
    let to = hold.until.map_or(layout.height - 40, |step| layout.rows[step].middle());
    let (class, verb) = match hold.mode {
        Mode::Read => ("read", "holds (read)"),
        Mode::Write => ("write", "holds"),
        Mode::Waits => ("waits", "waits for"),
    };
    // Readers stand side by side, who waits beside who holds.
    let (shift, width) = match hold.mode {
        Mode::Read => (6 * readers_before(page, index, hold), 6),
        Mode::Write => (0, 12),
        Mode::Waits => (13, 4),
    };
    let left = layout.locks + hold.lock * LOCK + 2 + shift;
    html! {
        rect.hold.(class).(tint(hold.task)) x=(left) y=(from) width=(width) height=(to.saturating_sub(from).max(4)) rx="2" {
            title { (page.task(hold.task)) " " (verb) " " (page.timeline.locks[hold.lock].name) }
        }
    }
}

/// How many others read already, as far as there is room. A reader that took the lock very long ago
/// is not looked for.
fn readers_before(page: &Page, index: usize, hold: &Hold) -> usize {
    let overlaps = |other: &&Hold| {
        other.lock == hold.lock
            && other.mode == Mode::Read
            && other.until.is_none_or(|until| until > hold.from)
    };
    page.timeline.holds[..index].iter().rev().take(64).filter(overlaps).count().min(1)
}

/// A column for each word: the time that a flag is set, the height of a counter.
pub fn tracks(page: &Page) -> Markup {
    html! {
        g.tracks {
            @for column in &page.layout.columns {
                @let track = &page.timeline.tracks[column.track];
                @if track.shape == Shape::Flag { (flag(page, column, track)) } @else { (counter(page, column, track)) }
            }
        }
    }
}

/// The end of a track: where its object is freed, or the bottom.
fn bottom(page: &Page, track: &Track) -> usize {
    track.freed.map_or(page.layout.height - 40, |step| page.layout.rows[step].middle())
}

/// Stretches of one value: from, to, value, text.
fn stretches<'a>(page: &Page, track: &'a Track) -> Vec<(usize, usize, i64, &'a str)> {
    let rows = &page.layout.rows;
    let starts =
        track.changes.iter().map(|c| (rows[c.step].middle(), c.value.cast_signed(), c.text.as_str()));
    let mut all = vec![(0, track.initial.cast_signed(), track.initial_text.as_str())];
    all.extend(starts);
    let ends = all.iter().skip(1).map(|s| s.0).chain([bottom(page, track)]).collect::<Vec<_>>();
    all.iter().zip(ends).map(|(&(from, value, text), to)| (from, to.max(from), value, text)).collect()
}

fn flag(page: &Page, column: &Column, track: &Track) -> Markup {
    let x = column.x + column.width / 2;
    html! {
        line.rail x1=(x) x2=(x) y1="0" y2=(bottom(page, track)) {}
        @for (from, to, value, _) in stretches(page, track) {
            @if value != 0 {
                rect.set x=(x - 4) y=(from) width="8" height=((to - from).max(3)) rx="2" {
                    title { (track.name) " is set" }
                }
            }
        }
        (reads(page, track, x))
        (freed(page, track, x))
    }
}

fn counter(page: &Page, column: &Column, track: &Track) -> Markup {
    let left = column.x + 6;
    let most = u128::from(track.most().max(1).unsigned_abs());
    let x = |value: i64| {
        let share = u128::from(value.max(0).unsigned_abs()) * (COUNTER - 20) as u128 / most;
        left + share as usize
    };
    let mut area = format!("M{left} 0");
    for (from, to, value, _) in stretches(page, track) {
        let x = x(value);
        write!(area, "L{x} {from}L{x} {to}").expect("a string takes everything");
    }
    write!(area, "L{left} {}Z", bottom(page, track)).expect("a string takes everything");
    html! {
        path.area d=(area) { title { (track.name) } }
        @for (from, _, value, text) in stretches(page, track) {
            @let y = if from == 0 { 14 } else { from + STEP / 2 - 6 };
            text.value x=(x(value) + 3) y=(y) { (short(text)) }
        }
        (reads(page, track, left))
        (freed(page, track, left))
    }
}

/// A value that has room in its column.
fn short(text: &str) -> String {
    if text.chars().count() > 4 { text.chars().take(3).chain(['\u{2026}']).collect() } else { text.into() }
}

/// Where somebody looks.
fn reads(page: &Page, track: &Track, x: usize) -> Markup {
    let (rows, steps) = (&page.layout.rows, &page.timeline.steps);
    html! {
        @for &step in &track.reads {
            circle.looks.(tint(steps[step].task)) cx=(x) cy=(rows[step].middle()) r="2.6" {
                title { (page.task(steps[step].task)) " looks at " (track.name) }
            }
        }
    }
}

fn freed(page: &Page, track: &Track, x: usize) -> Markup {
    let Some(step) = track.freed else { return html! {} };
    let y = page.layout.rows[step].middle();
    html! {
        path.freed d={ "M" (x - 4) " " (y - 4) "l8 8m0 -8l-8 8" } { title { (track.object) " is freed" } }
    }
}
