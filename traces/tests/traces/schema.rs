//! `docs/trace-1.schema.json` is what the types say, and what is written follows it.
//!
//! After a change of the types that is meant:
//! `cargo test -p mmspec-traces --test traces -- --ignored write_the_schema` writes it anew.

use crate::fixtures::resurrection;
use jsonschema::Validator;
use mmspec_traces::{TraceFile, VERSION};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(&committed()).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("it is a schema")
});

/// In what `text`, which is JSON, does not follow the schema.
pub fn errors(text: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).expect("JSON");
    VALIDATOR.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace")
}

fn path() -> PathBuf {
    root().join(format!("docs/trace-{VERSION}.schema.json"))
}

fn committed() -> String {
    fs::read_to_string(path()).unwrap_or_else(|e| panic!("{}: {e}", path().display()))
}

/// The schema of the types.
fn generated() -> String {
    let schema = schemars::schema_for!(TraceFile);
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

fn corpus() -> Vec<PathBuf> {
    let list = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).expect("a directory").map(|e| e.expect("an entry").path()).collect()
    };
    let files = list(&root().join("traces/corpus")).into_iter().flat_map(|dir| list(&dir));
    files.filter(|path| path.extension().is_some_and(|e| e == "json")).collect()
}

#[test]
fn the_schema_is_that_of_the_types() {
    assert!(
        committed() == generated(),
        "{}: differs from the types, see the top of this test",
        path().display()
    );
}

#[test]
#[ignore = "writes docs/trace-1.schema.json anew"]
fn write_the_schema() {
    fs::write(path(), generated()).expect("written");
}

#[test]
fn every_trace_of_the_corpus_follows_the_schema() {
    let files = corpus();
    assert!(files.len() > 40, "{} files", files.len());
    for file in files {
        let found = errors(&fs::read_to_string(&file).expect("readable"));
        assert!(found.is_empty(), "{}: {}", file.display(), found.join("; "));
    }
}

/// Wherever the reader refuses a value, the schema does so too.
#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let good = serde_json::to_value(resurrection()).expect("JSON");
    for (place, bad) in [
        ("/format", json!("perfetto")),
        ("/version", json!(2)),
        ("/preemptions", json!(-1)),
        ("/preemptions", json!("one")),
        ("/tasks", json!([1])),
        ("/schedule/0/task", json!(-1)),
        ("/schedule/0/alternative", json!(65536)),
        ("/schedule/0/step", json!(null)),
        ("/events/0/kind", json!("wrote")),
        ("/events/0/site", json!("mm/mmap.c:1")),
        ("/events/0/stack", json!("exit_mmap")),
    ] {
        let mut trace = good.clone();
        *trace.pointer_mut(place).expect(place) = bad;
        let found = errors(&trace.to_string());
        assert!(found.iter().any(|error| error.starts_with(place)), "{place}: {found:?}");
        assert!(serde_json::from_value::<TraceFile>(trace.clone()).is_err() || place.len() < 9, "{place}");
    }
    for field in ["kernel", "scenario", "rule", "what", "tasks", "schedule", "events"] {
        let mut trace = good.clone();
        trace.as_object_mut().expect("an object").remove(field);
        assert!(!errors(&trace.to_string()).is_empty(), "{field}");
    }
    assert_eq!(errors(&good.to_string()), Vec::<String>::new());
}

/// The fields that docs/trace-format.md explains are those that there are, and its example is a trace.
#[test]
fn the_document_has_every_field_and_a_valid_example() {
    let text = fs::read_to_string(root().join("docs/trace-format.md")).expect("docs/trace-format.md");
    let schema: Value = serde_json::from_str(&committed()).expect("JSON");
    let definitions = schema["$defs"].as_object().expect("definitions");
    for (name, definition) in definitions.iter().chain([(&String::from("the trace"), &schema)]) {
        for field in definition["properties"].as_object().into_iter().flat_map(|fields| fields.keys()) {
            assert!(text.contains(&format!("| `{field}` |")), "{field} of {name} has no row");
        }
    }
    let example =
        text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert_eq!(errors(example), Vec::<String>::new());
    serde_json::from_str::<TraceFile>(example).expect("it can be read");
}
