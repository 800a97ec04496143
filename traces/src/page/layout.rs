//! Where things stand: a row per step, columns for tasks, locks and words. All numbers are pixels.

use crate::file::TraceFile;
use crate::timeline::{Moment, Shape, Timeline, Track};
use std::collections::HashMap;

/// Height of a step.
pub const STEP: usize = 21;
/// Height of the line that names the functions entered.
pub const ENTRY: usize = 18;
/// Space above a step of another task than the last one's.
const SWITCH: usize = 7;
/// Width of the step numbers.
pub const GUTTER: usize = 46;
/// Shift of what is called by a function.
pub const NEST: usize = 7;
/// Deepest shift.
const DEEPEST: usize = 8;
/// Between a task's line and its text.
const TEXT: usize = 13;
/// Longest text in characters; the rest is in the panel.
pub const LONGEST: usize = 58;
/// Width of a character of the text, no less than it has in the fonts asked for.
const CHARACTER: usize = 7;
/// Width of a lock's column.
pub const LOCK: usize = 20;
/// Width of a flag's column.
pub const FLAG: usize = 20;
/// Width of a counter's column.
pub const COUNTER: usize = 36;
/// Space before the columns of locks, and before those of words.
const GAP: usize = 26;

/// Where a step stands.
#[derive(Clone, Debug)]
pub struct Row {
    /// Top of its line.
    pub y: usize,
    /// Functions that it enters, and the top of the line that says so.
    pub entry: Option<(usize, usize)>,
    /// Whether another task ran before.
    pub switch: bool,
}

impl Row {
    /// Middle of its line.
    pub fn middle(&self) -> usize {
        self.y + STEP / 2
    }
}

/// A column for a word.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Index in [`Timeline::tracks`].
    pub track: usize,
    /// Left edge.
    pub x: usize,
    /// Width.
    pub width: usize,
}

/// Where everything stands.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Width of the chart.
    pub width: usize,
    /// Height of the chart.
    pub height: usize,
    /// Rows, one a step.
    pub rows: Vec<Row>,
    /// Line of each task that takes a step, by its index.
    pub lanes: HashMap<usize, usize>,
    /// Those tasks, from left to right.
    pub tasks: Vec<usize>,
    /// Distance of two tasks.
    pub pitch: usize,
    /// Left edge of the first lock.
    pub locks: usize,
    /// Columns of words.
    pub columns: Vec<Column>,
}

impl Layout {
    /// The layout of `timeline`.
    pub fn new(file: &TraceFile, timeline: &Timeline) -> Self {
        let (rows, height) = rows(&timeline.steps);
        let mut tasks: Vec<usize> = timeline.steps.iter().map(|s| s.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let pitch = match tasks.len() {
            0..=2 => 250,
            3 => 170,
            4 => 114,
            5 => 100,
            _ => 90,
        };
        let lanes: HashMap<usize, usize> =
            tasks.iter().enumerate().map(|(i, &t)| (t, GUTTER + 18 + i * pitch)).collect();
        let ends = timeline.steps.iter().map(|s| {
            let text = s.text.chars().count() + s.remark.chars().count() + 2;
            text_x(lanes[&s.task], s.stack.len()) + text.min(LONGEST) * CHARACTER
        });
        let verdict = file.what.chars().count().min(LONGEST);
        let names = lanes.values().map(|x| x + 110);
        let locks = ends.chain(names).max().unwrap_or(GUTTER).max(verdict) + GAP;
        let mut x = locks + timeline.locks.len() * LOCK + if timeline.locks.is_empty() { 0 } else { GAP };
        let mut columns = Vec::new();
        for (track, t) in timeline.tracks.iter().enumerate().filter(|(_, t)| is_drawn(t)) {
            let width = if t.shape == Shape::Flag { FLAG } else { COUNTER };
            columns.push(Column { track, x, width });
            x += width;
        }
        Self { width: x + 16, height: height + STEP + 40, rows, lanes, tasks, pitch, locks, columns }
    }

    /// The dot of a step.
    pub fn dot(&self, steps: &[Moment], step: usize) -> (usize, usize) {
        let depth = steps[step].stack.len();
        (call_x(self.lanes[&steps[step].task], depth.saturating_sub(1)), self.rows[step].middle())
    }
}

/// Middle of the bar of a call at `depth`.
pub fn call_x(lane: usize, depth: usize) -> usize {
    lane + NEST * depth.min(DEEPEST)
}

/// Where the text of a step starts that has `depth` calls around it.
pub fn text_x(lane: usize, depth: usize) -> usize {
    call_x(lane, depth.saturating_sub(1)) + TEXT
}

/// Whether a word has a column: it changes, and more than one task looks at it or it is the mm's. A flag
/// of the mm that is tested in vain is a part of the story too.
fn is_drawn(track: &Track) -> bool {
    let kind = matches!(track.shape, Shape::Flag | Shape::Counter);
    let changes = !track.changes.is_empty() && (track.tasks > 1 || track.object.starts_with("mm"));
    kind && (changes || track.name.starts_with("MMF_"))
}

fn rows(steps: &[Moment]) -> (Vec<Row>, usize) {
    let mut y = 8;
    let mut last: HashMap<usize, &[String]> = HashMap::new();
    let mut before = None;
    let mut rows = Vec::new();
    for step in steps {
        let switch = before.is_some_and(|task| task != step.task);
        if switch {
            y += SWITCH;
        }
        before = Some(step.task);
        let open = last.insert(step.task, &step.stack).unwrap_or_default();
        let same = open.iter().zip(&step.stack).take_while(|(a, b)| a == b).count();
        let entry = (same < step.stack.len()).then(|| {
            let top = y;
            y += ENTRY;
            (same, top)
        });
        rows.push(Row { y, entry, switch });
        y += STEP;
    }
    (rows, y)
}
