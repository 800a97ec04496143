//! `drift` on small trees that are made up.

use super::{Place, Ran};
use std::fs;

const HEADER: &str = "tree/include/linux/sched/mm.h";
const MMGET: &str = "static inline void mmget(struct mm_struct *mm)\n{\n\tatomic_inc(&mm->mm_users);\n}\n";
/// As `get_task_mm()`, with its calls in another order.
const PINS_LATE: &str = "struct mm_struct *get_task_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	task_lock(task);
	mm = task->mm;
	task_unlock(task);
	if (mm)
		mmget(mm);
	return mm;
}
";

/// A place with a tree that says it is `version`, and has these files.
fn tree(version: &str, files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    let (major, minor) = version.split_once('.').unwrap();
    let makefile = format!("VERSION = {major}\nPATCHLEVEL = {minor}\nSUBLEVEL = 7\nEXTRAVERSION =\n");
    for directory in ["mm", "kernel", "include/linux/sched"] {
        fs::create_dir_all(place.path("tree").join(directory)).unwrap();
    }
    place.write("tree/Makefile", &makefile);
    for (file, contents) in files {
        fs::write(place.path(file), contents).unwrap();
    }
    place
}

fn drift(place: &Place) -> Ran {
    place.run("drift --linux tree")
}

#[test]
fn what_became_of_each_function_is_said_with_what_to_check() {
    let place = tree("6.12", &[(HEADER, MMGET.as_bytes()), ("tree/kernel/fork.c", PINS_LATE.as_bytes())]);
    let ran = drift(&place);
    ran.ended(
        1,
        &[
            "Linux 6.12.7 against v6.12, whose hashes are of 6.12.117",
            "  reordered  kernel/fork.c:1 get_task_mm()\n",
            "             was mmget, task_unlock\n             is  task_unlock, mmget\n",
            "             model/src/kernel/fork.rs: R1\n",
            "  gone       kernel/exit.c exit_mm()\n",
            "57 gone, 1 reordered, 1 unchanged",
            "  mmspec check ",
            " sharers_vs_two_readers",
        ],
    );
    assert!(!ran.out.contains("mmget()"), "{}", ran.out);
}

#[test]
fn the_result_is_one_json_document() {
    let place = tree("6.12", &[(HEADER, MMGET.as_bytes()), ("tree/kernel/fork.c", PINS_LATE.as_bytes())]);
    let ran = place.run("drift --linux tree --kernel v7.1 --format json");
    assert_eq!(ran.code, Some(1));
    let document = ran.json();
    assert_eq!((&document["format"], &document["version"]), (&"mmspec-drift".into(), &1.into()));
    assert_eq!((&document["tree"], &document["kernel"]), (&"6.12.7".into(), &"v7.1".into()));
    assert_eq!(
        (&document["summary"]["unchanged"], &document["summary"]["reordered"]),
        (&1.into(), &1.into())
    );
    let functions = document["functions"].as_array().unwrap();
    let named = |name: &str| functions.iter().find(|f| f["name"] == name).unwrap();
    assert_eq!(named("mmget")["found_hash"], "887a1140");
    let late = named("get_task_mm");
    assert_eq!(
        (&late["status"], &late["line"], &late["rules"][0]),
        (&"reordered".into(), &1.into(), &"R1".into())
    );
    assert_eq!(late["found_calls"][3], "mmget");
    assert!(late["scenarios"].as_array().unwrap().contains(&"sharers_vs_two_readers".into()));
    assert!(named("exit_mm")["found_in"].is_null());
}

#[test]
fn bytes_that_are_no_text_are_read_all_the_same() {
    let header = [b"/* \xff\xfe */ char *c = \"\x80\";\n\0\xc3\n", MMGET.as_bytes(), b"\n\xc3"].concat();
    drift(&tree("6.12", &[(HEADER, &header)])).ended(1, &["59 functions: 58 gone, 1 unchanged"]);
}

