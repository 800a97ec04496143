//! Files that are no traces: each is refused, with the place, and nothing panics.

use crate::fixtures::resurrection;
use mmspec_traces::{MAX_SIZE, TraceError, TraceFile};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fs::{self, File};

/// The error for a file of this content.
fn refused(content: &[u8]) -> TraceError {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.json");
    fs::write(&path, content).unwrap();
    let error = TraceFile::read(&path).expect_err("a bad file");
    let text = error.to_string();
    assert!(text.contains("bad.json") && text.len() < 600 && !text.contains(char::is_control), "{text}");
    error
}

fn good() -> String {
    serde_json::to_string_pretty(&resurrection()).unwrap()
}

#[test]
fn a_cut_file_says_where_it_ends() {
    let good = good();
    let cut = &good[..good.find("\"events\"").unwrap() - 3];
    let error = refused(cut.as_bytes());
    let TraceError::CutOff { line, column, .. } = error else { panic!("{error}") };
    let last = cut.lines().last().unwrap();
    assert_eq!((line, column), (cut.lines().count(), last.len()));
    assert!(matches!(refused(b""), TraceError::CutOff { .. }));
}

#[test]
fn every_cut_is_refused() {
    let good = good();
    for at in (0..good.len()).step_by(7) {
        assert!(matches!(refused(&good.as_bytes()[..at]), TraceError::CutOff { .. }), "cut at {at}");
    }
}

