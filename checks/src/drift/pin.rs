//! Taking the hashes of a tree as those of a kernel.

use super::{Found, Function, TEXT};
use thiserror::Error;
use toml_edit::{DocumentMut, InlineTable, Item, value};

/// Why nothing is pinned.
#[derive(Debug, Error)]
pub enum PinError {
    /// It is not the file that the program was built with.
    #[error("not what mmspec was built with; `cargo run` builds it anew")]
    Stale,
}

/// `drift.toml` with other hashes, and what did not become part of it.
#[derive(Debug)]
pub struct Pinned {
    /// The file, anew.
    pub text: String,
    /// Number of functions whose hashes were taken.
    pub taken: usize,
    /// Functions that the tree does not have.
    pub absent: Vec<&'static str>,
    /// Functions of which more than the hash has to be edited, and what.
    pub refused: Vec<(&'static str, String)>,
}

/// The file `old` with what was found in a tree of this `version` as the hashes of `kernel`. A function that
/// has moved, or whose calls are others, has to be edited first.
///
/// # Errors
/// If `old` is not what this program was built with.
///
/// # Panics
/// When the pins have another form than that which was read from them.
pub fn pin(
    old: &str,
    kernel: &str,
    version: &str,
    found: &[(&'static Function, Option<Found>)],
) -> Result<Pinned, PinError> {
    if old != TEXT {
        return Err(PinError::Stale);
    }
    let mut file: DocumentMut = old.parse().expect("it was read before");
    let mut pinned = Pinned { text: String::new(), taken: 0, absent: Vec::new(), refused: Vec::new() };
    let rows = file["function"].as_array_of_tables_mut().expect("functions are tables");
    for (row, (function, found)) in rows.iter_mut().zip(found) {
        let hashes = row["hash"].as_inline_table_mut().expect("hashes are inline");
        match found {
            None => {
                hashes.remove(kernel);
                pinned.absent.push(&function.name);
            }
            Some(found) if found.file != function.file => {
                pinned.refused.push((&function.name, format!("it is in {} now: edit file", found.file)));
            }
            Some(found) if found.calls != function.calls(kernel) => {
                let calls = found.calls.join(", ");
                pinned
                    .refused
                    .push((&function.name, format!("its calls are {calls}: edit calls or calls_in")));
            }
            Some(found) => {
                insert(hashes, kernel, &found.hash);
                pinned.taken += 1;
            }
        }
    }
    if let Item::Table(tree) = &mut file["tree"] {
        tree[kernel] = value(version);
    }
    pinned.text = file.to_string();
    Ok(pinned)
}

/// Set the hash of `kernel`, written as the others are.
fn insert(hashes: &mut InlineTable, kernel: &str, hash: &str) {
    hashes.insert(kernel, hash.into());
    hashes.fmt();
}
