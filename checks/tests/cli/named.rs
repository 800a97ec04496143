//! `check` of what is named.

use super::{Place, is_free, mmspec};
use mmspec_model::variant::KERNELS;

#[test]
fn what_holds_is_said_in_a_line_each() {
    let place = Place::new();
    let ran = place.run("check exit_vs_reaper");
    ran.ended(0, &["v6.12", "rfc-async-teardown", "COMPLETE", "executions", "2 checks: 2 COMPLETE"]);
    assert!(!ran.out.contains("VIOLATED"));
    assert!(is_free(&place.path("traces")), "there is nothing to keep");
}

#[test]
fn kernels_and_engines_are_those_asked_for_in_that_order() {
    let ran = mmspec("check two_sharers_exit --kernel all --engine views,states --engine views");
    ran.ended(0, &[&format!("{0} checks: {0} COMPLETE", 2 * KERNELS.len())]);
    let first: Vec<&str> = ran.out.lines().next().unwrap().split_whitespace().take(4).collect();
    assert_eq!(first, ["two_sharers_exit", "v6.12", "views", "COMPLETE"]);
    mmspec("check two_sharers_exit --engine loom --kernel v6.12 --preemptions 3").ended(0, &["BOUNDED(3)"]);
    let sampled = "check exit_vs_reaper --kernel v6.12 --engine shuttle --runs 500 --seed 7";
    mmspec(sampled).ended(0, &["SAMPLED", "500 executions, seed 7"]);
}

#[test]
fn a_broken_rule_is_drawn_kept_and_named() {
    let place = Place::new();
    let line = "check exit_vs_reaper --without a3-late";
    let path = "traces/exit_vs_reaper-rfc-async-teardown-without-a3-late-states.json";
    let ran = place.run(line);
    ran.ended(1, &["VIOLATED A3", "1 preemption", "*** rule A3", "T0 exit", "OOM killer", path]);
    ran.ended(1, &[&format!("mmspec show {path}"), "1 COMPLETE, 1 VIOLATED"]);
    let kept = place.read(path);

    place.run(line).ended(1, &[path]);
    assert_eq!(place.list("traces").len(), 1, "the same counterexample is kept once");

    place.write(path, "mine");
    place.run(line).ended(1, &["without-a3-late-states-2.json"]);
    assert_eq!(place.read(path), "mine");
    assert_eq!(place.read(&path.replace("states", "states-2")), kept);
}

#[test]
fn of_many_broken_the_simplest_is_drawn() {
    let place = Place::new();
    let line =
        "check exit_vs_reaper sharer_exits_last --kernel rfc-async-teardown --without A3-late --out deep/er";
    let ran = place.run(line);
    ran.ended(1, &["2 VIOLATED", "scenario exit_vs_reaper", "The others:\n  deep/er/sharer_exits_last-rfc"]);
    assert_eq!(ran.out.matches("***").count(), 1);
    assert_eq!(place.list("deep/er").len(), 2, "each was asked for by name");
}

#[test]
fn a_rule_that_is_not_needed_is_said_to_be_so() {
    let ran = mmspec("check exit_vs_reaper --kernel v6.12 --without A3-late");
    ran.ended(0, &["COMPLETE", "Nothing here shows what A3-late is needed for."]);
}

#[test]
fn what_is_not_known_is_not_success() {
    let slow = "check suspend_vs_reaper --kernel v6.12 --time 0.000001";
    mmspec(slow).ended(3, &["INCONCLUSIVE", "--time gives it more"]);
    let many = "check two_exits_oom_toggle_reaper --kernel rfc-async-teardown --engine loom";
    mmspec(many).ended(3, &["INCONCLUSIVE", "more threads than loom can run"]);
}

#[test]
fn a_place_for_traces_that_is_taken_is_refused_at_once() {
    let place = Place::new();
    place.write("taken", "mine");
    place
        .run("check exit_vs_reaper --without A3-late --out taken")
        .refused(&["taken: not a directory", "--out"]);
    assert_eq!(place.read("taken"), "mine");
}

#[test]
fn results_are_one_json_document() {
    let place = Place::new();
    let ran = place
        .run("check exit_vs_reaper --without A3-late --engine states,views --preemptions 4 --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let document = ran.json();
    assert_eq!((&document["format"], &document["version"]), (&"mmspec-check".into(), &1.into()));
    let checks = document["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 4);
    let (holds, broken) = (&checks[0], &checks[2]);
    assert_eq!(holds["kernel"], "v6.12");
    assert_eq!(holds["without"][0], "A3-late");
    assert_eq!((&holds["verdict"], &holds["bound"]), (&"BOUNDED".into(), &4.into()));
    assert!(holds["executions"].as_u64().unwrap() > 0 && holds["threads"] == 4);
    assert!(holds["outcomes"].as_array().unwrap().len() == 3 && holds["violation"].is_null());
    assert_eq!((&broken["verdict"], &broken["engine"]), (&"VIOLATED".into(), &"states".into()));
    assert_eq!(broken["violation"]["rule"], "A3");
    assert!(broken["violation"]["preemptions"].as_u64().unwrap() <= 4);
    let trace = broken["violation"]["trace"].as_str().unwrap();
    assert!(place.path(trace).is_file());
    assert_eq!(document["summary"]["verdicts"]["states"]["VIOLATED"], 1);
    assert!(document["summary"]["wall_seconds"].is_f64());
}