#[test]
fn a_newer_version_is_refused_with_what_to_do() {
    let error = refused(good().replace("\"version\": 1", "\"version\": 7").as_bytes());
    assert!(matches!(error, TraceError::NewerVersion { line: 3, column: 14, version: 7, .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("bad.json:3:14: version 7 of the trace format is newer than version 1"), "{text}");
    assert!(text.contains("use the mmspec that wrote it"), "{text}");
    // It may have any schema.
    let later = refused(br#"{"format": "mmspec-trace", "version": 2, "acts": []}"#);
    assert!(matches!(later, TraceError::NewerVersion { line: 1, column: 39, .. }));
}

#[test]
fn a_version_that_never_was_is_refused() {
    for version in ["0", "-1", "1.0", "\"1\"", "99999999999999999999"] {
        let text = good().replace("\"version\": 1", &format!("\"version\": {version}"));
        let error = refused(text.as_bytes());
        assert!(matches!(error, TraceError::NoVersion { line: 3, column: 14, .. }), "{error}");
    }
    let none = refused(br#"{"format": "mmspec-trace"}"#);
    assert!(none.to_string().contains("version is not given, not 1"), "{none}");
}

#[test]
fn a_field_given_twice_is_refused() {
    let error = refused(good().replacen("\"rule\":", "\"rule\": \"R2\",\n  \"rule\":", 1).as_bytes());
    assert!(error.to_string().contains("duplicate field `rule`"), "{error}");
    let error = refused(good().replacen("\"version\":", "\"version\": 2,\n  \"version\":", 1).as_bytes());
    assert!(error.to_string().contains("duplicate field `version`"), "{error}");
    let error = refused(good().replacen("\"task\": 0", "\"task\": 0, \"task\": 1", 1).as_bytes());
    assert!(error.to_string().contains("duplicate field `task`"), "{error}");
}

#[test]
fn every_field_refuses_what_is_of_another_type() {
    let good: serde_json::Value = serde_json::from_str(&good()).unwrap();
    let mut places: Vec<String> = good.as_object().unwrap().keys().map(|k| format!("/{k}")).collect();
    for entry in ["/schedule/0", "/events/0", "/events/0/site"] {
        let fields = good.pointer(entry).unwrap().as_object().unwrap();
        places.extend(fields.keys().map(|field| format!("{entry}/{field}")));
    }
    for place in places {
        let mut bad = good.clone();
        *bad.pointer_mut(&place).unwrap() = serde_json::json!({ "not": "this" });
        let error = refused(serde_json::to_string_pretty(&bad).unwrap().as_bytes());
        assert!(!matches!(error, TraceError::Read { .. }), "{place}: {error}");
    }
}

#[test]
fn json_of_somebody_else_is_refused() {
    let error = refused(good().replace("mmspec-trace", "perfetto").as_bytes());
    assert!(matches!(error, TraceError::WrongFormat { line: 2, column: 13, .. }));
    for other in ["{}", "[]", "[1, 2]", "3", "null", "\"mmspec-trace\"", r#"{"format": null}"#] {
        let error = refused(other.as_bytes());
        assert!(matches!(error, TraceError::WrongFormat { .. } | TraceError::Schema { .. }), "{error}");
    }
}

#[test]
fn a_schema_error_says_what_is_missing_and_where() {
    let error = refused(good().replace("\"scenario\"", "\"scenery\"").as_bytes());
    assert!(matches!(error, TraceError::Schema { .. }));
    assert!(error.to_string().contains("missing field `scenario`"), "{error}");
    let error = refused(good().replace("\"preemptions\": 1", "\"preemptions\": -1").as_bytes());
    let TraceError::Schema { line, .. } = error else { panic!("{error}") };
    assert_eq!(line, 1 + good().lines().position(|l| l.contains("preemptions")).unwrap());
    let error = refused(good().replacen("\"kind\": \"write\"", "\"kind\": \"wrote\"", 1).as_bytes());
    assert!(error.to_string().contains("unknown variant `wrote`"), "{error}");
}

#[test]
fn a_task_that_is_not_listed_is_refused() {
    let mut file = resurrection();
    file.events[3].task = 2;
    let text = serde_json::to_string_pretty(&file).unwrap();
    let error = refused(text.as_bytes());
    let TraceError::NoSuchTask { line, column, list: "events", index: 3, task: 2, tasks: 2, .. } = error
    else {
        panic!("{error}")
    };
    // The place is where that event begins.
    let line_text = text.lines().nth(line - 1).unwrap();
    assert_eq!(&line_text[column - 1..], "{");
    assert_eq!(text.lines().nth(line).unwrap().trim(), "\"task\": 2,");

    let mut file = resurrection();
    file.schedule[0].task = usize::MAX;
    let error = refused(serde_json::to_string(&file).unwrap().as_bytes());
    assert!(matches!(error, TraceError::NoSuchTask { line: 1, list: "schedule", index: 0, .. }), "{error}");
}

#[test]
fn a_file_of_100_mb_is_refused_unread() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.json");
    File::create(&path).unwrap().set_len(100 << 20).unwrap();
    let error = TraceFile::read(&path).unwrap_err();
    assert!(matches!(error, TraceError::TooLarge { size: 0x640_0000, .. }));
    assert!(error.to_string().contains("104857600 bytes, more than the 67108864"), "{error}");
    // One that is just within the limit is read, and is no JSON.
    File::create(&path).unwrap().set_len(MAX_SIZE).unwrap();
    assert!(matches!(TraceFile::read(&path).unwrap_err(), TraceError::NotJson { line: 1, .. }));
}

#[test]
fn a_huge_line_does_not_come_back_in_the_error() {
    let huge = "x".repeat(8 << 20);
    let error =
        refused(good().replace("\"preemptions\": 1", &format!("\"preemptions\": {huge:?}")).as_bytes());
    assert!(matches!(error, TraceError::Schema { .. }));
    let error = refused(format!("{{\"format\": {huge:?}}}").as_bytes());
    assert!(matches!(error, TraceError::WrongFormat { .. }));
    assert!(matches!(refused(huge.as_bytes()), TraceError::NotJson { line: 1, column: 1, .. }));
    refused("[".repeat(8 << 20).as_bytes());
}

proptest! {
    #[test]
    fn binary_garbage_is_refused(garbage in vec(any::<u8>(), 0..400)) {
        refused(&garbage);
    }
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    assert!(matches!(refused(b"\x7fELF\x02\x01\x01"), TraceError::NotJson { line: 1, column: 1, .. }));
    let mut text = good().into_bytes();
    let at = good().find("\"kernel\": \"").unwrap() + 12;
    text[at] = 0xff;
    let error = refused(&text);
    assert!(matches!(error, TraceError::NotJson { line: 4, .. }), "{error}");
}

#[test]
fn what_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(TraceFile::read(dir.path()).unwrap_err(), TraceError::NotAFile { .. }));
    let error = TraceFile::read(&dir.path().join("none.json")).unwrap_err();
    assert!(matches!(error, TraceError::Read { .. }));
    assert!(error.to_string().contains("none.json: cannot be read"), "{error}");
}

#[test]
fn unknown_fields_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("more.json");
    fs::write(&path, good().replacen('{', "{\"comment\": [\"a later mmspec\"],", 1)).unwrap();
    assert_eq!(TraceFile::read(&path).unwrap(), resurrection());
}

#[test]
fn a_value_is_found_again_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("good.json");
    fs::write(&path, good()).unwrap();
    assert_eq!(TraceFile::position(&path, "version", None), Some((3, 14)));
    let (line, column) = TraceFile::position(&path, "schedule", Some(1)).unwrap();
    assert_eq!(&good().lines().nth(line - 1).unwrap()[column - 1..], "{");
    assert_eq!(TraceFile::position(&path, "schedule", Some(9999)), None);
    assert_eq!(TraceFile::position(&path, "nothing", None), None);
}
