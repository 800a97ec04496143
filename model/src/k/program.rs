//! What an engine executes: a fixed set of threads over shared words, and a judge of the end.

use std::rc::Rc;

/// One thread of a program.
#[derive(Clone)]
pub struct Thread {
    /// Name in traces (`T1 exit`).
    pub name: String,
    /// What it does; called once a run.
    pub body: Rc<dyn Fn()>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// End state in words (who tore down, reaped or skipped), from a small set.
    pub outcome: String,
    /// Rules that the end state breaks.
    pub faults: Vec<(&'static str, String)>,
}

/// A program ready to run: its words exist in the engine that set it up.
#[derive(Clone)]
pub struct Program {
    /// Threads, started together.
    pub threads: Vec<Thread>,
    /// Judges the state when no thread can move any more.
    pub judge: Rc<dyn Fn() -> Ending>,
}

/// Makes a program under the installed engine. Must be deterministic.
pub type Setup = std::sync::Arc<dyn Fn() -> Program + Send + Sync>;
