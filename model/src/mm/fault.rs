//! Page faults of `mm/memory.c`, in programs in which it matters what a page holds.
//!
//! A page that a fault maps is empty, whatever was in the one before it. A fault that only reads maps the
//! zero page in the kernel; here that is a page like any other.

use super::memory::present;
use super::page_table_lock::{pte_offset_map_lock, pte_unmap_unlock};
use super::vma::{EMPTY, NEW_PAGE, Vma};
use crate::include::mm_types::{MMF_UNSTABLE, MmStruct};
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::k::atomic::atomic_inc;
use crate::k::bitops::test_bit;
use crate::k::engine::{Effect, Order, Rmw, Shape, Site, engine};
use crate::k::{call, goal};
use crate::system::System;
use crate::variant::{ReapedFaults, Rule};

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
}

/// `copy_from_user()` of one part of the first page of `mm`; `None` is `-EFAULT`.
pub fn copy_from_user(sys: &System, mm: &MmStruct, user: User, part: u32) -> Option<Content> {
    let _call = call("copy_from_user");
    let empty = EMPTY << part;
    let read = |page| if page & empty == 0 { 1 } else { 2 };
    let read = |page| if page == 0 { Effect::fail(0) } else { Effect::fail(read(page)) };
    let found = access(sys, mm, user, &read, Site::here("copy_from_user"))?;
    Some(if found == 1 { Content::Data } else { Content::Zeros })
}

/// `copy_to_user()` to one part of it; false is `-EFAULT`.
pub fn copy_to_user(sys: &System, mm: &MmStruct, user: User, part: u32) -> bool {
    let _call = call("copy_to_user");
    let empty = EMPTY << part;
    let write = |page| if page == 0 { Effect::fail(0) } else { Effect::ret(page & !empty, 1) };
    access(sys, mm, user, &write, Site::here("copy_to_user")).is_some()
}

/// An access by the CPU: it faults, and is tried again, as long as there is no page.
fn access(
    sys: &System,
    mm: &MmStruct,
    user: User,
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
        if !handle_mm_fault(sys, mm, vma, user) {
            return None;
        }
    }
}

/// `handle_mm_fault()`, with the lock that its caller takes. False is `VM_FAULT_SIGBUS`.
fn handle_mm_fault(sys: &System, mm: &MmStruct, vma: &Vma, user: User) -> bool {
    let _call = call("handle_mm_fault");
    mmap_read_lock(mm);
    let mapped = do_anonymous_page(sys, mm, vma);
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
    let tests = sys.kernel.reaped_faults == ReapedFaults::All && sys.kernel.keeps(Rule::R30Test);
    let early = !sys.kernel.keeps(Rule::R30Lock);
    let ptl = vma.ptl.expect("a fault tests and maps in one section of a lock");
    if tests && early && !check_stable_address_space(mm) {
        return false;
    }
    pte_offset_map_lock(ptl);
    // Another fault may have been faster.
    let none = present(vma, Site::here("pte_none")) == 0;
    let stable = !none || !tests || early || check_stable_address_space(mm);
    if none && stable {
        atomic_inc(mm.rss);
        let map = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(NEW_PAGE) };
        engine().rmw(vma.pte, Order::AcqRel, &map, Site::here("set_pte_at"));
    }
    pte_unmap_unlock(ptl);
    stable
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
