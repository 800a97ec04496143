//! `drift`: what has become of the functions that the model mirrors.

use super::args::{DriftArgs, Format};
use super::error::CliError;
use super::pin::replace;
use super::screen::Screen;
use super::{Exit, expected, names};
use mmspec::drift::{Finding, PINS, Status, Tree, compare, find_all, label, pin};
use mmspec::manifest::Manifest;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What `--format json` writes.
#[derive(Serialize)]
struct Document<'a> {
    /// Always `mmspec-drift`.
    format: &'static str,
    /// Rises when the meaning of a field changes or a field goes.
    version: u32,
    /// Version of the tree.
    tree: &'a str,
    /// Kernel that it is compared with.
    kernel: &'a str,
    /// Version of the tree that the kernel's hashes are from.
    hashes_of: &'a str,
    functions: Vec<Row<'a>>,
    /// Number of functions by status.
    summary: BTreeMap<&'static str, usize>,
    /// Scenarios to check again.
    scenarios: &'a BTreeSet<String>,
}

/// A function.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    file: &'a str,
    status: Status,
    found_in: Option<&'a str>,
    line: Option<usize>,
    pinned_hash: &'a str,
    found_hash: Option<&'a str>,
    pinned_calls: Vec<String>,
    found_calls: Option<Vec<String>>,
    model: &'a str,
    rules: &'a [String],
    scenarios: BTreeSet<String>,
}

/// Compare, or take the hashes.
pub fn run(args: &DriftArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let named = args.kernel.as_deref().map(names::kernel).transpose()?.map(|kernel| kernel.name);
    let tree = Tree::open(&args.linux)?;
    if let (Some(file), Some(kernel)) = (&args.pin, named) {
        return take(file, kernel, &tree, screen);
    }
    let known = || PINS.tree.keys().cloned().collect::<Vec<_>>().join(", ");
    let no_hashes = |what| CliError::NoHashes { what, known: known() };
    let kernel = match named {
        Some(name) => name,
        None => PINS
            .nearest(tree.version())
            .ok_or_else(|| no_hashes(format!("the tree, {}, is older than all", tree.version())))?,
    };
    let hashes_of = PINS.tree.get(kernel).ok_or_else(|| no_hashes(format!("no hashes for {kernel}")))?;
    let manifest = Manifest::committed();
    let findings = compare(&tree, kernel)?;
    let drifted = || findings.iter().filter(|f| f.status.is_drift());
    let scenarios: BTreeSet<String> = drifted().flat_map(|f| f.function.scenarios(&manifest)).collect();
    let mut summary: BTreeMap<&'static str, usize> = BTreeMap::new();
    for finding in &findings {
        *summary.entry(finding.status.text()).or_default() += 1;
    }
    if args.format == Format::Json {
        screen.json(&Document {
            format: "mmspec-drift",
            version: 1,
            tree: tree.version(),
            kernel,
            hashes_of,
            functions: findings.iter().map(|f| Row::new(f, &manifest)).collect(),
            summary,
            scenarios: &scenarios,
        })?;
    } else {
        screen.line(format_args!(
            "Linux {} against {kernel}, whose hashes are of {hashes_of}",
            tree.version()
        ))?;
        for finding in findings.iter().filter(|f| f.status != Status::Unchanged) {
            print(finding, screen)?;
        }
        let counts: Vec<String> = summary.iter().map(|(status, n)| format!("{n} {status}")).collect();
        screen.line(format_args!("{} functions: {}", findings.len(), counts.join(", ")))?;
        if !scenarios.is_empty() {
            screen.line("\nCompare them with the model, then check what they are needed for:")?;
            let again: Vec<&str> = scenarios.iter().map(String::as_str).collect();
            screen.line(format_args!("  mmspec check {}", again.join(" ")))?;
        }
    }
    Ok(if drifted().next().is_none() { Exit::AsExpected } else { Exit::Unexpected })
}

/// A function that is not what it was.
fn print(finding: &Finding, screen: &mut Screen) -> Result<(), CliError> {
    let Finding { function, status, .. } = finding;
    let place = match &finding.found {
        Some(found) => format!("{}:{}", found.file, found.line),
        None => function.file.clone(),
    };
    screen.line(format_args!("  {:9}  {place} {}()", status.text(), function.name))?;
    if let Some(found) = &finding.found {
        if found.file != function.file {
            screen.line(format_args!("             from {}", function.file))?;
        }
        let (was, is) = parted(finding.calls, &found.calls);
        if !was.is_empty() || !is.is_empty() {
            screen.line(format_args!("             was {}", listed(was)))?;
            screen.line(format_args!("             is  {}", listed(is)))?;
        }
    }
    let rules =
        if function.rules.is_empty() { String::new() } else { format!(": {}", function.rules.join(", ")) };
    screen.line(format_args!("             {}{rules}", function.model))
}

/// Both without what they have in common at the start and at the end.
fn parted<'a>(was: &'a [String], is: &'a [String]) -> (&'a [String], &'a [String]) {
    let start = was.iter().zip(is).take_while(|(a, b)| a == b).count();
    let (was, is) = (&was[start..], &is[start..]);
    let end = was.iter().rev().zip(is.iter().rev()).take_while(|(a, b)| a == b).count();
    (&was[..was.len() - end], &is[..is.len() - end])
}

fn listed(calls: &[String]) -> String {
    if calls.is_empty() {
        return "(nothing)".into();
    }
    calls.iter().map(|call| label(call)).collect::<Vec<_>>().join(", ")
}

impl<'a> Row<'a> {
    fn new(finding: &'a Finding, manifest: &Manifest) -> Self {
        let Finding { function, status, pinned, calls, found } = finding;
        let labels = |calls: &[String]| calls.iter().map(|call| label(call)).collect();
        Self {
            name: &function.name,
            file: &function.file,
            status: *status,
            found_in: found.as_ref().map(|f| &*f.file),
            line: found.as_ref().map(|f| f.line),
            pinned_hash: pinned,
            found_hash: found.as_ref().map(|f| &*f.hash),
            pinned_calls: labels(calls),
            found_calls: found.as_ref().map(|f| labels(&f.calls)),
            model: &function.model,
            rules: &function.rules,
            scenarios: function.scenarios(manifest),
        }
    }
}

/// Take the hashes of `tree` as those of `kernel`.
fn take(path: &Path, kernel: &str, tree: &Tree, screen: &mut Screen) -> Result<Exit, CliError> {
    let old = expected::read(path)?;
    let pinned = pin(&old, kernel, tree.version(), &find_all(tree)?)
        .map_err(|source| CliError::Pin { path: path.into(), source })?;
    if !pinned.refused.is_empty() {
        screen.line(format_args!("{}: left alone, because of", path.display()))?;
        pinned.refused.iter().try_for_each(|(name, why)| screen.line(format_args!("  {name}(): {why}")))?;
        return Ok(Exit::Unexpected);
    }
    replace(path, &old, &pinned.text)?;
    screen.line(format_args!(
        "{}: hashes of {kernel} taken from {}, of {} of {} functions",
        path.display(),
        tree.version(),
        pinned.taken,
        PINS.function.len()
    ))?;
    if !pinned.absent.is_empty() {
        screen.line(format_args!("Not in this tree: {}", pinned.absent.join(", ")))?;
    }
    Ok(Exit::AsExpected)
}
