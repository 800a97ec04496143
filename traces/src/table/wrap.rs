//! Breaking text into lines, never inside a name.

/// Columns that `text` takes.
pub fn len(text: &str) -> usize {
    text.chars().count()
}

/// `text` in pieces that must stay whole: a piece ends after a space, and after the `(` of a call
/// with arguments.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut previous = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, n)| n);
        let ends = match c {
            ' ' => next != '(' && next != ' ',
            '(' => next != ')' && (previous.is_alphanumeric() || previous == '_'),
            _ => false,
        };
        previous = c;
        if ends {
            pieces.push(&text[start..=at]);
            start = at + 1;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// `text` in lines of at most `room` columns, those after the first indented by `hang`. A name that
/// is longer gets a line that is too long.
pub fn lines(text: &str, room: usize, hang: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text) {
        let started = !line.trim().is_empty();
        if started && len(&line) + len(piece.trim_end()) > room {
            lines.push(std::mem::take(&mut line).trim_end().to_string());
            line = " ".repeat(hang);
        }
        line += piece;
    }
    lines.push(line.trim_end().to_string());
    lines
}

/// The same for a sentence from a file, which may hold anything, on lines that start at the margin.
pub fn prose(text: &str, width: usize, hang: usize) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    lines(&text, width, hang).iter().flat_map(|line| fit(0, line, width)).collect()
}

/// `text` from column `start`. One that would pass `width` starts further left, and only if it is
/// wider than that is it cut.
pub fn fit(start: usize, text: &str, width: usize) -> Vec<String> {
    let start = start.min(width.saturating_sub(len(text)));
    let chars: Vec<char> = text.chars().collect();
    let cut = chars.chunks(width).map(|part| " ".repeat(start) + &String::from_iter(part));
    cut.collect()
}
