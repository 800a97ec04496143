//! The documents say what is so: paths, links, rules, scenarios, commands, functions and numbers in
//! them are looked up, and the worked example runs.

use mmspec::check::{Checked, Engine, Options, check};
use mmspec::counterexample::trace_file;
use mmspec::engine::explore::footprint::MAX_THREADS;
use mmspec::engine::explore::memory::view::MAX_ATOMICS;
use mmspec::engine::report::MAX_STEPS;
use mmspec::scenario::Actor::{CompleteAio, ExitWhenKilled, KillAndMrelease};
use mmspec::scenario::{Scenario, library};
use mmspec::verdict::Verdict;
use mmspec_model::variant::{Kernel, RULES, Rule};
use mmspec_tests::litmus;
use mmspec_traces::{TableOptions, render};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The scenario of docs/model-your-patch.md.
fn mrelease_while_exit_waits() -> Scenario {
    Scenario::new("mrelease_while_exit_waits", "process_mrelease() comes while exit_aio() waits")
        .mm_with_aio(3)
        .task(0)
        .actor(ExitWhenKilled(0))
        .actor(KillAndMrelease(0))
        .actor(CompleteAio(0))
        .reaches("process_mrelease() reaps")
        .reaches("process_mrelease() finds MMF_OOM_SKIP")
        .reaches_async("an mm is queued")
}

/// Its kernel, and the patch: `MMF_OOM_SKIP` is set after the write unlock.
const PATCHED: (&str, Rule) = ("v6.12", Rule::R23Set);

/// Numbers of the locking rules.
const LOCKING_RULES: std::ops::RangeInclusive<usize> = 1..=62;

/// Names of the kernel that nothing in the repository is called.
const KERNEL_NAMES: &[&str] = &["active_mm", "clear_child_tid"];

/// A kernel that the text adds.
const ADDED_KERNEL: &str = "skip-when-freed";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_path_buf()
}

struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    fn read(path: &str) -> Self {
        let path = root().join(path);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    /// All of docs/, and the README.
    fn all() -> Vec<Self> {
        let entries = fs::read_dir(root().join("docs")).expect("docs/ is there");
        let mut paths: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
        paths.push(root().join("README.md"));
        paths.retain(|p| p.extension().is_some_and(|e| e == "md") && p.exists());
        paths.sort();
        paths
            .iter()
            .map(|p| Self::read(p.strip_prefix(root()).expect("inside").to_str().expect("text")))
            .collect()
    }

    fn name(&self) -> String {
        self.path.strip_prefix(root()).expect("inside").display().to_string()
    }

    /// Prose (`false`) and fenced blocks (`true`), in turn.
    fn parts(&self) -> Vec<(bool, String)> {
        let mut parts = vec![(false, String::new())];
        for line in self.text.lines() {
            let fence = line.trim_start().starts_with("```");
            let fenced = parts.last().expect("never empty").0;
            if fence {
                parts.push((!fenced, String::new()));
            } else {
                *(&mut parts.last_mut().expect("never empty").1) += &format!("{line}\n");
            }
        }
        parts
    }

    fn prose(&self) -> String {
        self.parts().into_iter().filter(|(fenced, _)| !fenced).map(|(_, text)| text).collect()
    }

    fn blocks(&self) -> Vec<String> {
        self.parts().into_iter().filter(|(fenced, _)| *fenced).map(|(_, text)| text).collect()
    }

    /// What stands between backticks.
    fn code(&self) -> Vec<String> {
        let prose = self.prose();
        let spans = prose.split('`').skip(1).step_by(2);
        spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// The text under a heading.
    fn section(&self, heading: &str) -> &str {
        let start = self.text.find(heading).unwrap_or_else(|| panic!("{}: no \"{heading}\"", self.name()));
        let rest = &self.text[start + heading.len()..];
        &rest[..rest.find("\n## ").unwrap_or(rest.len())]
    }
}

/// Every document with what `wrong` says about it must be empty.
fn nothing_is_wrong(wrong: impl Fn(&Document) -> Vec<String>) {
    let complaints: Vec<String> = Document::all()
        .iter()
        .flat_map(|d| wrong(d).into_iter().map(|text| format!("{}: {text}", d.name())))
        .collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// All sources, to look names up in.
fn sources() -> String {
    fn add(directory: &Path, text: &mut String) {
        for entry in fs::read_dir(directory).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                add(&path, text);
            } else if path.extension().is_some_and(|e| e == "rs" || e == "toml")
                && !path.ends_with("tests/docs.rs")
            {
                *text += &fs::read_to_string(path).expect("text");
            }
        }
    }
    let mut text = String::new();
    ["model/src", "checks", "traces", "tests"].iter().for_each(|dir| add(&root().join(dir), &mut text));
    text
}

