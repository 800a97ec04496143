//! `struct vm_area_struct`, and how a walker goes from one to the next.
//!
//! Before 6.1 VMAs are a list of allocations, each of which is freed. In a tree they live and die
//! with the tree, which is one word.

use super::page_table_lock::PageTableLock;
use crate::include::mm_types::{HALF_BUILT, MmInit, MmStruct};
use crate::k::atomic::AtomicT;
use crate::k::engine::{Class, Fault, Object, Site, Word, engine};
use crate::k::plain::{Ghost, Plain, read, write};
use crate::system::System;
use crate::variant::{Vmas, Walk};

/// Names of the PTEs of a VMA, by index; simulated address spaces have more VMAs.
const PTE: [&str; 4] = ["pte", "pte[1]", "pte[2]", "pte[3]"];

/// Part of [`Vma::pte`] that counts present PTEs where pages are mapped by faults. A bit above says of a single
/// page that a part of it holds nothing that the process has written.
const PRESENT: u64 = 0xff;
/// That bit of the first part.
pub const UNWRITTEN: u64 = 0x100;
/// A new page of two parts.
pub const NEW_PAGE: u64 = (3 * UNWRITTEN) | 1;

/// `struct vm_area_struct`.
#[derive(Clone, Copy, Debug)]
pub struct Vma {
    /// The allocation.
    pub object: Object,
    /// Present PTEs of its range. Each access stands for a critical section of the page-table lock.
    pub pte: Word,
    /// That lock itself, in programs that ask who waits for it, or in which pages are mapped.
    pub ptl: Option<PageTableLock>,
    /// Whether pages are mapped by faults.
    faults: bool,
    /// Whether it maps a file privately.
    pub private_file: bool,
    /// `vm_next`: 1 + index of the next VMA in the list, or 0.
    vm_next: Plain,
    /// `vm_flags & VM_LOCKED`; read and written without a common lock before 5.18.
    pub vm_locked: AtomicT,
    /// A page of the range, where it matters which.
    pub page: Option<Page>,
    /// Whether the munlock walk before 5.18 looks at it.
    pub munlocked: bool,
}

/// A page that is freed with its last mapping.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The allocation.
    pub object: Object,
    /// `PG_mlocked`.
    pub mlocked: AtomicT,
}

impl Vma {
    /// VMA `index` of mm `mm`, whose page tables are `pgtables`, with the count of those who have waited
    /// for a lock of theirs.
    pub fn new(
        mm: usize,
        index: usize,
        init: &MmInit,
        (pgtables, ptl_waits): (Object, Option<Ghost>),
    ) -> Self {
        let nr = (mm * init.vmas.max(PTE.len()) + index) as u16;
        let object = engine().new_object("vma", nr);
        let page = |nr| {
            let object = engine().new_object("page", nr);
            Page { object, mlocked: AtomicT::new(object, "PG_mlocked", 1) }
        };
        let last = index + 1 == init.vmas;
        Self {
            object,
            pte: engine().new_word(
                PTE.get(index).copied().unwrap_or("pte[...]"),
                Class::Sync,
                pgtables,
                init.pages,
            ),
            ptl: (init.faults || ptl_waits.is_some()).then(|| PageTableLock::new(pgtables, ptl_waits)),
            faults: init.faults,
            private_file: init.private_file,
            vm_next: Plain::new(object, "vm_next", if last { 0 } else { index as u64 + 2 }),
            vm_locked: AtomicT::new(object, "VM_LOCKED", u64::from(init.mlocked)),
            munlocked: init.mlocked || init.cached,
            page: (init.mlocked || init.cached || init.guest).then(|| page(nr)),
        }
    }

    /// Present PTEs, of a value of [`Vma::pte`].
    pub fn pages(&self, pte: u64) -> u64 {
        if self.faults { pte & PRESENT } else { pte }
    }
}

/// `for_each_vma()` upwards, by a walker that a lock or a rule keeps apart from `exit_mmap()`.
#[track_caller]
pub fn for_each_vma(sys: &System, mm: &MmStruct, mut visit: impl FnMut(&Vma)) {
    let head = read(mm.mm_mt);
    if sys.kernel.vmas == Vmas::Tree {
        return mm.vmas.iter().for_each(visit);
    }
    let mut next = head as usize;
    while next != 0 {
        let vma = &mm.vmas[next - 1];
        visit(vma);
        next = read(vma.vm_next) as usize;
    }
}

/// A walk under the mmap lock by somebody who has looked whether he may.
#[track_caller]
pub fn visit_vmas(sys: &System, mm: &MmStruct, visit: impl FnMut(&Vma)) {
    if sys.kernel.vmas == Vmas::Tree {
        match read(mm.mm_mt) {
            0 => engine()
                .fault(Fault { rule: "R49", what: "a VMA tree is walked that exit_mmap() has destroyed" }),
            HALF_BUILT => engine()
                .fault(Fault { rule: "R20", what: "the VMA tree of a fork that has failed is walked" }),
            _ => mm.vmas.iter().for_each(visit),
        }
    } else {
        for_each_vma(sys, mm, visit);
    }
}

/// A reaper's walk: in the order of the kernel, over VMAs that must be there.
#[track_caller]
pub fn for_each_vma_reaping(sys: &System, mm: &MmStruct, mut visit: impl FnMut(&Vma)) {
    if sys.kernel.vmas != Vmas::Tree {
        return for_each_vma(sys, mm, visit);
    }
    if read(mm.mm_mt) == 0 {
        engine()
            .fault(Fault { rule: "R23", what: "a reaper walks a VMA tree that exit_mmap() has destroyed" });
    }
    match sys.kernel.walk {
        Walk::Ascending => mm.vmas.iter().for_each(&mut visit),
        Walk::Descending => mm.vmas.iter().rev().for_each(&mut visit),
    }
}

/// `remove_vma()` of all, at the end of `exit_mmap()`.
#[track_caller]
pub fn remove_vmas(sys: &System, mm: &MmStruct) {
    if sys.kernel.vmas == Vmas::Tree {
        return write(mm.mm_mt, 0);
    }
    let mut next = read(mm.mm_mt) as usize;
    while next != 0 {
        let vma = &mm.vmas[next - 1];
        next = read(vma.vm_next) as usize;
        engine().free(vma.object, Site::here("vm_area_free"));
    }
    if sys.kernel.vmas == Vmas::ListReset {
        write(mm.mm_mt, 0);
    }
}
