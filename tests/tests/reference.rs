//! The reference: its table of rules is whole, its places exist, and what is generated from it, or found
//! by running the model, stands in docs/.
//!
//! After a change that is meant: `cargo test -p mmspec-tests --test reference -- --ignored` writes the
//! generated parts anew.

use mmspec::manifest::Manifest;
use mmspec::proofs::Proof;
use mmspec_model::k::engine::Order;
use mmspec_model::rules::functions::{ELSEWHERE, FUNCTIONS, TREES, lines};
use mmspec_model::rules::{LockingRule, all};
use mmspec_model::variant::RULES;
use mmspec_tests::orders::survey::survey;
use mmspec_tests::orders::words::{GUARDS, NOT_RUN};
use mmspec_tests::orders::{Engine, Place, Verdict, places, try_order};
use mmspec_tests::reference::{PARTS, Part, marked};
use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string, write};
use std::path::{Path, PathBuf};

/// How many locking rules there are.
const LOCKING_RULES: u32 = 62;
/// Functions that a trace names and that are macros around, or parts of, one that is in the table.
const NOT_MAPPED: [&str; 2] = ["mm_init_cid", "percpu_counter_init_many"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").into()
}

fn read(path: &str) -> String {
    read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A function of the model, as its source has it.
struct Function {
    /// File below `model/src/`.
    file: String,
    name: String,
    /// First words of its doc comment.
    doc: String,
    public: bool,
}

/// Functions of all files below `dir`.
fn functions_in(dir: &str) -> Vec<Function> {
    let source = root().join("model/src");
    let (mut functions, mut todo) = (Vec::new(), vec![source.join(dir)]);
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(read_dir(path).expect("readable").map(|entry| entry.expect("readable").path()));
            continue;
        }
        let file = path.strip_prefix(&source).expect("inside").display().to_string();
        let mut doc = String::new();
        for line in read_to_string(&path).expect("text").lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                doc += text;
            } else if let Some(name) = function_name(line) {
                let doc = std::mem::take(&mut doc);
                functions.push(Function { file: file.clone(), name, doc, public: line.starts_with("pub ") });
            } else if !line.starts_with('#') {
                doc.clear();
            }
        }
    }
    functions
}

fn function_name(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("fn ")?;
    let before = before.trim();
    let declares = before.is_empty() || before.starts_with("pub") && !before.contains('"');
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (declares && !name.is_empty()).then_some(name)
}

fn all_functions() -> Vec<Function> {
    ["arch", "drivers", "fs", "include", "kernel", "mm"].into_iter().flat_map(functions_in).collect()
}

/// The kernel function that a doc comment begins with.
fn kernel_name(doc: &str) -> Option<&str> {
    let text = doc.trim().strip_prefix("RFC: ").unwrap_or(doc.trim());
    let (code, _) = text.strip_prefix('`')?.split_once('`')?;
    let name = code.strip_suffix("()")?;
    name.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit()).then_some(name)
}

#[test]
fn every_rule_is_in_the_table_once() {
    let ids: Vec<&str> = all().map(|rule| rule.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "a rule is there twice");
    for number in 1..=LOCKING_RULES {
        assert!(unique.contains(&*format!("R{number}")), "R{number} is not in model/src/rules/");
    }
    for rule in RULES {
        let covering = all().filter(|r| r.covers(rule.id)).count();
        assert_eq!(covering, 1, "{} needs one rule in model/src/rules/ that it is a part of", rule.id);
    }
    assert!(all().eq(all().filter_map(|rule| LockingRule::named(&rule.id.to_lowercase()))));
}

#[test]
fn every_rule_is_shown_to_be_needed_or_says_what_is_missing() {
    let manifest = Manifest::committed();
    for rule in all() {
        let needed = Proof::of(rule, &manifest).is_needed();
        assert_eq!(
            needed,
            rule.missing.is_empty(),
            "{}: `missing` in model/src/rules/ must be {}",
            rule.id,
            if needed {
                "empty: a mutant or a bug shows that it is needed"
            } else {
                "filled in: nothing shows it"
            }
        );
        assert!(!needed || !rule.model.is_empty(), "{}: where does the model keep it?", rule.id);
        for text in [rule.statement, rule.why, rule.broken, rule.versions, rule.order] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text:?}", rule.id);
        }
        assert!(!rule.kernel.is_empty(), "{}: where does the kernel keep it?", rule.id);
    }
}

