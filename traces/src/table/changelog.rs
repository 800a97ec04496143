//! A counterexample for a commit message: what happens in three sentences, the race table, the rule.

use super::lexicon::Lexicon;
use super::story::Story;
use super::{TableOptions, step, title_of, wrap};
use crate::file::TraceFile;

/// What the trace itself does not say.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The rule in one sentence, if it has one.
    pub rule: Option<String>,
    /// Commits that made the kernel so (`64591e8605d6`), for `Fixes:`.
    pub fixes: Vec<String>,
}

/// `file` as a piece of a commit message, each line ended by a newline.
pub fn changelog(file: &TraceFile, about: &About, options: &TableOptions) -> String {
    let width = options.width.max(40);
    let prose = wrap::prose(&sentences(file).join(" "), width, 0);
    let mut lines = prose;
    lines.push(String::new());
    let table = super::table(file, width, options.full);
    lines.extend(table.lines.iter().map(|line| line.trim_end().to_string()));
    if let Some(rule) = &about.rule {
        lines.push(String::new());
        lines.extend(wrap::prose(&format!("Rule {}: {rule}.", file.rule), width, 2));
    }
    if !about.fixes.is_empty() {
        lines.push(String::new());
        lines.extend(about.fixes.iter().map(|commit| format!("Fixes: {commit}")));
    }
    lines.iter().map(|line| super::printable(line) + "\n").collect()
}

/// What breaks, by which steps, and who found it.
fn sentences(file: &TraceFile) -> [String; 3] {
    let lexicon = Lexicon::new(file);
    let story = Story::new(file);
    let does = |i: usize| {
        let e = &file.events[i];
        let within = e.stack.last().filter(|f| **f != e.step);
        let within = within.map_or(String::new(), |f| format!(" in {f}()"));
        format!("{} does \"{}\"{within}", lexicon.task(e.task), step::text(e, &lexicon).call)
    };
    let what = match (story.rival, story.broken) {
        (Some(rival), Some(broken)) => format!("First {} (1), then {} (2).", does(rival), does(broken)),
        (None, Some(broken)) => format!("It breaks where {}.", does(broken)),
        (_, None) => "It shows when no task can move any more.".into(),
    };
    let preemptions = match file.preemptions {
        0 => "without a preemption".into(),
        1 => "with one preemption".into(),
        n => format!("with {n} preemptions"),
    };
    [
        format!("On {}, {}.", title_of(file), file.what.trim_end_matches('.')),
        what,
        format!("Found by mmspec in its scenario {}, {preemptions}.", file.scenario),
    ]
}
