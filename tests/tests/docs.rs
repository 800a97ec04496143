//! The documents say what is so: paths, links, rules, names, commands, functions and numbers in them
//! are looked up, and the example of docs/model-your-patch.md runs.

use mmspec::bugs::BUGS;
use mmspec::check::{Checked, Engine, Options, check};
use mmspec::counterexample::trace_file;
use mmspec::engine::explore::footprint::MAX_THREADS;
use mmspec::engine::explore::memory::view::MAX_ATOMICS;
use mmspec::engine::report::MAX_STEPS;
use mmspec::scenario::Actor::{CompleteAio, Exit, ExitWhenKilled, KillAndMrelease};
use mmspec::scenario::{Scenario, library};
use mmspec::verdict::Verdict;
use mmspec_model::rules::LockingRule;
use mmspec_model::variant::{Kernel, Rule};
use mmspec_tests::litmus;
use mmspec_traces::{TableOptions, render};
use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Scenario and kernel that docs/model-your-patch.md adds.
const ADDED: [&str; 2] = ["mrelease_while_exit_waits", "skip-when-freed"];
/// Names of the kernel that nothing in the repository has.
const KERNEL_NAMES: [&str; 2] = ["exe_file", "refcount_t"];
/// How many bugs of history the catalogue has, P01 and up.
const CATALOGUED_BUGS: u32 = 61;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").into()
}

fn read(path: &str) -> String {
    read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

struct Document {
    /// Path from the root.
    name: String,
    text: String,
    prose: String,
    /// Fenced blocks.
    blocks: Vec<String>,
}

impl Document {
    fn new(name: &str) -> Self {
        let text = read(name);
        let (mut prose, mut blocks, mut fenced) = (String::new(), Vec::<String>::new(), false);
        for line in text.split_inclusive('\n') {
            if line.starts_with("```") {
                fenced = !fenced;
                blocks.extend(fenced.then(String::new));
            } else if let (true, Some(block)) = (fenced, blocks.last_mut()) {
                block.push_str(line);
            } else {
                prose.push_str(line);
            }
        }
        Self { name: name.into(), text, prose, blocks }
    }

    /// The README and all of docs/.
    fn all() -> Vec<Self> {
        let docs = read_dir(root().join("docs")).expect("docs/ is there").map(|entry| {
            let name = entry.expect("readable").file_name();
            format!("docs/{}", name.to_str().expect("text"))
        });
        docs.filter(|name| Path::new(name).extension().is_some_and(|e| e == "md"))
            .chain(["README.md".into()])
            .map(|n| Self::new(&n))
            .collect()
    }

    /// What stands between backticks.
    fn code(&self) -> impl Iterator<Item = String> {
        let spans = self.prose.split('`').skip(1).step_by(2);
        spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn section(&self, heading: &str) -> &str {
        let (_, rest) = self.text.split_once(&format!("\n## {heading}\n")).expect("the section");
        rest.split("\n## ").next().expect("split gives one")
    }

    fn block(&self, start: &str) -> &str {
        self.blocks.iter().find(|block| block.starts_with(start)).expect("the block")
    }
}

/// What `wrong` finds in any document fails.
fn nothing_is_wrong(wrong: impl Fn(&Document) -> Vec<String>) {
    let all = Document::all();
    let told: Vec<String> =
        all.iter().flat_map(|d| wrong(d).into_iter().map(|w| format!("{}: {w}", d.name))).collect();
    assert!(told.is_empty(), "\n{}", told.join("\n"));
}

/// All sources but this.
fn sources() -> String {
    let (mut text, mut todo) =
        (String::new(), ["model", "checks", "traces", "tests"].map(|d| root().join(d)).to_vec());
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(read_dir(path).expect("readable").map(|entry| entry.expect("readable").path()));
        } else if path.extension().is_some_and(|e| e == "rs" || e == "toml")
            && !path.ends_with("tests/docs.rs")
        {
            text += &read_to_string(path).expect("text");
        }
    }
    text
}

fn words<'a>(text: &'a str, joined_by: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(move |c: char| !c.is_ascii_alphanumeric() && !joined_by.contains(c))
}

fn is_path(code: &str) -> bool {
    let starts = ["model/", "checks/", "traces/", "docs/", "tests/", ".ci/", ".config/"];
    let known = starts.iter().any(|s| code.starts_with(s))
        || [".rs", ".md", ".toml"].iter().any(|e| code.ends_with(e));
    known && !code.contains([' ', '*'])
}

#[test]
fn paths_exist() {
    nothing_is_wrong(|document| {
        let missing = document.code().filter(|code| is_path(code) && !root().join(code).exists());
        missing.map(|path| format!("there is no {path}")).collect()
    });
}

