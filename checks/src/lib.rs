//! The judge of the model: engines, scenarios, verdicts.

pub mod engine;
pub mod scenario;
