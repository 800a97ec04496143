//! The TLB of a CPU that runs a thread of the mm, as far as one page goes.
//!
//! One Sync word: bit 0 says that the page is cached, bit 1 that the CPU is within an access. An access
//! cannot be interrupted: the flush of another CPU waits for its end, as an IPI does.
//!
//! Whoever clears PTEs does so within a gather: first the PTEs, then one flush for all, then the pages go.
//! In between a PTE is clear and may still be cached.

use super::vma::Vma;
use crate::k::atomic::{AtomicT, atomic_dec, atomic_inc, atomic_read, read_once};
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{Gathers, Rule};

const CACHED: u64 = 1;
const ACCESS: u64 = 2;

/// A TLB.
#[derive(Clone, Copy, Debug)]
pub struct Tlb {
    word: Word,
    /// `mm->tlb_flush_pending`: gathers under way, in a program in which two can be of use to one thread.
    tlb_flush_pending: Option<AtomicT>,
}

impl Tlb {
    /// One that caches nothing.
    pub fn new(owner: Object, counts_gathers: bool) -> Self {
        let tlb_flush_pending = counts_gathers.then(|| AtomicT::new(owner, "tlb_flush_pending", 0));
        Self { word: engine().new_word("tlb", Class::Sync, owner, 0), tlb_flush_pending }
    }

    /// One, called `name`, that caches the page.
    pub fn filled(owner: Object, name: &'static str) -> Self {
        Self { word: engine().new_word(name, Class::Sync, owner, CACHED), tlb_flush_pending: None }
    }
}

/// A thread of the mm reads a page of `vma` in user mode: through the TLB, or else through the page
/// table, which fills the TLB. A page that is gone is a fault, and no more.
pub fn user_access(tlb: Tlb, vma: &Vma) {
    access(tlb, vma, false);
}

/// The same of a page that the thread has discarded: it must not get the old one (R28).
pub fn user_access_of_discarded(tlb: Tlb, vma: &Vma) {
    access(tlb, vma, true);
}

fn access(tlb: Tlb, vma: &Vma, discarded: bool) {
    let Some(page) = vma.page else { return };
    let stale = "a thread finds in its TLB the page that it has discarded with MADV_DONTNEED";
    let begin = Rmw {
        shape: Shape::Conditional,
        apply: &|v| {
            let cached = v & CACHED;
            Effect::ret(v | ACCESS, cached).fault_if(discarded && cached != 0, "R28", stale)
        },
    };
    let cached = engine().rmw(tlb.word, Order::Acquire, &begin, Site::with("user mode", "load")) != 0;
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
    engine().rmw(tlb.word, Order::Release, &end, Site::with("user mode", "done"));
}

/// Who cannot walk page tables, as the guest of a driver, reads a page of `vma`, if it is cached.
pub fn cached_access(tlb: Tlb, vma: &Vma) {
    let Some(page) = vma.page else { return };
    let begin = Rmw { shape: Shape::Conditional, apply: &|v| Effect::ret(v | ACCESS, v & CACHED) };
    if engine().rmw(tlb.word, Order::Acquire, &begin, Site::with("guest", "load")) != 0 {
        read_once(page.mlocked);
    }
    let end = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !ACCESS) };
    engine().rmw(tlb.word, Order::Release, &end, Site::with("guest", "done"));
}

/// `tlb_gather_mmu()`: a gather begins, before the first page-table lock is taken.
pub fn tlb_gather_mmu(tlb: Tlb) {
    if let Some(pending) = tlb.tlb_flush_pending {
        atomic_inc(pending);
    }
}

/// `mm_tlb_flush_nested()`: whether another gather may have cleared a PTE that this one has found clear,
/// and not flushed it yet. Asked after the page-table lock was taken.
fn mm_tlb_flush_nested(sys: &System, tlb: Tlb) -> bool {
    let counted = sys.kernel.gathers == Gathers::Counted && sys.kernel.keeps(Rule::R28);
    counted && tlb.tlb_flush_pending.is_some_and(|pending| atomic_read(pending) > 1)
}

/// The flush of `tlb_finish_mmu()`, by a gather that has cleared PTEs or not. Since 4.13 one that is not
/// alone flushes in any case.
pub fn tlb_flush_mmu(sys: &System, tlb: Tlb, cleared: bool) {
    let nested = mm_tlb_flush_nested(sys, tlb);
    if nested && !cleared {
        goal("a gather flushes what another one has cleared");
    }
    if nested || cleared {
        flush_tlb(tlb);
    }
}

/// The end of `tlb_finish_mmu()`, with the flush completed.
pub fn dec_tlb_flush_pending(tlb: Tlb) {
    if let Some(pending) = tlb.tlb_flush_pending {
        atomic_dec(pending);
    }
}

/// No CPU caches the page any more.
pub fn flush_tlb(tlb: Tlb) {
    let _call = call("tlb_finish_mmu");
    let flush = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v & !CACHED) };
    let site = Site::here("flush_tlb_mm_range");
    engine().wait_rmw(tlb.word, Order::AcqRel, Until::clear(ACCESS), Sleep::Held, &flush, site);
}
