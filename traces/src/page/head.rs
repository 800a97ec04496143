//! The names above the columns, and what the marks mean.

use super::Page;
use super::lanes::tint;
use super::layout::LOCK;
use maud::{Markup, html};

/// Height of the names.
const HEIGHT: usize = 156;
/// Characters of a name that have room.
const LONGEST: usize = 24;

/// Names of tasks, locks and words; they stay while the chart scrolls under them.
pub fn head(page: &Page) -> Markup {
    let (layout, timeline) = (&page.layout, &page.timeline);
    html! {
        svg width=(layout.width) height=(HEIGHT) viewBox={ "0 0 " (layout.width) " " (HEIGHT) } role="img" aria-label="Names of the columns" {
            text.group x="20" y="18" { (found(page)) }
            @for task in &layout.tasks {
                @let x = layout.lanes[task];
                circle.dot.(tint(*task)) cx=(x) cy=(HEIGHT - 12) r="4" {}
                @for (line, words) in lines(&page.task(*task), layout.pitch).iter().rev().enumerate() {
                    text.task.(tint(*task)) x=(x + 9) y=(HEIGHT - 8 - 15 * line) { (words) }
                }
            }
            @for (index, lock) in timeline.locks.iter().enumerate() {
                (name(layout.locks + index * LOCK + 8, &lock.name))
            }
            @for column in &layout.columns {
                (name(column.x + column.width / 2, &timeline.tracks[column.track].name))
            }
            @if !timeline.locks.is_empty() { text.group x=(layout.locks) y="18" { "locks" } }
            @if let Some(first) = layout.columns.first() { text.group x=(first.x) y="18" { "state" } }
        }
    }
}

/// Who found the trace, and how long it is.
fn found(page: &Page) -> String {
    let (file, steps) = (page.file, page.timeline.steps.len());
    let plural = |n: u64, one: &str| if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") };
    let switches = plural(file.preemptions.into(), "preemption");
    format!("found by {} ({}), {switches}, {}", file.engine, file.search, plural(steps as u64, "step"))
}

/// A name that stands upright.
fn name(x: usize, name: &str) -> Markup {
    let short = if name.chars().count() > LONGEST {
        name.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
    } else {
        name.to_string()
    };
    html! {
        text.name x=(x) y=(HEIGHT - 6) transform={ "rotate(-90 " (x) " " (HEIGHT - 6) ")" } dy="4" {
            (short)
            title { (name) }
        }
    }
}

/// A task's name in as many lines as its column needs, but no more than three.
fn lines(name: &str, pitch: usize) -> Vec<String> {
    let most = pitch.saturating_sub(18) / 8;
    let mut lines = vec![String::new()];
    for word in name.split_whitespace() {
        let count = lines.len();
        let last = &mut lines[count - 1];
        let fits = last.is_empty() || last.chars().count() + 1 + word.chars().count() <= most;
        if fits || count == 3 {
            *last = format!("{last} {word}").trim_start().to_string();
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

/// What the marks of the chart mean.
pub fn legend() -> Markup {
    let sample = |mark: Markup, words: &str| {
        html! { li { svg width="30" height="16" viewBox="0 0 30 16" aria-hidden="true" { (mark) } span { (words) } } }
    };
    html! {
        ul.legend {
            (sample(html! { rect.call.t0 x="13" y="0" width="4" height="16" rx="2" {} circle.dot.t0 cx="15" cy="8" r="3.6" {} }, "a step, on the bars of the calls that it is in"))
            (sample(html! { text.text.quiet x="3" y="12" { "abc" } }, "in grey: a step that has nothing to do with the violation"))
            (sample(html! { rect.hold.write.t0 x="9" y="1" width="12" height="14" rx="2" {} }, "a lock held, in the colour of its holder"))
            (sample(html! { rect.hold.read.t0 x="12" y="1" width="6" height="14" rx="2" {} }, "held by a reader"))
            (sample(html! { rect.hold.waits.t0 x="13" y="1" width="4" height="14" rx="2" {} }, "waited for"))
            (sample(html! { rect.set x="11" y="0" width="8" height="16" rx="2" {} }, "a flag that is set"))
            (sample(html! { path.area d="M6 0L12 0L12 8L20 8L20 16L6 16Z" {} }, "a counter; the number where it changes"))
            (sample(html! { circle.looks.t0 cx="15" cy="8" r="2.6" {} }, "a task looks at the word"))
            (sample(html! { path.freed d="M11 4l8 8m0 -8l-8 8" {} }, "its object is freed"))
            (sample(html! { path.edge d="M2 3C8 3 18 13 26 13" marker-end="url(#arrow)" {} }, "happens before: released here, acquired there"))
            (sample(html! { path.missing d="M2 3C8 3 18 13 26 13" marker-end="url(#arrow-bad)" {} }, "missing: nothing orders the steps that clash, or what is waited for is never given up"))
            (sample(html! { path.missing.ordered d="M2 3C8 3 18 13 26 13" marker-end="url(#arrow-bad)" {} }, "the steps that clash, in an order that the rule forbids"))
        }
        p.keys {
            kbd { "\u{2190}" } " " kbd { "\u{2192}" } " step, " kbd { "Page Up" } " " kbd { "Page Down" }
            " switch of tasks, " kbd { "Home" } " " kbd { "End" } ", " kbd { "x" } " the steps that clash"
        }
    }
}
