//! What trace viewers read: Chrome's trace events, and text of ftrace.

use super::{corpus, fixtures, hostile};
use mmspec_traces::timeline::Timeline;
use mmspec_traces::{TraceFile, ftrace, perfetto};
use regex::Regex;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Recorded from Linux 6.12.
const RECORDED: &str = include_str!("../recorded/memcg-oom-frozen-victim.txt");

/// A line of ftrace: task, pid, CPU, flags, seconds, microseconds, event, fields.
fn grammar() -> Regex {
    Regex::new(r"^ *(\S.*)-(\d+) +\[(\d{3})\] ([-.a-zA-Z0-9#]{5}) +(\d+)\.(\d{6}): (\w+): (.*)$").unwrap()
}

#[derive(Debug)]
struct Line<'a> {
    pid: usize,
    micros: u64,
    event: &'a str,
    fields: &'a str,
}

/// The lines of `text`, each of which must follow the grammar.
fn lines(text: &str) -> Vec<Line<'_>> {
    let grammar = grammar();
    let parse = |line| {
        let found = grammar.captures(line).unwrap_or_else(|| panic!("{line:?}"));
        let part = |i: usize| found.get(i).unwrap().as_str();
        let (seconds, micros): (u64, u64) = (part(5).parse().unwrap(), part(6).parse().unwrap());
        let pid = part(2).parse().unwrap();
        Line { pid, micros: seconds * 1_000_000 + micros, event: part(7), fields: part(8) }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

/// Names of the fields.
fn names(fields: &str) -> Vec<&str> {
    fields.split(' ').filter_map(|field| field.split_once(['=', ':'])).map(|(name, _)| name).collect()
}

/// A tracepoint has no field that the kernel's has not.
#[test]
fn tracepoints_have_the_fields_of_the_kernel() {
    let mut recorded: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in lines(RECORDED) {
        recorded.entry(line.event).or_insert_with(|| names(line.fields));
    }
    let mut shared = HashSet::new();
    for (path, file) in corpus() {
        let text = ftrace(&file);
        for line in lines(&text) {
            let Some(fields) = recorded.get(line.event) else { continue };
            // What a probe prints is up to whoever sets it.
            let probe = line.fields.starts_with('(');
            for name in names(line.fields) {
                assert!(probe || fields.contains(&name), "{}: {line:?}", path.display());
            }
            shared.insert(line.event.to_string());
        }
    }
    for event in [
        "mmap_lock_start_locking",
        "mmap_lock_acquire_returned",
        "mmap_lock_released",
        "mark_victim",
        "wake_reaper",
        "start_task_reaping",
        "finish_task_reaping",
        "mmput",
        "exit_mmap",
    ] {
        assert!(shared.contains(event), "{event} is not in {shared:?}");
    }
}

#[test]
fn time_goes_on_in_every_line() {
    for (path, file) in corpus() {
        let text = ftrace(&file);
        let lines = lines(&text);
        assert!(lines.windows(2).all(|pair| pair[0].micros < pair[1].micros), "{}", path.display());
        let count = format!("entries-in-buffer/entries-written: {0}/{0} ", lines.len());
        assert!(text.contains(&count));
    }
}

/// An mmap lock is asked for before it is taken, and taken before it is released.
#[test]
fn mmap_lock_tracepoints_pair_up() {
    for (path, file) in corpus() {
        let text = ftrace(&file);
        let mut asks = HashSet::new();
        let mut holds: HashMap<(usize, &str), usize> = HashMap::new();
        for line in lines(&text).iter().filter(|l| l.event.starts_with("mmap_lock_")) {
            let mm = line.fields.split(' ').next().unwrap();
            let holds = holds.entry((line.pid, mm)).or_default();
            match line.event {
                "mmap_lock_start_locking" => assert!(asks.insert((line.pid, mm)), "{}", path.display()),
                "mmap_lock_acquire_returned" => {
                    asks.remove(&(line.pid, mm));
                    *holds += usize::from(line.fields.contains("success=true"));
                }
                _ => *holds = holds.checked_sub(1).unwrap_or_else(|| panic!("{}: {line:?}", path.display())),
            }
        }
    }
}

/// The reaper of a victim of which only the mmap read lock is wrong: the story of the tracepoints.
#[test]
fn the_reaper_tells_what_it_does() {
    let found = |(path, _): &(std::path::PathBuf, TraceFile)| path.ends_with("r32/exit_vs_reaper-v4.6.json");
    let (_, file) = corpus().into_iter().find(found).unwrap();
    let text = ftrace(&file);
    let told: Vec<&str> = lines(&text)
        .iter()
        .map(|l| l.event)
        .filter(|e| e.contains("reap") && !e.contains("oom_reap"))
        .collect();
    assert_eq!(told, ["wake_reaper", "start_task_reaping", "finish_task_reaping"]);
}

fn events(file: &TraceFile) -> Vec<Value> {
    perfetto(file)["traceEvents"].as_array().unwrap().clone()
}

fn number(event: &Value, field: &str) -> u64 {
    event[field].as_u64().unwrap_or_else(|| panic!("{field} of {event}"))
}

/// Slices of one thread must lie within each other or apart: a viewer drops those that overlap.
#[test]
fn slices_of_a_thread_nest() {
    for (path, file) in corpus() {
        let mut threads: HashMap<(u64, u64), Vec<(u64, u64)>> = HashMap::new();
        for e in events(&file).iter().filter(|e| e["ph"] == "X") {
            let (from, to) = (number(e, "ts"), number(e, "ts") + number(e, "dur"));
            threads.entry((number(e, "pid"), number(e, "tid"))).or_default().push((from, to));
        }
        for (thread, mut slices) in threads {
            slices.sort_by_key(|&(from, to)| (from, std::cmp::Reverse(to)));
            let mut open: Vec<u64> = Vec::new();
            for (from, to) in slices {
                open.retain(|&end| end > from);
                assert!(open.last().is_none_or(|&end| to <= end), "{}: {thread:?} at {from}", path.display());
                open.push(to);
            }
        }
    }
}

#[test]
fn every_step_lock_hold_and_edge_is_a_trace_event() {
    for (path, file) in corpus() {
        let timeline = Timeline::new(&file);
        let events = events(&file);
        let count = |ph: &str, pid: u64| events.iter().filter(|e| e["ph"] == ph && e["pid"] == pid).count();
        assert_eq!(count("X", 1), timeline.steps.len() + timeline.calls.len(), "{}", path.display());
        assert_eq!(count("X", 2), timeline.holds.len());
        assert_eq!((count("s", 1), count("f", 1)), (timeline.edges.len(), timeline.edges.len()));
        assert!(count("C", 3) > 0);
        let thread = |e: &&Value| e["ph"] == "M" && e["name"] == "thread_name" && e["pid"] == 1;
        let names: Vec<&str> =
            events.iter().filter(thread).map(|e| e["args"]["name"].as_str().unwrap()).collect();
        assert_eq!(names, file.tasks);
    }
}

#[test]
fn any_file_can_be_written_for_a_viewer() {
    for text in ["", "a b", "x\ny", "\u{1b}[31m", "[000] ..... 1.000000: a: b", "->", "::"] {
        let file = hostile(text);
        lines(&ftrace(&file));
        assert!(!events(&file).is_empty());
    }
    let mut empty = fixtures::resurrection();
    (empty.events, empty.schedule, empty.tasks) = (Vec::new(), Vec::new(), Vec::new());
    assert_eq!(lines(&ftrace(&empty)).len(), 0);
    assert!(!events(&empty).is_empty());
}
