//! Explorations on all cores, told about while they run, their results in the order of the jobs.

use super::error::CliError;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mmspec::check::Engine;
use mmspec::engine::quiet;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two updates of the progress line.
const TICK: Duration = Duration::from_millis(200);

/// Explores; is told where to report the executions done so far.
type Explore<'a, T> = Box<dyn Fn(&dyn Fn(u64)) -> T + Send + Sync + 'a>;

/// An exploration to be done.
pub struct Job<'a, T> {
    /// What is explored, for the progress line.
    pub subject: String,
    /// Who explores.
    pub engine: Engine,
    /// Does it.
    pub explore: Explore<'a, T>,
}

/// Run `jobs` on all cores and hand each result to `take`, in the order of the jobs.
///
/// # Errors
/// The first error of `take`, or a job that panicked. Jobs not yet started are dropped then.
pub fn run<T: Send>(
    jobs: &[Job<T>],
    mut take: impl FnMut(usize, T) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let pool =
        Pool { queue: Mutex::new(Queue::new(jobs)), executions: AtomicU64::new(0), start: Instant::now() };
    let bar = bar(jobs.len());
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (done, results) = channel();
    let ended = thread::scope(|scope| {
        for _ in 0..cores.min(jobs.len()) {
            let (done, pool) = (done.clone(), &pool);
            scope.spawn(move || pool.work(jobs, &done));
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            match results.recv_timeout(TICK) {
                Ok((index, result)) => {
                    bar.inc(1);
                    early.insert(index, result);
                }
                Err(RecvTimeoutError::Timeout) => bar.set_message(pool.describe(jobs)),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(result) = early.remove(&next) {
                let taken = result.and_then(|found| bar.suspend(|| take(next, found)));
                if taken.is_err() {
                    pool.queue().drop_all();
                    return taken;
                }
                next += 1;
            }
        }
    });
    bar.finish_and_clear();
    ended
}

/// The progress line: on standard error, and only if that is a terminal.
fn bar(jobs: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(jobs as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// What the workers share.
struct Pool {
    queue: Mutex<Queue>,
    executions: AtomicU64,
    start: Instant,
}

/// Jobs to be done, by index.
struct Queue {
    loom: VecDeque<usize>,
    others: VecDeque<usize>,
    /// loom explores one program at a time in a process: a second worker would only wait.
    loom_is_busy: bool,
    running: Vec<usize>,
}

impl Queue {
    fn new<T>(jobs: &[Job<T>]) -> Self {
        let (loom, others) = (0..jobs.len()).partition(|&i| jobs[i].engine == Engine::Loom);
        Self { loom, others, loom_is_busy: false, running: Vec::new() }
    }

    /// Take a job. Those of loom come first, because together they may be the longest way.
    fn take(&mut self) -> Option<usize> {
        let loom = if self.loom_is_busy { None } else { self.loom.pop_front() };
        self.loom_is_busy |= loom.is_some();
        let job = loom.or_else(|| self.others.pop_front());
        self.running.extend(job);
        job
    }

    fn put_back<T>(&mut self, job: usize, jobs: &[Job<T>]) {
        self.running.retain(|&j| j != job);
        self.loom_is_busy &= jobs[job].engine != Engine::Loom;
    }

    fn drop_all(&mut self) {
        self.loom.clear();
        self.others.clear();
    }
}

impl Pool {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Do jobs until none is left. Whoever is at loom's stays for all of loom's.
    fn work<T: Send>(&self, jobs: &[Job<T>], done: &Sender<(usize, Result<T, CliError>)>) {
        loop {
            let Some(index) = self.queue().take() else { return };
            let job = &jobs[index];
            let seen = Cell::new(0);
            let progress = |executions: u64| {
                // An engine may start again with another reduction.
                let new = executions.checked_sub(seen.replace(executions)).unwrap_or(executions);
                self.executions.fetch_add(new, Ordering::Relaxed);
            };
            let found = catch_unwind(AssertUnwindSafe(|| (job.explore)(&progress))).map_err(|payload| {
                let message = quiet::message(payload.as_ref()).unwrap_or_else(|| "no message".into());
                CliError::Internal { subject: job.subject.clone(), message }
            });
            self.queue().put_back(index, jobs);
            if done.send((index, found)).is_err() {
                return;
            }
        }
    }

    /// How far the running jobs are.
    fn describe<T>(&self, jobs: &[Job<T>]) -> String {
        let executions = self.executions.load(Ordering::Relaxed);
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        let rate = executions.saturating_mul(1000) / millis;
        let running: Vec<&str> = self.queue().running.iter().map(|&j| jobs[j].subject.as_str()).collect();
        let (executions, rate) = (HumanCount(executions), HumanCount(rate));
        format!("{executions} executions, {rate}/s: {}", running.join("; "))
    }
}
