//! `include/linux/mm_types.h`: `struct mm_struct`.

use crate::arch::pgtable::Pgd;
use crate::fs::coredump::Dumped;
use crate::fs::userfaultfd::fault::Ctx;
use crate::k::atomic::AtomicT;
use crate::k::bitops::{Bit, Flags};
use crate::k::engine::{Class, Object, Word, engine};
use crate::k::lock::RwSem;
use crate::k::plain::{Ghost, Plain};
use crate::mm::khugepaged::FileTable;
use crate::mm::mmu_notifier::MmuNotifier;
use crate::mm::mmu_notifier::hlist::Subscription;
use crate::mm::mmu_notifier::interval::Interval;
use crate::mm::tlb::Tlb;
use crate::mm::vma::Vma;

/// The OOM killer must not wait for this mm: zapped, reaped, or given up.
pub const MMF_OOM_SKIP: Bit = Bit { nr: 21, name: "MMF_OOM_SKIP" };
/// Private content may be gone.
pub const MMF_UNSTABLE: Bit = Bit { nr: 22, name: "MMF_UNSTABLE" };
/// The one ticket for the reaper's queue is taken.
pub const MMF_OOM_REAP_QUEUED: Bit = Bit { nr: 25, name: "MMF_OOM_REAP_QUEUED" };
/// An OOM victim was marked on the mm. From 4.15 to 5.19; 25 was its number, that of the ticket 26.
pub const MMF_OOM_VICTIM: Bit = Bit { nr: 33, name: "MMF_OOM_VICTIM" };
/// RFC: the mm belongs to an OOM victim and must not be queued.
pub const MMF_OOM_TARGETED: Bit = Bit { nr: 32, name: "MMF_OOM_TARGETED" };

/// [`MmStruct::mm_mt`] of a child whose copy has ended half-way.
pub const HALF_BUILT: u64 = 2;

/// The flags that are modelled.
const MMF_BITS: &[Bit] = &[MMF_OOM_SKIP, MMF_UNSTABLE, MMF_OOM_REAP_QUEUED, MMF_OOM_TARGETED, MMF_OOM_VICTIM];

/// What an mm starts with.
#[derive(Clone, Copy, Debug)]
pub struct MmInit {
    /// Users: threads that share it.
    pub users: u64,
    /// Struct references beside the one of all users together.
    pub pins: u64,
    /// VMAs.
    pub vmas: usize,
    /// Pages mapped by each.
    pub pages: u64,
    /// Whether they are mlocked.
    pub mlocked: bool,
    /// Whether a CPU that runs the mm may cache them.
    pub cached: bool,
    /// Whether its gathers are counted: a thread that goes on meets another one's.
    pub counts_gathers: bool,
    /// Whether somebody asks who waits for page-table locks.
    pub page_table_locks: bool,
    /// Whether pages are mapped by faults.
    pub faults: bool,
    /// Whether they are of a file that is mapped privately.
    pub private_file: bool,
    /// Whether it does so from the start.
    pub stale: bool,
    /// Whether a driver mirrors the mm.
    pub mirrored: bool,
    /// Whether the driver is amdkfd, whose work item owns a use.
    pub svm: bool,
    /// Whether a notifier is on its list.
    pub subscribed: bool,
    /// Whether a driver registers one while it runs.
    pub registered: bool,
    /// Whether a guest has a page of it.
    pub guest: bool,
    /// Whether a notifier of a range is there, during an invalidation.
    pub interval: bool,
    /// Whether it maps a file.
    pub file: bool,
    /// Whether a CPU walks its page tables from the top.
    pub walked: bool,
    /// Whether faults of it wait for a userfaultfd.
    pub uffd: bool,
    /// Whether it is dumped.
    pub dumped: bool,
    /// Devices that share it.
    pub bonds: u64,
    /// Whether its pages are charged to the memory cgroup.
    pub memcg: bool,
    /// Asynchronous I/O in flight.
    pub aio: u64,
    /// Whether a `signal->oom_mm` that points to it is dropped by `mmdrop_async()`.
    pub mmdrop_async: bool,
    /// Whether the VMAs are a list.
    pub list: bool,
    /// Whether somebody uses `mmap_read_trylock()`.
    pub trylocked: bool,
}

