//! Help, names, options that cannot be meant.

use super::{Place, finish, mmspec};
use std::process::Stdio;

#[test]
fn help_says_what_there_is_and_what_the_exit_codes_mean() {
    mmspec("--help").ended(0, &["check", "list", "show", "replay", "Exit codes:", "inconclusive"]);
    mmspec("check --help").ended(0, &["--without <RULE>", "--preemptions <N>", "Examples:", "Exit codes:"]);
    mmspec("show --help")
        .ended(0, &["race table", "--width <N>", "--source <URL>", "ui.perfetto.dev", "Examples:"]);
    mmspec("replay --help")
        .ended(0, &["Follow a trace", "--engine <ENGINE>", "cannot be led", "Exit codes:"]);
    assert!(!mmspec("--help").out.contains("pin"), "for those who change the model");
}

#[test]
fn no_command_is_a_usage_error() {
    mmspec("").refused(&["Usage: mmspec <COMMAND>"]);
    mmspec("chekc").refused(&["check"]);
}

#[test]
fn an_unknown_name_is_answered_with_those_like_it() {
    mmspec("check exit_vs_reper").refused(&[
        "\"exit_vs_reper\"",
        "Did you mean exit_vs_reaper",
        "mmspec list scenarios",
    ]);
    mmspec("check --kernel v6.21").refused(&["no kernel", "v6.12", "mmspec list kernels"]);
    mmspec("check --without A3").refused(&["no rule", "A3-late or A3-task", "mmspec list rules"]);
    mmspec("check --without zzz").refused(&["no rule is called \"zzz\"; `mmspec list rules` shows all"]);
    mmspec("check --engine spin").refused(&["spin", "states", "views", "loom", "shuttle"]);
    mmspec("list engine").refused(&["engines"]);
}

#[test]
fn an_option_that_would_do_nothing_is_refused() {
    mmspec("check exit_vs_reaper --engine views --preemptions 2")
        .refused(&["--preemptions means nothing to views"]);
    mmspec("check exit_vs_reaper --seed 7").refused(&["--seed means nothing to states", "--engine shuttle"]);
    mmspec("check exit_vs_reaper --runs 7").refused(&["--runs means nothing to states"]);
    mmspec("check exit_to_mm_reaper --kernel v6.12")
        .refused(&["says nothing about v6.12", "mmspec list scenarios"]);
    mmspec("check --time 0").refused(&["--time", "positive"]);
    mmspec("check --time soon").refused(&["--time", "number of seconds"]);
    mmspec("check --runs 0 --engine shuttle").refused(&["--runs"]);
}

#[test]
fn a_variable_of_loom_or_shuttle_is_refused_with_the_reason() {
    for (variable, line) in [
        ("LOOM_MAX_PREEMPTIONS", "check two_sharers_exit"),
        ("SHUTTLE_RANDOM_SEED", "check two_sharers_exit"),
        ("LOOM_LOG", "check"),
    ] {
        let ran = finish(Place::new().command(line).env(variable, "1"));
        ran.refused(&[variable, "loom and shuttle obey such variables", "unset it"]);
    }
    let ran = finish(Place::new().command("list").env("LOOM_LOG", "1"));
    ran.ended(0, &["exit_vs_reaper"]);
}

#[test]
fn lists_have_a_line_each_or_all_that_is_known() {
    let all = mmspec("list");
    all.ended(0, &["exit_vs_reaper", "v6.12", "rfc-async-teardown", "A3-late", "states"]);
    assert!(all.out.lines().all(|l| l.is_empty() || l.len() > 6), "{}", all.out);
    let rules = mmspec("list rules");
    rules.ended(
        0,
        &["A3-late\n", "kept by mm/oom_kill.c:mark_oom_victim()", "without: it is set after task_unlock()"],
    );
    assert!(!rules.out.contains("v6.12"));
    mmspec("list scenarios").ended(0, &["reaches: the reaper reaps", "threads: 4 on v6.12,"]);
}

#[test]
fn kernels_are_told_apart() {
    mmspec("diff v6.1 v6.18").ended(0, &["reaper walk\n- v6.1: ascending", "+ v6.18: descending"]);
    mmspec("diff v7.0 v7.1").ended(0, &["do not differ"]);
    mmspec("diff v6.1 v6.11").refused(&["no kernel", "v6.12"]);
    let differences = mmspec("diff v4.14 v4.17 --format json").json();
    let points: Vec<&str> =
        differences.as_array().unwrap().iter().map(|d| d["point"].as_str().unwrap()).collect();
    assert_eq!(points, ["exit_mmap() locking", "guarded mms", "TLB flush of the reaper"]);
    mmspec("list kernels").ended(0, &["v4.14\n", "exit_mmap() locking: flag, empty cycle", "212925802454"]);
}

#[test]
fn bugs_are_found_before_their_fix() {
    let some = mmspec("bugs p06 S4");
    some.ended(0, &["v5.17-rc1", "VIOLATED uaf", "fixed by f798a1d4f94d", "2 of 2 bugs are found"]);
    let bug = &mmspec("bugs P42 --format json").json()[0];
    assert_eq!((&bug["fixed"], &bug["as_expected"]), (&"v6.18".into(), &true.into()));
    mmspec("bugs P99").refused(&["no bug"]);
    mmspec("bugs P49").ended(0, &["v6.12 without R56", "VIOLATED R56"]);
}

#[test]
fn bugs_lead_to_their_traces_and_to_each_other() {
    let place = Place::new();
    let trace = "traces/corpus/uaf/exit_vs_mrelease-v5.17-rc1.json";
    let alone = place.run("bugs P06");
    alone.ended(0, &["S1 -64591e8605d6-> P06\n"]);
    assert!(!alone.out.contains("mmspec show"), "there is nothing to show");
    std::fs::create_dir_all(place.path("traces/corpus/uaf")).unwrap();
    place.write(trace, "{}");
    place.run("bugs P06").ended(0, &[&format!("mmspec show {trace}\n")]);
    assert_eq!(place.run("bugs P06 --format json").json()[0]["trace"], trace);
    place.run("bugs P51").ended(0, &["-3ad3d901bbcf-> P51 -751efd8610d3-> P51b\n"]);
    assert!(!place.run("bugs P20").out.contains("Chains"));
}

#[test]
fn lists_are_one_json_document() {
    let all = mmspec("list --format json").json();
    for topic in ["scenarios", "kernels", "rules", "engines"] {
        let entries = all[topic].as_array().unwrap();
        assert!(entries.len() >= 4 && entries.iter().all(|e| e["name"].is_string()), "{topic}");
    }
    let some = mmspec("list engines --format json").json();
    assert_eq!(some.as_object().unwrap().len(), 1);
    assert_eq!(some["engines"][0]["name"], "states");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    for line in ["list --format json", "check two_sharers_exit"] {
        let place = Place::new();
        let mut command = place.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    }
}
