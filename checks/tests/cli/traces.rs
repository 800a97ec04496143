//! `show` and `replay`, and files that are no traces.

use super::{Place, mmspec};
use serde_json::Value;
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
    place.run(&format!("replay {path}")).ended(0, &["by the schedule of the trace", "Reproduced: rule A3"]);
    let replayed = place.run(&format!("replay {path} --format json")).json();
    let attempt = &replayed["attempts"][0];
    assert_eq!((&replayed["reproduced"], &attempt["rule"]), (&true.into(), &"A3".into()));
    assert_eq!((&attempt["engine"], &attempt["done"]), (&"states".into(), &"followed the schedule".into()));
    assert!(attempt["divergence"].is_null());
}

#[test]
fn a_trace_breaks_its_rule_on_other_engines_too() {
    let (place, path) = trace();
    let views = place.run(&format!("replay {path} --engine views"));
    views.ended(0, &["On views", "by the events of the trace", "Reproduced: rule A3"]);
    let loom = place.run(&format!("replay {path} --engine loom"));
    loom.ended(0, &["By loom, which cannot be led and has searched", "Reproduced: rule A3"]);
    place.run(&format!("replay {path} --engine shuttle")).refused(&["cannot follow one", "states"]);
    let ran = place.run(&format!("replay {path} --engine loom --time 0.000001"));
    ran.ended(3, &["Not reproduced", "--time gives it more"]);
}

#[test]
fn traces_of_views_and_loom_break_their_rule_again() {
    let place = Place::new();
    place.run("check two_sharers_exit --kernel v6.12 --without O1 --engine views,loom").ended(1, &["uaf"]);
    let path = |engine: &str| format!("traces/two_sharers_exit-v6.12-without-o1-{engine}.json");
    place.run(&format!("replay {}", path("views"))).ended(0, &["On views", "Reproduced: uaf"]);
    place.run(&format!("replay {} --engine states", path("views"))).ended(0, &["Reproduced: uaf"]);
    place.run(&format!("show {}", path("loom"))).ended(0, &["*** uaf"]);
    place
        .run(&format!("replay {}", path("loom")))
        .ended(0, &["found by loom", "On states", "by the events of the trace", "Reproduced: uaf"]);
}

/// The read that finds an old value makes it one of weak memory, which nothing else explains; on the
/// model it is not to be had, so that loom is asked in the end.
#[test]
fn a_trace_that_is_no_interleaving_says_which_read_is_old() {
    let (place, path) = trace();
    let mut trace: Value = serde_json::from_str(&place.read(path)).unwrap();
    trace["engine"] = "loom".into();
    trace["schedule"] = Value::Array(Vec::new());
    let events = trace["events"].as_array_mut().unwrap();
    let read = events.iter().rposition(|e| e["arg"] == "MMF_OOM_SKIP").unwrap();
    for field in ["before", "after", "result"] {
        events[read][field] = 77.into();
    }
    place.write("weak.json", &serde_json::to_string_pretty(&trace).unwrap());
    let ran = place.run("replay weak.json");
    ran.ended(
        0,
        &["On states: the steps of the trace are no interleaving", "By loom", "Reproduced: rule A3"],
    );
    let attempts = &place.run("replay weak.json --format json").json()["attempts"];
    let weak = attempts[0]["weak"].as_str().unwrap();
    assert!(weak.contains("finds ") && weak.contains("where the newest value is"), "{weak}");
    assert_eq!(attempts[1]["engine"], "views");
    assert!(!attempts[1]["divergence"].is_null());
    place.run("replay weak.json --engine states").ended(1, &["weak.json:", "newest value"]);
}

#[test]
fn what_shuttle_finds_has_the_fewest_preemptions_and_replays() {
    let place = Place::new();
    let ran =
        place.run("check exit_vs_reaper --kernel rfc-async-teardown --without A3-late --engine shuttle");
    ran.ended(1, &["VIOLATED A3", "1 preemption,"]);
    let path = "traces/exit_vs_reaper-rfc-async-teardown-without-a3-late-shuttle.json";
    let trace: Value = serde_json::from_str(&place.read(path)).unwrap();
    assert_eq!((&trace["engine"], &trace["preemptions"]), (&"shuttle".into(), &1.into()));
    place.run(&format!("replay {path}")).ended(0, &["On states", "by the schedule", "Reproduced: rule A3"]);
}

