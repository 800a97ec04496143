//! Counterexample files and how they are drawn.
