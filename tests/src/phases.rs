//! Who may do what in which phase of an mm's end: found by visiting every state of a few scenarios.

use crate::wrapped::{Step, Watch, wrap};
use mmspec::engine::states;
use mmspec::engine::{Effort, Limits};
use mmspec::scenario::library;
use mmspec_model::k::engine::Note;
use mmspec_model::variant::{Kernel, Walkers};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Phase of an mm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// `mm_users` is at least 1.
    #[default]
    InUse,
    /// It has reached 0, and `exit_mmap()` has not begun: hooks wait, or the mm is queued.
    Dropped,
    /// `unmap_vmas()`, under the read lock.
    Unmap,
    /// `MMF_OOM_SKIP` is set, and the write lock is waited for.
    Flag,
    /// Page tables and VMAs are freed under the write lock.
    Free,
    /// `exit_mmap()` is over; the struct is there as long as somebody pins it.
    Gone,
}

/// All phases.
pub const PHASES: [Phase; 6] =
    [Phase::InUse, Phase::Dropped, Phase::Unmap, Phase::Flag, Phase::Free, Phase::Gone];

/// What somebody else does with the mm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// `get_task_mm()` takes a use.
    TakesUse,
    /// `mmget_not_zero()` succeeds.
    TakesUseOfPin,
    /// `mmgrab()` under `task_lock()`.
    Pins,
    /// `mark_oom_victim()` publishes it.
    Marks,
    /// The owner of a use reads under the read lock.
    UserReads,
    /// The OOM reaper walks.
    ReaperWalks,
    /// `process_mrelease()` walks.
    MreleaseWalks,
    /// The owner of an `mm_count` reads under the read lock.
    CountReads,
}

/// All deeds.
pub const DEEDS: [Deed; 8] = [
    Deed::TakesUse,
    Deed::TakesUseOfPin,
    Deed::Pins,
    Deed::Marks,
    Deed::UserReads,
    Deed::ReaperWalks,
    Deed::MreleaseWalks,
    Deed::CountReads,
];

/// Pairs that some state of a scenario shows.
pub type Seen = BTreeSet<(Deed, Phase)>;

/// What is known of one mm and its threads, within one execution.
#[derive(Default)]
struct Now {
    phase: Phase,
    threads: Vec<Thread>,
}

#[derive(Clone, Default)]
struct Thread {
    calls: Vec<&'static str>,
    /// Read holds of `mmap_lock`.
    reads: usize,
    /// It has found VMAs in this hold.
    found: bool,
}

struct Phases {
    now: RefCell<Now>,
    seen: Arc<Mutex<Seen>>,
    /// Readers own an `mm_count`.
    counted: bool,
}

/// More preemptions than an execution of these scenarios can have; each state keeps a number for each.
const PREEMPTIONS: u32 = 200;

/// All pairs that the states of `scenario`, which must have one mm, show on `kernel`.
///
/// # Panics
/// When the scenario does not exist, breaks a rule, or has too many states.
pub fn explore(scenario: &str, kernel: &str) -> Seen {
    let found = library::named(scenario).expect("a scenario");
    assert_eq!(found.mms.len(), 1, "{scenario}: phases are those of one mm");
    let kernel = Kernel::named(kernel).expect("a kernel");
    let seen = Arc::new(Mutex::new(Seen::new()));
    let (kept, counted) = (seen.clone(), kernel.walkers == Walkers::Count);
    let watch = move || Phases { now: RefCell::default(), seen: kept.clone(), counted };
    // Without persistent sets every state is visited, whatever two threads are at.
    let limits = Limits { executions: 3_000_000, ..Limits::default() };
    let report = states::run_bounded(PREEMPTIONS, limits, &wrap(found.program(kernel), watch), &|_| {});
    assert!(report.failure.is_none(), "{scenario} on {} breaks a rule", kernel.name);
    assert_eq!(report.effort, Effort::Complete, "{scenario} on {}", kernel.name);
    seen.lock().expect("nobody panics with it").clone()
}

impl Thread {
    fn is_in(&self, call: &str) -> bool {
        self.calls.contains(&call)
    }

    /// What it is doing to the mm.
    fn deed(&self, counted: bool) -> Option<Deed> {
        let walks = self.reads > 0 && self.found;
        if self.is_in("__oom_reap_task_mm") {
            let by_call = self.is_in("process_mrelease");
            return Some(if by_call { Deed::MreleaseWalks } else { Deed::ReaperWalks });
        }
        let reads = if counted { Deed::CountReads } else { Deed::UserReads };
        (walks && self.is_in("access_remote_vm")).then_some(reads)
    }
}

impl Phases {
    fn saw(&self, deed: Deed, phase: Phase) {
        self.seen.lock().expect("nobody panics with it").insert((deed, phase));
    }

    /// What `step` means for the phase, if the thread tears down.
    fn tear(now: &mut Now, thread: usize, step: &Step, value: u64) {
        let taken = step.waits || value != 0;
        now.phase = match (step.op, step.word) {
            ("atomic_dec_and_test", "mm_users") if value != 0 => Phase::Dropped,
            (_, "mmap_lock") if now.threads[thread].is_in("exit_mmap") => match step.op {
                "mmap_read_lock" if taken => Phase::Unmap,
                "mmap_read_unlock" => Phase::Flag,
                "mmap_write_lock" if taken => Phase::Free,
                "mmap_write_unlock" => Phase::Gone,
                _ => now.phase,
            },
            _ => now.phase,
        };
    }
}

impl Watch for Phases {
    fn before(&self, _: usize) {
        let now = self.now.borrow();
        for deed in now.threads.iter().filter_map(|thread| thread.deed(self.counted)) {
            self.saw(deed, now.phase);
        }
    }

    fn after(&self, thread: usize, step: &Step, value: u64) {
        let now = &mut *self.now.borrow_mut();
        match (step.op, step.word) {
            ("atomic_inc", "mm_users") => self.saw(Deed::TakesUse, now.phase),
            ("atomic_inc_not_zero", "mm_users") if value != 0 => self.saw(Deed::TakesUseOfPin, now.phase),
            ("atomic_inc", "mm_count") => self.saw(Deed::Pins, now.phase),
            ("cmpxchg", "oom_mm") if value != 0 => self.saw(Deed::Marks, now.phase),
            ("mmap_read_unlock", _) => {
                now.threads[thread].reads -= 1;
                now.threads[thread].found = false;
            }
            ("mmap_read_lock" | "mmap_read_trylock", _) if step.waits || value != 0 => {
                now.threads[thread].reads += 1;
            }
            ("read", "mm_mt") => now.threads[thread].found = value != 0,
            _ => {}
        }
        Self::tear(now, thread, step, value);
    }

    fn note(&self, thread: usize, note: Note) {
        let calls = &mut self.now.borrow_mut().threads[thread].calls;
        match note {
            Note::Enter(call) => calls.push(call),
            Note::Leave => {
                calls.pop();
            }
            _ => {}
        }
    }

    fn begins(&self, thread: usize) {
        let now = &mut *self.now.borrow_mut();
        if thread == 0 {
            *now = Now::default();
        }
        now.threads.resize(now.threads.len().max(thread + 1), Thread::default());
        now.threads[thread] = Thread::default();
    }

    fn ends(&self, thread: usize) {
        self.now.borrow_mut().threads[thread] = Thread::default();
    }
}
