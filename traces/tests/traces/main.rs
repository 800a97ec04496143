//! Counterexample files: written, read, refused, drawn.

mod bad_files;
mod fixtures;
mod folding;
mod overwrite;
mod race_tables;
mod round_trip;
mod schema;
mod state;
mod wording;
