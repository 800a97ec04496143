//! The kernel's own tracepoints, where a step of the model is one. Their fields are those of Linux
//! 6.12, without what the model does not know (sizes, uid).

use super::world::{World, index_of};
use crate::timeline::{Call, waits};
use mmspec_model::event::Event;

/// What is printed before the step `e`: a lock is asked for, or about to be released.
pub fn before(e: &Event, world: &World) -> Option<String> {
    if let Some(lock) = MmapLock::of(e) {
        return match lock.what {
            What::Give => Some(lock.line("released", "")),
            _ if world.asks(e.task) => None,
            What::Ask | What::Take | What::Try(_) => Some(lock.line("start_locking", "")),
        };
    }
    let queues = in_function(e, "wake_oom_reaper") || in_function(e, "queue_oom_reaper");
    if queues && e.step == "wake_up" && e.word == "oom_reaper_wait" {
        return Some(format!("wake_reaper: pid={}", world.victim(e.task)?.0));
    }
    None
}

/// What is printed after it.
pub fn after(e: &Event, world: &World) -> Vec<String> {
    let innermost = e.stack.last().map_or("", String::as_str);
    let reaper = innermost == "oom_reap_task_mm";
    let mut lines = Vec::new();
    let mut got = true;
    match MmapLock::of(e) {
        Some(lock) if lock.what == What::Take => lines.push(lock.line("acquire_returned", " success=true")),
        Some(lock) if let What::Try(success) = lock.what => {
            lines.push(lock.line("acquire_returned", &format!(" success={success}")));
            got = success;
        }
        _ => {}
    }
    if e.step == "atomic_inc" && e.word == "oom_victims" && innermost == "mark_oom_victim" {
        lines.extend(world.victim(e.task).map(|(pid, comm)| format!("mark_victim: pid={pid} comm={comm}")));
    }
    let skips = e.step == "test_bit" && e.arg == "MMF_OOM_SKIP" && e.before != 0;
    if reaper && (skips || !got) {
        lines.extend(world.victim(e.task).map(|(pid, _)| format!("skip_task_reaping: pid={pid}")));
    }
    lines
}

/// Whether the OOM reaper calls `__oom_reap_task_mm()`, and not a system call.
fn reaps(e: &Event, call: &Call) -> bool {
    call.function == "__oom_reap_task_mm" && in_function(e, "oom_reap_task")
}

/// What is printed before `call` is entered with step `e`.
pub fn before_call(e: &Event, call: &Call, world: &World) -> Option<String> {
    let victim = reaps(e, call).then(|| world.victim(e.task))??;
    Some(format!("start_task_reaping: pid={}", victim.0))
}

/// What is printed once it has returned.
pub fn after_call(e: &Event, call: &Call, world: &World) -> Option<String> {
    let victim = reaps(e, call).then(|| world.victim(e.task))??;
    Some(format!("finish_task_reaping: pid={}", victim.0))
}

fn in_function(e: &Event, function: &str) -> bool {
    e.stack.iter().any(|f| f == function)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Cannot have it yet.
    Ask,
    Take,
    /// Does not wait; whether it gets it.
    Try(bool),
    Give,
}

/// A step on an mmap lock.
struct MmapLock {
    what: What,
    mm: usize,
    write: bool,
}

impl MmapLock {
    fn of(e: &Event) -> Option<Self> {
        let mm = index_of(&e.object, "mm").filter(|_| e.word == "mmap_lock")?;
        let write = e.step.contains("write");
        let what = match e.step.as_str() {
            step if step.contains("unlock") => What::Give,
            step if step.contains("trylock") => What::Try(e.before != e.after),
            _ if waits(e) => What::Ask,
            _ => What::Take,
        };
        Some(Self { what, mm, write })
    }

    fn line(&self, event: &str, rest: &str) -> String {
        let (mm, write) = (World::address(self.mm), self.write);
        format!("mmap_lock_{event}: mm={mm:x} memcg_path=/ write={write}{rest}")
    }
}
