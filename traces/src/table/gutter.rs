//! One column for all tasks, for more of them than a page has columns: their names stand to the
//! left, where another task goes on.

use super::Page;
use super::cell::{cell, underline, verdict};
use super::rows::Row;
use super::wrap::{fit, len};

/// Widest name that shares a line with a step.
const MAX_NAME: usize = 20;

/// What stands between name and step.
const BAR: &str = " | ";

/// Calls are nested by two spaces up to here.
const DEEPEST: usize = 20;

/// The table.
pub fn place(rows: &[Row], page: &Page) -> Vec<String> {
    let names = page.shown.iter().map(|&t| len(&page.task(t)));
    let name_width = names.max().unwrap_or(0).min(MAX_NAME).min(page.width / 3);
    let room = page.width - name_width - BAR.len();
    let mut table = Vec::new();
    let mut running = None;
    for row in rows {
        let mut lines = Vec::new();
        let name = if running == Some(row.task) { String::new() } else { page.task(row.task) };
        // Without a column of its own to look up, a task says where it goes on.
        if !name.is_empty() && !row.within.is_empty() {
            lines.push(" ".repeat(indent(row.depth - 1)) + &format!("# in {}()", row.within));
        }
        running = Some(row.task);

        let start = indent(row.depth);
        let mut put = |start, line: &str| lines.extend(fit(start, line, room.max(len(line))));
        for line in cell(row, room - start) {
            put(start, &line);
        }
        if row.broken {
            put(start, &underline(row, room - start));
            for line in verdict(&page.verdict, room) {
                put(0, &line);
            }
        }
        table.extend(beside(&name, name_width, page.width, &lines));
    }
    table
}

fn indent(depth: usize) -> usize {
    (2 * depth).min(DEEPEST)
}

/// `lines` with `name` to the left of the first, or above if it is too long. A line that is too long
/// itself takes the whole width.
fn beside(name: &str, name_width: usize, width: usize, lines: &[String]) -> Vec<String> {
    let above = if len(name) > name_width { fit(0, name, width) } else { Vec::new() };
    let names = above.is_empty().then_some(name).into_iter().chain(std::iter::repeat(""));
    let below = lines.iter().zip(names).flat_map(|(line, name)| {
        let name = format!("{name:name_width$}{BAR}");
        if len(&name) + len(line) <= width {
            return vec![name + line];
        }
        let alone = fit(0, line.trim_start(), width);
        [vec![name], alone].concat()
    });
    above.into_iter().chain(below).collect()
}
