//! `traces/corpus/`: a counterexample of every bug of history and of every mutant, with its race table.
//! Each replays on the model as it is now.
//!
//! After a change of the model that is meant:
//! `cargo test --release -p mmspec-tests --test corpus -- --ignored` writes them anew.

use mmspec::bugs::BUGS;
use mmspec::check::{Engine, Options, check};
use mmspec::counterexample::{corpus_path, program, replay, trace_file};
use mmspec::engine::{Effort, Limits, states};
use mmspec::manifest::Manifest;
use mmspec::scenario::{Scenario, library};
use mmspec_model::variant::{Kernel, Rule};
use mmspec_traces::{TableOptions, TraceFile, render};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A scenario that is refuted.
struct Case {
    scenario: Scenario,
    kernel: Kernel,
    engine: Engine,
    /// Rule that breaks.
    rule: String,
}

fn cases() -> Vec<Case> {
    let scenario = |name: &str| library::named(name).expect("a scenario");
    let bugs = BUGS.iter().map(|bug| Case {
        scenario: scenario(&bug.scenario),
        kernel: bug.kernels().0,
        engine: bug.engine,
        rule: bug.rule.clone(),
    });
    // loom keeps no schedule that could be replayed.
    let mutants = Manifest::committed().mutant.into_iter().filter(|m| m.engine != Engine::Loom).map(|m| {
        let kernel = Kernel::named(&m.kernel).expect("a kernel");
        let kernel = Rule::parse(&m.rule).map_or(kernel, |rule| kernel.without(rule));
        Case { scenario: scenario(&m.scenario), kernel, engine: m.engine, rule: m.breaks }
    });
    bugs.chain(mutants).collect()
}

impl Case {
    fn path(&self) -> PathBuf {
        root().join(corpus_path(&self.scenario.name, &self.kernel, &self.rule))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").into()
}

fn corpus() -> PathBuf {
    root().join("traces/corpus")
}

fn files(ending: &str) -> BTreeSet<PathBuf> {
    let list = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).expect("a directory").map(|e| e.expect("an entry").path()).collect()
    };
    let all = list(&corpus()).into_iter().flat_map(|dir| list(&dir));
    all.filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

fn table(trace: &TraceFile) -> String {
    render(trace, &TableOptions::default())
}

#[test]
fn every_bug_and_mutant_is_there_and_nothing_else() {
    let expected: BTreeSet<PathBuf> = cases().iter().map(Case::path).collect();
    assert_eq!(files("json"), expected);
    assert_eq!(files("txt"), expected.iter().map(|path| path.with_extension("txt")).collect());
}

#[test]
fn each_trace_replays_and_reads_as_before() {
    for path in files("json") {
        let trace = TraceFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let followed = replay(&trace).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let rule = followed.fault.map(|(rule, _)| rule);
        assert_eq!(rule.as_ref(), Some(&trace.rule), "{}: write the corpus anew", path.display());
        assert!(followed.divergence.is_none(), "{}: write the corpus anew", path.display());
        let golden = fs::read_to_string(path.with_extension("txt")).expect("a table beside it");
        assert!(golden == table(&trace), "{}: its table reads differently", path.display());
    }
}

#[test]
fn no_table_is_longer_than_a_screen() {
    for path in files("txt") {
        let lines = fs::read_to_string(&path).expect("a table").lines().count();
        assert!(lines <= 40, "{}: {lines} lines", path.display());
    }
}

/// Nothing breaks with one preemption fewer: all those executions are explored.
#[test]
fn no_counterexample_has_fewer_preemptions() {
    for path in files("json") {
        let trace = TraceFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
        if trace.engine != Engine::States.name() {
            continue;
        }
        let Some(fewer) = trace.preemptions.checked_sub(1) else { continue };
        let setup = program(&trace).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let report = states::run_bounded(fewer, Limits::default(), &setup, &|_| {});
        let found = report.failure.map(|failure| failure.rule);
        assert_eq!(found, None, "{}: with {fewer} preemptions", path.display());
        assert!(report.effort != Effort::Unfinished, "{}", path.display());
    }
}

/// docs/how-to-read-a-trace.md shows tables of the corpus as they are.
#[test]
fn the_tables_of_the_document_are_those_of_the_corpus() {
    let text = include_str!("../../docs/how-to-read-a-trace.md");
    let tables: BTreeSet<String> =
        files("txt").iter().map(|path| fs::read_to_string(path).expect("a table")).collect();
    let shown: Vec<&str> = text.split("```\n").filter(|block| block.starts_with("kernel ")).collect();
    assert_eq!(shown.len(), 5);
    for block in shown {
        assert!(tables.contains(block), "no such table in the corpus:\n{block}");
    }
}

#[test]
#[ignore = "writes the corpus anew"]
fn regenerate() {
    let _ = fs::remove_dir_all(corpus());
    for case in cases() {
        let checked = check(&case.scenario, case.kernel, case.engine, &Options::default(), &|_| {})
            .expect("no foreign settings");
        let failure = checked.report.failure.as_ref().expect("it is refuted");
        assert_eq!(failure.rule, case.rule, "{}", case.path().display());
        let trace = trace_file(&case.scenario, &case.kernel, &checked, failure);
        let path = case.path();
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        if !path.exists() {
            trace.write_new(&path).expect("written");
            fs::write(path.with_extension("txt"), table(&trace)).expect("written");
        }
    }
}
