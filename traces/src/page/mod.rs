//! A trace as one HTML page that needs nothing else: no network, no second file.
//!
//! `layout` places the rows and columns, `head`, `lanes`, `bars` and `arrows` draw them as SVG,
//! `listing` says the same as a table for paper and screen readers, and `data` is what the script
//! steps through. Everything that comes from the file passes through the template's escaping or is a
//! JSON string: a trace may come from anybody.

mod arrows;
mod bars;
mod data;
mod head;
mod lanes;
mod layout;
mod listing;
mod source;

use crate::file::TraceFile;
use crate::timeline::Timeline;
use layout::Layout;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use mmspec_model::variant::{Kernel, Rule, RuleInfo};

/// How a page is made.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Where the repository can be seen (`https://host/mmspec/blob/main`): each place in the model
    /// becomes a link to `<source>/<file>#L<line>`.
    pub source: Option<String>,
}

/// What every part of a page has to know.
struct Page<'a> {
    file: &'a TraceFile,
    timeline: Timeline,
    layout: Layout,
    options: &'a PageOptions,
}

impl Page<'_> {
    fn task(&self, index: usize) -> String {
        self.file.tasks.get(index).cloned().unwrap_or_else(|| format!("task {index}"))
    }

    /// `(1)` or `(2)` for the steps that break the rule together.
    fn mark(&self, step: usize) -> Option<u8> {
        let clash = self.timeline.clash?;
        if clash.second == step {
            Some(if clash.first.is_some() { 2 } else { 1 })
        } else {
            (clash.first == Some(step)).then_some(1)
        }
    }
}

/// Draw `file` as a page.
///
/// Any `file` will do, also one that [`TraceFile::read`] would refuse.
pub fn page(file: &TraceFile, options: &PageOptions) -> String {
    let timeline = Timeline::new(file);
    let layout = Layout::new(file, &timeline);
    let text = document(&Page { file, timeline, layout, options }).into_string();
    text.chars().map(|c| if is_unseen(c) { '?' } else { c }).collect()
}

/// Characters that a page may not have, and those that would turn the text around them.
fn is_unseen(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn document(page: &Page) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
                title { (title(page.file)) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                (header(page))
                (controls(page))
                main {
                    (chart(page))
                    (panel())
                    (listing::listing(page))
                }
                // A data block, not script: `<` cannot end it, as none is left in it.
                script id="trace" type="application/json" { (PreEscaped(data::island(page))) }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    }
}

/// The line above the race table.
fn title(file: &TraceFile) -> String {
    let without =
        if file.without.is_empty() { String::new() } else { format!(" without {}", file.without.join(", ")) };
    format!(
        "kernel {}{without}, scenario {}: VIOLATED {} - {}",
        file.kernel, file.scenario, file.rule, file.what
    )
}

fn header(page: &Page) -> Markup {
    let file = page.file;
    let removed = |id: &String| Rule::parse(id).map(Rule::info);
    let about = Kernel::named(&file.kernel).map(|k| k.about);
    html! {
        header {
            h1 {
                span.run {
                    "kernel " b title=[about] { (file.kernel) }
                    @if !file.without.is_empty() { " without " b { (file.without.join(", ")) } }
                    ", scenario " b { (file.scenario) } ": "
                }
                span.verdict { span.word { "VIOLATED " (file.rule) } " " (file.what) }
            }
            @for info in file.without.iter().filter_map(removed) { (rule(info)) }
            @if file.without.is_empty() && let Some(about) = about { p.rule { (about) } }
        }
    }
}

/// A rule that was taken away.
fn rule(info: &RuleInfo) -> Markup {
    html! {
        p.rule { b { (info.id) } " " (info.statement) span.aside { " \u{2014} here " (info.without) } }
    }
}

fn controls(page: &Page) -> Markup {
    let steps = page.timeline.steps.len();
    let marks = page.timeline.clash.map(|c| [c.first, Some(c.second)]).unwrap_or_default();
    html! {
        nav aria-label="Steps" {
            div.group {
                button type="button" data-go="first" title="First step (Home)" aria-label="First step" { "\u{21e4}" }
                button type="button" data-go="switch-back" title="Back to the last switch of tasks (Page Up)" aria-label="Previous switch of tasks" { "\u{21d0}" }
                button type="button" data-go="back" title="Previous step (\u{2190} or \u{2191})" aria-label="Previous step" { "\u{2190}" }
                button type="button" data-go="next" title="Next step (\u{2192} or \u{2193})" aria-label="Next step" { "\u{2192}" }
                button type="button" data-go="switch" title="On to the next switch of tasks (Page Down)" aria-label="Next switch of tasks" { "\u{21d2}" }
                button type="button" data-go="last" title="Last step (End)" aria-label="Last step" { "\u{21e5}" }
            }
            input #scrub type="range" min="1" max=(steps.max(1)) value="1" aria-label="Step";
            output #where for="scrub" { "1 / " (steps) }
            div.group.marks {
                @for step in marks.into_iter().flatten() {
                    @let mark = page.mark(step).unwrap_or(1);
                    button.bad type="button" data-step=(step) title={ "Step (" (mark) "), number " (step + 1) " (x)" } {
                        "(" (mark) ")"
                    }
                }
            }
            div.group.views role="group" aria-label="View" {
                button type="button" data-view="chart" aria-pressed="true" { "Chart" }
                button type="button" data-view="table" aria-pressed="false" { "Table" }
            }
        }
    }
}

fn chart(page: &Page) -> Markup {
    let layout = &page.layout;
    html! {
        div #chart tabindex="0" role="region" aria-label="Steps of all tasks, time going down" {
            div.head style={ "width:" (layout.width) "px" } { (head::head(page)) }
            svg #body width=(layout.width) height=(layout.height) viewBox={ "0 0 " (layout.width) " " (layout.height) }
                role="img" aria-labelledby="chart-title chart-about" {
                title #chart-title { (title(page.file)) }
                desc #chart-about { "A column per task, then one per lock and per shared word. The table has the same steps in words." }
                (arrows::markers())
                (lanes::ground(page))
                g #cursor { rect.cursor x="0" y="0" width=(layout.width) height=(layout::STEP) {} }
                (lanes::lines(page))
                (bars::locks(page))
                (bars::tracks(page))
                (arrows::edges(page))
                (lanes::steps(page))
                (arrows::clash(page))
            }
        }
    }
}

/// What the script fills in for each step.
fn panel() -> Markup {
    html! {
        aside #panel aria-label="This step" {
            div #now aria-live="polite" {}
            details open {
                summary { "How to read the chart" }
                (head::legend())
            }
        }
    }
}
