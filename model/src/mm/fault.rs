//! Page faults of `mm/memory.c`, in programs in which it matters what a page holds.
//!
//! A page that a fault maps holds nothing that the process has written, whatever was in the one before it: it
//! is empty, or is that of a file. A fault that only reads maps the zero page in the kernel; here that is a
//! page like any other.

use super::memory::present;
use super::page_table_lock::{PageTableLock, pte_offset_map_lock, pte_unmap_unlock};
use super::vma::{NEW_PAGE, UNWRITTEN, Vma};
use crate::include::mm_types::{MMF_UNSTABLE, MmStruct};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::k::atomic::atomic_inc;
use crate::k::bitops::test_bit;
use crate::k::engine::{Effect, Order, Rmw, Shape, Site, engine};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{FaultAround, FinishFault, ReapedFaults, Rule};

/// Who uses the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// A thread of it, inside a system call.
    Thread,
    /// A kernel thread that has borrowed the mm.
    KernelThread,
}

/// What is found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// What somebody has written.
    Data,
    /// The zeros of a new page.
    Zeros,
    /// What the file holds.
    OfFile,
}

/// `copy_from_user()` of one part of the first page of `mm`; `None` is `-EFAULT`.
pub fn copy_from_user(sys: &System, mm: &MmStruct, user: User, part: u32) -> Option<Content> {
    let _call = call("copy_from_user");
    let unwritten = UNWRITTEN << part;
    let read = |page| if page & unwritten == 0 { 1 } else { 2 };
    let read = |page| if page == 0 { Effect::fail(0) } else { Effect::fail(read(page)) };
    let found = access(sys, mm, (user, false), &read, Site::here("copy_from_user"))?;
    Some(match (found, mm.vmas[0].private_file) {
        (1, _) => Content::Data,
        (_, false) => Content::Zeros,
        (_, true) => Content::OfFile,
    })
}

/// `copy_to_user()` to one part of it; false is `-EFAULT`.
pub fn copy_to_user(sys: &System, mm: &MmStruct, user: User, part: u32) -> bool {
    let _call = call("copy_to_user");
    let unwritten = UNWRITTEN << part;
    let write = |page| if page == 0 { Effect::fail(0) } else { Effect::ret(page & !unwritten, 1) };
    access(sys, mm, (user, true), &write, Site::here("copy_to_user")).is_some()
}

/// An access by the CPU, which may write: it faults, and is tried again, as long as there is no page.
fn access(
    sys: &System,
    mm: &MmStruct,
    (user, writes): (User, bool),
    attempt: &dyn Fn(u64) -> Effect,
    site: Site,
) -> Option<u64> {
    let vma = &mm.vmas[0];
    loop {
        let rmw = Rmw { shape: Shape::Conditional, apply: attempt };
        let done = engine().rmw(vma.pte, Order::AcqRel, &rmw, site);
        if done != 0 {
            return Some(done);
        }
        if !handle_mm_fault(sys, mm, vma, (user, writes)) {
            return None;
        }
    }
}

/// `handle_mm_fault()`, with the lock that its caller takes. False is `VM_FAULT_SIGBUS`.
fn handle_mm_fault(sys: &System, mm: &MmStruct, vma: &Vma, (user, writes): (User, bool)) -> bool {
    let _call = call("handle_mm_fault");
    mmap_read_lock(mm);
    let mapped = match (vma.private_file, writes) {
        (false, _) => do_anonymous_page(sys, mm, vma),
        (true, false) => do_read_fault(sys, mm, vma),
        (true, true) => do_cow_fault(sys, mm, vma),
    };
    let tests = sys.kernel.reaped_faults == ReapedFaults::KernelThreads
        && user == User::KernelThread
        && sys.kernel.keeps(Rule::R30Test);
    let stable = mapped && (!tests || check_stable_address_space(mm));
    mmap_read_unlock(mm);
    stable
}

/// `do_anonymous_page()`: a fault finds no page and maps a new one, unless what was there may be lost.
fn do_anonymous_page(sys: &System, mm: &MmStruct, vma: &Vma) -> bool {
    let _call = call("do_anonymous_page");
    let early = !sys.kernel.keeps(Rule::R30Lock);
    if early && !may_map(sys, mm) {
        return false;
    }
    pte_offset_map_lock(lock_of(vma));
    // Another fault may have been faster.
    let none = present(vma, Site::here("pte_none")) == 0;
    let stable = !none || early || may_map(sys, mm);
    if none && stable {
        set_pte(mm, vma);
    }
    pte_unmap_unlock(lock_of(vma));
    stable
}

/// `do_read_fault()` of a page of a file that is in the page cache.
fn do_read_fault(sys: &System, mm: &MmStruct, vma: &Vma) -> bool {
    let _call = call("do_read_fault");
    filemap_map_pages(sys, mm, vma) || finish_fault(sys, mm, vma)
}

/// `do_cow_fault()`: a write where no page is.
fn do_cow_fault(sys: &System, mm: &MmStruct, vma: &Vma) -> bool {
    let _call = call("do_cow_fault");
    finish_fault(sys, mm, vma)
}

/// `filemap_map_pages()` (mm/filemap.c), called by `do_fault_around()`: whether the page is mapped now.
fn filemap_map_pages(sys: &System, mm: &MmStruct, vma: &Vma) -> bool {
    let _call = call("filemap_map_pages");
    pte_offset_map_lock(lock_of(vma));
    let maps = present(vma, Site::here("pte_none")) == 0
        && (sys.kernel.fault_around == FaultAround::Untested || may_map(sys, mm));
    if maps {
        goal("a page of a file is mapped by fault-around");
        set_pte(mm, vma);
    }
    pte_unmap_unlock(lock_of(vma));
    maps
}

/// `finish_fault()`: the page of a file, or a copy of it, is mapped, unless what was there may be lost.
fn finish_fault(sys: &System, mm: &MmStruct, vma: &Vma) -> bool {
    let _call = call("finish_fault");
    let early = sys.kernel.finish_fault == FinishFault::BeforeLock;
    if early && !may_map(sys, mm) {
        return false;
    }
    pte_offset_map_lock(lock_of(vma));
    let none = present(vma, Site::here("pte_none")) == 0;
    let stable = !none || early || may_map(sys, mm);
    if none && stable {
        set_pte(mm, vma);
    }
    pte_unmap_unlock(lock_of(vma));
    stable
}

fn lock_of(vma: &Vma) -> PageTableLock {
    vma.ptl.expect("a fault maps in a section of a lock")
}

/// A page that nobody has written to is mapped by `set_pte_at()` or `set_pte_range()`.
#[track_caller]
fn set_pte(mm: &MmStruct, vma: &Vma) {
    atomic_inc(mm.rss);
    let map = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(NEW_PAGE) };
    engine().rmw(vma.pte, Order::AcqRel, &map, Site::here("set_pte_at"));
}

/// Whether a kernel that tests at all finds that a page may be mapped.
fn may_map(sys: &System, mm: &MmStruct) -> bool {
    let tests = sys.kernel.reaped_faults == ReapedFaults::All && sys.kernel.keeps(Rule::R30Test);
    !tests || check_stable_address_space(mm)
}

/// `check_stable_address_space()` (include/linux/oom.h), since 4.13; before it a line of its caller.
fn check_stable_address_space(mm: &MmStruct) -> bool {
    let _call = call("check_stable_address_space");
    let unstable = test_bit(MMF_UNSTABLE, mm.flags);
    if unstable {
        goal("a fault finds MMF_UNSTABLE");
    }
    !unstable
}
