//! A column per task. Every line belongs to one task, so a long one may run on under the columns
//! to its right, as in changelogs; only the right edge of the page breaks it.

use super::Page;
use super::cell::{cell, underline, verdict};
use super::rows::Row;
use super::wrap::{fit, len};

/// Distance of two columns below which a page has no room for them.
pub const MIN_COLUMN: usize = 22;

/// Distance beyond which two columns look like two texts.
const MAX_COLUMN: usize = 60;

/// Calls are nested by two spaces, but never so far that a line seems to start in the next column.
const DEEPEST: usize = MIN_COLUMN - 6;

/// The table, with the columns as far apart as they can be without costing lines.
pub fn place(rows: &[Row], page: &Page) -> Vec<String> {
    let widest = (page.width / page.shown.len().max(1)).min(MAX_COLUMN);
    let tables = (MIN_COLUMN..=widest).rev().map(|pitch| table(rows, page, pitch));
    tables.min_by_key(Vec::len).unwrap_or_default()
}

fn table(rows: &[Row], page: &Page, pitch: usize) -> Vec<String> {
    let mut table = header(page, pitch);
    for row in rows {
        let column = page.shown.iter().position(|&t| t == row.task).unwrap_or(0) * pitch;
        let start = column + (2 * row.depth).min(DEEPEST);
        let mut put = |at, line: &str| table.extend(fit(at, line, page.width));
        let room = page.width - start;
        for line in cell(row, room) {
            put(start, &line);
        }
        if row.broken {
            put(start, &underline(row, room));
            for line in verdict(&page.verdict, page.width - column) {
                put(column, &line);
            }
        }
    }
    table
}

/// Names and dashes above the columns; if one is too long for its column, each name has a line.
fn header(page: &Page, pitch: usize) -> Vec<String> {
    let starts = || page.shown.iter().enumerate().map(|(i, &t)| (i * pitch, page.task(t)));
    let last = page.shown.len().saturating_sub(1) * pitch;
    let fits =
        starts().all(|(at, name)| at + len(&name) <= if at == last { page.width } else { at + pitch - 2 });
    if !fits {
        return starts().flat_map(|(at, name)| fit(at, &name, page.width)).collect();
    }
    let line = |cell: &dyn Fn(&str) -> String| {
        starts().fold(String::new(), |line, (at, name)| format!("{line:at$}{}", cell(&name)))
    };
    vec![line(&str::to_string), line(&|name| "-".repeat(len(name)))]
}