/// The words of `text`: letters, digits, and what `also` has.
fn words<'a>(text: &'a str, also: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(move |c: char| !c.is_ascii_alphanumeric() && !also.contains(c)).filter(|word| !word.is_empty())
}

fn is_path(code: &str) -> bool {
    let tops = ["model/", "checks/", "traces/", "docs/", "tests/", ".ci/", ".config/"];
    let ends = [".rs", ".md", ".toml"];
    !code.contains([' ', '*'])
        && (tops.iter().any(|t| code.starts_with(t)) || ends.iter().any(|e| code.ends_with(e)))
}

#[test]
fn paths_exist() {
    nothing_is_wrong(|document| {
        let paths = document.code().into_iter().filter(|code| is_path(code));
        let missing = paths.filter(|path| !root().join(path).exists());
        missing.map(|path| format!("there is no {path}")).collect()
    });
}

/// Anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_resolve() {
    nothing_is_wrong(|document| {
        let prose = document.prose();
        let targets =
            prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        let broken = targets.filter(|target| {
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") {
                return false;
            }
            let path = document.path.parent().expect("a directory").join(file);
            let path = if file.is_empty() { document.path.clone() } else { path };
            let text =
                if path.is_file() { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
            let found =
                text.lines().filter(|l| l.starts_with('#')).any(|heading| anchor(heading) == fragment);
            !path.exists() || !fragment.is_empty() && !found
        });
        broken.map(|target| format!("the link {target} leads nowhere")).collect()
    });
}

/// Rules named in a text: `R23`, `A8-charge`.
fn rules_in(text: &str) -> BTreeSet<&str> {
    let named = words(text, "-_").filter(|word| {
        let number = word.trim_start_matches(['R', 'O', 'I', 'A']);
        let (number, name) = number.split_once('-').unwrap_or((number, "x"));
        word.len() > number.len()
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && (1..=2).contains(&number.len())
            && number.bytes().all(|b| b.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_lowercase())
    });
    named.collect()
}

#[test]
fn rules_exist() {
    let (sources, limits) = (sources(), Document::read("docs/limits.md"));
    let explained = rules_in(limits.section("## Rules that are not enforced"));
    nothing_is_wrong(|document| {
        let prose = document.prose();
        let unknown = rules_in(&prose).into_iter().filter(|id| {
            let told = sources.contains(&format!("\"{id}\""));
            !told && !(explained.contains(id) && document.path == limits.path)
        });
        unknown.map(|id| format!("nothing checks {id}")).collect()
    });
}

#[test]
fn each_rule_is_enforced_or_explained() {
    let limits = Document::read("docs/limits.md");
    let enforced = limits.section("## Rules that are enforced");
    let listed = enforced.split_once("\nR1,").expect("the list").1.split_once('.').expect("its end").0;
    let listed: BTreeSet<String> = rules_in(listed).into_iter().chain(["R1"]).map(String::from).collect();
    let have: BTreeSet<String> = RULES.iter().map(|r| r.id.to_string()).collect();
    let list: Vec<&str> = RULES.iter().map(|r| r.id).collect();
    assert_eq!(listed, have, "docs/limits.md must list:\n{}", list.join(", "));

    let rows = limits.section("## Rules that are not enforced").lines().filter(|l| l.starts_with("| R"));
    let explained: Vec<String> =
        rows.filter_map(|row| row[2..].split_once(' ')).map(|(id, _)| id.into()).collect();
    let number = |id: &str| id.split('-').next().expect("split gives one").to_string();
    let enforced: BTreeSet<String> = have.iter().map(|id| number(id)).collect();
    for id in LOCKING_RULES.map(|n| format!("R{n}")) {
        let rows = explained.iter().filter(|e| **e == id).count();
        let wanted = usize::from(!enforced.contains(&id));
        assert_eq!(rows, wanted, "rows of docs/limits.md that say why {id} is not enforced");
    }
}

