//! Exhaustive exploration by re-execution: the two in-house engines.
//!
//! The program is set up once; each execution starts from its initial words, runs the threads as
//! coroutines and ends when nobody can move, when the search cuts it, or when a rule is broken.

pub mod core;
pub mod coroutine;
pub mod follow;
pub mod footprint;
pub mod futures;
pub mod machine;
pub mod memory;
pub mod record;
pub mod search;
pub mod thread;

use super::report::{Effort, Failure, Limits, Report};
use core::Core;
use coroutine::{Coroutine, Paused};
use cpu_time::ThreadTime;
use machine::Machine;
use memory::Memory;
use mmspec_model::k::engine::install;
use mmspec_model::k::program::{Program, Setup};
use record::Recorder;
use search::Search;
use search::replay::Replay;
use std::cell::RefCell;
use std::rc::Rc;
use thread::{At, Phase};

/// Reports the executions done so far, now and then.
pub type Progress<'a> = &'a dyn Fn(u64);

/// A program on a memory model, ready to be explored.
struct Explorer<M: Memory + 'static> {
    machine: Rc<Machine<M>>,
    program: Program,
    coroutines: Vec<Coroutine>,
    tasks: Vec<String>,
}

/// How one execution ended.
struct Run {
    outcome: Option<String>,
    fault: Option<(String, String)>,
}

impl<M: Memory + 'static> Explorer<M> {
    fn new(memory: M, search: Box<dyn Search>, setup: &Setup) -> Self {
        let machine = Rc::new(Machine { core: RefCell::new(Core::new(memory, search)) });
        install(Some(machine.clone()));
        let program = setup();
        let coroutines = program.threads.iter().map(|_| Coroutine::new()).collect();
        let tasks = program.threads.iter().map(|t| t.name.clone()).collect();
        Self { machine, program, coroutines, tasks }
    }

    /// Resume `thread` (starting it if it has not run yet); then who is next?
    fn step(&mut self, thread: usize) -> Option<usize> {
        let start = {
            let mut core = self.machine.core.borrow_mut();
            core.switch_to(thread);
            let at = &mut core.threads[thread].at;
            let start = matches!(at, At::Start);
            if start {
                *at = At::Begun;
            }
            start
        };
        let paused = if start {
            self.coroutines[thread].start(self.program.threads[thread].body.clone())
        } else {
            self.coroutines[thread].resume()
        };
        let mut core = self.machine.core.borrow_mut();
        match paused {
            Paused::Suspended => core.take_next(),
            Paused::Finished(result) => {
                core.finish_current();
                if let Err(text) = result
                    && core.fault.is_none()
                {
                    core.fault = Some(("panic".into(), text));
                    core.phase = Phase::Failed;
                }
                if core.phase == Phase::Running { core.decide() } else { None }
            }
        }
    }

    fn run(&mut self) -> Run {
        let threads = self.program.threads.len();
        self.machine.core.borrow_mut().begin(threads);
        for t in 0..threads {
            self.step(t);
            if self.machine.core.borrow().phase != Phase::Starting {
                break;
            }
        }
        let mut next = {
            let mut core = self.machine.core.borrow_mut();
            if core.phase == Phase::Starting {
                core.phase = Phase::Running;
                core.decide()
            } else {
                None
            }
        };
        while let Some(thread) = next {
            next = self.step(thread);
        }
        self.judge()
    }

    fn judge(&mut self) -> Run {
        let (phase, fault, deadlock) = {
            let core = self.machine.core.borrow();
            (core.phase, core.fault.clone(), core.deadlock(&self.tasks))
        };
        if phase != Phase::Ended {
            return Run { outcome: None, fault };
        }
        if let Some(text) = deadlock {
            return Run { outcome: None, fault: Some(("deadlock".into(), text)) };
        }
        let ending = (self.program.judge)();
        let fault = ending.faults.into_iter().next().map(|(rule, what)| (rule.to_string(), what));
        Run { outcome: Some(ending.outcome), fault }
    }

    /// Let every thread return.
    fn drain(&mut self) {
        for t in 0..self.program.threads.len() {
            let at = self.machine.core.borrow().threads[t].at;
            if matches!(at, At::Begun | At::Step(_)) {
                self.machine.core.borrow_mut().drain(t);
                while let Paused::Suspended = self.coroutines[t].resume() {}
            }
        }
    }
}

