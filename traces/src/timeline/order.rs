//! The memory order of a step, by the name of its primitive: the file does not say it.
//!
//! `Documentation/atomic_t.txt`: what returns a value is fully ordered, what returns nothing and what
//! fails is not. Locks acquire and release; of the model's own primitives, those that stand for a lock
//! or a wake-up do as those.

use mmspec_model::event::{Event, Kind};

/// What an access orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Later accesses stay behind it.
    pub acquires: bool,
    /// Earlier accesses stay before it.
    pub releases: bool,
    /// It is a full barrier.
    pub full: bool,
}

const RELAXED: Order = Order { acquires: false, releases: false, full: false };
const ACQUIRE: Order = Order { acquires: true, ..RELAXED };
const RELEASE: Order = Order { releases: true, ..RELAXED };
const BOTH: Order = Order { acquires: true, releases: true, full: false };
const FULL: Order = Order { acquires: true, releases: true, full: true };

/// How a step takes or gives up a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockStep {
    /// Takes it, or tries to.
    Take,
    /// Gives it up.
    Give,
    /// A writer becomes a reader (`downgrade_write()`, `mmap_write_downgrade()`).
    Downgrade,
}

/// What `e` does with a lock, and whether as one of several readers; `None` if its word is none.
pub fn lock_step(e: &Event) -> Option<(LockStep, bool)> {
    let step = e.step.as_str();
    let reads = step.contains("read");
    if step.contains("downgrade") {
        Some((LockStep::Downgrade, true))
    } else if step.contains("unlock") || step.starts_with("up_") {
        Some((LockStep::Give, reads))
    } else if step.ends_with("lock") || step.contains("_lock_") || step.starts_with("down_") {
        Some((LockStep::Take, reads))
    } else {
        None
    }
}

/// The order of `e`.
pub fn order(e: &Event) -> Order {
    let step = e.step.as_str();
    match e.kind {
        Kind::Fence => return fence(step),
        Kind::Read if step == "smp_load_acquire" => return ACQUIRE,
        Kind::Write => {}
        Kind::Read | Kind::Failed | Kind::Waits | Kind::Free | Kind::Ghost => return RELAXED,
    }
    match lock_step(e) {
        Some((LockStep::Take, _)) => return ACQUIRE,
        Some((LockStep::Give | LockStep::Downgrade, _)) => return RELEASE,
        None => {}
    }
    // What a mutant has weakened.
    if e.arg == "relaxed" {
        return RELAXED;
    }
    match step {
        "refcount_dec_and_test"
        | "smp_store_release"
        | "add_timer"
        | "do_send_sig_info"
        | "kmem_cache_free"
        | "futex_wake"
        | "futex_exit_release"
        | "aio_complete"
        | "allocation" => RELEASE,
        "get_signal"
        | "run_timer_softirq"
        | "process_one_work"
        | "kmem_cache_alloc"
        | "wait_for_completion"
        | "try_to_freeze_tasks"
        | "__alloc_pages_slowpath" => ACQUIRE,
        // A sleeper goes on; or it is told of as able to run.
        "schedule" if e.arg.is_empty() => ACQUIRE,
        "schedule" | "wake_up" | "user mode" => BOTH,
        "prepare_to_wait" | "set_current_state" if e.arg != "TASK_RUNNING" => FULL,
        "schedule_work" | "freeze_task" | "thaw_task" | "wake_up_state" => FULL,
        // Page-table entries change under the page-table lock.
        _ if e.word.starts_with("pte") => BOTH,
        _ if returns_a_value(step) => FULL,
        _ => RELAXED,
    }
}

fn fence(step: &str) -> Order {
    match step {
        "smp_rmb" | "refcount_dec_and_test" => ACQUIRE,
        "smp_wmb" => RELEASE,
        _ => FULL,
    }
}

fn returns_a_value(step: &str) -> bool {
    step.starts_with("test_and_")
        || step.starts_with("llist_")
        || step.ends_with("_return")
        || ["_and_test", "xchg", "_not_zero", "_unless"].iter().any(|part| step.contains(part))
}

/// Whether `e` drops a reference that is not the last. Its caller learns nothing of the others, so
/// that nothing they did is ordered before what it does next.
pub fn drops_but_not_last(e: &Event) -> bool {
    let drop = e.step.ends_with("dec_and_test") || e.step.ends_with("dec_return");
    drop && e.after != 0
}