/// `exit_vs_reaper`, not `exit` and not `exit_mmap()`.
fn is_name(code: &str) -> bool {
    code.contains('_') && code.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit())
}

#[test]
fn names_exist() {
    let sources = sources();
    let mut known: BTreeSet<&str> = words(&sources, "_").collect();
    for name in KERNEL_NAMES {
        assert!(known.insert(name), "{name} needs no exception");
    }
    let example = mrelease_while_exit_waits().name;
    known.insert(&example);
    nothing_is_wrong(|document| {
        let names =
            document.code().into_iter().filter(|code| is_name(code) && !known.contains(code.as_str()));
        names.map(|name| format!("nothing is called {name}")).collect()
    });
}

/// Arguments of the commands of this program, those of prose included.
fn commands(document: &Document) -> Vec<Vec<String>> {
    let blocks = document.blocks().concat();
    let lines = blocks.lines().map(String::from).chain(document.code());
    let arguments = lines.filter_map(|line| {
        let line = line.trim_start_matches("$ ").to_string();
        let rest = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("mmspec "))?;
        Some(rest.split_whitespace().map(String::from).collect())
    });
    arguments.collect()
}

#[test]
fn commands_name_what_there_is() {
    let args = fs::read_to_string(root().join("checks/src/cli/args.rs")).expect("text");
    let example = mrelease_while_exit_waits().name;
    let scenario = |name: &str| name == example || library::named(name).is_some();
    let kernel = |name: &str| name == ADDED_KERNEL || name == "all" || Kernel::named(name).is_some();
    let engine = |name: &str| ["states", "views", "loom", "shuttle"].contains(&name);
    let is_placeholder = |word: &str| word.chars().all(|c| c.is_ascii_uppercase());
    let wrong = |command: &[String]| {
        let subcommand = &command[0];
        let variant = format!("    {}{}(", subcommand[..1].to_uppercase(), &subcommand[1..]);
        let mut bad = Vec::new();
        bad.extend((!args.contains(&variant)).then(|| subcommand.clone()));
        let mut option = String::new();
        for word in &command[1..] {
            if let Some(name) = word.strip_prefix("--") {
                let declared = [format!("long = \"{name}\""), format!("pub {}:", name.replace('-', "_"))];
                bad.extend((!declared.iter().any(|d| args.contains(d))).then(|| word.clone()));
                option = name.into();
                continue;
            }
            let known = |part: &str| match (subcommand.as_str(), option.as_str()) {
                ("check", "") | ("pin", "only") => scenario(part),
                (_, "kernel") => kernel(part),
                (_, "without") => Rule::parse(part).is_some(),
                (_, "engine") => engine(part),
                _ => true,
            };
            bad.extend(
                word.split(',').filter(|part| !is_placeholder(part) && !known(part)).map(String::from),
            );
            option.clear();
        }
        bad
    };
    nothing_is_wrong(|document| {
        let commands = commands(document);
        let bad =
            commands.iter().flat_map(|c| wrong(c).into_iter().map(|w| format!("{w} in: {}", c.join(" "))));
        bad.collect()
    });
}

