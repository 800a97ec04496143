//! The judge of the model: engines execute it, scenarios set it up, verdicts say how far that went.

pub mod bugs;
pub mod check;
pub mod counterexample;
pub mod drift;
pub mod engine;
pub mod manifest;
pub mod matrix;
pub mod proofs;
pub mod scenario;
pub mod simulation;
pub mod verdict;
pub mod worlds;