#[test]
fn places_of_rules_exist() {
    for (rule, place) in all().flat_map(|rule| rule.model.iter().map(move |place| (rule.id, place))) {
        let (file, function) = place.split_once(':').expect("file:function()");
        let name = function.strip_suffix("()").expect("file:function()");
        let has = read(file).lines().any(|line| function_name(line.trim()).as_deref() == Some(name));
        assert!(has, "{rule}: there is no {function} in {file}");
    }
    for place in all().flat_map(|rule| rule.kernel) {
        let (file, function) = place.split_once(':').expect("file:function()");
        assert!([".c", ".h"].iter().any(|ending| file.ends_with(ending)), "{place}");
        assert!(function.ends_with("()"), "{place}");
        assert!(lines(place).is_some(), "{place} is in no table of model/src/rules/functions.rs");
    }
}

#[test]
fn every_function_that_mirrors_one_of_the_kernel_is_mapped() {
    let functions = all_functions();
    let mapped = |file: &str, name: &str| FUNCTIONS.iter().find(|f| f.file == file && f.function == name);
    let mut public = 0;
    for function in &functions {
        let Some(kernel) = kernel_name(&function.doc) else { continue };
        public += usize::from(function.public);
        let row = mapped(&function.file, &function.name);
        let row = row.unwrap_or_else(|| {
            panic!("{}: {}() mirrors {kernel}() and is not in functions.rs", function.file, function.name)
        });
        let (_, name) = row.kernel.split_once(':').expect("file:function()");
        let name = name.trim_end_matches("()");
        assert_eq!(name.trim_start_matches('_'), kernel.trim_start_matches('_'), "{}", row.function);
    }
    assert!(public > 50, "only {public} functions have a doc comment that names one of the kernel");
    for row in FUNCTIONS {
        let there = functions.iter().any(|f| f.file == row.file && f.name == row.function);
        assert!(there, "there is no {}() in {}", row.function, row.file);
        assert_eq!(row.lines.len(), TREES.len());
        let twice = ELSEWHERE.iter().any(|(kernel, _)| *kernel == row.kernel);
        assert!(!twice, "{} is in both tables of model/src/rules/functions.rs", row.kernel);
    }
}

#[test]
fn every_function_that_drift_looks_at_is_mapped() {
    let pinned = read("checks/drift.toml");
    let mut seen = 0;
    for entry in pinned.split("[[function]]").skip(1) {
        let field = |name: &str| {
            let (_, rest) = entry.split_once(&format!("\n{name} = \"")).expect("the field");
            rest.split_once('"').expect("a string").0
        };
        let place = format!("{}:{}()", field("file"), field("name"));
        assert!(lines(&place).is_some(), "{place} is in no table of model/src/rules/functions.rs");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} functions in checks/drift.toml");
}

#[test]
fn every_function_in_a_trace_is_mapped() {
    let (mut names, mut todo) = (BTreeSet::new(), vec![root().join("model/src")]);
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(read_dir(path).expect("readable").map(|entry| entry.expect("readable").path()));
            continue;
        }
        let text = read_to_string(path).expect("text");
        let calls = text.split("= call(\"").skip(1).filter_map(|rest| rest.split_once('"'));
        names.extend(calls.map(|(name, _)| name.to_string()));
    }
    let mapped = |name: &str| FUNCTIONS.iter().any(|f| f.kernel.ends_with(&format!(":{name}()")));
    let unmapped: Vec<&String> =
        names.iter().filter(|n| !mapped(n) && !NOT_MAPPED.contains(&n.as_str())).collect();
    assert!(unmapped.is_empty(), "not in model/src/rules/functions.rs: {unmapped:?}");
    assert!(
        NOT_MAPPED.iter().all(|n| names.contains(*n) && !mapped(n)),
        "one of {NOT_MAPPED:?} needs no exception"
    );
}

