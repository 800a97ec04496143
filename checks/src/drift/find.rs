//! A function in a tree: where it is, its hash, and the calls that matter.

use super::extract::definition;
use super::tokens::{Token, tokens};
use super::tree::{Tree, TreeError};
use super::{Function, PINS};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Stands between names of the same call.
const OR: &str = " or ";

/// A function in a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// File, from the root of the tree.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Hash of its tokens.
    pub hash: String,
    /// The calls that matter, in the order of the text, as `drift.toml` writes them.
    pub calls: Vec<String>,
}

/// A call that matters, by the first of its names, and with the parentheses that it leaves open closed.
pub fn label(call: &str) -> String {
    let name = call.split(OR).next().unwrap_or(call);
    let open = name.matches('(').count().saturating_sub(name.matches(')').count());
    name.to_string() + &")".repeat(open)
}

/// The files of a tree, read once.
pub struct Sources<'t> {
    tree: &'t Tree,
    read: BTreeMap<String, Option<Vec<u8>>>,
}

impl<'t> Sources<'t> {
    /// None of them yet.
    pub fn new(tree: &'t Tree) -> Self {
        Self { tree, read: BTreeMap::new() }
    }

    /// The function in its file; or else in one beside those that functions are pinned in, if it has the
    /// hash `pinned` there, or if that is a file of the same kind: headers have stubs of much.
    ///
    /// # Errors
    /// If a file cannot be read, or ends within the function.
    pub fn find(&mut self, function: &Function, pinned: Option<&str>) -> Result<Option<Found>, TreeError> {
        if let Some(found) = self.find_in(&function.file, function)? {
            return Ok(Some(found));
        }
        let directories: BTreeSet<&str> =
            PINS.function.iter().filter_map(|f| Some(f.file.rsplit_once('/')?.0)).collect();
        let mut first = None;
        for directory in directories {
            for file in self.tree.sources(directory)? {
                let found = self.find_in(&file, function)?;
                if found.is_some() && found.as_ref().map(|f| &*f.hash) == pinned {
                    return Ok(found);
                }
                let alike = Path::new(&file).extension() == Path::new(&function.file).extension();
                first = first.or(found.filter(|_| alike));
            }
        }
        Ok(first)
    }

    fn find_in(&mut self, file: &str, function: &Function) -> Result<Option<Found>, TreeError> {
        if !self.read.contains_key(file) {
            self.read.insert(file.into(), self.tree.read(file)?);
        }
        let Some(source) = &self.read[file] else { return Ok(None) };
        let name = function.name.as_bytes();
        if !source.windows(name.len()).any(|w| w == name) {
            return Ok(None);
        }
        let tokens = tokens(source);
        let found = definition(&tokens, &function.name).map_err(|unfinished| TreeError::Unfinished {
            path: self.tree.path(file),
            line: unfinished.line,
            name: function.name.clone(),
        })?;
        Ok(found.map(|tokens| Found {
            file: file.into(),
            line: tokens[0].line,
            hash: hash(tokens),
            calls: calls(tokens, function),
        }))
    }
}

/// The first 8 digits of the SHA-256 of the tokens, joined by blanks.
fn hash(function: &[Token<'_>]) -> String {
    let texts: Vec<&[u8]> = function.iter().map(|t| t.text).collect();
    let digest = Sha256::digest(texts.join(&b' '));
    let first = digest[..4].try_into().expect("a digest has 32 bytes");
    format!("{:08x}", u32::from_be_bytes(first))
}

/// The calls that matter among `tokens`, in their order.
fn calls(tokens: &[Token<'_>], function: &Function) -> Vec<String> {
    let patterns: Vec<(&String, Vec<Vec<u8>>)> = function
        .all_calls()
        .into_iter()
        .flat_map(|call| call.split(OR).map(move |text| (call, texts(text))))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let here = |pattern: &[Vec<u8>]| {
            tokens.len() - at >= pattern.len() && pattern.iter().zip(&tokens[at..]).all(|(p, t)| *p == t.text)
        };
        let longest = patterns.iter().filter(|(_, pattern)| here(pattern)).max_by_key(|(_, p)| p.len());
        if let Some((call, _)) = longest {
            found.push((*call).clone());
        }
        at += longest.map_or(1, |(_, pattern)| pattern.len());
    }
    found
}

fn texts(source: &str) -> Vec<Vec<u8>> {
    tokens(source.as_bytes()).iter().map(|t| t.text.to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::{calls, hash, label};
    use crate::drift::extract::definition;
    use crate::drift::tokens::tokens;
    use crate::drift::{Function, PINS};

    const MMGET: &str =
        "static inline void mmget(struct mm_struct *mm)\n{\n\tatomic_inc(&mm->mm_users);\n}\n";

    fn hash_of(source: &str, name: &str) -> String {
        hash(definition(&tokens(source.as_bytes()), name).unwrap().unwrap())
    }

    #[test]
    fn the_hash_is_that_of_the_reference() {
        assert_eq!(hash_of(MMGET, "mmget"), "887a1140");
        assert_eq!(PINS.function.iter().find(|f| f.name == "mmget").unwrap().hash["v7.1"], "887a1140");
    }

    #[test]
    fn comments_and_white_space_change_nothing_but_a_token_does() {
        let spaced = MMGET.replace("{\n", " /* now */ {\n\n").replace("(&mm", "( & mm // it's\n");
        assert_eq!(hash_of(&spaced, "mmget"), hash_of(MMGET, "mmget"));
        assert_ne!(hash_of(&MMGET.replace("_inc", "_add"), "mmget"), hash_of(MMGET, "mmget"));
        let message = |text| format!("void f(void) {{ pr_info({text}); }}");
        assert_eq!(hash_of(&message("\"a\""), "f"), hash_of(&message("\"b %d\""), "f"));
    }

    #[test]
    fn a_call_may_have_several_names_and_the_longest_counts() {
        let function: Function = toml::from_str(
            "name = \"f\"\nfile = \"f.c\"\nmodel = \"f.rs\"\nhash = {}\ncalls = [\"a\", \"a(X or b(X\", \"c = 1\"]",
        )
        .unwrap();
        let found = |text: &str| calls(&tokens(text.as_bytes()), &function);
        assert_eq!(
            found("a(Y); b( X, a(X)); c = 1; c == 1; aa(X)"),
            ["a", "a(X or b(X", "a(X or b(X", "c = 1"]
        );
        assert!(found("").is_empty());
    }

    #[test]
    fn a_label_is_the_first_name() {
        assert_eq!(label("set_bit(X or flags_set(X"), "set_bit(X)");
        assert_eq!(label("mm_init("), "mm_init()");
        assert_eq!(label("if (f(x))"), "if (f(x))");
        assert_eq!(label("out:"), "out:");
    }
}
