//! `corpus/`: race tables of counterexamples that are kept.

/// Name and race table of each.
const TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// Name of the counterexample in which `rule` breaks in `scenario` on `kernel` without the rules
/// `without`: its path in `traces/corpus/`, without an ending.
pub fn name(rule: &str, scenario: &str, kernel: &str, without: &[&str]) -> String {
    let kernel = [&[kernel], without].concat().join("-without-");
    format!("{rule}/{scenario}-{kernel}").to_lowercase()
}

/// The race table with this name, if it is kept.
pub fn table(name: &str) -> Option<&'static str> {
    TABLES.iter().find(|(known, _)| *known == name).map(|(_, table)| *table)
}