#[test]
fn code_is_marked_and_prose_is_not() {
    assert_eq!(
        marked("who takes mmget(): a use (see exit_mmap())."),
        "who takes `mmget()`: a use (see `exit_mmap()`)."
    );
    assert_eq!(
        marked("queued (mmput_async()), and mm_struct's slab"),
        "queued (`mmput_async()`), and `mm_struct`'s slab"
    );
    assert_eq!(marked("->mm, with t->mm set, and R1"), "`->mm`, with `t->mm` set, and R1");
}

fn is_current(part: &Part) {
    let document = read(part.file);
    let (_, found, _) = part.find(&document);
    let expected = (part.text)();
    assert!(
        found == expected,
        "{}: \"{}\" is not what is found now; see the top of tests/tests/reference.rs. It should be\n{expected}",
        part.file,
        part.name
    );
}

fn part(name: &str) -> &'static Part {
    PARTS.iter().find(|part| part.name == name).expect("a part")
}

#[test]
fn tables_of_rules_and_functions_are_current() {
    ["rules", "functions", "elsewhere", "enforced", "open"].into_iter().map(part).for_each(is_current);
}

#[test]
fn phases_are_current() {
    is_current(part("phases"));
}

#[test]
fn orders_are_current() {
    ["orders", "relaxed", "unordered"].into_iter().map(part).for_each(is_current);
}

#[test]
fn every_word_of_an_ordered_step_says_what_it_guards() {
    let words: BTreeSet<&str> = survey().iter().map(|ordered| ordered.step.word).collect();
    let guarded: BTreeSet<&str> = GUARDS.iter().map(|guard| guard.word).collect();
    let larger: BTreeSet<&str> = places().map(|place| place.word).collect();
    let missing: Vec<_> = words.difference(&guarded).collect();
    assert!(missing.is_empty(), "not in words.rs: {missing:?}");
    let unused: Vec<_> = guarded.iter().filter(|w| !words.contains(*w) && !larger.contains(*w)).collect();
    assert!(unused.is_empty(), "nothing touches {unused:?}");
    for guard in GUARDS {
        guard
            .rules
            .iter()
            .for_each(|id| assert!(LockingRule::named(id).is_some(), "{}: no {id}", guard.word));
    }
}

#[test]
fn every_rule_that_takes_an_order_was_run_or_says_why_not() {
    for rule in all().filter(|rule| !rule.order.starts_with("none")) {
        let run = GUARDS.iter().any(|guard| guard.rules.contains(&rule.id));
        let not_run = NOT_RUN.iter().any(|(id, _)| *id == rule.id);
        assert!(run != not_run, "{}: {}: in exactly one list of words.rs", rule.id, rule.order);
    }
    for (id, _) in NOT_RUN {
        assert!(LockingRule::named(id).is_some(), "there is no {id}");
    }
}

/// It takes a sharer, and so more threads than `views` can exhaust: a scenario that refutes only.
#[test]
fn a_drop_without_acquire_misses_the_flag_of_a_sharer() {
    let drop = places().find(|place| place.word == "mm_users" && place.rule == "O1").expect("a place");
    let sharer = Place { subjects: &[("sharer_exits_last", "rfc-async-teardown")], ..*drop };
    assert_eq!(try_order(sharer, Order::Release, Engine::Views), Verdict::Breaks("A3".into()));
    assert_eq!(try_order(sharer, Order::Acquire, Engine::Views), Verdict::Breaks("uaf".into()));
}

#[test]
#[ignore = "writes the generated parts anew"]
fn regenerate() {
    for part in PARTS {
        let document = read(part.file);
        let (before, _, after) = part.find(&document);
        write(root().join(part.file), format!("{before}{}{after}", (part.text)())).expect("written");
    }
}
