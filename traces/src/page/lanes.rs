//! The tasks: their lines, the calls on them, and the steps in words.

use super::Page;
use super::layout::{GUTTER, LONGEST, STEP, call_x, text_x};
use maud::{Markup, html};

/// What lies under everything: bands of the steps that break the rule.
pub fn ground(page: &Page) -> Markup {
    let layout = &page.layout;
    let marked = (0..layout.rows.len()).filter(|&step| page.mark(step).is_some());
    html! {
        @for (step, row) in layout.rows.iter().enumerate().filter(|(_, row)| row.switch) {
            line.switch x1="0" x2=(layout.width) y1=(top(page, step)) y2=(top(page, step)) data-row=(row.y) {}
        }
        @for step in marked {
            rect.clash x="0" y=(layout.rows[step].y) width=(layout.width) height=(STEP) {}
        }
    }
}

/// Top of a step, with the line of the functions that it enters.
fn top(page: &Page, step: usize) -> usize {
    let row = &page.layout.rows[step];
    row.entry.map_or(row.y, |(_, y)| y).saturating_sub(4)
}

/// The line of each task and the bars of its calls.
pub fn lines(page: &Page) -> Markup {
    let (layout, timeline) = (&page.layout, &page.timeline);
    let bottom = layout.height - 40;
    html! {
        g.lanes {
            @for task in &layout.tasks {
                line.lane.(tint(*task)) x1=(layout.lanes[task]) x2=(layout.lanes[task]) y1="0" y2=(bottom) {}
            }
            @for call in &timeline.calls {
                @let x = call_x(layout.lanes[&call.task], call.depth);
                @let from = layout.rows[call.from].entry.map_or(layout.rows[call.from].y, |(_, y)| y) + 4;
                @let to = if call.open { bottom } else { layout.rows[call.to].y + STEP - 4 };
                rect.call.(tint(call.task)) x=(x - 2) y=(from) width="4" height=(to.saturating_sub(from)) rx="2" {
                    title { (call.function) "(), " (page.task(call.task)) }
                }
            }
        }
    }
}

/// The steps, each a target for the mouse.
pub fn steps(page: &Page) -> Markup {
    let (layout, timeline) = (&page.layout, &page.timeline);
    html! {
        @for (number, step) in timeline.steps.iter().enumerate() {
            @let row = &layout.rows[number];
            @let lane = layout.lanes[&step.task];
            @let (x, y) = layout.dot(&timeline.steps, number);
            @let text_y = y + 4;
            @if let Some((depth, y)) = row.entry {
                text.entry.(tint(step.task)) x=(text_x(lane, depth + 1)) y=(y + 13) { (entered(&step.stack[depth..])) }
            }
            g.step.(tint(step.task)).quiet[!step.matters] data-step=(number) {
                rect.hit x="0" y=(row.y) width=(layout.width) height=(STEP) {}
                text.number x=(GUTTER - 10) y=(text_y) { (number + 1) }
                circle.dot.(tint(step.task)).waits[step.waits] cx=(x) cy=(y) r="3.6" {}
                @let (call, remark) = cut(&step.text, &step.remark);
                text.text x=(text_x(lane, step.stack.len())) y=(text_y) {
                    (call)
                    @if !remark.is_empty() { tspan.remark dx="9" { (remark) } }
                }
                title { (step.text) " " (step.remark) }
            }
        }
    }
}

/// The class that colours what belongs to a task.
pub fn tint(task: usize) -> String {
    format!("t{}", task % 8)
}

fn entered(functions: &[String]) -> String {
    functions.iter().map(|f| format!("{f}()")).collect::<Vec<_>>().join(" \u{203a} ")
}

/// What there is room for.
fn cut(call: &str, remark: &str) -> (String, String) {
    let length = call.chars().count();
    if length > LONGEST {
        return (call.chars().take(LONGEST - 1).chain(['\u{2026}']).collect(), String::new());
    }
    let room = LONGEST - length;
    if remark.chars().count() + 2 > room {
        let kept: String = remark.chars().take(room.saturating_sub(3)).collect();
        let remark = if kept.is_empty() { kept } else { kept + "\u{2026}" };
        return (call.into(), remark);
    }
    (call.into(), remark.into())
}