#[test]
fn a_trace_of_another_kernel_is_told_where_it_parts() {
    let (place, path) = trace();
    let text = place.read(path).replace("\"kernel\": \"rfc-async-teardown\"", "\"kernel\": \"v6.12\"");
    place.write("edited.json", &text);
    let ran = place.run("replay edited.json");
    ran.ended(
        1,
        &[
            "Not reproduced",
            "at step ",
            "the trace:  T0 exit: ",
            "  (edited.json:",
            "the model:  T0 exit: ",
            "could run:  OOM killer: ",
            "breaks rule A3",
        ],
    );
    let parting = &place.run("replay edited.json --format json").json()["attempts"][0]["divergence"];
    assert!(parting["step"].as_u64().unwrap() > 1);
    assert!(parting["expected"].as_str().unwrap().starts_with("T0 exit: "));
    assert!(parting["offered"].as_str().unwrap().starts_with("T0 exit: "));
    // The place is where that step stands.
    let line: usize = parting["place"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    let word = text.lines().skip(line).find(|l| l.contains("\"word\"")).unwrap();
    let word = word.split('"').nth(3).unwrap();
    assert!(parting["expected"].as_str().unwrap().contains(word), "{parting}");
}

/// What an edit of the model does to a trace, the other way round: the trace is edited.
#[test]
fn a_trace_survives_small_changes_of_the_model() {
    let (place, path) = trace();
    let good: Value = serde_json::from_str(&place.read(path)).unwrap();
    let edited = |edit: &dyn Fn(&mut Vec<Value>)| {
        let mut trace = good.clone();
        edit(trace["schedule"].as_array_mut().unwrap());
        place.write("edited.json", &serde_json::to_string_pretty(&trace).unwrap());
        place.run("replay edited.json")
    };
    let find = |schedule: &[Value], word: &str, step: &str| {
        schedule.iter().position(|s| s["word"] == word && s["step"] == step).unwrap()
    };
    // A function gets another name.
    let ran = edited(&|schedule| {
        for step in schedule.iter_mut().filter(|s| s["function"] == "exit_mm") {
            step["function"] = "leave_mm".into();
        }
    });
    ran.ended(0, &["Reproduced: rule A3", "leave_mm() is exit_mm() now"]);
    // A step is new.
    let ran = edited(&|schedule| {
        schedule.remove(find(schedule, "oom_victims", "atomic_inc"));
    });
    ran.ended(
        0,
        &["Reproduced, though the model has changed: rule A3", "new:  OOM killer: atomic_inc(oom_victims)"],
    );
    // A step is gone.
    let ran = edited(&|schedule| {
        let at = find(schedule, "oom_victims", "atomic_inc");
        let mut extra = schedule[at].clone();
        extra["step"] = "atomic_dec".into();
        schedule.insert(at, extra);
    });
    ran.ended(0, &["gone:  OOM killer: atomic_dec(oom_victims)"]);
    // A word has another name: one step is gone, another one new.
    let ran = edited(&|schedule| {
        let at = find(schedule, "oom_victims", "atomic_inc");
        schedule[at]["word"] = "nr_victims".into();
    });
    ran.ended(0, &["gone:  OOM killer: atomic_inc(nr_victims)", "new:  OOM killer: atomic_inc(oom_victims)"]);
}

#[test]
fn a_step_that_cannot_run_says_who_is_in_the_way() {
    let (place, path) = trace();
    let mut trace: Value = serde_json::from_str(&place.read(path)).unwrap();
    // The task comes before the OOM killer has given its lock back.
    let schedule = trace["schedule"].as_array_mut().unwrap();
    let lock = |who: u64, step: &str, schedule: &[Value]| {
        let fits = |s: &Value| s["task"] == who && s["step"] == step && s["word"] == "T0->alloc_lock";
        schedule.iter().rposition(fits).unwrap()
    };
    schedule.remove(lock(1, "spin_unlock", schedule));
    place.write("edited.json", &serde_json::to_string_pretty(&trace).unwrap());
    place.run("replay edited.json").ended(
        1,
        &[
            "the trace:  T0 exit: spin_lock(T0->alloc_lock) in exit_mm()",
            "the model:  T0 exit: spin_lock(T0->alloc_lock), which cannot run: T0->alloc_lock is 1, last taken by \
             OOM killer",
            "could run:  OOM killer: spin_unlock(T0->alloc_lock)",
        ],
    );
}

/// Without its mutation the kernel does what the rule asks for, and the trace leads nowhere.
#[test]
fn a_trace_of_a_mended_kernel_says_what_the_kernel_does_instead() {
    let (place, path) = trace();
    let mut trace: Value = serde_json::from_str(&place.read(path)).unwrap();
    trace.as_object_mut().unwrap().remove("without");
    place.write("mended.json", &serde_json::to_string_pretty(&trace).unwrap());
    place.run("replay mended.json").ended(
        1,
        &[
            "the trace:  OOM killer: atomic_inc(oom_victims) in mark_oom_victim()  (mended.json:",
            "the model:  OOM killer: set_bit(MMF_OOM_TARGETED, mm0->flags)",
            "Going on with the steps that the model has instead:\n  before step 16, new:  OOM killer: set_bit(",
            "it fits up to step 26.\n  the trace:  T0 exit: test_bit(",
            "No rule is broken up to there; the trace breaks rule A3.",
        ],
    );
}

#[test]
fn a_trace_that_breaks_another_rule_or_none_is_not_reproduced() {
    let (place, path) = trace();
    place.write("other.json", &place.read(path).replace("\"rule\": \"A3\"", "\"rule\": \"R1\""));
    place.run("replay other.json").ended(1, &["Another rule breaks, not rule R1: rule A3"]);
    let mut trace: Value = serde_json::from_str(&place.read(path)).unwrap();
    trace["schedule"].as_array_mut().unwrap().truncate(3);
    place.write("short.json", &trace.to_string());
    place.run("replay short.json").ended(1, &["the trace fits to its end, though tasks could go on"]);
}

#[test]
fn names_that_the_model_does_not_know_are_refused() {
    let (place, path) = trace();
    let text = place.read(path);
    for (old, new, said) in [
        ("\"kernel\": \"rfc-async-teardown\"", "\"kernel\": \"v9.9\"", ":4:13: unknown kernel \"v9.9\""),
        ("\"A3-late\"", "\"Z1\"", ":6:5: unknown rule \"Z1\""),
        ("\"scenario\": \"exit_vs_reaper\"", "\"scenario\": \"none\"", ":8:15: unknown scenario \"none\""),
        ("\"engine\": \"states\"", "\"engine\": \"spin\"", ":9:13: unknown engine \"spin\""),
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
    place.write("twice.json", &text.replacen("\"rule\":", "\"rule\": \"A1\",\n  \"rule\":", 1));
    place.write("kind.json", &text.replacen("\"kind\": \"write\"", "\"kind\": \"wrote\"", 1));
    place.write("line.json", &format!("{{\"format\": \"{}\"}}", "x".repeat(8 << 20)));
    std::fs::write(place.path("binary.json"), b"\x7fELF\x02\x01\x01\0\xff\xfe").unwrap();
    let huge = File::create(place.path("huge.json")).unwrap();
    huge.set_len(mmspec_traces::MAX_SIZE + 1).unwrap();
    for command in ["show", "replay", "step"] {
        for (file, said) in [
            ("cut.json", "cut.json:20:"),
            ("empty.json", "empty.json:1:0: cut off"),
            ("prose.json", "prose.json:1:1: not JSON"),
            ("other.json", "other.json:2:13: not a trace of mmspec"),
            ("future.json", "future.json:3:14: version 99 of the trace format is newer"),
            ("twice.json", ":12:8: duplicate field `rule`"),
            ("kind.json", "unknown variant `wrote`"),
            ("line.json", "line.json:1:12: not a trace of mmspec"),
            ("binary.json", "binary.json:1:1: not JSON"),
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
    mmspec("step").refused(&["<TRACE>"]);
}
