//! The `timed` engine: one execution of a program on a machine with a clock.
//!
//! The other engines ask what may happen; this one asks how long it takes. It runs the same program
//! on so many CPUs under a virtual clock: each step has a price, who is runnable waits for a CPU, who
//! waits for a spinlock keeps his. A step happens at once and is paid for afterwards. There is one
//! execution, the same each time; nothing is proved by it, and nothing depends on the real clock.

pub mod costs;
mod cpus;
mod facade;
mod machine;
mod turns;
mod zone;

use super::explore::coroutine::{Coroutine, Paused};
use super::quiet;
use cpus::{Cpus, NICE_0, NICE_19};
use machine::{Machine, Phase, Stand, Thread};
use mmspec_model::k::engine::{Object, Sleep, install};
use mmspec_model::k::program::{Program, Setup};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use turns::{hand_on, meet, moves};

pub use costs::Costs;

/// Names of kernel threads. They sleep on their queues before anything is measured.
const KTHREADS: [&str; 4] = ["mm_reaper", "oom_reaper", "timer softirq", "kworker"];

/// The RFC's kernel thread, the one with another priority.
const MM_REAPER: &str = "mm_reaper";

/// How a thread fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Its name.
    pub name: String,
    /// When it returned, in ns; kernel threads never do.
    pub ended: Option<u64>,
    /// CPU time, spinning included, in ns.
    pub cpu: u64,
    /// Part of that in which it has spun for a lock of the model, in ns.
    pub spun: u64,
}

/// How a run went. It starts at 0, when kernel threads sleep and all others become runnable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Threads.
    pub threads: Vec<Timeline>,
    /// When each object (`mm0`, `pgtables0`, `T0`) was freed, in ns.
    pub freed: BTreeMap<String, u64>,
    /// When a page was freed last, in ns.
    pub page_freed: Option<u64>,
    /// End state in words, empty if a rule is broken.
    pub outcome: String,
    /// Goals reached.
    pub goals: BTreeSet<&'static str>,
    /// Broken rule, with a sentence.
    pub fault: Option<(String, String)>,
}

/// The machine as a [`mmspec_model::k::Engine`].
pub(super) struct Timed {
    /// State; never borrowed across a switch.
    machine: RefCell<Machine>,
}

/// A program on the machine.
struct Simulation {
    timed: Rc<Timed>,
    program: Program,
    coroutines: Vec<Coroutine>,
}

/// Run `setup` on `cpus` CPUs at these prices.
pub fn run(setup: &Setup, cpus: usize, costs: Costs) -> Ran {
    let _quiet = quiet::exploring();
    let timed = Rc::new(Timed { machine: RefCell::new(Machine::new(costs)) });
    install(Some(timed.clone()));
    let program = setup();
    let coroutines = program.threads.iter().map(|_| Coroutine::new()).collect();
    let mut simulation = Simulation { timed, program, coroutines };
    let ran = simulation.run(cpus);
    install(None);
    ran
}

impl Simulation {
    fn run(&mut self, cpus: usize) -> Ran {
        let names: Vec<String> = self.program.threads.iter().map(|t| t.name.clone()).collect();
        {
            let mut machine = self.timed.machine.borrow_mut();
            let weights: Vec<u64> =
                names.iter().map(|n| if n == MM_REAPER { NICE_19 } else { NICE_0 }).collect();
            machine.cpus = Cpus::new(cpus, &weights);
            let reaper_percent = machine.costs.reaper_percent;
            machine.threads = names.iter().map(|n| thread(n, reaper_percent)).collect();
        }
        let (kthreads, tasks): (Vec<usize>, Vec<usize>) =
            (0..names.len()).partition(|&t| KTHREADS.contains(&names[t].as_str()));
        self.go(&kthreads);
        let start = {
            let mut machine = self.timed.machine.borrow_mut();
            let now = machine.now;
            machine.threads.iter_mut().for_each(|t| (t.cpu, t.since) = (0, now));
            now
        };
        self.go(&tasks);
        let (outcome, fault) = self.judge(&names);
        let ran = self.tell(names, start, outcome, fault);
        self.drain();
        ran
    }

