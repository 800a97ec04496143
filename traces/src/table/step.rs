//! One step in the words of C.

use super::lexicon::{Lexicon, lvalue};
use mmspec_model::event::{Event, Kind};

/// How a step is written.
#[derive(Debug, Default)]
pub struct Text {
    /// The call or assignment.
    pub call: String,
    /// What follows `#`, or empty.
    pub remark: String,
    /// Remark for the function around it that does only this (`mmgrab()  # mm0->mm_count 1 -> 2`);
    /// `None` where the call itself has to be seen.
    pub effect: Option<String>,
}

impl Text {
    fn call(call: String) -> Self {
        Self { call, ..Self::default() }
    }
}

/// The words for `e`.
pub fn text(e: &Event, lexicon: &Lexicon) -> Text {
    match e.kind {
        Kind::Waits => return Text::call(format!("<waits: {}>", lexicon.short(e))),
        Kind::Free => return Text::call(format!("{}({})", e.step, e.object)),
        Kind::Fence => return Text::call(format!("{}()", e.step)),
        Kind::Ghost => return Text::call(format!("/* {} */", e.arg)),
        Kind::Read | Kind::Write | Kind::Failed => {}
    }
    let op = e.step.as_str();
    if op.ends_with("_bit") {
        bit(e, lexicon)
    } else if op.starts_with("llist_") {
        list(e)
    } else if op == "read" || op == "write" {
        plain(e)
    } else if op == "wake_up" {
        wake_up(e, lexicon)
    } else if op == "schedule" {
        Text::call("schedule()".into())
    } else if is_lock(op) {
        lock(e, lexicon)
    } else if is_valueless(op) {
        Text::call(format!("{op}(&{})", lvalue(e)))
    } else {
        value(e)
    }
}

/// Whether the step is of the specification only; with an argument it is shown as a comment.
pub fn unspoken(e: &Event) -> bool {
    e.kind == Kind::Ghost && e.arg.is_empty()
}

/// Whether a blocking lock operation only joined the queue: holders (the low half) did not change.
pub fn only_queues(e: &Event) -> bool {
    is_lock(&e.step) && e.kind == Kind::Write && e.before != e.after && e.before as u32 == e.after as u32
}

/// Whether the step takes a lock.
pub fn takes(e: &Event) -> bool {
    let taken = e.kind == Kind::Write && e.before != e.after && !only_queues(e);
    is_lock(&e.step) && taken && !releases(e)
}

/// Whether the step drops a lock.
pub fn releases(e: &Event) -> bool {
    is_lock(&e.step) && (e.step.contains("unlock") || e.step.starts_with("up_"))
}

/// Counters wrap below zero in the kernel's eyes.
fn number(value: u64) -> String {
    value.cast_signed().to_string()
}

fn change(e: &Event) -> String {
    match e.kind {
        Kind::Failed => format!("{}, fails", number(e.before)),
        Kind::Write => format!("{} -> {}", number(e.before), number(e.after)),
        _ => number(e.before),
    }
}

/// Whether the step is one on a lock.
pub fn is_lock(op: &str) -> bool {
    ["mmap_", "spin_", "mutex_", "down_", "up_", "read_", "write_"]
        .iter()
        .any(|prefix| op.starts_with(prefix))
        || op.ends_with("_trylock")
        || op.ends_with("_lock")
        || op.ends_with("_unlock")
}

/// Words whose value is the model's own code for a state.
fn is_valueless(op: &str) -> bool {
    ["prepare_to_wait", "finish_wait", "schedule_work", "process_one_work", "add_timer", "run_timer_softirq"]
        .contains(&op)
}

fn lock(e: &Event, lexicon: &Lexicon) -> Text {
    if only_queues(e) {
        return Text::call(format!("<waits: {}>", lexicon.short(e)));
    }
    // The mmap_lock wrappers take the mm.
    let target = if e.step.starts_with("mmap_") && !e.object.is_empty() {
        e.object.clone()
    } else {
        format!("&{}", lvalue(e))
    };
    let mut text = Text::call(format!("{}({target})", e.step));
    if e.step.contains("trylock") {
        let failed = e.kind == Kind::Failed || e.before == e.after;
        text.call += if failed { " = false" } else { " = true" };
    } else if e.kind == Kind::Failed {
        text.remark = "fails".into();
    }
    text
}

