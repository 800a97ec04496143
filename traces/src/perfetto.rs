//! A trace in the JSON form of Chrome's trace events, which `ui.perfetto.dev` opens.
//!
//! Three processes: the tasks with their calls and steps, the locks with their holds, and the words as
//! counters. Happens-before edges are flows. The model has no time: a step takes ten microseconds.

use crate::file::TraceFile;
use crate::timeline::{Mode, Shape, Timeline};
use serde_json::{Value, json};

/// Microseconds that a step takes.
const STEP: usize = 10;

const TASKS: usize = 1;
const LOCKS: usize = 2;
const WORDS: usize = 3;

/// `file` as a JSON document.
pub fn perfetto(file: &TraceFile) -> Value {
    let timeline = Timeline::new(file);
    let writer = Writer { file, timeline: &timeline };
    let mut events = writer.names();
    events.extend(writer.calls());
    events.extend(writer.steps());
    events.extend(writer.holds());
    events.extend(writer.words());
    events.extend(writer.flows());
    json!({
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": file.kernel,
            "without": file.without.join(", "),
            "scenario": file.scenario,
            "rule": file.rule,
            "what": file.what,
        },
        "traceEvents": events,
    })
}

struct Writer<'a> {
    file: &'a TraceFile,
    timeline: &'a Timeline,
}

impl Writer<'_> {
    fn end(&self) -> usize {
        self.timeline.steps.len() * STEP
    }

    fn task(&self, index: usize) -> String {
        self.file.tasks.get(index).cloned().unwrap_or_else(|| format!("task {index}"))
    }

    /// A thread for each pair of a lock and a task, as holds of one lock may overlap.
    fn lock_thread(&self, lock: usize, task: usize) -> usize {
        let tasks = self.timeline.steps.iter().map(|s| s.task + 1).max().unwrap_or(1);
        lock * tasks + task + 1
    }

    fn names(&self) -> Vec<Value> {
        let title = format!("{}: {}", self.file.kernel, self.file.scenario);
        let processes = [(TASKS, title.as_str()), (LOCKS, "locks"), (WORDS, "words")];
        let mut names: Vec<Value> = processes
            .iter()
            .flat_map(|&(pid, name)| {
                [
                    meta("process_name", pid, 0, &json!({ "name": name })),
                    meta("process_sort_index", pid, 0, &json!({ "sort_index": pid })),
                ]
            })
            .collect();
        for task in 0..self.file.tasks.len() {
            names.push(meta("thread_name", TASKS, task + 1, &json!({ "name": self.task(task) })));
            names.push(meta("thread_sort_index", TASKS, task + 1, &json!({ "sort_index": task })));
        }
        let mut pairs: Vec<(usize, usize)> = self.timeline.holds.iter().map(|h| (h.lock, h.task)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (lock, task) in pairs {
            let name = format!("{}: {}", self.timeline.locks[lock].name, self.task(task));
            names.push(meta("thread_name", LOCKS, self.lock_thread(lock, task), &json!({ "name": name })));
        }
        names
    }

    fn calls(&self) -> impl Iterator<Item = Value> {
        self.timeline.calls.iter().map(|call| {
            let end = if call.open { self.end() } else { (call.to + 1) * STEP };
            let args = json!({ "returns": !call.open });
            slice(&call.function, (TASKS, call.task + 1), (call.from * STEP, end), &args)
        })
    }

    /// A slice a step; the two that clash are marked.
    fn steps(&self) -> impl Iterator<Item = Value> {
        self.timeline.steps.iter().enumerate().flat_map(|(number, step)| {
            let place = &self.file.events[step.event].site;
            let args = json!({
                "step": number + 1,
                "values": step.remark,
                "model": format!("{}:{}", place.file, place.line),
            });
            let thread = (TASKS, step.task + 1);
            let times = (number * STEP, (number + 1) * STEP);
            let mark = self.timeline.clash.and_then(|c| {
                let breaks = (c.second == number).then(|| format!("{}: {}", self.file.rule, self.file.what));
                breaks.or((c.first == Some(number)).then(|| "clashes with the step that breaks the rule".into()))
            });
            let instant = mark.map(|name| {
                json!({ "ph": "i", "s": "t", "name": name, "cat": "verdict", "pid": TASKS, "tid": thread.1, "ts": times.0 })
            });
            [slice(&step.text, thread, times, &args)].into_iter().chain(instant)
        })
    }

    fn holds(&self) -> impl Iterator<Item = Value> {
        self.timeline.holds.iter().map(|hold| {
            let name = match hold.mode {
                Mode::Read => "held for reading",
                Mode::Write => "held",
                Mode::Waits => "waited for",
            };
            let end = hold.until.map_or(self.end(), |step| step * STEP);
            let args = json!({ "task": self.task(hold.task), "lock": self.timeline.locks[hold.lock].name });
            slice(name, (LOCKS, self.lock_thread(hold.lock, hold.task)), (hold.from * STEP, end), &args)
        })
    }

    fn words(&self) -> impl Iterator<Item = Value> {
        let shown = |shape| matches!(shape, Shape::Counter | Shape::Flag);
        self.timeline.tracks.iter().filter(move |t| shown(t.shape)).flat_map(|track| {
            let name = if track.object.is_empty() || track.name.starts_with(&track.object) {
                track.name.clone()
            } else {
                format!("{} {}", track.object, track.name)
            };
            let changes = track.changes.iter().map(|c| (c.step * STEP, c.value));
            let values: Vec<_> = [(0, track.initial)].into_iter().chain(changes).collect();
            values.into_iter().map(move |(ts, value)| {
                json!({ "ph": "C", "name": name, "pid": WORDS, "ts": ts, "args": { "value": value.cast_signed() } })
            })
        })
    }

    /// An arrow from the slice of one step to that of another.
    fn flows(&self) -> impl Iterator<Item = Value> {
        self.timeline.edges.iter().enumerate().flat_map(|(id, edge)| {
            let flow = |ph, step: usize| {
                let tid = self.timeline.steps[step].task + 1;
                let ts = step * STEP + STEP / 2;
                json!({ "ph": ph, "id": id, "name": edge.word, "cat": "happens-before", "bp": "e", "pid": TASKS, "tid": tid, "ts": ts })
            };
            [flow("s", edge.from), flow("f", edge.to)]
        })
    }
}

fn meta(name: &str, pid: usize, tid: usize, args: &Value) -> Value {
    json!({ "ph": "M", "name": name, "pid": pid, "tid": tid, "args": args })
}

/// A stretch of time on thread `(pid, tid)`.
fn slice(name: &str, thread: (usize, usize), times: (usize, usize), args: &Value) -> Value {
    let duration = times.1.saturating_sub(times.0);
    json!({ "ph": "X", "name": name, "pid": thread.0, "tid": thread.1, "ts": times.0, "dur": duration, "args": args })
}
