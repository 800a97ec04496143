//! Values as a reader of the kernel would say them.

use crate::table::words::Lexicon;

/// A counter, which wraps below zero in the kernel's eyes.
pub fn number(value: u64) -> String {
    value.cast_signed().to_string()
}

/// A wait queue: bit t says that task t is queued, bit 32+t that it was woken.
pub fn queue(value: u64, lexicon: &Lexicon) -> String {
    let names = |shift: usize| {
        let bits = (0..32).filter(move |t| value >> (t + shift) & 1 != 0);
        bits.map(|t| lexicon.task(t)).collect::<Vec<_>>().join(", ")
    };
    match (names(0), names(32)) {
        (queued, woken) if queued.is_empty() && woken.is_empty() => "empty".into(),
        (queued, woken) if woken.is_empty() => queued,
        (queued, woken) if queued.is_empty() => format!("woken: {woken}"),
        (queued, woken) => format!("{queued}; woken: {woken}"),
    }
}

/// A packed list, oldest entry first.
pub fn list(value: u64) -> String {
    let fields = (0..16).rev().map(|i| value >> (4 * i) & 0xf);
    let names: Vec<String> = fields.filter(|&f| f != 0).map(|f| (f - 1).to_string()).collect();
    if names.is_empty() { "empty".into() } else { format!("[{}]", names.join(" ")) }
}

/// A bit of a flag word.
pub fn bit(value: u64) -> String {
    u8::from(value != 0).to_string()
}