impl<M: Memory + 'static> Drop for Explorer<M> {
    fn drop(&mut self) {
        install(None);
    }
}

/// Explore `setup` on `memory` until the search is done, a rule is broken, or a limit is reached.
/// With `learn`, the search is given persistent sets.
pub fn explore<M: Memory + 'static>(
    mut report: Report,
    memory: M,
    search: Box<dyn Search>,
    learn: bool,
    limits: Limits,
    setup: &Setup,
    progress: Progress,
) -> Report {
    let _quiet = super::quiet::exploring();
    let start = ThreadTime::now();
    let mut explorer = Explorer::new(memory, search, setup);
    report.tasks.clone_from(&explorer.tasks);
    explorer.machine.core.borrow_mut().futures = learn.then(futures::Futures::default);
    loop {
        report.executions += 1;
        let run = explorer.run();
        let cut = explorer.machine.core.borrow().phase == Phase::Cut;
        report.complete += u64::from(!cut);
        report.outcomes.extend(run.outcome);
        let ended = explorer.machine.core.borrow().phase == Phase::Ended;
        explorer.drain();
        match run.fault {
            Some((rule, _)) if limits.collect && ended => {
                report.outcomes.insert(format!("VIOLATED {rule}"));
            }
            // On the way to a shorter counterexample, those to another rule do not count.
            Some((rule, what)) if report.failure.as_ref().is_none_or(|found| found.rule == rule) => {
                report.failure = Some(explorer.failure(rule, what, ended));
                if !explorer.machine.core.borrow_mut().search.shorten() {
                    break;
                }
            }
            _ => {}
        }
        let mut core = explorer.machine.core.borrow_mut();
        if !core.search.advance() {
            if core.futures.as_mut().is_none_or(futures::Futures::settle) {
                report.effort = Effort::Complete;
                break;
            }
            core.search.restart();
            (report.executions, report.complete, core.steps) = (0, 0, 0);
        }
        drop(core);
        if report.executions >= limits.executions {
            break;
        }
        if report.executions.is_multiple_of(1024) {
            progress(report.executions);
            if start.elapsed() > limits.time {
                break;
            }
        }
    }
    let core = explorer.machine.core.borrow();
    report.steps = core.steps;
    report.states = core.search.states();
    report.goals.extend(core.goals.iter().copied());
    if let Some(bound) = core.search.hit_bound()
        && report.effort == Effort::Complete
    {
        report.effort = Effort::Bounded(bound);
    }
    drop(core);
    report.seconds = start.elapsed().as_secs_f64();
    report
}

impl<M: Memory + 'static> Explorer<M> {
    /// The execution that has just broken `rule`.
    fn failure(&mut self, rule: String, what: String, at_end: bool) -> Failure {
        let core = self.machine.core.borrow();
        let (schedule, preemptions) = (core.search.schedule(), core.search.preemptions());
        drop(core);
        let Recorder { events, decisions, .. } = self.record(&schedule, &rule);
        Failure { rule, what, schedule, preemptions, at_end, events, decisions }
    }

    /// Run `schedule` once more and keep its events.
    fn record(&mut self, schedule: &[u16], rule: &str) -> Recorder {
        let search = {
            let mut core = self.machine.core.borrow_mut();
            core.recorder = Some(Recorder::default());
            std::mem::replace(&mut core.search, Box::new(Replay::new(schedule.to_vec())))
        };
        let run = self.run();
        self.drain();
        let mut core = self.machine.core.borrow_mut();
        core.search = search;
        let again = run.fault.map(|(rule, _)| rule);
        assert!(again.as_deref() == Some(rule), "the same schedule must break the same rule, not {again:?}");
        core.recorder.take().expect("set above")
    }
}