    /// Start `threads`, and go on until nobody can move.
    fn go(&mut self, threads: &[usize]) {
        for &thread in threads {
            self.progress(thread);
        }
        while self.timed.machine.borrow().phase == Phase::Running {
            while let Some(thread) = self.with(|machine| machine.cpus.dispatch()) {
                self.with(|machine| machine.threads[thread].since = machine.now);
                self.progress(thread);
            }
            let Some((thread, event)) = self.with(Machine::next_event) else { break };
            let yields = self.with(|machine| meet(machine, thread, event));
            if !yields {
                self.progress(thread);
            }
        }
    }

    /// `thread` goes through its spans and its program as far as it gets now.
    fn progress(&mut self, thread: usize) {
        while self.with(|machine| moves(machine, thread)) {
            self.resume(thread);
            while let Some(next) = self.with(hand_on) {
                self.resume(next);
                self.progress(next);
            }
        }
    }

    /// Run `thread` up to its next price.
    fn resume(&mut self, thread: usize) {
        let start = self.with(|machine| {
            machine.current = thread;
            let stand = &mut machine.threads[thread].stand;
            let start = matches!(stand, Stand::Start);
            *stand = Stand::Busy;
            start
        });
        let paused = if start {
            self.coroutines[thread].start(self.program.threads[thread].body.clone())
        } else {
            self.coroutines[thread].resume()
        };
        if let Paused::Finished(result) = paused {
            self.with(|machine| {
                machine.account(thread);
                machine.cpus.release(thread);
                machine.threads[thread].stand = Stand::Done;
                machine.threads[thread].ended = Some(machine.now);
                if let Err(text) = result {
                    machine.fail("panic", text);
                }
            });
        }
    }

    fn judge(&self, names: &[String]) -> (String, Option<(String, String)>) {
        let held = |machine: &mut Machine| {
            let stuck = machine.threads.iter().zip(names).find_map(|(thread, name)| match thread.stand {
                Stand::Waiting(wait) if wait.sleep == Sleep::Held => {
                    Some(format!("{name} waits in {}({})", wait.op, machine.names.word(wait.word)))
                }
                _ => None,
            });
            machine.fault.clone().or(stuck.map(|what| ("deadlock".to_string(), what)))
        };
        if let Some(fault) = self.with(held) {
            return (String::new(), Some(fault));
        }
        let ending = (self.program.judge)();
        let fault = ending.faults.into_iter().next().map(|(rule, what)| (rule.to_string(), what));
        (ending.outcome, fault)
    }

    fn tell(&self, names: Vec<String>, start: u64, outcome: String, fault: Option<(String, String)>) -> Ran {
        self.with(|machine| {
            let threads = machine.threads.iter().zip(names).map(|(thread, name)| {
                let ended = thread.ended.map(|time| time.saturating_sub(start));
                Timeline { name, ended, cpu: thread.cpu, spun: thread.spun }
            });
            let objects = (0..machine.freed.len()).map(|i| Object(i as u16));
            let freed = objects.filter_map(|o| {
                Some((machine.names.object(o), machine.freed[o.0 as usize]?.saturating_sub(start)))
            });
            let (threads, freed) = (threads.collect(), freed.collect());
            let page_freed = machine.page_freed.map(|time| time.saturating_sub(start));
            Ran { threads, freed, page_freed, outcome, goals: std::mem::take(&mut machine.goals), fault }
        })
    }

    /// Let every thread return.
    fn drain(&mut self) {
        self.with(|machine| machine.phase = Phase::Draining);
        for thread in 0..self.coroutines.len() {
            let stands = self.with(|machine| {
                machine.current = thread;
                machine.threads[thread].stand
            });
            if matches!(stands, Stand::Busy | Stand::Waiting(_)) {
                while let Paused::Suspended = self.coroutines[thread].resume() {}
            }
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut Machine) -> T) -> T {
        f(&mut self.timed.machine.borrow_mut())
    }
}

fn thread(name: &str, reaper_percent: u64) -> Thread {
    Thread {
        stand: Stand::Start,
        spans: VecDeque::new(),
        spinlocks: 0,
        gathered: 0,
        since: 0,
        cpu: 0,
        spun: 0,
        ended: None,
        percent: if name == MM_REAPER { reaper_percent } else { 100 },
    }
}
