//! All steps as a table: for paper, and for those who do not see the chart.

use super::Page;
use super::lanes::tint;
use super::source::link;
use crate::timeline::Shape;
use maud::{Markup, html};

/// The table.
pub fn listing(page: &Page) -> Markup {
    let timeline = &page.timeline;
    let mut changes: Vec<Vec<(String, String)>> = vec![Vec::new(); timeline.steps.len()];
    for track in timeline.tracks.iter().filter(|t| t.shape != Shape::Lock) {
        let mut before = track.initial_text.as_str();
        for change in &track.changes {
            changes[change.step].push((track.name.clone(), format!("{before} \u{2192} {}", change.text)));
            before = &change.text;
        }
    }
    for (step, object) in timeline.tracks.iter().filter_map(|t| Some((t.freed?, &t.object))) {
        let freed = (object.clone(), "freed".to_string());
        if !changes[step].contains(&freed) {
            changes[step].push(freed);
        }
    }
    html! {
        section #listing aria-label="All steps" {
            table {
                caption { "All steps, in the order of the trace" }
                thead { tr { th scope="col" { "#" } th scope="col" { "task" } th scope="col" { "in" } th scope="col" { "step" } th scope="col" { "changes" } th scope="col" { "model" } } }
                tbody {
                    @for (number, step) in timeline.steps.iter().enumerate() {
                        @let site = &page.file.events[step.event].site;
                        @let mark = page.mark(number);
                        tr.bad[mark.is_some()] data-step=(number) {
                            th scope="row" { (number + 1) @if let Some(mark) = mark { " (" (mark) ")" } }
                            td.who.(tint(step.task)) { (page.task(step.task)) }
                            td style={ "padding-left:" (10 * step.stack.len().saturating_sub(1).min(6)) "px" } { @if let Some(function) = step.stack.last() { (function) "()" } }
                            td.step-text { code { (step.text) } @if !step.remark.is_empty() { " " span.remark { (step.remark) } } }
                            td { @for (name, change) in &changes[number] { div { code { (name) } " " (change) } } }
                            td.site { (link(page.options, site)) }
                        }
                    }
                }
            }
            p.end { b { "VIOLATED " (page.file.rule) } " " (page.file.what) }
        }
    }
}
