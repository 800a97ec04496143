//! `checks/drift.toml` says what is so: of the model always, of the kernels where their trees are.
//!
//! A tree is that which `MMSPEC_LINUX_V6_12` and the like name, or else Debian's, unpacked beside its
//! package: `/usr/src/linux-source-6.12`.

use mmspec::drift::{PINS, Status, Tree, compare};
use mmspec::manifest::Manifest;
use mmspec::scenario::library;
use mmspec_model::variant::{Kernel, Rule};
use std::collections::BTreeSet;
use std::env;
use std::fs::read_to_string;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

#[test]
fn each_function_leads_to_model_rules_and_scenarios() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = Manifest::committed();
    for function in &PINS.function {
        let name = &function.name;
        let model = read_to_string(root.join(&function.model)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(model.contains(&format!("{name}()")), "{} does not mention {name}()", function.model);
        let strangers: Vec<_> = function.rules.iter().filter(|r| Rule::parse(r).is_none()).collect();
        assert!(strangers.is_empty(), "{name}: {strangers:?} are no rules");
        let scenarios = function.scenarios(&manifest);
        assert!(!scenarios.is_empty(), "{name} leads to no scenario");
        let strangers: Vec<_> = scenarios.iter().filter(|s| library::named(s).is_none()).collect();
        assert!(strangers.is_empty(), "{name}: {strangers:?} are no scenarios");
    }
}

#[test]
fn hashes_are_of_kernels_of_the_model() {
    let kernels: BTreeSet<&String> = PINS.tree.keys().collect();
    assert!(kernels.iter().all(|name| Kernel::named(name).is_some()), "{kernels:?}");
    let mut names = BTreeSet::new();
    for function in &PINS.function {
        assert!(names.insert((&function.file, &function.name)), "{} is there twice", function.name);
        assert!(!function.hash.is_empty(), "{} has no hash", function.name);
        for (kernel, hash) in &function.hash {
            assert!(kernels.contains(kernel), "{}: no tree for {kernel}", function.name);
            assert!(
                hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
                "{}: {hash}",
                function.name
            );
            assert!(!function.calls(kernel).is_empty(), "{}: no calls in {kernel}", function.name);
        }
    }
}

/// The tree of `kernel`, if it is there and is the one that the hashes are of.
fn tree(kernel: &str) -> Option<Tree> {
    let variable = format!("MMSPEC_LINUX_{}", kernel.to_uppercase().replace('.', "_"));
    let debian = format!("/usr/src/linux-source-{}", kernel.trim_start_matches('v'));
    #[expect(clippy::explicit_write, reason = "a test that passes does not show what eprintln!() says")]
    let skipped = |why: &str| writeln!(stderr(), "skipped, {kernel}: {why}").unwrap();
    let named = env::var_os(&variable).map(PathBuf::from);
    if named.is_none() && !Path::new(&debian).is_dir() {
        skipped(&format!("no source tree; {variable} names one"));
        return None;
    }
    let tree = Tree::open(&named.unwrap_or(debian.into())).unwrap_or_else(|error| panic!("{error}"));
    let pinned = &PINS.tree[kernel];
    if tree.version() != pinned {
        skipped(&format!("the tree is {}, the hashes are of {pinned}", tree.version()));
        return None;
    }
    Some(tree)
}

#[test]
fn pinned_trees_are_unchanged_and_in_order() {
    for kernel in PINS.tree.keys() {
        let Some(tree) = tree(kernel) else { continue };
        let findings = compare(&tree, kernel).unwrap_or_else(|error| panic!("{error}"));
        for finding in &findings {
            let name = &finding.function.name;
            assert_eq!(finding.status, Status::Unchanged, "{kernel}: {name}: {:?}", finding.found);
            let found = finding.found.as_ref().unwrap();
            assert_eq!(found.calls, finding.calls, "{kernel}: {name}");
        }
    }
}
