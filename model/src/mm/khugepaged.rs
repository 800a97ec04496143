//! `mm/khugepaged.c`: small pages of a file become a large one, and the page tables that mapped them go.

pub mod scan;

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_write_lock, mmap_write_trylock, mmap_write_unlock};
use crate::k::atomic::{AtomicT, atomic_read, read_once, write_once};
use crate::k::engine::{Object, Site, engine};
use crate::k::lock::{Spinlock, spin_lock, spin_unlock};
use crate::k::plain::{Plain, write};
use crate::k::{call, goal};
use crate::mm::rmap::rmap_walk;
use crate::system::System;
use crate::variant::{Retract, Rule};

/// The page table of a mapped file.
#[derive(Clone, Copy, Debug)]
pub struct FileTable {
    /// The PMD entry: 1 while it points to the table.
    pmd: AtomicT,
    /// `pmd_lock()`.
    ptl: Spinlock,
    /// The table.
    table: Object,
    /// Its entries.
    entries: Plain,
}

impl FileTable {
    /// That of mm number `mm`, `owner`.
    pub fn new(owner: Object, mm: usize) -> Self {
        let table = engine().new_object("pte_table", mm as u16);
        Self {
            pmd: AtomicT::new(owner, "pmd", 1),
            ptl: Spinlock::new(owner, "pmd_lock"),
            table,
            entries: Plain::new(table, "entries", 1),
        }
    }
}

/// `zap_pte_range()` of the file. Since 6.5 it looks at the PMD entry under the lock.
pub fn zap_file(sys: &System, mm: &MmStruct) {
    let Some(file) = mm.file else { return };
    let _call = call("zap_pte_range");
    let locked = sys.kernel.retract == Retract::PageTableLock;
    if locked {
        spin_lock(file.ptl);
    }
    if read_once(file.pmd) != 0 {
        write(file.entries, 0);
    } else {
        goal("an exit finds a page table retracted");
    }
    if locked {
        spin_unlock(file.ptl);
    }
}

/// `free_pte_range()` of the file. Nobody finds the mm through its pages any more.
pub fn free_file_table(mm: &MmStruct) {
    let Some(file) = mm.file else { return };
    if read_once(file.pmd) != 0 {
        engine().free(file.table, Site::here("free_pte_range"));
    }
}

/// `retract_page_tables()`: of whoever maps the file, found by rmap and pinned by nothing but its lock.
pub fn retract_page_tables(sys: &System) {
    let _call = call("retract_page_tables");
    rmap_walk(sys, |mm| {
        match sys.kernel.retract {
            Retract::NoTest => under_mmap_lock(mm, false),
            Retract::TestExit => under_mmap_lock(mm, true),
            Retract::PageTableLock if !test_exit(mm) => collapse(mm, true),
            Retract::PageTableLock => {}
        }
        true
    });
}

fn under_mmap_lock(mm: &MmStruct, tests: bool) {
    if !mmap_write_trylock(mm) {
        return goal("khugepaged finds the mmap lock taken");
    }
    if !tests || !test_exit(mm) {
        collapse(mm, false);
    }
    mmap_write_unlock(mm);
}

/// `khugepaged_exit()`. khugepaged's cursor is on an mm that maps its file: whoever has seen users is waited
/// for. Of an mm that it only finds by rmap nobody waits so.
pub fn khugepaged_exit(sys: &System, mm: &MmStruct) {
    if let Some(slots) = sys.khugepaged {
        scan::__khugepaged_exit(sys, slots, mm);
    } else if mm.file.is_some() && sys.kernel.keeps(Rule::R48) {
        let _call = call("__khugepaged_exit");
        mmap_write_lock(mm);
        mmap_write_unlock(mm);
    }
}

/// `hpage_collapse_test_exit()`, `khugepaged_test_exit()` before 6.1.
fn test_exit(mm: &MmStruct) -> bool {
    let exits = atomic_read(mm.mm_users) == 0;
    if exits {
        goal("khugepaged finds an mm without users");
    }
    exits
}

/// `pmdp_collapse_flush()`, and the table is freed, since 6.6 after a grace period of RCU, which nobody
/// here needs.
fn collapse(mm: &MmStruct, locked: bool) {
    let Some(file) = mm.file else { return };
    let _call = call("pmdp_collapse_flush");
    if locked {
        spin_lock(file.ptl);
    }
    write_once(file.pmd, 0);
    if locked {
        spin_unlock(file.ptl);
    }
    goal("khugepaged retracts a page table");
    engine().free(file.table, Site::here("pte_free"));
}