/// The fragment that leads to a heading, as GitHub has it.
fn fragment(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn links_resolve() {
    nothing_is_wrong(|document| {
        let links = document.prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        let broken = links.filter(|link| !link.contains("://")).filter(|link| {
            let (file, wanted) = link.split_once('#').unwrap_or((link, ""));
            let here = root().join(&document.name);
            let path = if file.is_empty() { here } else { here.parent().expect("a directory").join(file) };
            let has = |text: String| {
                let named = format!("<a id=\"{wanted}\"></a>");
                text.contains(&named) || text.lines().any(|l| l.starts_with('#') && fragment(l) == wanted)
            };
            !path.exists() || !wanted.is_empty() && !read_to_string(path).is_ok_and(has)
        });
        broken.map(|link| format!("{link} leads nowhere")).collect()
    });
}

#[test]
fn the_book_has_every_page_once() {
    assert!(read("book.toml").contains("src = \"docs\""));
    let summary = Document::new("docs/SUMMARY.md");
    let mut linked: Vec<String> = (summary.prose.split("](").skip(1))
        .filter_map(|rest| Some(format!("docs/{}", rest.split_once(')')?.0)))
        .collect();
    linked.sort();
    let mut pages: Vec<String> = Document::all().into_iter().map(|d| d.name).collect();
    pages.retain(|name| !["README.md", "docs/SUMMARY.md"].contains(&name.as_str()));
    pages.sort();
    assert_eq!(linked, pages, "pages in docs/SUMMARY.md, and those in docs/");
}

/// Rules named in a text: `R23`, `A8-charge`.
fn rules_in(text: &str) -> BTreeSet<&str> {
    let is_rule = |word: &&str| {
        let digits = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let (id, name) = word.split_once('-').unwrap_or((word, "x"));
        id.strip_prefix(['R', 'O', 'I', 'M', 'A']).is_some_and(digits)
            && name.bytes().all(|b| b.is_ascii_lowercase())
    };
    words(text, "-_").filter(is_rule).collect()
}

/// Edges of docs/memory-ordering.md: names that need not be rules.
fn edges() -> BTreeSet<String> {
    let document = Document::new("docs/memory-ordering.md");
    let rows = document.section("Edges").lines().filter_map(|line| line.strip_prefix("| O"));
    rows.map(|row| format!("O{}", row.split(' ').next().expect("split gives one"))).collect()
}

#[test]
fn rules_exist() {
    let edges = edges();
    assert!(edges.len() > 20, "docs/memory-ordering.md has {edges:?}");
    let known =
        |id: &str| LockingRule::named(id).is_some() || Rule::parse(id).is_some() || edges.contains(id);
    nothing_is_wrong(|document| {
        let unknown = rules_in(&document.prose).into_iter().filter(|id| !known(id));
        unknown.map(|id| format!("there is no rule {id}")).collect()
    });
}

#[test]
fn each_bug_of_the_catalogue_is_shown_or_explained() {
    let limits = Document::new("docs/limits.md");
    let number = |word: &str| word.strip_prefix('P').and_then(|n| n.parse::<u32>().ok());
    let rows = limits.section("Bugs of history that are not shown").lines().filter(|l| l.starts_with("| P"));
    let first_cells = rows.map(|row| row.split('|').nth(1).expect("a cell"));
    let mut explained: Vec<u32> = first_cells.flat_map(|cell| words(cell, "").filter_map(number)).collect();
    let shown: BTreeSet<u32> = BUGS.iter().filter_map(|bug| number(&bug.id)).collect();
    let expected: Vec<u32> = (1..=CATALOGUED_BUGS).filter(|n| !shown.contains(n)).collect();
    explained.sort_unstable();
    assert_eq!(explained, expected, "bugs with a row under \"not shown\"");
}

/// `exit_vs_reaper` and `mm_users`, but neither `exit` nor `exit_mmap()`.
fn is_name(code: &str) -> bool {
    code.contains('_') && code.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit())
}

#[test]
fn names_exist() {
    let sources = sources();
    let mut known: BTreeSet<&str> = words(&sources, "_").collect();
    assert!(KERNEL_NAMES.iter().all(|name| known.insert(name)), "one of {KERNEL_NAMES:?} needs no exception");
    known.extend(ADDED);
    nothing_is_wrong(|document| {
        let unknown = document.code().filter(|code| is_name(code) && !known.contains(code.as_str()));
        unknown.map(|name| format!("nothing is called {name}")).collect()
    });
}

/// What is wrong with a command: a subcommand, an option or a name that does not exist.
fn misnomers(command: &str, args: &str) -> Vec<String> {
    let mut words = command.split_whitespace();
    let subcommand = words.next().expect("a subcommand");
    let listed = ["scenarios", "kernels", "rules", "engines"];
    let is_known = |option: &str, name: &str| match (subcommand, option) {
        ("check", "") | ("pin", "only") => library::named(name).is_some(),
        ("list", "") => listed.contains(&name),
        (_, "kernel") => name == "all" || Kernel::named(name).is_some(),
        (_, "without") => Rule::parse(name).is_some(),
        ("explain", "") => LockingRule::named(name).is_some() || Rule::parse(name).is_some(),
        (_, "engine") => ["states", "views", "loom", "shuttle"].contains(&name),
        _ => true,
    };
    let has = |text: &str| args.contains(text);
    let variant = format!("    {}{}(", subcommand[..1].to_uppercase(), &subcommand[1..]);
    let mut wrong: Vec<String> = (!has(&variant)).then(|| subcommand.into()).into_iter().collect();
    let mut option = "";
    for word in words {
        if let Some(name) = word.strip_prefix("--") {
            let field = format!("    pub {}:", name.replace('-', "_"));
            wrong.extend((!has(&field) && !has(&format!("long = \"{name}\""))).then(|| word.into()));
            option = name;
        } else {
            let names =
                word.split(',').filter(|name| !name.chars().all(char::is_uppercase) && !ADDED.contains(name));
            wrong.extend(names.filter(|name| !is_known(option, name)).map(String::from));
            option = "";
        }
    }
    wrong
}

