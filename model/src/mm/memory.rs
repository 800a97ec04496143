//! `mm/memory.c`: page tables are walked and zapped.

use super::khugepaged::scan::__khugepaged_enter;
use super::page_table_lock::{pte_offset_map_lock, pte_unmap_unlock};
use super::tlb::{dec_tlb_flush_pending, tlb_flush_mmu, tlb_gather_mmu};
use super::vma::Vma;
use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::k::atomic::{atomic_inc, atomic_long_sub, write_once};
use crate::k::engine::{Effect, Fault, Order, Rmw, Shape, Site, engine};
use crate::k::plain::read;
use crate::k::{call, enclosed, goal};
use crate::system::System;
use crate::variant::{ReaperFlush, Rule, Walkers};

/// `unmap_page_range()` at exit and for a reaper: zap all PTEs of `vma`. Reapers of old flush nothing.
#[track_caller]
pub fn unmap_page_range(sys: &System, mm: &MmStruct, vma: &Vma) {
    zap(sys, mm, vma, sys.kernel.reaper_flush == ReaperFlush::PerVma, Site::here("zap_pte_range"));
}

/// The same for a thread that goes on: `zap_page_range()`.
#[track_caller]
pub fn zap_page_range(sys: &System, mm: &MmStruct, vma: &Vma) {
    zap(sys, mm, vma, true, Site::here("zap_pte_range"));
}

/// A gather with one critical section of the page-table lock that clears what is present, then the
/// counters, the flush, and the page goes with its last mapping. Two zappers may meet here; each PTE is
/// cleared by one of them.
fn zap(sys: &System, mm: &MmStruct, vma: &Vma, flushes: bool, site: Site) {
    let tlb = mm.tlb.filter(|_| flushes);
    let clear = Rmw { shape: Shape::Conditional, apply: &|pte| Effect::ret(0, vma.pages(pte)) };
    enclosed(|| {
        if let Some(tlb) = tlb {
            tlb_gather_mmu(tlb);
        }
        if let Some(ptl) = vma.ptl {
            pte_offset_map_lock(ptl);
        }
        let zapped = if sys.kernel.keeps(Rule::R22Ptl) {
            engine().rmw(vma.pte, Order::AcqRel, &clear, site)
        } else {
            let seen = present(vma, site);
            engine().rmw(vma.pte, Order::AcqRel, &clear, site);
            vma.pages(seen)
        };
        if let Some(ptl) = vma.ptl {
            pte_unmap_unlock(ptl);
        }
        if zapped != 0 {
            atomic_long_sub(mm.rss, zapped, "rss");
            if let Some(memcg) = sys.memcg.filter(|_| mm.memcg) {
                memcg.uncharge(zapped);
            }
        }
        if let Some(tlb) = tlb {
            tlb_flush_mmu(sys, tlb, zapped != 0);
        }
        if let (Some(page), true) = (vma.page, zapped != 0) {
            engine().free(page.object, Site::here("free_page"));
        }
        if let Some(tlb) = tlb {
            dec_tlb_flush_pending(tlb);
        }
    });
}

/// Present PTEs of `vma`, read under the page-table lock.
pub(super) fn present(vma: &Vma, site: Site) -> u64 {
    engine().rmw(vma.pte, Order::AcqRel, &Rmw { shape: Shape::Conditional, apply: &Effect::fail }, site)
}

/// `munlock_vma_pages_range()`, until 5.17: from here on the VMA counts as not locked, and its pages
/// are looked up one by one.
pub fn munlock_vma_pages_range(vma: &Vma) {
    let Some(page) = vma.page else { return };
    let _call = call("munlock_vma_pages_range");
    write_once(vma.vm_locked, 0);
    if present(vma, Site::here("follow_page_mask")) != 0 {
        write_once(page.mlocked, 0);
    }
}

/// `change_pte_range()` (mm/mprotect.c): PTEs are write-protected.
pub fn change_pte_range(vma: &Vma) {
    present(vma, Site::here("change_pte_range"));
}

/// `get_user()` by a task of its own memory: whether it can be read.
pub fn get_user(mm: &MmStruct) -> bool {
    present(&mm.vmas[0], Site::here("get_user")) != 0
}

/// `access_remote_vm()`: read another task's memory. The caller owns an `mm_users`.
pub fn access_remote_vm(mm: &MmStruct) {
    let _call = call("access_remote_vm");
    mmap_read_lock(mm);
    if read(mm.mm_mt) == 0 {
        engine().fault(Fault { rule: "I4", what: "a user of the address space finds it torn down" });
    }
    present(&mm.vmas[0], Site::here("follow_page_pte"));
    mmap_read_unlock(mm);
}

/// The same, where a huge page is missing. khugepaged hears of the mm, but not here if that comes `late`.
pub fn access_missing_remote_vm(sys: &System, mm: &MmStruct, late: bool) {
    let _call = call("access_remote_vm");
    mmap_read_lock(mm);
    let alive = read(mm.mm_mt) != 0;
    if alive {
        if !late {
            __khugepaged_enter(sys, mm);
        }
        map_missing(mm, Site::here("do_huge_pmd_anonymous_page"));
    }
    mmap_read_unlock(mm);
    if !alive && sys.kernel.walkers == Walkers::Users {
        engine().fault(Fault { rule: "I4", what: "a user of the address space finds it torn down" });
    }
}

/// The same for a caller who owns an `mm_count` only: `mm_users` may be 0, and a page that is missing
/// is faulted in. Says whether there was anything to read.
pub fn access_remote_vm_uncounted(mm: &MmStruct) -> bool {
    let _call = call("access_remote_vm");
    mmap_read_lock(mm);
    let alive = read(mm.mm_mt) != 0;
    if alive && map_missing(mm, Site::here("do_anonymous_page")) {
        goal("a walker faults a page in");
    }
    mmap_read_unlock(mm);
    alive
}

/// A page is mapped, if there is none.
fn map_missing(mm: &MmStruct, site: Site) -> bool {
    let fault = Rmw {
        shape: Shape::Conditional,
        apply: &|pages| if pages == 0 { Effect::ret(1, 1) } else { Effect::fail(0) },
    };
    let mapped = engine().rmw(mm.vmas[0].pte, Order::AcqRel, &fault, site) != 0;
    if mapped {
        atomic_inc(mm.rss);
    }
    mapped
}
