//! The race table: a column per task, time going down, as in `Documentation/process/maintainer-tip.rst`.
//!
//! `story` says which events matter, `rows` turns them into calls and steps, `step` words one step,
//! and `columns` or `gutter` place the rows.

mod cell;
mod clash;
mod columns;
mod gutter;
mod lexicon;
mod rows;
mod step;
mod story;
mod wrap;

use crate::file::TraceFile;
use columns::MIN_COLUMN;
use lexicon::Lexicon;
use story::Story;

/// Lines that fit on a screen: a longer table is folded further.
const SCREEN: usize = 40;

/// How a race table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of text at most; taken for 40 if it is less.
    pub width: usize,
}

impl Default for TableOptions {
    /// 75 columns, what a commit message allows.
    fn default() -> Self {
        Self { width: 75 }
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
    let lexicon = Lexicon::new(file);
    let story = Story::new(file);
    let mut lines = draw(file, &lexicon, &story, width, false);
    if lines.len() > SCREEN {
        lines = draw(file, &lexicon, &story, width, true);
    }
    lines.iter().map(|line| printable(line.trim_end()) + "\n").collect()
}

fn draw(file: &TraceFile, lexicon: &Lexicon, story: &Story, width: usize, fold: bool) -> Vec<String> {
    let rows = rows::rows(file, lexicon, story, fold);
    let mut shown: Vec<usize> = rows.iter().map(|r| r.task).collect();
    shown.sort_unstable();
    shown.dedup();
    let page = Page { width, lexicon, shown, verdict: verdict(file) };

    let mut lines = wrap::prose(&title(file), width, 2);
    lines.push(String::new());
    if page.shown.len() * MIN_COLUMN <= width {
        lines.extend(columns::place(&rows, &page));
    } else {
        lines.extend(gutter::place(&rows, &page));
    }
    if !rows.iter().any(|r| r.broken) {
        lines.extend(wrap::prose(&page.verdict, width, 4));
    }
    lines
}

/// The line above the table.
fn title(file: &TraceFile) -> String {
    let without =
        if file.without.is_empty() { String::new() } else { format!(" without {}", file.without.join(", ")) };
    let what = if file.what.is_empty() { String::new() } else { format!(" - {}", file.what) };
    format!("kernel {}{without}, scenario {}: VIOLATED {}{what}", file.kernel, file.scenario, file.rule)
}

/// The line below the table. Rules of the reference are numbered (`R1`), the others are words (`uaf`).
fn verdict(file: &TraceFile) -> String {
    let numbered = file.rule.starts_with(|c: char| c.is_ascii_uppercase());
    format!("*** {}{}: {}", if numbered { "rule " } else { "" }, file.rule, file.what)
}

/// `line` without what would steer a terminal: names may come from a file that anybody wrote.
fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
