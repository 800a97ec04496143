//! Any trace survives the file, and any trace can be drawn.

use mmspec_model::event::{Event, Kind, Place};
use mmspec_traces::{FORMAT, Step, TableOptions, TraceFile, VERSION, render};
use proptest::collection::vec;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    // Names as in the kernel, so that they meet each other, and anything else.
    prop_oneof![
        4 => prop::sample::select(vec!["", "mm0", "mm_users", "flags", "mmap_lock", "exit_mmap", "mmput"]).prop_map(String::from),
        1 => any::<String>(),
    ]
}

fn step() -> impl Strategy<Value = String> {
    let known = vec![
        "atomic_inc",
        "atomic_long_sub",
        "cmpxchg",
        "set_bit",
        "test_bit",
        "spin_lock",
        "mmap_write_lock",
        "down_read_trylock",
        "llist_add",
        "llist_del_all",
        "wake_up",
        "schedule",
        "read",
        "write",
        "ghost",
    ];
    prop_oneof![6 => prop::sample::select(known).prop_map(String::from), 1 => any::<String>()]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![
        Kind::Read,
        Kind::Write,
        Kind::Failed,
        Kind::Waits,
        Kind::Free,
        Kind::Fence,
        Kind::Ghost,
    ])
}

fn event(tasks: usize) -> impl Strategy<Value = Event> {
    let values =
        (prop_oneof![0..4_u64, any::<u64>()], prop_oneof![0..4_u64, any::<u64>()], any::<Option<u64>>());
    let names = (vec(name(), 0..4), step(), name(), name(), name());
    (0..tasks, names, values, kind(), name(), any::<u32>()).prop_map(
        |(task, (stack, step, arg, object, word), (before, after, result), kind, file, line)| Event {
            task,
            stack,
            step,
            arg,
            object,
            word,
            before,
            after,
            result,
            kind,
            site: Place { file, line },
        },
    )
}

fn decision(tasks: usize) -> impl Strategy<Value = Step> {
    (0..tasks, any::<u16>(), name(), step(), name(), name()).prop_map(
        |(task, alternative, function, step, arg, word)| Step {
            task,
            alternative,
            function,
            step,
            arg,
            word,
        },
    )
}

fn trace() -> impl Strategy<Value = TraceFile> {
    let rule = prop::sample::select(vec!["R1", "A3", "uaf", "race", "deadlock", "livelock", "panic", ""]);
    let heads =
        (name(), vec(name(), 0..3), name(), name(), name(), rule, any::<String>(), any::<(u32, bool)>());
    let lists = (1..10_usize)
        .prop_flat_map(|tasks| (vec(name(), tasks), vec(decision(tasks), 0..20), vec(event(tasks), 0..60)));
    (heads, lists).prop_map(
        |(
            (kernel, without, scenario, engine, search, rule, what, (preemptions, at_end)),
            (tasks, schedule, events),
        )| TraceFile {
            format: FORMAT.into(),
            version: VERSION,
            kernel,
            without,
            scenario,
            engine,
            search,
            rule: rule.into(),
            what,
            preemptions,
            at_end,
            tasks,
            schedule,
            events,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(file in trace()) {
        let dir = tempfile::tempdir().unwrap();
        let path = file.write_new(&dir.path().join("trace.json")).unwrap();
        prop_assert_eq!(&TraceFile::read(&path).unwrap(), &file);
        prop_assert!(crate::schema::errors(&std::fs::read_to_string(&path).unwrap()).is_empty());
    }

    #[test]
    fn every_trace_can_be_drawn(file in trace(), width in 0..200_usize) {
        let table = render(&file, &TableOptions { width, ..TableOptions::default() });
        for line in table.lines() {
            prop_assert!(line.chars().count() <= width.max(40), "wider than {}: {:?}", width, line);
        }
        prop_assert!(!table.contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(file in trace(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let dir = tempfile::tempdir().unwrap();
        let path = file.write_new(&dir.path().join("trace.json")).unwrap();
        let mut text = std::fs::read(&path).unwrap();
        let at = at.index(text.len());
        text[at] = byte;
        std::fs::write(&path, &text).unwrap();
        // Whatever it says now: it is an answer, and what was read can be drawn.
        if let Ok(other) = TraceFile::read(&path) {
            render(&other, &TableOptions::default());
        }
    }
}