#[test]
fn the_map_names_functions_of_its_files() {
    let document = Document::read("docs/model-your-patch.md");
    let mut file = String::new();
    let mut functions = 0;
    for row in
        document.section("## 1. Read the kernel beside the model").lines().filter(|l| l.starts_with('|'))
    {
        for (i, code) in row.split('`').enumerate().filter(|(i, _)| i % 2 == 1) {
            if i == 1 && is_path(code) {
                let path = root().join(code);
                file = if path.is_file() { fs::read_to_string(path).expect("text") } else { String::new() };
            } else if let Some(name) = code.strip_suffix("()") {
                functions += 1;
                let written = [format!("fn {name}("), format!("fn {name}<"), format!("call(\"{name}\")")];
                assert!(written.iter().any(|w| file.contains(w)), "{name}() is elsewhere:\n{row}");
            }
        }
    }
    assert!(functions > 20, "the map is found");
}

fn without_layout(text: &str) -> String {
    text.split_whitespace().collect()
}

fn checked(scenario: &Scenario, kernel: Kernel, engine: Engine) -> Checked {
    check(scenario, kernel, engine, &Options::default(), &|_| {}).expect("no foreign settings")
}

#[test]
fn the_example_is_what_the_text_shows() {
    let document = Document::read("docs/model-your-patch.md");
    let source = fs::read_to_string(root().join(file!())).unwrap_or_else(|_| include_str!("docs.rs").into());
    let blocks = document.blocks();
    let code = blocks.iter().find(|b| b.starts_with("Scenario::new(")).expect("the scenario");
    assert!(without_layout(&source).contains(&without_layout(code)), "another scenario:\n{code}");

    let mmap = fs::read_to_string(root().join("model/src/mm/mmap.rs")).expect("text");
    let quoted = blocks.iter().find(|b| b.contains("if skip_early")).expect("the quotation");
    assert!(mmap.contains(quoted), "model/src/mm/mmap.rs has no\n{quoted}");

    let manifest = fs::read_to_string(root().join("checks/manifest.toml")).expect("text");
    let mutant = blocks.iter().find(|b| b.starts_with("[[mutant]]")).expect("the mutant");
    assert!(manifest.contains(mutant), "checks/manifest.toml has no\n{mutant}");
}

#[test]
fn the_example_holds_without_the_patch() {
    let kernel = Kernel::named(PATCHED.0).expect("a kernel");
    for engine in [Engine::States, Engine::Views] {
        assert_eq!(checked(&mrelease_while_exit_waits(), kernel, engine).verdict, Verdict::Complete);
    }
}

#[test]
fn the_example_breaks_with_the_patch() {
    let (scenario, kernel) = (mrelease_while_exit_waits(), Kernel::named(PATCHED.0).expect("a kernel"));
    let kernel = kernel.without(PATCHED.1);
    let checked = checked(&scenario, kernel, Engine::States);
    let failure = checked.report.failure.as_ref().expect("a counterexample");
    assert_eq!(failure.rule, "R23");
    let table = render(&trace_file(&scenario, &kernel, &checked, failure), &TableOptions::default());
    let shown = Document::read("docs/model-your-patch.md").blocks().contains(&table);
    assert!(shown, "docs/model-your-patch.md shows another table than\n{table}");
}

#[test]
fn numbers_are_what_they_are() {
    let engines = Document::read("docs/engines.md").prose();
    let engines = engines.split_whitespace().collect::<Vec<_>>().join(" ");
    let litmus = include_str!("litmus.rs");
    let (random, protocol) = (litmus::random().len(), litmus::protocol().len());
    for said in [
        format!("{} shapes, {protocol} patterns", litmus::shapes().len()),
        format!("{random} random programs"),
        format!("more than {MAX_STEPS} steps"),
        format!("at most {MAX_ATOMICS} Atomic words"),
        format!("| threads at most | {MAX_THREADS} | {MAX_THREADS} | {} |", loom::MAX_THREADS),
    ] {
        assert!(engines.contains(&said), "docs/engines.md should say: {said}");
    }
    let lacks = engines.split_once("On 9 of them it lacks some").is_some();
    assert!(
        lacks && litmus.contains("const VIEWS_LACKS: [(&str, usize); 9]"),
        "programs where views lacks outcomes"
    );
}
