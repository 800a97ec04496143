//! Places in the model: where they can be seen, and the lines themselves.

use super::PageOptions;
use include_dir::{Dir, include_dir};
use maud::{Markup, html};
use mmspec_model::event::Place;

/// The model as this program was built with it.
static MODEL: Dir = include_dir!("$CARGO_MANIFEST_DIR/../model/src");

/// The programs that drive it.
static SCENARIOS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../checks/src/scenario");

/// Lines shown before and after the one that is meant.
const AROUND: usize = 3;

/// The lines around a place.
pub struct Excerpt {
    /// Number of the first one, from 1.
    pub first: usize,
    /// The lines, with the indentation that all have taken off.
    pub lines: Vec<&'static str>,
}

/// The lines around `place`, if there is such a place.
pub fn excerpt(place: &Place) -> Option<Excerpt> {
    let within = |dir: &'static Dir, root: &str| dir.get_file(place.file.strip_prefix(root)?);
    let file = within(&MODEL, "model/src/").or_else(|| within(&SCENARIOS, "checks/src/scenario/"))?;
    let lines: Vec<&str> = file.contents_utf8()?.lines().collect();
    let line = (place.line as usize).checked_sub(1).filter(|&l| l < lines.len())?;
    let first = line.saturating_sub(AROUND);
    let around = &lines[first..lines.len().min(line + AROUND + 1)];
    let indents = around.iter().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    let lines = around.iter().map(|l| l.get(indent..).unwrap_or("")).collect();
    Some(Excerpt { first: first + 1, lines })
}

/// Where `place` can be seen, if that was said.
pub fn url(options: &PageOptions, place: &Place) -> Option<String> {
    let base = options.source.as_deref()?.trim_end_matches('/');
    Some(format!("{base}/{}#L{}", place.file, place.line))
}

/// `file:line`, as a link where there is one.
pub fn link(options: &PageOptions, place: &Place) -> Markup {
    let text = format!("{}:{}", place.file, place.line);
    html! {
        @if let Some(url) = url(options, place) { a href=(url) { (text) } } @else { (text) }
    }
}
