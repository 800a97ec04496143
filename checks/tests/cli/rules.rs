//! The locking rules: a list, and one with all that is known of it.

use super::mmspec;

#[test]
fn every_rule_has_a_line() {
    let rules = mmspec("rules");
    rules.ended(0, &["Teardown\n", "+ R23 ", "- R5 ", "are shown to be needed", "explain RULE"]);
    for number in 1..=62 {
        assert!(rules.out.contains(&format!(" R{number} ")), "R{number}");
    }
    let json = mmspec("rules --format json").json();
    let all = json.as_array().unwrap();
    let r23 = all.iter().find(|rule| rule["id"] == "R23").unwrap();
    assert_eq!((&r23["missing"], r23["mutants"].as_array().unwrap().len()), (&"".into(), 3));
    assert!(all.iter().all(|rule| rule["statement"].is_string() && rule["kernel"].is_array()));
}

#[test]
fn a_rule_is_explained_with_its_proof_and_its_counterexample() {
    let r23 = mmspec("explain R23");
    r23.ended(
        0,
        &["R23 - MMF_OOM_SKIP is set", "1916-1980 in 6.12.117", "model/src/mm/mmap.rs:read_flag_write()"],
    );
    r23.ended(0, &["exit_vs_reaper on v6.12 breaks R23 (states)", "states COMPLETE 227", "*** rule R23"]);
    r23.ended(0, &["traces/corpus/r23/exit_vs_reaper-v6.12-without-r23-set.txt"]);
    let part = mmspec("explain r23-test");
    part.ended(0, &["R23 - MMF_OOM_SKIP", "without-r23-test.txt:\n\nkernel v6.12 without R23-test"]);
    let json = mmspec("explain R32 --format json").json();
    assert_eq!(json["bugs"][0]["id"], "P09");
    assert!(json["counterexample"]["table"].as_str().unwrap().contains("VIOLATED"));
}

#[test]
fn a_rule_that_nothing_shows_says_what_is_missing() {
    mmspec("explain R7").ended(0, &["Nothing takes it away. Missing: exec, credentials."]);
}

#[test]
fn an_unknown_rule_is_answered_with_those_like_it() {
    mmspec("explain R63").refused(&[
        "no rule is called \"R63\"",
        "Did you mean R6",
        "`mmspec rules` shows all",
    ]);
    mmspec("explain r23-tset").refused(&["Did you mean R23-test"]);
    mmspec("explain").refused(&["<RULE>"]);
}
