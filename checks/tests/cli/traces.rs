//! `show` and `replay`, and files that are no traces.

use super::{Place, mmspec};
use std::fs::File;

/// A trace of `--without A3-late`, and where it is.
fn trace() -> (Place, &'static str) {
    let place = Place::new();
    place.run("check exit_vs_reaper --kernel rfc-async-teardown --without A3-late --out .");
    (place, "exit_vs_reaper-rfc-async-teardown-without-a3-late-states.json")
}

#[test]
fn a_trace_is_shown_as_wide_as_asked_for() {
    let (place, path) = trace();
    let ran = place.run(&format!("show {path}"));
    ran.ended(0, &["kernel rfc-async-teardown without A3-late, scenario exit_vs_reaper", "*** rule A3"]);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 75));
    let narrow = place.run(&format!("show {path} --width 50"));
    assert!(narrow.ended(0, &["*** rule A3"]).out.lines().all(|line| line.chars().count() <= 50));
    place.run(&format!("show {path} --width 5")).refused(&["--width"]);
    assert_eq!(place.run(&format!("show {path} --format json")).out, place.read(path));
}

#[test]
fn a_trace_breaks_its_rule_again() {
    let (place, path) = trace();
    place.run(&format!("replay {path}")).ended(0, &["Reproduced: rule A3"]);
    let replayed = place.run(&format!("replay {path} --format json")).json();
    assert_eq!((&replayed["reproduced"], &replayed["rule"]), (&true.into(), &"A3".into()));
    assert!(replayed["divergence"].is_null());
}

#[test]
fn a_trace_of_weak_memory_breaks_its_rule_again() {
    let place = Place::new();
    place.run("check two_sharers_exit --kernel v6.12 --without O1 --engine views,loom").ended(1, &["uaf"]);
    let path = |engine: &str| format!("traces/two_sharers_exit-v6.12-without-o1-{engine}.json");
    place.run(&format!("replay {}", path("views"))).ended(0, &["Reproduced: uaf"]);
    place.run(&format!("show {}", path("loom"))).ended(0, &["*** uaf"]);
    place
        .run(&format!("replay {}", path("loom")))
        .refused(&["no schedule to replay", "--engine states or views"]);
}

#[test]
fn a_trace_of_another_kernel_is_told_where_it_parts() {
    let (place, path) = trace();
    let text = place.read(path).replace("\"kernel\": \"rfc-async-teardown\"", "\"kernel\": \"v6.12\"");
    place.write("edited.json", &text);
    let ran = place.run("replay edited.json");
    ran.ended(
        1,
        &["Not reproduced", "at step ", "the trace:  T0 exit: ", "the model:  T0 exit: ", "breaks rule A3"],
    );
    let parting = &place.run("replay edited.json --format json").json()["divergence"];
    assert!(parting["step"].as_u64().unwrap() > 1);
    assert!(parting["expected"].as_str().unwrap().starts_with("T0 exit: "));
    assert!(parting["offered"].as_str().unwrap().starts_with("T0 exit: "));
}

#[test]
fn a_trace_that_breaks_another_rule_or_none_is_not_reproduced() {
    let (place, path) = trace();
    place.write("other.json", &place.read(path).replace("\"rule\": \"A3\"", "\"rule\": \"R1\""));
    place.run("replay other.json").ended(1, &["Another rule breaks, not rule R1: rule A3"]);
    let mut trace: serde_json::Value = serde_json::from_str(&place.read(path)).unwrap();
    trace["schedule"].as_array_mut().unwrap().truncate(3);
    place.write("short.json", &trace.to_string());
    place.run("replay short.json").ended(1, &["the schedule fits to its end, though threads could go on"]);
}

#[test]
fn names_that_the_model_does_not_know_are_refused() {
    let (place, path) = trace();
    let text = place.read(path);
    for (old, new, said) in [
        ("\"kernel\": \"rfc-async-teardown\"", "\"kernel\": \"v9.9\"", "unknown kernel \"v9.9\""),
        ("\"A3-late\"", "\"Z1\"", "unknown rule \"Z1\""),
        ("\"scenario\": \"exit_vs_reaper\"", "\"scenario\": \"none\"", "unknown scenario \"none\""),
    ] {
        place.write("edited.json", &text.replace(old, new));
        place.run("replay edited.json").refused(&["edited.json", said, "mmspec list"]);
    }
}

#[test]
fn what_is_no_trace_is_refused_with_file_and_line() {
    let (place, path) = trace();
    let text = place.read(path);
    let cut = text.lines().take(20).collect::<Vec<_>>().join("\n");
    place.write("cut.json", &cut);
    place.write("empty.json", "");
    place.write("prose.json", "dear reader,\n");
    place.write("other.json", "{\n  \"format\": \"perfetto\"\n}\n");
    place.write("future.json", &text.replacen("\"version\": 1", "\"version\": 99", 1));
    place.write("schema.json", &text.replacen("\"preemptions\": 1", "\"preemptions\": \"one\"", 1));
    place.write("tasks.json", &text.replacen("\"task\": 0", "\"task\": 77", 1));
    let huge = File::create(place.path("huge.json")).unwrap();
    huge.set_len(mmspec_traces::MAX_SIZE + 1).unwrap();
    for command in ["show", "replay"] {
        for (file, said) in [
            ("cut.json", "cut.json:20:"),
            ("empty.json", "empty.json:1:0: cut off"),
            ("prose.json", "prose.json:1:1: not JSON"),
            ("other.json", "other.json:2:13: not a trace of mmspec"),
            ("future.json", "future.json:3:14: version 99"),
            ("schema.json", "schema.json:13:22: invalid type"),
            ("tasks.json", "is of task 77, but there are"),
            ("huge.json", "huge.json: 67108865 bytes, more than"),
            ("none.json", "none.json: cannot be read"),
            (".", ".: not a regular file"),
        ] {
            place.run(&format!("{command} {file}")).refused(&[said]);
        }
    }
}

#[test]
fn a_trace_has_to_be_named() {
    mmspec("show").refused(&["<TRACE>"]);
    mmspec("replay").refused(&["<TRACE>"]);
}
