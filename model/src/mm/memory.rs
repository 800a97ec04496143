//! `mm/memory.c`: page tables are walked and zapped.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::k::atomic::atomic_long_sub;
use crate::k::engine::{Effect, Fault, Order, Rmw, Shape, Site, engine};
use crate::k::plain::read;
use crate::k::{call, enclosed};

/// Zap all PTEs: one critical section of the page-table lock that clears what is present, then the
/// counters. Two zappers may meet here; each PTE is cleared by one of them.
#[track_caller]
pub fn unmap_page_range(mm: &MmStruct) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|pages| Effect::ret(0, pages) };
    let site = Site::here("zap_pte_range");
    enclosed(|| {
        let zapped = engine().rmw(mm.pte, Order::AcqRel, &rmw, site);
        if zapped != 0 {
            atomic_long_sub(mm.rss, zapped, "rss");
        }
    });
}

/// `access_remote_vm()`: read another task's memory. The caller owns an `mm_users`.
pub fn access_remote_vm(mm: &MmStruct) {
    let _call = call("access_remote_vm");
    mmap_read_lock(mm);
    if read(mm.mm_mt) == 0 {
        engine().fault(Fault { rule: "I4", what: "a user of the address space finds it torn down" });
    }
    let rmw = Rmw { shape: Shape::Conditional, apply: &|_| Effect::fail(0) };
    engine().rmw(mm.pte, Order::AcqRel, &rmw, Site::here("follow_page_pte"));
    mmap_read_unlock(mm);
}
