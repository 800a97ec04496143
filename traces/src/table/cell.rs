//! One row within the room that a layout has for it.

use super::rows::Row;
use super::wrap::{len, lines};

/// Indentation of what is continued on the next line.
const HANG: usize = 4;

/// The row in lines of at most `room` columns: call, remark and mark on one if they fit.
pub fn cell(row: &Row, room: usize) -> Vec<String> {
    let mut cell = lines(&row.text, room, HANG);
    if !row.remark.is_empty() {
        append(&mut cell, &format!("# {}", row.remark), room);
    }
    if !row.mark.is_empty() {
        append(&mut cell, row.mark, room);
    }
    cell
}

fn append(cell: &mut Vec<String>, text: &str, room: usize) {
    match cell.last_mut() {
        Some(last) if len(last) + 2 + len(text) <= room => {
            last.push_str("  ");
            last.push_str(text);
        }
        _ => {
            let wrapped = lines(text, room.saturating_sub(HANG), 2);
            cell.extend(wrapped.iter().map(|line| " ".repeat(HANG) + line));
        }
    }
}

/// What is drawn below a row that breaks the rule.
pub fn underline(row: &Row, room: usize) -> String {
    "^".repeat(lines(&row.text, room, HANG).iter().map(|line| len(line)).max().unwrap_or(1))
}

/// The verdict in lines of at most `room` columns.
pub fn verdict(text: &str, room: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    lines(&words.join(" "), room, HANG)
}
