//! CPUs, and who waits for one.
//!
//! Fair scheduling in the manner of CFS, with one run queue for all CPUs: the thread that has had the
//! least time, in units of its weight, comes first. Threads migrate for nothing.

/// Weight of nice 0 and of nice 19 (`sched_prio_to_weight[]`).
pub const NICE_0: u64 = 1024;
/// See [`NICE_0`].
pub const NICE_19: u64 = 15;

/// By how much weighted time a running thread may be ahead of one that waits, in ns
/// (`sysctl_sched_base_slice`, for this many CPUs).
const SLICE: u64 = 3_000_000;

/// A thread to the scheduler.
#[derive(Clone, Copy, Debug)]
struct Entity {
    weight: u64,
    /// Weighted time that it has had.
    vruntime: u64,
    cpu: Option<usize>,
}

/// The CPUs.
#[derive(Debug)]
pub struct Cpus {
    running: Vec<Option<usize>>,
    /// Threads that could run, in the order in which they came.
    queue: Vec<usize>,
    entities: Vec<Entity>,
}

impl Cpus {
    /// So many idle CPUs for threads of these weights.
    pub fn new(cpus: usize, weights: &[u64]) -> Self {
        let entities = weights.iter().map(|&weight| Entity { weight, vruntime: 0, cpu: None }).collect();
        Self { running: vec![None; cpus], queue: Vec::new(), entities }
    }

    /// Whether `thread` has a CPU.
    pub fn runs(&self, thread: usize) -> bool {
        self.entities[thread].cpu.is_some()
    }

    /// `thread` wants a CPU. Who has slept does not get back the time that it has missed.
    pub fn enqueue(&mut self, thread: usize) {
        let runnable = self.queue.iter().chain(self.running.iter().flatten());
        let least = runnable.map(|&t| self.entities[t].vruntime).min().unwrap_or(0);
        let entity = &mut self.entities[thread];
        entity.vruntime = entity.vruntime.max(least);
        self.queue.push(thread);
    }

    /// `thread` has run for `ns`.
    pub fn account(&mut self, thread: usize, ns: u64) {
        let entity = &mut self.entities[thread];
        entity.vruntime += ns * NICE_0 / entity.weight;
    }

    /// Whether the running `thread` should give way to one that waits.
    pub fn should_yield(&self, thread: usize) -> bool {
        let waiting = self.queue.iter().map(|&t| self.entities[t].vruntime).min();
        waiting.is_some_and(|least| self.entities[thread].vruntime > least + SLICE)
    }

    /// `thread` gives back its CPU, if it has one.
    pub fn release(&mut self, thread: usize) {
        if let Some(cpu) = self.entities[thread].cpu.take() {
            self.running[cpu] = None;
        }
    }

    /// Give an idle CPU to the thread that comes first, if there are both.
    pub fn dispatch(&mut self) -> Option<usize> {
        let cpu = self.running.iter().position(Option::is_none)?;
        let first = (0..self.queue.len()).min_by_key(|&i| self.entities[self.queue[i]].vruntime)?;
        let thread = self.queue.remove(first);
        self.running[cpu] = Some(thread);
        self.entities[thread].cpu = Some(cpu);
        Some(thread)
    }
}