fn bit(e: &Event, lexicon: &Lexicon) -> Text {
    let call = format!("{}({}, &{})", e.step, e.arg, lvalue(e));
    let was = lexicon.bit(e);
    let asks = e.step.starts_with("test_");
    let remark = match was {
        Some(was) if asks => u8::from(was).to_string(),
        None if asks => format!("{:#x}", e.before),
        Some(true) if e.step == "set_bit" => "already set".into(),
        Some(false) if e.step == "clear_bit" => "already clear".into(),
        _ => String::new(),
    };
    let effect = match (e.step.as_str(), was) {
        ("test_bit", Some(was)) => Some(format!("{} is {}", e.arg, u8::from(was))),
        ("set_bit", Some(false)) => Some(format!("sets {}", e.arg)),
        ("clear_bit", Some(true)) => Some(format!("clears {}", e.arg)),
        _ => None,
    };
    Text { call: if asks { format!("if ({call})") } else { call }, remark, effect }
}

fn plain(e: &Event) -> Text {
    let (word, before, after) = (lvalue(e), number(e.before), number(e.after));
    if e.step == "read" {
        let effect = Some(format!("{word} is {before}"));
        return Text { call: format!("read {word}"), remark: before, effect };
    }
    let remark = if before == after { String::new() } else { format!("was {before}") };
    let effect = Some(format!("{word} {before} -> {after}"));
    Text { call: format!("{word} = {after}"), remark, effect }
}

/// Entries of a packed list, oldest first.
fn entries(packed: u64) -> String {
    let fields = (0..16).rev().map(|i| packed >> (4 * i) & 0xf);
    let names: Vec<String> = fields.filter(|&f| f != 0).map(|f| (f - 1).to_string()).collect();
    if names.is_empty() { "empty".into() } else { format!("[{}]", names.join(" ")) }
}

fn list(e: &Event) -> Text {
    let list = lvalue(e);
    if e.step == "llist_empty" {
        let remark = u8::from(e.before == 0).to_string();
        return Text { call: format!("if (llist_empty(&{list}))"), remark, effect: None };
    }
    // The entry added last is in the low bits.
    let entry = if e.step == "llist_add" {
        format!("{}, ", (e.after & 0xf).saturating_sub(1))
    } else {
        String::new()
    };
    let remark = format!("{} -> {}", entries(e.before), entries(e.after));
    Text { call: format!("{}({entry}&{list})", e.step), remark, effect: None }
}

/// In a wait queue bit t says that task t is queued.
fn wake_up(e: &Event, lexicon: &Lexicon) -> Text {
    let woken: Vec<String> = (0..32).filter(|t| e.before >> t & 1 != 0).map(|t| lexicon.task(t)).collect();
    let remark = if woken.is_empty() { "nobody waits".into() } else { format!("wakes {}", woken.join(", ")) };
    Text { call: format!("wake_up(&{})", lvalue(e)), remark, effect: None }
}

/// Counters, and steps that are not known here.
fn value(e: &Event) -> Text {
    let (op, word, after) = (e.step.as_str(), lvalue(e), number(e.after));
    let added = e.after.wrapping_sub(e.before).cast_signed();
    let known = op.strip_prefix("atomic_").map_or(op, |op| op.strip_prefix("long_").unwrap_or(op));
    let call = match known {
        "READ_ONCE" => format!("READ_ONCE({word})"),
        "WRITE_ONCE" => format!("WRITE_ONCE({word}, {after})"),
        "set" | "smp_store_release" => format!("{op}(&{word}, {after})"),
        "add" | "add_return" => format!("{op}({added}, &{word})"),
        "sub" | "sub_return" => format!("{op}({}, &{word})", added.wrapping_neg()),
        "cmpxchg" if e.kind == Kind::Failed => format!("cmpxchg(&{word}, 0, ...)"),
        "cmpxchg" => format!("cmpxchg(&{word}, 0, {after})"),
        _ if e.arg.starts_with(|c: char| c.is_ascii_uppercase()) => format!("{op}({}, &{word})", e.arg),
        _ => format!("{op}(&{word})"),
    };
    let mut remark = change(e);
    // A mutant says how the step departs from the kernel's (`relaxed`).
    if e.arg.starts_with(|c: char| c.is_ascii_lowercase()) {
        remark = format!("{remark}, {}", e.arg);
    }
    let effect =
        if e.kind == Kind::Read { format!("{word} is {remark}") } else { format!("{word} {remark}") };
    Text { call, remark, effect: Some(effect) }
}
