//! The TLB of a CPU that runs a thread of the mm, as far as one page goes.
//!
//! One Sync word: bit 0 says that the page is cached, bit 1 that the CPU is within an access. An access
//! cannot be interrupted: the flush of another CPU waits for its end, as an IPI does.

use super::vma::Vma;
use crate::k::atomic::read_once;
use crate::k::call;
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};

const CACHED: u64 = 1;
const ACCESS: u64 = 2;

/// A TLB.
#[derive(Clone, Copy, Debug)]
pub struct Tlb(Word);

impl Tlb {
    /// One that caches nothing.
    pub fn new(owner: Object) -> Self {
        Self(engine().new_word("tlb", Class::Sync, owner, 0))
    }

    /// One, called `name`, that caches the page.
    pub fn filled(owner: Object, name: &'static str) -> Self {
        Self(engine().new_word(name, Class::Sync, owner, CACHED))
    }
}

/// A thread of the mm reads a page of `vma` in user mode: through the TLB, or else through the page
/// table, which fills the TLB. A page that is gone is a fault, and no more.
pub fn user_access(tlb: Tlb, vma: &Vma) {
    let Some(page) = vma.page else { return };
    let begin = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v | ACCESS, v & CACHED) };
    let cached = engine().rmw(tlb.0, Order::Acquire, &begin, Site::with("user mode", "load")) != 0;
    let present = || {
        let walk = Rmw { shape: Shape::Conditional, apply: &Effect::fail };
        engine().rmw(vma.pte, Order::AcqRel, &walk, Site::here("page walk")) != 0
    };
    let hit = cached || present();
    if hit {
        read_once(page.mlocked);
    }
    let end = Rmw {
        shape: Shape::Conditional,
        apply: &|v| Effect::store(if hit { CACHED } else { v & !(ACCESS | CACHED) }),
    };
    engine().rmw(tlb.0, Order::Release, &end, Site::with("user mode", "done"));
}

/// Who cannot walk page tables, as the guest of a driver, reads a page of `vma`, if it is cached.
pub fn cached_access(tlb: Tlb, vma: &Vma) {
    let Some(page) = vma.page else { return };
    let begin = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v | ACCESS, v & CACHED) };
    if engine().rmw(tlb.0, Order::Acquire, &begin, Site::with("guest", "load")) != 0 {
        read_once(page.mlocked);
    }
    let end = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !ACCESS) };
    engine().rmw(tlb.0, Order::Release, &end, Site::with("guest", "done"));
}

/// `tlb_finish_mmu()` of a gather that has cleared PTEs: no CPU caches the page any more.
pub fn flush_tlb(tlb: Tlb) {
    let _call = call("tlb_finish_mmu");
    let flush = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !CACHED) };
    let site = Site::here("flush_tlb_mm_range");
    engine().wait_rmw(tlb.0, Order::AcqRel, Until::clear(ACCESS), Sleep::Held, &flush, site);
}
