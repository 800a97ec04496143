//! `kernel/freezer.c` and `kernel/power/process.c`: kernel threads stand still while the machine is
//! suspended.
//!
//! One Sync word: bit 0 says that the freezer is active, bit 8+t that kernel thread t stands in the
//! refrigerator. As before 6.1 the freezer wakes a sleeping thread, which then walks into the
//! refrigerator; since 6.1 it freezes where it sleeps, with the same effect here.

use crate::k::engine::{Class, Effect, Fault, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::plain::{Ghost, ghost_mark, ghost_say};
use crate::k::wait::{WaitQueue, finish_wait, prepare_to_wait, schedule, wake_up};
use crate::k::{call, enclosed};

const FREEZING: u64 = 1;

/// What suspend relies on.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// `oom_killer_disable()` has seen all victims gone.
    NoVictims = 1,
    /// Devices are suspended.
    Suspended = 2,
}

/// The freezer, and the phases of suspend.
#[derive(Clone, Copy, Debug)]
pub struct Freezer {
    word: Word,
    /// Specification: which [`Phase`]s hold.
    phases: Ghost,
    /// Whether the program ever freezes anything.
    pub used: bool,
}

impl Freezer {
    /// An inactive freezer.
    pub fn new(owner: Object, used: bool) -> Self {
        let word = engine().new_word("freezer", Class::Sync, owner, 0);
        Self { word, phases: Ghost::new(owner, "suspend"), used }
    }

    /// `freezing()`: whether kernel threads are to stand still.
    #[track_caller]
    pub fn freezing(&self) -> bool {
        if !self.used {
            return false;
        }
        let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::fail(v & FREEZING) };
        engine().rmw(self.word, Order::Relaxed, &rmw, Site::here("freezing")) != 0
    }

    /// `__refrigerator()`: stand still until thawed.
    fn refrigerator(&self) {
        let _call = call("__refrigerator");
        let me = 1 << (8 + engine().current());
        let enter = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | me) };
        engine().rmw(self.word, Order::Full, &enter, Site::here("set_current_state"));
        let leave = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !me) };
        let thawed = Until::clear(FREEZING);
        engine().wait_rmw(self.word, Order::Acquire, thawed, Sleep::Held, &leave, Site::here("schedule"));
    }

    /// `freeze_kernel_threads()`: wait until the threads `kthreads`, which sleep on these queues,
    /// stand still. Then devices are suspended.
    pub fn freeze_kernel_threads(&self, kthreads: &[(usize, WaitQueue)]) {
        let _call = call("freeze_kernel_threads");
        let start = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | FREEZING) };
        engine().rmw(self.word, Order::Full, &start, Site::with("freeze_task", "pm_freezing"));
        for &(_, queue) in kthreads {
            wake_up(queue);
        }
        for &(thread, _) in kthreads {
            let frozen = Until::any(1 << (8 + thread));
            let seen = Rmw { shape: Shape::Conditional, apply: &Effect::store };
            engine().wait_rmw(
                self.word,
                Order::Acquire,
                frozen,
                Sleep::Held,
                &seen,
                Site::here("try_to_freeze_tasks"),
            );
        }
    }

    /// `thaw_kernel_threads()`.
    pub fn thaw_kernel_threads(&self) {
        let _call = call("thaw_kernel_threads");
        let thaw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !FREEZING) };
        engine().rmw(self.word, Order::Full, &thaw, Site::with("thaw_task", "pm_freezing"));
    }

    /// `dpm_resume()`: time passes with devices suspended, then they work again.
    pub fn dpm_resume(&self) {
        let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::fail(0) };
        engine().rmw(self.word, Order::Relaxed, &rmw, Site::here("dpm_resume"));
    }

    /// From here on until [`Self::end`], what `phase` says holds (specification only).
    pub fn begin(&self, phase: Phase) {
        let what = match phase {
            Phase::NoVictims => "suspend has waited for all OOM victims",
            Phase::Suspended => "devices are suspended",
        };
        ghost_say(self.phases, phase as u64, 0, what);
    }

    /// It holds no longer.
    pub fn end(&self, phase: Phase) {
        ghost_say(self.phases, 0, phase as u64, "no longer");
    }

    /// An address space is torn down here, with I/O: breaks `rule` during `phase`.
    pub fn tears_down(&self, phase: Phase, rule: &'static str) {
        if self.used {
            let what = match phase {
                Phase::Suspended => "an address space is torn down while devices are suspended",
                Phase::NoVictims => "a victim tears down after suspend has waited for all victims",
            };
            ghost_mark(self.phases, 0, 0, phase as u64, Fault { rule, what });
        }
    }
}

/// `wait_event_freezable()` of a kernel thread that waits for work. `test_first` breaks rule O24,
/// `!retest` rule A6.
pub fn wait_event_freezable(
    queue: WaitQueue,
    freezer: &Freezer,
    (test_first, retest): (bool, bool),
    condition: impl Fn() -> bool,
) {
    let _call = call("wait_event_freezable");
    enclosed(|| {
        let mut look = true;
        loop {
            if test_first && condition() {
                return;
            }
            prepare_to_wait(queue);
            if !test_first && look && condition() || engine().stopping() {
                break;
            }
            if freezer.freezing() {
                finish_wait(queue);
                freezer.refrigerator();
                look = retest;
                continue;
            }
            schedule(queue, Sleep::Idle);
            look = true;
        }
        finish_wait(queue);
    });
}