/// `struct mm_struct`.
#[derive(Clone, Debug)]
pub struct MmStruct {
    /// Index.
    pub index: usize,
    /// The allocation.
    pub object: Object,
    /// Address-space users: threads, and whoever pins the address space. At 0 it is torn down.
    pub mm_users: AtomicT,
    /// References to the struct; all users together own one. At 0 it is freed.
    pub mm_count: AtomicT,
    /// `MMF_*`.
    pub flags: Flags,
    /// Protects VMAs (write: change; read: walk) and page tables (write: free).
    pub mmap_lock: RwSem,
    /// VMA tree: 1, or 0 once destroyed, or [`HALF_BUILT`]. Before 6.1 `mmap`, the head of a list: 1 + index of the
    /// first VMA, or 0.
    pub mm_mt: Plain,
    /// The VMAs, by address.
    pub vmas: Vec<Vma>,
    /// Allocation of the page tables.
    pub pgtables: Object,
    /// Top of the page tables.
    pub pgd: Option<Pgd>,
    /// What a dump looks at.
    pub dumped: Option<Dumped>,
    /// The userfaultfd that its faults wait for.
    pub uffd: Option<Ctx>,
    /// Page table of a mapped file.
    pub file: Option<FileTable>,
    /// Resident pages, as the counters say.
    pub rss: AtomicT,
    /// Whether its pages are charged to the memory cgroup.
    pub memcg: bool,
    /// Whether a `signal->oom_mm` that points to it is dropped by `mmdrop_async()`.
    pub mmdrop_async: bool,
    /// AIO in flight: `exit_aio()` waits for it.
    pub ioctx: Word,
    /// `context.pinned`: devices that share it.
    pub pinned: Option<AtomicT>,
    /// Notifier of a driver that mirrors the mm.
    pub notifier: Option<MmuNotifier>,
    /// Notifier on its list.
    pub subscription: Option<Subscription>,
    /// Notifier of a range.
    pub interval: Option<Interval>,
    /// TLB of the CPU that runs a thread of the mm, in a program where one does.
    pub tlb: Option<Tlb>,
    /// Specification: how often somebody had to wait for a page-table lock, in a program that asks.
    pub ptl_waits: Option<Ghost>,
    /// RFC: RSS charged to the pending budget when the mm was queued.
    pub charged_rss: Plain,
    /// Specification: what has happened to it ([`life`]).
    pub life: Ghost,
}

/// Bits of [`MmStruct::life`].
pub mod life {
    /// `exit_mmap()` has begun.
    pub const TORN: u64 = 1;
    /// It is queued for `mm_reaper`.
    pub const QUEUED: u64 = 2;
    /// It was queued at some time.
    pub const WAS_QUEUED: u64 = 4;
    /// An OOM victim was marked on it.
    pub const VICTIM: u64 = 8;
    /// A reaper has zapped it.
    pub const REAPED: u64 = 16;
    /// It has `MMF_OOM_SKIP`; only in programs that kill twice.
    pub const SKIPPED: u64 = 32;
    /// Bits above: 1 + the thread that tore it down.
    pub const BY_SHIFT: u32 = 8;
}

impl MmStruct {
    /// `mm_alloc()` of mm number `index`, with what `init` says.
    pub fn new(index: usize, init: MmInit) -> Self {
        let object = engine().new_object("mm", index as u16);
        let pgtables = engine().new_object("pgtables", index as u16);
        let ptl_waits = init.page_table_locks.then(|| Ghost::new(object, "ptl_waits"));
        Self {
            index,
            object,
            mm_users: AtomicT::new(object, "mm_users", init.users),
            mm_count: AtomicT::new(object, "mm_count", 1 + init.pins),
            flags: Flags::new(object, "flags", MMF_BITS),
            mmap_lock: RwSem::new(object, "mmap_lock", init.trylocked),
            mm_mt: if init.list {
                Plain::new(object, "mmap", u64::from(init.vmas > 0))
            } else {
                Plain::new(object, "mm_mt", 1)
            },
            vmas: (0..init.vmas).map(|i| Vma::new(index, i, &init, (pgtables, ptl_waits))).collect(),
            pgtables,
            pgd: init.walked.then(|| Pgd::new(index)),
            dumped: init.dumped.then(|| Dumped::new(object)),
            uffd: init.uffd.then(|| Ctx::new(object, index)),
            file: init.file.then(|| FileTable::new(object, index)),
            rss: AtomicT::new(object, "rss", init.pages * init.vmas as u64),
            memcg: init.memcg,
            mmdrop_async: init.mmdrop_async,
            ioctx: engine().new_word("ioctx", Class::Sync, object, init.aio),
            pinned: (init.bonds > 0).then(|| AtomicT::new(object, "context.pinned", init.bonds)),
            notifier: init.mirrored.then(|| MmuNotifier::new(object, index, init.svm)),
            subscription: (init.subscribed || init.registered)
                .then(|| Subscription::new(object, init.guest, init.registered)),
            interval: init.interval.then(|| Interval::new(object, index)),
            tlb: init.cached.then(|| {
                if init.stale { Tlb::filled(object, "tlb") } else { Tlb::new(object, init.counts_gathers) }
            }),
            ptl_waits,
            charged_rss: Plain::new(object, "charged_rss", 0),
            life: Ghost::new(object, "life"),
        }
    }
}
