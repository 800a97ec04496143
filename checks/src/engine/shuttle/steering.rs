//! Leaves to a scheduler of shuttle the choices that matter, and only these.
//!
//! Which thread takes the next step is a choice among those that can. The start and the return of a
//! thread are no steps, and when the run is over the order of the threads is nobody's concern.

use super::memory::Memory;
use crate::engine::native::Native;
use crate::engine::native::state::{Exploration, Phase, Stand};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

thread_local! {
    static ENGINE: RefCell<Option<Rc<Native<Memory>>>> = const { RefCell::new(None) };
}

/// Make `engine` the one of the running execution.
pub fn set_engine(engine: Option<Rc<Native<Memory>>>) {
    ENGINE.set(engine);
}

/// The engine of the running execution.
pub fn engine() -> Rc<Native<Memory>> {
    ENGINE.with_borrow(Clone::clone).expect("an execution is running")
}

/// How far a scheduler got.
#[derive(Clone, Copy, Default)]
pub struct Progress {
    /// It has offered all its executions.
    pub exhausted: bool,
    /// It had to choose between two threads at least once.
    pub had_choice: bool,
}

/// A scheduler of shuttle, asked only what matters.
pub struct Steered<S> {
    /// `None` when it may choose no more.
    inner: Option<S>,
    exploration: Rc<Exploration>,
    progress: Rc<Cell<Progress>>,
}

impl<S> Steered<S> {
    /// Steer `inner`.
    pub fn new(inner: S, exploration: Rc<Exploration>, progress: Rc<Cell<Progress>>) -> Self {
        Self { inner: Some(inner), exploration, progress }
    }
}

impl<S: Scheduler> Scheduler for Steered<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        if !self.exploration.may_go_on() {
            // Dropped early, a random scheduler prints its seed as that of a failure.
            std::mem::forget(self.inner.take());
            return None;
        }
        let schedule = self.inner.as_mut()?.new_execution();
        match schedule {
            Some(_) => self.exploration.begin_execution(),
            None => self.progress.set(Progress { exhausted: true, ..self.progress.get() }),
        }
        schedule
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, _: bool) -> Option<TaskId> {
        let first = runnable.first().map(|task| task.id());
        let state = self.exploration.state.borrow();
        match state.phase {
            Phase::Broken => return None,
            Phase::Over => return first,
            Phase::Running if state.stands.is_empty() => return first,
            Phase::Running => {}
        }
        let stand = |task: &Task| state.stands[usize::from(task.id())];
        let no_step = |task: &&&Task| matches!(stand(task), Stand::Starting | Stand::Finished);
        if let Some(task) = runnable.iter().find(no_step) {
            return Some(task.id());
        }
        let engine = engine();
        let can_move = runnable.iter().copied().filter(|task| engine.can_move(stand(task)));
        let can_move: SmallVec<[&Task; 16]> = can_move.collect();
        if can_move.len() > 1 && !self.progress.get().had_choice {
            self.progress.set(Progress { had_choice: true, ..self.progress.get() });
        }
        self.inner.as_mut()?.next_task(&can_move, current, false)
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.as_mut().map_or(0, Scheduler::next_u64)
    }
}
