//! Writing never replaces anything.

use crate::fixtures::{resurrection, waiting};
use mmspec_traces::{TraceError, TraceFile};
use std::fs;

#[test]
fn another_trace_gets_another_name_and_the_same_one_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("A3.json");
    let (a, b) = (resurrection(), waiting());
    let mut c = b.clone();
    c.preemptions += 1;

    assert_eq!(a.write_new(&path).unwrap(), path);
    let before = fs::read(&path).unwrap();
    assert_eq!(a.write_new(&path).unwrap(), path);
    let second = b.write_new(&path).unwrap();
    assert_eq!(second, dir.path().join("A3-2.json"));
    assert_eq!(c.write_new(&path).unwrap(), dir.path().join("A3-3.json"));
    assert_eq!(b.write_new(&path).unwrap(), second);

    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    assert_eq!(TraceFile::read(&second).unwrap(), b);
}

#[test]
fn whatever_has_the_name_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trace");
    fs::create_dir(&path).unwrap();
    fs::write(dir.path().join("trace-2"), "not a trace").unwrap();
    assert_eq!(resurrection().write_new(&path).unwrap(), dir.path().join("trace-3"));
    assert_eq!(fs::read(dir.path().join("trace-2")).unwrap(), b"not a trace");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_is_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let (path, target) = (dir.path().join("trace.json"), dir.path().join("elsewhere"));
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert_eq!(resurrection().write_new(&path).unwrap(), dir.path().join("trace-2.json"));
    assert!(!target.exists());
}

#[test]
fn a_missing_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none/trace.json");
    let error = resurrection().write_new(&path).unwrap_err();
    assert!(matches!(error, TraceError::Write { .. }));
    assert!(error.to_string().contains("none/trace.json: cannot be written"), "{error}");
}
