//! What orders the steps, and what does not.

use super::Page;
use super::lanes::tint;
use super::layout::{LONGEST, STEP, text_x};
use crate::timeline::Edge;
use maud::{Markup, html};

/// Heads of the arrows.
pub fn markers() -> Markup {
    html! {
        defs {
            @for (id, class) in [("arrow", "tip"), ("arrow-bad", "tip bad")] {
                marker id=(id) class=(class) viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"
                    orient="auto" markerUnits="userSpaceOnUse" {
                    path d="M0 0.6L7.4 4L0 7.4Z" {}
                }
            }
        }
    }
}

/// An arrow for each happens-before edge between tasks.
pub fn edges(page: &Page) -> Markup {
    html! {
        g.edges {
            @for (index, edge) in page.timeline.edges.iter().enumerate() {
                path.edge data-edge=(index) d=(curve(page, edge.from, edge.to)) marker-end="url(#arrow)" {
                    title { (words(page, edge)) }
                }
            }
        }
    }
}

fn words(page: &Page, edge: &Edge) -> String {
    let steps = &page.timeline.steps;
    let by = if edge.lock { "the next holder of" } else { "who acquires" };
    format!(
        "{} at step {} happens before {} at step {}: {by} {}",
        page.task(steps[edge.from].task),
        edge.from + 1,
        page.task(steps[edge.to].task),
        edge.to + 1,
        edge.word
    )
}

/// From dot to dot, leaving and arriving along the lines of the tasks.
fn curve(page: &Page, from: usize, to: usize) -> String {
    let steps = &page.timeline.steps;
    let ((x1, y1), (x2, y2)) = (page.layout.dot(steps, from), page.layout.dot(steps, to));
    let side: isize = if x2 > x1 { -6 } else { 6 };
    let bend = (y2.abs_diff(y1) * 2 / 5).clamp(14, 90);
    format!(
        "M{x1} {}C{x1} {} {} {} {} {}",
        y1 + 5,
        y1 + bend,
        x2.saturating_add_signed(3 * side),
        y2.saturating_sub(bend * 2 / 5),
        x2.saturating_add_signed(side),
        y2.saturating_sub(1)
    )
}

/// The two steps that break the rule: marked, and joined by what is missing between them.
pub fn clash(page: &Page) -> Markup {
    let (layout, timeline) = (&page.layout, &page.timeline);
    let clash = timeline.clash;
    let pair = clash.and_then(|c| c.first.map(|first| (first, c.second, c.ordered)));
    html! {
        g.verdict {
            @if let Some((first, second, ordered)) = pair {
                path.missing.ordered[ordered] d=(curve(page, first, second)) marker-end="url(#arrow-bad)" {
                    title { @if ordered { "Ordered, and still against the rule" } @else { "Nothing orders (1) before (2)" } }
                }
            }
            @for blocked in &timeline.blocked {
                path.missing d=(curve(page, blocked.holder, blocked.waits)) marker-end="url(#arrow-bad)" {
                    title { "What is held here is never given up" }
                }
            }
            @if let Some(clash) = clash {
                @for step in clash.first.into_iter().chain([clash.second]) { (badge(page, step)) }
            }
            (last_word(page))
        }
        @if let Some(clash) = clash {
            @let (x, y) = layout.dot(&timeline.steps, clash.second);
            circle.ring.(tint(timeline.steps[clash.second].task)) cx=(x) cy=(y) r="6.5" {}
        }
    }
}

fn badge(page: &Page, step: usize) -> Markup {
    let y = page.layout.rows[step].middle();
    html! {
        circle.badge cx="9" cy=(y) r="8" {}
        text.badge-text x="9" y=(y + 4) { (page.mark(step).unwrap_or(1)) }
    }
}

/// The verdict below the last step, where its task has its text if there is room.
fn last_word(page: &Page) -> Markup {
    let (layout, steps) = (&page.layout, &page.timeline.steps);
    let Some((row, step)) = layout.rows.last().zip(steps.last()) else { return html! {} };
    let what: String = page.file.what.chars().take(2 * LONGEST).collect();
    let text = format!("{}: {what}", page.file.rule);
    let fits = layout.width.saturating_sub(8 * text.chars().count());
    let at =
        if page.timeline.clash.is_some() { text_x(layout.lanes[&step.task], step.stack.len()) } else { 0 };
    html! {
        text.last x=(at.min(fits).max(26)) y=(row.y + STEP + 20) { (text) }
    }
}
