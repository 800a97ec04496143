//! The gate, on a manifest of its own: that of the repository takes a minute.

use super::{Place, mmspec};

const MANIFEST: &str = r#"# By hand.

[[check]]
kernel = "v6.12"
scenario = "two_sharers_exit"
outcomes = [
    "mm0 torn down by T0 exit",
    "mm0 torn down by T1 exit",
]
states = { search = "dpor", executions = 2, complete = 2 }
loom = { search = "bounded dpor", executions = 1, complete = 1, preemptions = 3, deep = true }

[[mutant]]
rule = "A3-late"
kernel = "rfc-async-teardown"
scenario = "exit_vs_reaper"
engine = "states"
breaks = "A3"
"#;

/// A place with the manifest, of which `old` has become `new`.
fn with(old: &str, new: &str) -> Place {
    let place = Place::new();
    assert!(MANIFEST.contains(old));
    place.write("manifest.toml", &MANIFEST.replace(old, new));
    place
}

const GATE: &str = "check --manifest manifest.toml";

#[test]
fn what_is_expected_passes() {
    let ran = with("", "").run(GATE);
    ran.ended(0, &["v6.12 - Linux 6.12", "two_sharers_exit", "COMPLETE 2", "(--deep)", "All as expected."]);
    ran.ended(0, &["A3-late", "VIOLATED A3", "mark_oom_victim(): it is set after task_unlock()"]);
    ran.ended(
        0,
        &["proved (COMPLETE)   1 on states", "left for --deep     1 on loom", "1 break the rule meant"],
    );
    assert_eq!(ran.err, "", "progress is for terminals");
}

#[test]
fn deep_runs_everything() {
    let ran = with("", "").run(&format!("{GATE} --deep"));
    ran.ended(1, &["BOUNDED(3)", "by loom: counts have changed", "mmspec pin --only"]);
    assert!(!ran.out.contains("left for"));
}

#[test]
fn what_differs_is_listed_with_what_was_expected() {
    let ran = with("executions = 2,", "executions = 3,").run(GATE);
    ran.ended(1, &["COMPLETE 2 (!)", "1 not as the manifest expects", "executions = 3", "executions = 2"]);
    with("by T1 exit", "by nobody").run(GATE).ended(1, &["expected the outcomes"]);
    let place = with("breaks = \"A3\"", "breaks = \"R1\"");
    place
        .run(GATE)
        .ended(1, &["expected VIOLATED R1, found VIOLATED A3", "*** rule A3", "mmspec replay traces/"]);
    assert_eq!(place.list("traces").len(), 1);
}

#[test]
fn what_is_only_not_known_is_inconclusive() {
    let place = with("two_sharers_exit", "suspend_vs_reaper");
    place.run(&format!("{GATE} --time 0.000001")).ended(3, &["INCONCLUSIVE", "inconclusive"]);
}

#[test]
fn a_malformed_manifest_is_refused_with_file_and_line() {
    with("\"two_sharers_exit\"", "two").run(GATE).refused(&["manifest.toml:5:"]);
    with("complete = 2 }", "complete = \"all\" }").run(GATE).refused(&["manifest.toml:10:", "u64"]);
    with("two_sharers_exit", "two_sharers")
        .run(GATE)
        .refused(&["manifest.toml:5: no scenario", "two_sharers_exit"]);
    with("\"v6.12\"", "\"v6.13\"").run(GATE).refused(&["manifest.toml:4: no kernel"]);
    with("A3-late", "A3").run(GATE).refused(&["manifest.toml:14: no rule"]);
    with("[[check]]", "[[cheque]]").run(GATE).refused(&["manifest.toml:3:", "cheque"]);
    mmspec(GATE).refused(&["manifest.toml: cannot be read"]);
    let place = Place::new();
    place.write("manifest.toml", "\n");
    place.run(GATE).refused(&["no [[check]] row", "mmspec pin"]);
}

#[test]
fn the_results_are_one_json_document() {
    let document = with("executions = 2,", "executions = 3,").run(&format!("{GATE} --format json")).json();
    assert_eq!(document["checks"][0]["scenario"], "two_sharers_exit");
    assert!(document["checks"][0]["unexpected"].as_str().unwrap().contains("executions = 3"));
    let mutant = &document["mutants"][0];
    assert_eq!((&mutant["rule"], &mutant["breaks"]), (&"A3-late".into(), &"A3".into()));
    assert_eq!(mutant["finding"]["verdict"], "VIOLATED");
    assert!(mutant["finding"]["unexpected"].is_null());
    assert_eq!(document["left_for_deep"][0]["engine"], "loom");
    assert_eq!(document["summary"]["unexpected"], 1);
    assert_eq!(document["summary"]["mutants_refuted"], 1);
}
