//! Steps of a trace and of the model in words, for `replay` and `step`.

use mmspec::engine::explore::record::Decision;
use mmspec::engine::explore::search::Offer;
use mmspec_model::event::Event;

/// `set_bit(MMF_OOM_SKIP, mm0->flags)`.
pub fn call(step: &str, arg: &str, word: &str) -> String {
    match (arg, word) {
        ("", word) => format!("{step}({word})"),
        (arg, "") => format!("{step}({arg})"),
        (arg, word) => format!("{step}({arg}, {word})"),
    }
}

/// The step that a schedule asks for, with the function that it is in.
pub fn decision(decision: &Decision) -> String {
    let Decision { step, arg, word, function, .. } = decision;
    let function = if function.is_empty() { String::new() } else { format!(" in {function}()") };
    format!("{}{function}", call(step, arg, word))
}

/// The step that a task stands before.
pub fn offer(offer: &Offer) -> String {
    call(offer.step, offer.arg, &offer.word)
}

/// The word that an event touches, or the object that it frees.
pub fn word(event: &Event) -> String {
    match (event.object.as_str(), event.word.as_str()) {
        ("", name) | (name, "") => name.to_string(),
        (object, word) => format!("{object}->{word}"),
    }
}

/// A value as a kernel developer would write it: small ones as signed numbers, others as hex.
pub fn value(value: u64) -> String {
    match value.cast_signed() {
        small @ -999_999..=999_999 if value < 0x1_0000 || small < 0 => small.to_string(),
        _ => format!("{value:#x}"),
    }
}

fn is_numbered(rule: &str) -> bool {
    rule.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `rule R1`, but `uaf`.
pub fn rule(rule: &str) -> String {
    if is_numbered(rule) { format!("rule {rule}") } else { rule.to_string() }
}

/// `breaks rule R1`, but `ends in uaf`.
pub fn shown(rule: &str) -> String {
    if is_numbered(rule) { format!("breaks rule {rule}") } else { format!("ends in {rule}") }
}

/// `scenario on kernel without R1`.
pub fn subject(trace: &mmspec_traces::TraceFile) -> String {
    let without = if trace.without.is_empty() {
        String::new()
    } else {
        format!(" without {}", trace.without.join(", "))
    };
    format!("{} on {}{without}", trace.scenario, trace.kernel)
}
