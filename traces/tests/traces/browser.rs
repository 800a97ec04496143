//! The page in a browser, where there is one: its script runs through all steps without an error.

use super::{corpus, fixtures, hostile};
use mmspec_traces::timeline::Timeline;
use mmspec_traces::{PageOptions, TraceFile, page};
use scraper::Html;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time that a browser may take for a page.
const PATIENCE: Duration = Duration::from_mins(2);

/// The first of the known names that is on `PATH`.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let candidates = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    candidates.into_iter().find(|file| file.is_file())
}

/// The page of `file` after its script has walked through it.
fn walked(browser: &Path, file: &TraceFile) -> Html {
    let place = tempfile::tempdir().unwrap();
    let at = place.path().join("trace.html");
    fs::write(&at, page(file, &PageOptions::default())).unwrap();
    let dom = place.path().join("dom.html");
    let profile = tempfile::tempdir().unwrap();
    let mut running = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}#walk", at.display()))
        .stdin(Stdio::null())
        .stdout(File::create(&dom).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while running.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            running.kill().unwrap();
            panic!("the browser has not ended after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Html::parse_document(&fs::read_to_string(dom).unwrap())
}

#[track_caller]
fn check(browser: &Path, file: &TraceFile) {
    let html = walked(browser, file);
    let root = html.root_element();
    assert_eq!(root.attr("data-error"), None);
    let steps = Timeline::new(file).steps.len();
    assert_eq!(root.attr("data-walked"), Some(steps.to_string().as_str()));
}

/// A browser, or a word that there is none.
fn browser() -> Option<PathBuf> {
    let found = chromium();
    if found.is_none() {
        eprintln!("skipped: no chromium on PATH");
    }
    found
}

#[test]
fn pages_of_the_corpus_are_walked_through() {
    let Some(browser) = browser() else { return };
    // One of each of several kinds: a use after free, a deadlock, weak memory, the longest.
    for name in [
        "exit_vs_reaper-v6.12-without-r22",
        "allocator_holds_the_lock-v4.6",
        "two_sharers_exit-v6.12-without-o1",
    ] {
        let (_, file) = corpus().into_iter().find(|(path, _)| path.file_stem().unwrap() == name).unwrap();
        check(&browser, &file);
    }
    let (_, longest) = corpus().into_iter().max_by_key(|(_, file)| file.events.len()).unwrap();
    check(&browser, &longest);
}

#[test]
fn a_long_trace_is_walked_through() {
    let Some(browser) = browser() else { return };
    check(&browser, &fixtures::long(400));
}

#[test]
fn what_a_file_holds_is_not_run() {
    let Some(browser) = browser() else { return };
    check(&browser, &hostile("</script><script>throw new Error('in')</script><img src=x onerror=alert(1)>"));
}
