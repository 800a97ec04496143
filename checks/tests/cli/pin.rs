//! `pin` writes what `check` then expects, and nothing else.

use super::Place;

const OLD: &str = r#"# By hand, before.

[[check]]
kernel = "rfc-async-teardown"
scenario = "exit_to_mm_reaper"
outcomes = ["nothing"]

[[check]]
kernel = "v6.12"
scenario = "two_sharers_exit"
outcomes = ["left alone"]
states = { search = "dpor", executions = 7, complete = 7, extra = ["a \"b\""] }

# By hand, after.
[[mutant]]
rule = "A9"
kernel = "rfc-async-teardown"
scenario = "exit_to_mm_reaper"
engine = "states"
breaks = "A9"
"#;

const PIN: &str = "pin --manifest m.toml --only exit_to_mm_reaper";

#[test]
fn rows_are_written_in_order_and_the_rest_stays() {
    let place = Place::new();
    place.write("m.toml", OLD);
    place.run(PIN).ended(0, &["exit_to_mm_reaper on rfc-async-teardown, loom: COMPLETE", "m.toml: 4 rows"]);
    let new = place.read("m.toml");
    assert!(new.starts_with("# By hand, before.\n\n[[check]]\nkernel = \"v6.12\"\n"), "{new}");
    assert!(
        new.contains("outcomes = [\n    \"left alone\",\n]\nstates = { search = \"dpor\", executions = 7"),
        "{new}"
    );
    assert!(new.ends_with(&OLD[OLD.find("[[mutant]]").unwrap()..]), "{new}");
    assert!(!new.contains("nothing"), "{new}");
    assert_eq!(new.matches("scenario = \"exit_to_mm_reaper\"").count(), 3 + 1, "{new}");

    place.run(PIN).ended(0, &[]);
    assert_eq!(place.read("m.toml"), new, "nothing has changed");
    assert_eq!(place.list("."), ["m.toml"]);
}

#[test]
fn what_was_pinned_is_what_the_gate_finds() {
    let place = Place::new();
    place.write("m.toml", "");
    place.run(PIN).ended(0, &[]);
    place
        .run("check --manifest m.toml")
        .ended(0, &["3 on states, 1 on views, 1 on loom", "All as expected."]);
}

#[test]
fn a_malformed_manifest_is_left_alone() {
    let place = Place::new();
    place.run(PIN).refused(&["m.toml: cannot be read"]);
    place.write("m.toml", "[[check]]\nkernel = 7\n");
    place.run(PIN).refused(&["m.toml:2:"]);
    assert_eq!(place.read("m.toml"), "[[check]]\nkernel = 7\n");
    place.write("m.toml", OLD);
    place.run("pin --manifest m.toml --only exit_to_reaper").refused(&["Did you mean exit_to_mm_reaper"]);
    assert_eq!(place.read("m.toml"), OLD);
}
