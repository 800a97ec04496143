//! The race table: a column per task, time going down, as in `Documentation/process/maintainer-tip.rst`.
//!
//! `story` says which events matter, `relevance` how much where there is no room for all, `rows` turns
//! them into calls and steps, `step` words one step, and `columns` or `gutter` place the rows.

mod cell;
mod changelog;
mod clash;
mod columns;
mod gutter;
mod holds;
mod lexicon;
mod relevance;
mod rows;
mod step;
mod story;
mod wrap;

/// What the other drawings of a trace say in the same words.
pub(crate) mod words {
    pub(crate) use super::lexicon::{Lexicon, lvalue};
    pub(crate) use super::step::{is_lock, only_queues, text};
    pub(crate) use super::story::{Fate, Story};
}

use crate::file::TraceFile;
pub use changelog::{About, changelog};
use columns::MIN_COLUMN;
use lexicon::Lexicon;
use story::Story;

/// Lines that fit on a screen: a longer table is folded further.
const SCREEN: usize = 40;

/// Steps tried beyond the first that makes the table too long.
const SLACK: usize = 4;

/// How a race table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of text at most; taken for 40 if it is less.
    pub width: usize,
    /// Show each step, however many there are, and not only those nearest to the violation.
    pub full: bool,
}

impl Default for TableOptions {
    /// 75 columns, what a commit message allows.
    fn default() -> Self {
        Self { width: 75, full: false }
    }
}

/// What every row of a table has to know.
struct Page<'a> {
    /// Columns of text.
    width: usize,
    /// Has the names of the tasks.
    lexicon: &'a Lexicon,
    /// Tasks that have a row, in the order of the trace.
    shown: Vec<usize>,
    /// `*** rule R1: ...`.
    verdict: String,
}

impl Page<'_> {
    fn task(&self, index: usize) -> String {
        self.lexicon.task(index)
    }
}

/// Draw `file` as a race table, each line ended by a newline.
///
/// Any `file` will do, also one that [`TraceFile::read`] would refuse.
pub fn render(file: &TraceFile, options: &TableOptions) -> String {
    let width = options.width.max(40);
    let mut lines = wrap::prose(&title(file), width, 2);
    lines.push(String::new());
    let table = table(file, width, options.full);
    lines.extend(table.lines);
    lines.extend(table.folded);
    lines.iter().map(|line| printable(line.trim_end()) + "\n").collect()
}

/// A table with nothing around it.
struct Table {
    lines: Vec<String>,
    /// How much of the trace it shows, if not all.
    folded: Option<String>,
}

/// The table alone.
fn table(file: &TraceFile, width: usize, full: bool) -> Table {
    let lexicon = Lexicon::new(file);
    let story = Story::new(file);
    let room = SCREEN - wrap::prose(&title(file), width, 2).len() - 1;
    let lines = draw(file, &lexicon, &story, width);
    if lines.len() <= room || full {
        return Table { lines, folded: None };
    }
    screenful(file, &lexicon, &story, width, room)
}

/// As many of the steps nearest to the violation as fit in `room` lines.
fn screenful(file: &TraceFile, lexicon: &Lexicon, story: &Story, width: usize, room: usize) -> Table {
    // One step more may join two lines to one: a few beyond the first that is too many are tried.
    let mut best = (0, Table { lines: Vec::new(), folded: None });
    for count in 0..=story.nearest.len() {
        if count > best.0 + SLACK {
            break;
        }
        let near = story.nearest(count, &file.events);
        let lines = draw(file, lexicon, &near, width);
        if lines.len() < room {
            let folded = format!("({} of {} steps; show --full has all)", near.shown(), story.shown());
            best = (count, Table { lines, folded: Some(folded) });
        }
    }
    best.1
}

fn draw(file: &TraceFile, lexicon: &Lexicon, story: &Story, width: usize) -> Vec<String> {
    let rows = rows::rows(file, lexicon, story);
    let mut shown: Vec<usize> = rows.iter().map(|r| r.task).collect();
    shown.sort_unstable();
    shown.dedup();
    let page = Page { width, lexicon, shown, verdict: verdict(file) };

    let mut lines = if page.shown.len() * MIN_COLUMN <= width {
        columns::place(&rows, &page)
    } else {
        gutter::place(&rows, &page)
    };
    if !rows.iter().any(|r| r.broken) {
        lines.extend(wrap::prose(&page.verdict, width, 4));
    }
    lines
}

/// The line above the table.
fn title(file: &TraceFile) -> String {
    let what = if file.what.is_empty() { String::new() } else { format!(" - {}", file.what) };
    format!("{}, scenario {}: VIOLATED {}{what}", title_of(file), file.scenario, file.rule)
}

/// `kernel v6.12 without R22`.
fn title_of(file: &TraceFile) -> String {
    let without =
        if file.without.is_empty() { String::new() } else { format!(" without {}", file.without.join(", ")) };
    format!("kernel {}{without}", file.kernel)
}

/// The line below the table. Rules of the reference are numbered (`R1`), the others are words (`uaf`).
fn verdict(file: &TraceFile) -> String {
    let numbered = file.rule.starts_with(|c: char| c.is_ascii_uppercase());
    format!("*** {}{}: {}", if numbered { "rule " } else { "" }, file.rule, file.what)
}

/// `line` without what would steer a terminal: names may come from a file that anybody wrote.
pub fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
