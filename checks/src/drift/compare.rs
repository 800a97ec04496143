//! What has become of a function.

use super::find::{Found, Sources};
use super::tree::{Tree, TreeError};
use super::{Function, PINS};
use serde::Serialize;

/// What has become of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Token by token the same.
    Unchanged,
    /// The same, in another file.
    Moved,
    /// Something is different; of the calls that matter perhaps some came or went.
    Changed,
    /// The calls that matter come in another order.
    Reordered,
    /// There is no function of this name.
    Gone,
}

impl Status {
    /// The word for it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Reordered => "reordered",
            Self::Gone => "gone",
        }
    }

    /// Whether the model has to be looked at again.
    pub fn is_drift(self) -> bool {
        matches!(self, Self::Changed | Self::Reordered | Self::Gone)
    }
}

/// A function, and what has become of it.
#[derive(Debug)]
pub struct Finding {
    /// The function.
    pub function: &'static Function,
    /// What has become of it.
    pub status: Status,
    /// Its hash in the kernel that is compared with.
    pub pinned: &'static str,
    /// The calls that matter there.
    pub calls: &'static [String],
    /// What there is.
    pub found: Option<Found>,
}

/// Compare the functions that `kernel` has with those of `tree`.
///
/// # Errors
/// If a file of the tree cannot be read, or ends within a function.
pub fn compare(tree: &Tree, kernel: &str) -> Result<Vec<Finding>, TreeError> {
    let mut sources = Sources::new(tree);
    let pinned = PINS.function.iter().filter_map(|f| Some((f, f.hash.get(kernel)?)));
    let compared = pinned.map(|(function, pinned)| {
        let calls = function.calls(kernel);
        let found = sources.find(function, Some(pinned))?;
        let status = match &found {
            None => Status::Gone,
            Some(found) if found.hash == *pinned && found.file == function.file => Status::Unchanged,
            Some(found) if found.hash == *pinned => Status::Moved,
            Some(found) if are_reordered(calls, &found.calls) => Status::Reordered,
            Some(_) => Status::Changed,
        };
        Ok(Finding { function, status, pinned, calls, found })
    });
    compared.collect()
}

/// All functions as they are in `tree`; `None` for those that are not there.
///
/// # Errors
/// As [`compare`].
pub fn find_all(tree: &Tree) -> Result<Vec<(&'static Function, Option<Found>)>, TreeError> {
    let mut sources = Sources::new(tree);
    PINS.function.iter().map(|f| Ok((f, sources.find(f, None)?))).collect()
}

/// Whether the same calls come in another order.
fn are_reordered(pinned: &[String], found: &[String]) -> bool {
    let sorted = |calls: &[String]| {
        let mut calls = calls.to_vec();
        calls.sort();
        calls
    };
    pinned != found && sorted(pinned) == sorted(found)
}

#[cfg(test)]
mod tests {
    use super::{Status, are_reordered, compare};
    use crate::drift::{PINS, Tree};
    use std::fs;
    use tempfile::TempDir;

    const MMGET: &str =
        "static inline void mmget(struct mm_struct *mm)\n{\n\tatomic_inc(&mm->mm_users);\n}\n";

    /// A tree that has only these files.
    fn tree(files: &[(&str, &str)]) -> (TempDir, Tree) {
        let place = tempfile::tempdir().unwrap();
        for directory in ["mm", "kernel"] {
            fs::create_dir(place.path().join(directory)).unwrap();
        }
        fs::write(place.path().join("Makefile"), "VERSION = 6\nPATCHLEVEL = 12\n").unwrap();
        for (file, text) in files {
            let path = place.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::open(place.path()).unwrap();
        (place, tree)
    }

    /// What becomes of `name` in a tree with only these files.
    #[track_caller]
    fn status(files: &[(&str, &str)], name: &str) -> Status {
        let (_place, tree) = tree(files);
        let findings = compare(&tree, "v6.12").unwrap();
        findings.iter().find(|f| f.function.name == name).unwrap().status
    }

    #[test]
    fn a_function_is_unchanged_changed_moved_or_gone() {
        let header = "include/linux/sched/mm.h";
        assert_eq!(status(&[(header, MMGET)], "mmget"), Status::Unchanged);
        let longer = MMGET.replace('}', "\tmight_sleep();\n}");
        assert_eq!(status(&[(header, &longer)], "mmget"), Status::Changed);
        let renamed = MMGET.replace("mmget", "mm_get");
        assert_eq!(status(&[(header, &renamed)], "mmget"), Status::Gone);
        assert_eq!(status(&[(header, "void mmget(int);\n")], "mmget"), Status::Gone);
        assert_eq!(status(&[], "mmget"), Status::Gone);
        assert_eq!(status(&[(header, ""), ("mm/mmap.c", MMGET)], "mmget"), Status::Moved);
        let elsewhere = [("kernel/fork.c", &*longer), ("mm/mmap.c", MMGET)];
        assert_eq!(status(&elsewhere, "mmget"), Status::Moved, "the one with the hash");
        assert_eq!(status(&[("kernel/fork.c", &longer)], "mmget"), Status::Gone, "no header");
        assert_eq!(status(&[("include/linux/mm.h", &longer)], "mmget"), Status::Changed);
    }

    #[test]
    fn a_swapped_pair_of_calls_is_reordered() {
        let source = |first, second| {
            format!(
                "void exit_oom_victim(void)\n{{\n\t{first};\n\tif (!{second})\n\t\twake_up_all(&oom_victims_wait);\n}}\n"
            )
        };
        let (clear, drop) = ("clear_thread_flag(TIF_MEMDIE)", "atomic_dec_return(&oom_victims)");
        let status = |text: &str| status(&[("mm/oom_kill.c", text)], "exit_oom_victim");
        assert_eq!(status(&source(clear, drop)), Status::Unchanged);
        assert_eq!(status(&source(drop, clear)), Status::Reordered);
        assert_eq!(status(&source(clear, "x")), Status::Changed, "one of them is missing");
    }

    #[test]
    fn only_the_same_calls_can_be_reordered() {
        let list = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert!(are_reordered(&list("a b b"), &list("b a b")));
        assert!(!are_reordered(&list("a b b"), &list("a b b")));
        assert!(!are_reordered(&list("a b b"), &list("b a a")));
        assert!(!are_reordered(&list("a b"), &list("b a b")));
    }

    #[test]
    fn the_kernel_is_the_newest_that_is_not_newer_than_the_tree() {
        for (tree, kernel) in [
            ("6.1", "v6.1"),
            ("6.11.9", "v6.1"),
            ("6.12.0-rc1", "v6.12"),
            ("6.99", "v6.18"),
            ("7.0.3", "v7.0"),
            ("12.0", "v7.1"),
        ] {
            assert_eq!(PINS.nearest(tree), Some(kernel), "{tree}");
        }
        assert_eq!(PINS.nearest("5.10.0"), None);
    }
}
