//! Panics that belong to an exploration are not news.
//!
//! loom ends every thread of every execution by a panic, and a broken rule is found by one. The
//! hooks that loom's coroutines and shuttle install would print each of them, and shuttle's would
//! also decorate every unrelated panic of the process.

use std::cell::Cell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// While it exists, panics on this OS thread print nothing.
#[must_use = "panics are printed again when this is dropped"]
pub struct Quiet(());

/// Print no panics of this OS thread until the result is dropped. Panics that carry no message are
/// control flow, and are never printed from now on.
pub fn exploring() -> Quiet {
    install_hook();
    DEPTH.set(DEPTH.get() + 1);
    Quiet(())
}

impl Drop for Quiet {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let original = take_hook();
        // shuttle installs its hook on the first run of the process: provoke that now, and drop it.
        let mut config = shuttle::Config::new();
        config.failure_persistence = shuttle::FailurePersistence::None;
        shuttle::Runner::new(shuttle::scheduler::DfsScheduler::new(Some(1), false), config).run(|| {});
        drop(take_hook());
        set_hook(Box::new(move |info| {
            let is_message = info.payload().is::<&str>() || info.payload().is::<String>();
            if is_message && DEPTH.get() == 0 {
                original(info);
            }
        }));
    });
}

/// Text of a panic that carries a message.
pub fn message(payload: &(dyn std::any::Any + Send)) -> Option<String> {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned())
}