#[test]
fn a_place_that_is_no_tree_is_refused() {
    let place = Place::new();
    drift(&place).refused(&["tree: cannot be read", "No such file"]);
    place.write("tree", "");
    drift(&place).refused(&["tree: not a Linux source tree: not a directory; unpack it first"]);

    let place = Place::new();
    fs::create_dir_all(place.path("tree/objects")).unwrap();
    drift(&place).refused(&["tree: not a Linux source tree: no Makefile"]);
    place.write("tree/HEAD", "ref: refs/heads/master\n");
    drift(&place).refused(&["a git repository without a work tree", "git worktree add"]);
    place.write("tree/Makefile", "all:\n");
    drift(&place).refused(&["its Makefile has no VERSION and PATCHLEVEL"]);
    place.write("tree/Makefile", "VERSION = 6\nPATCHLEVEL = 12\n");
    drift(&place).refused(&["no mm/ or no kernel/"]);
}

#[test]
fn a_file_that_cannot_be_read_or_is_cut_off_is_named() {
    let place = tree("6.12", &[]);
    fs::create_dir_all(place.path("tree/mm/oom_kill.c")).unwrap();
    drift(&place).refused(&["tree/mm/oom_kill.c: cannot be read: not a file"]);

    let cut = &PINS_LATE[..PINS_LATE.find("return").unwrap()];
    let cut = format!("\n\n{cut}");
    drift(&tree("6.12", &[("tree/kernel/fork.c", cut.as_bytes())]))
        .refused(&["tree/kernel/fork.c:3: get_task_mm() does not end"]);
}

#[test]
fn a_kernel_without_hashes_is_refused() {
    let place = tree("5.10", &[]);
    drift(&place).refused(&["the tree, 5.10.7, is older than all", "v6.1, v6.12", "--kernel"]);
    place
        .run("drift --linux tree --kernel v4.9")
        .refused(&["no hashes for v4.9", "v6.1, v6.12, v6.18, v7.0, v7.1"]);
    place.run("drift --linux tree --kernel v6.13").refused(&["no kernel is called \"v6.13\""]);
    place.run("drift").refused(&["--linux <TREE>"]);
    place.run("drift --linux tree --kernel v6.12").ended(1, &["59 functions: 59 gone"]);
}

#[test]
fn hashes_are_taken_only_when_asked_for() {
    let place = tree("6.12", &[(HEADER, MMGET.replace('{', "{ /* */ ;").as_bytes())]);
    fs::write(place.path("tree/kernel/fork.c"), PINS_LATE).unwrap();
    fs::write(place.path("tree/include/linux/mm.h"), "bool mmget_not_zero(int a)\n{\n}\n").unwrap();
    let pins = concat!(env!("CARGO_MANIFEST_DIR"), "/drift.toml");
    let old = fs::read_to_string(pins).unwrap();
    place.write("d.toml", &old);
    drift(&place).ended(1, &[]);
    assert_eq!(place.read("d.toml"), old);

    place.run("drift --linux tree --pin d.toml").refused(&["--kernel"]);
    let line = "drift --linux tree --kernel v6.2 --pin d.toml";
    let reordered = "  get_task_mm(): its calls are task_lock, task->mm, task_unlock, mmget: edit calls or";
    let moved = "  mmget_not_zero(): it is in include/linux/mm.h now: edit file";
    place.run(line).ended(1, &["d.toml: left alone", reordered, moved]);
    assert_eq!(place.read("d.toml"), old);

    fs::remove_file(place.path("tree/kernel/fork.c")).unwrap();
    fs::remove_file(place.path("tree/include/linux/mm.h")).unwrap();
    let taken = "d.toml: hashes of v6.2 taken from 6.12.7, of 1 of 61 functions";
    place.run(line).ended(0, &[taken, "Not in this tree: mmgrab,"]);
    let new = place.read("d.toml");
    let changed: Vec<&str> = new.lines().filter(|line| !old.contains(line)).collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert_eq!(changed[0], "\"v6.2\" = \"6.12.7\"");
    assert!(
        changed[1].starts_with("hash = { \"v6.1\" = \"887a1140\"") && changed[1].contains("\"v6.2\" = \"")
    );
    assert_eq!(place.list("."), ["d.toml", "tree"]);

    place.run(line).refused(&["d.toml: not what mmspec was built with"]);
    assert_eq!(place.read("d.toml"), new);
}
