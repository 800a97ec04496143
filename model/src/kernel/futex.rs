//! `kernel/futex/core.c`: a task that dies hands its robust futexes over. The list is in its own
//! memory.

use crate::include::mm_types::MmStruct;
use crate::include::sched::TaskStruct;
use crate::k::engine::{Effect, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::{call, goal};
use crate::mm::memory::get_user;
use crate::system::System;

/// `futex_exit_release()`: walk the robust list with ordinary user accesses (`exit_robust_list()`), and
/// wake whoever waits for a futex on it. A list that cannot be read is taken for empty.
pub fn futex_exit_release(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    let _call = call("futex_exit_release");
    if get_user(mm) {
        let died = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
        engine().rmw(sys.robust_futex, Order::Release, &died, Site::with("futex_wake", "FUTEX_OWNER_DIED"));
        goal("a robust futex is handed over");
    } else {
        goal("a robust list cannot be read");
    }
    sys.user_freezer.leaves_memory(current);
}

/// `futex_wait()` for the futex, in another process.
pub fn futex_wait(futex: Word) {
    let _call = call("futex_wait");
    let woken = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
    engine().wait_rmw(futex, Order::Acquire, Until::any(1), Sleep::Idle, &woken, Site::here("schedule"));
}
