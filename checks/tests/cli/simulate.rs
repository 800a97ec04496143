//! `simulate`: tables for people and for programs.

use super::mmspec;

#[test]
fn a_table_has_published_and_simulated_numbers_and_says_which_are_calibrated() {
    let table = mmspec("simulate async-teardown");
    table.ended(0, &["RFC PATCH 7/7", "published", "simulated", "(predicted)", "What this cannot show:"]);
    let rows: Vec<&str> = table.out.lines().filter(|line| line.starts_with("1 GB ")).collect();
    assert!(rows[0].contains("18.01 ms") && rows[0].contains("a page zapped and freed"), "{}", rows[0]);
    assert_eq!(mmspec("simulate").out.matches("RFC PATCH 7/7] exit").count(), 1);
}

#[test]
fn another_number_of_cpus_is_not_compared() {
    let table = mmspec("simulate async-teardown --cpus 4");
    table.ended(0, &["Published for 32 CPUs, simulated with 4: not to be compared"]);
    assert!(!table.out.contains(" %  (predicted)"), "{}", table.out);
}

#[test]
fn a_table_of_several_machines_compares_the_rows_of_the_asked_one() {
    let table = mmspec("simulate exec --cpus 1");
    table.ended(0, &["slab ctor/dtor", "gain of rfc-slab-ctor-fixed over v7.1"]);
    let compared = |row: &&str| row.contains(" %  per-CPU") || row.contains(" %  (predicted)");
    assert_eq!(table.out.lines().filter(compared).count(), 1, "{}", table.out);
    let other = mmspec("simulate exec --cpus 4");
    other.ended(0, &["Published for 1, 24, 192 CPUs, simulated with 4: not to be compared"]);
}

#[test]
fn what_nobody_has_published_is_no_row_to_compare() {
    let table = mmspec("simulate frozen");
    table.ended(0, &["nobody has published that", "2093.", "never", "All are predictions"]);
    let rows = table.out.lines().filter(|line| line.contains("  (predicted)"));
    assert!(rows.clone().count() > 10 && rows.clone().all(|row| row.contains("  -  (predicted)")));
    let other = mmspec("simulate frozen --cpus 4");
    other.ended(0, &["2 threads, v6.12: pages"]);
    assert!(!other.out.contains("not to be compared"), "{}", other.out);
    let document = mmspec("simulate frozen --format json").json();
    let rows = document["tables"][0]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["what"] == "2 threads, v6.12: page tables").unwrap();
    assert!(row["published"].is_null() && row["simulated"].is_null(), "{row}");
}

#[test]
fn walking_downwards_is_predicted_from_walking_upwards() {
    let table = mmspec("simulate reverse");
    table.ended(0, &["zhongjinji", "part of it under the page-table lock"]);
    let rows: Vec<&str> = table.out.lines().filter(|line| line.starts_with("reaper downwards")).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.ends_with("(predicted)")), "{rows:?}");
}

#[test]
fn a_simulation_is_one_json_document() {
    let document = mmspec("simulate --format json").json();
    assert_eq!(document["format"], "mmspec-simulate");
    assert_eq!(document["version"], 2);
    let table = &document["tables"][0];
    assert_eq!(table["table"], "async-teardown");
    assert_eq!(table["rows"][0]["published"], 18.01);
    assert!(table["rows"].as_array().unwrap().iter().all(|row| row["error_percent"].is_number()));
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    mmspec("simulate fork").refused(&["fork", "async-teardown", "write-lock", "exec", "reverse", "frozen"]);
    mmspec("simulate --cpus 0").refused(&["--cpus"]);
    mmspec("simulate --cpus 1025").refused(&["--cpus"]);
    mmspec("simulate --help").ended(0, &["--cpus <N>", "calibrated"]);
}
