//! The timeline's happens-before against what the engines have found: before the step that breaks the
//! rule, everything that must be ordered is.

use super::corpus;
use mmspec_model::event::{Event, Kind};
use mmspec_traces::TraceFile;
use mmspec_traces::timeline::Timeline;

fn is_plain(e: &Event) -> bool {
    e.step == "read" || e.step == "write"
}

/// Whether the model is wrong if nothing orders the two.
fn must_be_ordered(a: &Event, b: &Event) -> bool {
    let touches = |e: &Event| !matches!(e.kind, Kind::Ghost | Kind::Fence | Kind::Waits);
    let frees = b.kind == Kind::Free && touches(a) && !a.object.is_empty();
    let writes = a.kind == Kind::Write || b.kind == Kind::Write;
    // Several objects of the slab cache have one name.
    let plain = is_plain(a) && is_plain(b) && writes && a.word == b.word && !a.object.starts_with("mm_slab");
    a.task != b.task && a.object == b.object && (frees || plain)
}

/// Pairs that must be ordered, and those of them that are not.
fn pairs(file: &TraceFile, timeline: &Timeline) -> (usize, Vec<(usize, usize)>) {
    let end = timeline.clash.map_or(file.events.len(), |c| timeline.steps[c.second].event);
    let all = (0..end).flat_map(|b| (0..b).map(move |a| (a, b)));
    let must: Vec<_> = all.filter(|&(a, b)| must_be_ordered(&file.events[a], &file.events[b])).collect();
    (must.len(), must.iter().copied().filter(|&(a, b)| !timeline.ordered(a, b)).collect())
}

#[test]
fn what_is_no_race_is_ordered() {
    let mut seen = 0;
    for (path, file) in corpus() {
        let (must, unordered) = pairs(&file, &Timeline::new(&file));
        assert_eq!(unordered, [], "{}", path.display());
        seen += must;
    }
    assert!(seen > 100, "{seen}");
}

/// What an engine has found to be unordered must not come out ordered by something else.
#[test]
fn a_missing_order_is_missing() {
    let missing = |name: &str| {
        let (_, file) = corpus().into_iter().find(|(path, _)| path.file_stem().unwrap() == name).unwrap();
        let clash = Timeline::new(&file).clash.unwrap();
        clash.first.is_some() && !clash.ordered
    };
    for name in [
        "two_sharers_exit-v6.12-without-o1",
        "exit_vs_proc_mem-v6.12-without-o2",
        "exit_vs_reaper-v6.12-without-r22",
        "exit_vs_reaper-v6.12-without-r34",
        "exit_vs_mrelease-v6.12-without-r42",
        "reader_of_a_victim-v4.14",
    ] {
        assert!(missing(name), "{name}");
    }
}