#[test]
fn commands_can_be_given() {
    let args = read("checks/src/cli/args.rs");
    nothing_is_wrong(|document| {
        let lines =
            document.blocks.iter().flat_map(|block| block.lines()).map(String::from).chain(document.code());
        let commands = lines.filter_map(|line| {
            let line = line.trim_start_matches("$ ");
            line.strip_prefix("cargo run --release -- ")
                .or_else(|| line.strip_prefix("mmspec "))
                .map(String::from)
        });
        commands.flat_map(|c| misnomers(&c, &args).into_iter().map(move |w| format!("{w} in: {c}"))).collect()
    });
}

#[test]
fn the_map_has_functions_of_its_files() {
    let document = Document::new("docs/model-your-patch.md");
    let (mut file, mut functions) = (String::new(), 0);
    for row in document.section("1. Read the kernel beside the model").lines().filter(|l| l.starts_with("| "))
    {
        for code in row.split('`').skip(1).step_by(2) {
            if is_path(code) {
                file = read_to_string(root().join(code)).unwrap_or_default();
            } else if let Some(name) = code.strip_suffix("()") {
                functions += 1;
                let written = [format!("fn {name}("), format!("fn {name}<"), format!("call(\"{name}\")")];
                assert!(written.iter().any(|text| file.contains(text)), "{name}() is elsewhere: {row}");
            }
        }
    }
    assert!(functions > 20, "only {functions} functions in the map");
}

#[test]
fn numbers_are_right() {
    let engines = Document::new("docs/engines.md").prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let (shapes, patterns, random) = (litmus::shapes(), litmus::protocol(), litmus::random());
    let lacking =
        include_str!("litmus.rs").split("const VIEWS_LACKS: [(&str, usize); ").nth(1).expect("a constant");
    let lacking = lacking.split(']').next().expect("split gives one");
    for said in [
        format!("{} shapes, {} patterns", shapes.len(), patterns.len()),
        format!("{} random programs", random.len()),
        format!("On {lacking} of them it lacks some"),
        format!("more than {MAX_STEPS} steps"),
        format!("at most {MAX_ATOMICS} Atomic words"),
        format!("| threads at most | {MAX_THREADS} | {MAX_THREADS} | {} |", loom::MAX_THREADS),
    ] {
        assert!(engines.contains(&said), "docs/engines.md should say \"{said}\"");
    }
}

/// The scenario of docs/model-your-patch.md, as it stands there.
fn example() -> Scenario {
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

fn released() -> Kernel {
    Kernel::named("v6.12").expect("a kernel")
}

fn checked(scenario: &Scenario, kernel: Kernel, engine: Engine) -> Checked {
    check(scenario, kernel, engine, &Options::default(), &|_| {}).expect("no foreign settings")
}

#[test]
fn the_example_is_code_of_the_repository() {
    let document = Document::new("docs/model-your-patch.md");
    let compact = |text: &str| text.split_whitespace().collect::<String>();
    let here = compact(include_str!("docs.rs"));
    assert!(here.contains(&compact(document.block("Scenario::new("))), "example() is another scenario");
    assert!(
        read("model/src/mm/mmap.rs").contains(document.block("    if skip_early")),
        "exit_mmap() reads differently"
    );
    assert!(
        read("checks/manifest.toml").contains(document.block("[[mutant]]")),
        "the mutant reads differently"
    );
}

#[test]
fn the_example_holds_without_the_patch() {
    for engine in [Engine::States, Engine::Views] {
        assert_eq!(checked(&example(), released(), engine).verdict, Verdict::Complete);
    }
}

#[test]
fn the_example_breaks_with_the_patch() {
    let patched = released().without(Rule::R23Set);
    let checked = checked(&example(), patched, Engine::States);
    let failure = checked.report.failure.as_ref().expect("a counterexample");
    assert_eq!(failure.rule, "R23");
    let table = render(&trace_file(&example(), &patched, &checked, failure), &TableOptions::default());
    let document = Document::new("docs/model-your-patch.md");
    assert!(document.blocks.contains(&table), "docs/model-your-patch.md should show\n{table}");
}

/// The scan keeps other tasks alive, as its RCU read section does: once a false use after free.
#[test]
fn process_mrelease_may_scan_a_task_that_exits() {
    let scenario = Scenario::new("mrelease_vs_sharer", "a sharer in another group exits too");
    let scenario =
        scenario.mm(3).task(0).task(0).actor(ExitWhenKilled(0)).actor(Exit(1)).actor(KillAndMrelease(0));
    assert_eq!(checked(&scenario, released(), Engine::States).verdict, Verdict::Complete);
}
