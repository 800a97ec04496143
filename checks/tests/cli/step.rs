//! `step`: a walk, by piped commands.

use super::{Place, Ran};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Where the walk goes.
const PATH: &str = "exit_vs_reaper-rfc-async-teardown-without-a3-late-states.json";

fn place() -> Place {
    let place = Place::new();
    place.run("check exit_vs_reaper --kernel rfc-async-teardown --without A3-late --out .");
    place
}

/// Walk through the trace in `place` by `commands`.
fn walk(place: &Place, path: &str, commands: &[u8]) -> Ran {
    let mut command = place.command(&format!("step {path}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Whoever quits reads no further.
    let _ = child.stdin.take().unwrap().write_all(commands);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_walk_shows_the_step_memory_and_tasks() {
    let place = place();
    let ran = walk(&place, PATH, b"n 2\nf atomic_inc(mm0->mm_count)\nq\n");
    ran.ended(
        0,
        &[
            "exit_vs_reaper on rfc-async-teardown without A3-late, 40 steps",
            "VIOLATED A3: the mm of an OOM victim is queued",
            "step 0 of 40: the start\n",
            "  OOM killer     next       mutex_lock(oom_lock)\n",
            "  timer softirq  waits      run_timer_softirq(timers)\n",
            "step 2 of 40: OOM killer\n  out_of_memory()\n  mutex_lock(oom_lock)  [model/src/mm/oom_kill/",
            "\n* oom_lock                                held by OOM killer  (was free)\n",
            "\n* mm0->mm_count                           2  (was 1)\n",
            "  T0 exit        could run  mmap_read_lock(mm0->mmap_lock)\n",
        ],
    );
}

#[test]
fn a_walk_goes_on_and_back() {
    let place = place();
    let positions = |commands: &[u8]| -> Vec<String> {
        let ran = walk(&place, PATH, commands);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let lines = ran.out.lines().filter_map(|line| line.strip_prefix("step "));
        lines.map(|line| line.split(' ').next().unwrap().to_string()).collect()
    };
    assert_eq!(positions(b"n 3\np\n\np 99\ng 12\ng 0"), ["0", "3", "2", "1", "0", "12", "0"]);
    assert_eq!(positions(b"n 999\n"), ["0", "40"]);
    assert_eq!(positions(b"s\ns\ns\n"), ["0", "2", "26", "40"]);
    assert_eq!(positions(b""), ["0"]);
}

#[test]
fn the_end_says_what_is_wrong_and_an_interruption_who_is_interrupted() {
    let place = place();
    walk(&place, PATH, b"g 26\ng 40\nn\nl\n").ended(
        0,
        &[
            "step 26 of 40: T0 exit, interrupts OOM killer",
            "*** rule A3: the mm of an OOM victim is queued (mm0->life)",
            "this is the end",
            ">   40  T0 exit: ghost(mm0->life)",
        ],
    );
}

#[test]
fn what_is_no_command_is_told_and_the_walk_goes_on() {
    let place = place();
    let ran = walk(&place, PATH, b"x\ng\ng 41\nn \xff\nf no such thing\nh\nn\nq\nn\n");
    ran.ended(
        0,
        &[
            "no command is called \"x\"; h lists them",
            "g takes the number of a step",
            "there are 40 steps",
            "is no number of steps",
            "no later step has \"no such thing\" in it",
            "an empty line repeats the last command",
            "step 1 of 40",
        ],
    );
    assert!(!ran.out.contains("step 2 of 40"));
}

#[test]
fn all_states_are_one_document() {
    let place = place();
    let document = place.run(&format!("step {PATH} --format json")).json();
    let positions = document["positions"].as_array().unwrap();
    assert_eq!((positions.len(), &document["unknown"]), (41, &Value::Null));
    let at = |number: usize| &positions[number];
    assert_eq!((&at(0)["number"], &at(0)["step"]), (&0.into(), &Value::Null));
    assert_eq!(
        (&at(26)["step"]["task"], &at(26)["step"]["preempts"]),
        (&"T0 exit".into(), &"OOM killer".into())
    );
    assert_eq!(
        (&at(0)["state"]["mm0->mm_count"], &at(40)["state"]["mm0->mm_count"]),
        (&"1".into(), &"3".into())
    );
    assert_eq!(at(40)["state"]["T0->flags"], "TIF_MEMDIE");
    // Whoever runs next could run, and each change is one.
    for pair in positions.windows(2) {
        if let Some(tasks) = pair[0]["tasks"].as_array() {
            assert!(tasks.iter().all(|task| task["runs_next"] == false || task["can_run"] == true));
        }
        for change in pair[1]["changed"].as_array().unwrap() {
            let word = change["word"].as_str().unwrap();
            assert_eq!(pair[0]["state"][word].as_str().unwrap_or(""), change["before"], "{word}");
            assert_eq!(pair[1]["state"][word], change["after"], "{word}");
        }
    }
}

#[test]
fn a_trace_that_the_model_does_not_follow_is_walked_all_the_same() {
    let place = place();
    let text = place.read(PATH).replace("\"kernel\": \"rfc-async-teardown\"", "\"kernel\": \"v6.12\"");
    place.write("edited.json", &text);
    walk(&place, "edited.json", b"g 40\n").ended(
        0,
        &[
            "on the model does something else: what tasks could do is not known there",
            "step 40 of 40: T0 exit",
        ],
    );
    place.write("edited.json", &text.replace("\"v6.12\"", "\"v9.9\""));
    walk(&place, "edited.json", b"n\n").ended(0, &["is not known: unknown kernel \"v9.9\"", "step 1 of 40"]);
    place.write("edited.json", &text.replace("\"OOM killer\"", "\"\\u001b[31mOOM\""));
    assert!(!walk(&place, "edited.json", b"n\n").out.contains('\u{1b}'));
}
