//! SRCU, as one Sync word that counts readers. A grace period ends when there are none, which is later
//! than in the kernel: those who came after its begin are waited for too.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};

/// `struct srcu_struct`.
#[derive(Clone, Copy, Debug)]
pub struct Srcu(Word);

impl Srcu {
    /// One without readers.
    pub fn new(owner: Object) -> Self {
        Self(engine().new_word("srcu", Class::Sync, owner, 0))
    }
}

/// `srcu_read_lock()`.
#[track_caller]
pub fn srcu_read_lock(srcu: Srcu) {
    let enter = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v + 1) };
    engine().rmw(srcu.0, Order::Full, &enter, Site::here("srcu_read_lock"));
}

/// `srcu_read_unlock()`.
#[track_caller]
pub fn srcu_read_unlock(srcu: Srcu) {
    let leave = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v.wrapping_sub(1)) };
    engine().rmw(srcu.0, Order::Full, &leave, Site::here("srcu_read_unlock"));
}

/// `synchronize_srcu()`.
#[track_caller]
pub fn synchronize_srcu(srcu: Srcu) {
    let wait = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    let site = Site::here("synchronize_srcu");
    engine().wait_rmw(srcu.0, Order::Full, Until::clear(u64::MAX), Sleep::Held, &wait, site);
}
