//! A trace as text of ftrace, for whatever reads that of a real kernel.
//!
//! Where a step of the model is a tracepoint of the kernel it is written as that tracepoint; functions
//! are written as probes on their entry and return, and the other steps as events named for their
//! primitive. The model has neither time nor CPUs: a line takes a microsecond, and each task has its
//! own CPU.

mod tracepoints;
mod world;

use crate::file::TraceFile;
use crate::table::printable;
use crate::timeline::{Call, Timeline};
use mmspec_model::event::Event;
use std::collections::HashMap;
use std::fmt::Write;
use world::World;

const LEGEND: &str = "\
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
";

/// `file` as text, each line ended by a newline.
pub fn ftrace(file: &TraceFile) -> String {
    let timeline = Timeline::new(file);
    let mut world = World::new(file);
    let mut lines: Vec<(usize, String)> = Vec::new();
    let by_from = group(&timeline.calls, |c| c.from);
    let by_to = group(&timeline.calls, |c| c.to);
    for (number, step) in timeline.steps.iter().enumerate() {
        let e = &file.events[step.event];
        let mut put = |body: Option<String>| lines.extend(body.map(|body| (e.task, body)));
        for call in by_from.get(&number).into_iter().flatten() {
            put(tracepoints::before_call(e, call, &world));
            put(Some(entry(call, &timeline, file, &world)));
        }
        put(tracepoints::before(e, &world));
        put(Some(primitive(e)));
        world.step(e);
        for line in tracepoints::after(e, &world) {
            put(Some(line));
        }
        // The innermost returns first.
        for call in by_to.get(&number).into_iter().flatten().rev().filter(|c| !c.open) {
            put(Some(leave(call, &step.stack)));
            put(tracepoints::after_call(e, call, &world));
        }
    }
    text(&lines, &world)
}

fn group(calls: &[Call], key: impl Fn(&Call) -> usize) -> HashMap<usize, Vec<&Call>> {
    let mut groups: HashMap<usize, Vec<&Call>> = HashMap::new();
    for call in calls {
        groups.entry(key(call)).or_default().push(call);
    }
    groups
}

/// A probe on the entry of a function, with the mm that it is about as it is then.
fn entry(call: &Call, timeline: &Timeline, file: &TraceFile, world: &World) -> String {
    let steps = &timeline.steps[call.from..=call.to];
    let of_task = steps.iter().filter(|s| s.task == call.task).map(|s| &file.events[s.event]);
    let mm = of_task.take(16).find_map(|e| world::index_of(&e.object, "mm"));
    let name = word(&call.function);
    format!("{name}: ({name}+0x0/0x0){}", mm.map(|mm| world.mm(mm)).unwrap_or_default())
}

/// A probe on its return.
fn leave(call: &Call, stack: &[String]) -> String {
    let name = word(&call.function);
    let caller = call.depth.checked_sub(1).and_then(|d| stack.get(d)).map_or("0".into(), |f| word(f));
    format!("{name}_ret: ({caller}+0x0/0x0 <- {name})")
}

/// A step as an event of its own.
fn primitive(e: &Event) -> String {
    let mut body = format!("{}:", word(&e.step));
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            write!(body, " {name}={}", value.replace(char::is_whitespace, "_"))
                .expect("a string takes everything");
        }
    };
    let target = if e.object.is_empty() || e.word.is_empty() {
        format!("{}{}", e.object, e.word)
    } else {
        format!("{}->{}", e.object, e.word)
    };
    field("word", &target);
    field("arg", &e.arg);
    field("before", &e.before.cast_signed().to_string());
    field("after", &e.after.cast_signed().to_string());
    field("how", kind(e));
    field("at", &format!("{}:{}", e.site.file, e.site.line));
    body
}

fn kind(e: &Event) -> &'static str {
    use mmspec_model::event::Kind;
    match e.kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Failed => "failed",
        Kind::Waits => "waits",
        Kind::Free => "free",
        Kind::Fence => "fence",
        Kind::Ghost => "ghost",
    }
}

/// `name` as an event may be named.
fn word(name: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let word: String = name.chars().map(clean).collect();
    if word.is_empty() { "_".into() } else { word }
}

fn text(lines: &[(usize, String)], world: &World) -> String {
    let (count, cpus) = (lines.len(), world.cpus());
    let mut text = format!(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: {count}/{count}   #P:{cpus}\n#\n{LEGEND}"
    );
    for (number, (task, body)) in lines.iter().enumerate() {
        let (comm, pid) = (world.comm(*task), world.pid(*task));
        let flags = if comm.contains("softirq") { "..s.." } else { "....." };
        let (seconds, micros) = ((number + 1) / 1_000_000, (number + 1) % 1_000_000);
        let body = printable(body);
        writeln!(text, "{comm:>16}-{pid:<7} [{task:03}] {flags} {seconds:5}.{micros:06}: {body}")
            .expect("a string takes everything");
    }
    text
}
