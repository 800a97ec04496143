//! One event type for everything that is observed: model runs now, lines of a real trace later.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where in the model a step stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Path of the source file within the repository.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// One step of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Index of the task in the trace's list.
    pub task: usize,
    /// Kernel functions on its stack, outermost first.
    pub stack: Vec<String>,
    /// Primitive (`atomic_dec_and_test`).
    pub step: String,
    /// Named constant passed to it (`MMF_OOM_SKIP`), or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arg: String,
    /// Object that the word belongs to (`mm0`).
    pub object: String,
    /// Word touched (`mm_users`).
    pub word: String,
    /// Value found.
    pub before: u64,
    /// Value left; equal to `before` for a read or a failed conditional step.
    pub after: u64,
    /// What the caller was told, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<u64>,
    /// How the step went.
    pub kind: Kind,
    /// Place in the model.
    pub site: Place,
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A read.
    Read,
    /// A write or a successful read-modify-write.
    Write,
    /// A conditional step that changed nothing (a failed trylock).
    Failed,
    /// The task arrives at a blocking step that cannot run yet.
    Waits,
    /// An object is freed.
    Free,
    /// A memory barrier.
    Fence,
    /// A step of the specification, not of the kernel.
    Ghost,
}
