//! What the script steps through, as a JSON data block.

use super::Page;
use super::source::{excerpt, url};
use crate::timeline::{Mode, Shape};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Data {
    tasks: Vec<String>,
    steps: Vec<Step>,
    words: Vec<Word>,
    locks: Vec<String>,
    holds: Vec<Hold>,
    edges: Vec<Edge>,
    excerpts: BTreeMap<String, Lines>,
    clash: Option<Pair>,
    blocked: Vec<Pair>,
    /// How the rule was broken.
    verdict: String,
    /// Release whose sources the kernel's functions are looked up in.
    release: Option<String>,
}

#[derive(Serialize)]
struct Step {
    task: usize,
    text: String,
    remark: String,
    stack: Vec<String>,
    /// `file:line`.
    site: String,
    url: Option<String>,
    mark: Option<u8>,
    /// Top and bottom of what belongs to it in the chart.
    top: usize,
    y: usize,
}

#[derive(Serialize)]
struct Word {
    object: String,
    name: String,
    initial: String,
    /// Step and text.
    changes: Vec<(usize, String)>,
    reads: Vec<usize>,
    freed: Option<usize>,
    lock: bool,
}

#[derive(Serialize)]
struct Hold {
    lock: usize,
    task: usize,
    mode: &'static str,
    from: usize,
    until: Option<usize>,
}

#[derive(Serialize)]
struct Edge {
    from: usize,
    to: usize,
    word: String,
}

/// Two steps that have to do with each other: those that break the rule, or who holds what is waited
/// for and who waits.
#[derive(Serialize)]
struct Pair {
    first: Option<usize>,
    second: usize,
    ordered: bool,
}

#[derive(Serialize)]
struct Lines {
    first: usize,
    lines: Vec<&'static str>,
}

/// The data block: JSON without any `<`, so that nothing in it can end the element.
pub fn island(page: &Page) -> String {
    let data = data(page);
    let text = serde_json::to_string(&data).expect("strings and numbers are JSON");
    text.replace('<', "\\u003c")
}

fn data(page: &Page) -> Data {
    let (file, timeline, layout) = (page.file, &page.timeline, &page.layout);
    let place = |event: usize| &file.events[event].site;
    let name = |event: usize| format!("{}:{}", place(event).file, place(event).line);
    let mut excerpts = BTreeMap::new();
    for step in &timeline.steps {
        if let Some(found) = excerpt(place(step.event)) {
            let lines = Lines { first: found.first, lines: found.lines };
            excerpts.entry(name(step.event)).or_insert(lines);
        }
    }
    let steps = timeline.steps.iter().enumerate().map(|(number, step)| Step {
        task: step.task,
        text: step.text.clone(),
        remark: step.remark.clone(),
        stack: step.stack.clone(),
        site: name(step.event),
        url: url(page.options, place(step.event)),
        mark: page.mark(number),
        top: layout.rows[number].entry.map_or(layout.rows[number].y, |(_, y)| y),
        y: layout.rows[number].y,
    });
    let words = timeline.tracks.iter().map(|track| Word {
        object: track.object.clone(),
        name: track.name.clone(),
        initial: track.initial_text.clone(),
        changes: track.changes.iter().map(|c| (c.step, c.text.clone())).collect(),
        reads: track.reads.clone(),
        freed: track.freed,
        lock: track.shape == Shape::Lock,
    });
    let mode = |mode| match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::Waits => "waits",
    };
    let holds = timeline.holds.iter().map(|h| Hold {
        lock: h.lock,
        task: h.task,
        mode: mode(h.mode),
        from: h.from,
        until: h.until,
    });
    Data {
        tasks: (0..file.tasks.len().max(1)).map(|t| page.task(t)).collect(),
        steps: steps.collect(),
        words: words.collect(),
        locks: timeline.locks.iter().map(|l| l.name.clone()).collect(),
        holds: holds.collect(),
        edges: timeline.edges.iter().map(|e| Edge { from: e.from, to: e.to, word: e.word.clone() }).collect(),
        excerpts,
        clash: timeline.clash.map(|c| Pair { first: c.first, second: c.second, ordered: c.ordered }),
        blocked: timeline
            .blocked
            .iter()
            .map(|b| Pair { first: Some(b.holder), second: b.waits, ordered: false })
            .collect(),
        verdict: format!("{}: {}", file.rule, file.what),
        release: release(&file.kernel),
    }
}

/// The release that a kernel is named for (`v6.12`); a proposal has none.
fn release(kernel: &str) -> Option<String> {
    let version = kernel.strip_prefix('v')?;
    let plain = |c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == 'r' || c == 'c';
    (version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(plain)).then(|| kernel.into())
}
