//! What others have measured, as they published it.

use super::frozen::{Free, Users, Victim};
use super::subject::{Measure, Prices, Subject};
use super::walks::{self, Reaper, VMAS};
use super::{Table, execs};

/// Pages of 4 KiB in a GiB.
const GB: u64 = 1 << 18;

/// The machine of the RFC's numbers: 31 GiB usable, of which 3/4 may be pending.
pub const RFC_MAX_PENDING_PAGES: u64 = 31 * GB * 3 / 4;
/// `vm.async_mm_teardown_thresh_pages`: 64 MB.
pub const RFC_THRESH_PAGES: u64 = GB / 16;

/// A price that one published number tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// What an exit does outside the model, in ns.
    Rest,
    /// A page is zapped and freed, in ps.
    Page,
    /// Part of that under the page-table lock, in thousandths.
    PageLocked,
    /// A huge page is zapped and freed, in ns.
    HugePage,
    /// A contended spinlock changes hands, in ns.
    HandOver,
    /// What `mm_reaper` pays, in percent of what the exiting task would.
    Reaper,
    /// A chunk of per-CPU memory is allocated under `pcpu_alloc_mutex`, in ns.
    PercpuLocked,
    /// It is cleared and freed outside, in ns.
    Percpu,
}

/// What a number is of.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// Tasks that end at once.
    Exits(Subject),
    /// Execs a second, a task on each CPU: what a constructor gains, in thousandths of a percent.
    Execs,
    /// A thawed victim that exits beside a reaper.
    Walk(Reaper, walks::Of),
    /// A frozen victim: when its memory is free.
    Frozen(Victim),
}

impl Of {
    /// Measure it on a machine of so many CPUs; nothing if it does not happen.
    pub fn measure(&self, cpus: usize, prices: &Prices) -> Option<u64> {
        match self {
            Self::Exits(subject) => Some(subject.measure(cpus, prices)),
            Self::Execs => Some(execs::gain(cpus, prices.costs)),
            Self::Walk(reaper, of) => Some(walks::measure(*reaper, *of, VMAS, cpus, prices)),
            Self::Frozen(victim) => victim.measure(cpus, prices),
        }
    }
}

/// A published number.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What was measured.
    pub what: &'static str,
    /// How the model does it.
    pub of: Of,
    /// CPUs of the machine, if not those of the publication.
    pub cpus: Option<usize>,
    /// What was found, if it was published: time in ns, a ratio or a percentage in thousandths.
    pub published: Option<u64>,
    /// Price calibrated from this row; the others are predictions.
    pub fixes: Option<Parameter>,
}

/// Numbers of one message.
#[derive(Clone, Copy, Debug)]
pub struct Publication {
    /// Message that they are from.
    pub message: &'static str,
    /// What was measured, on what.
    pub about: &'static str,
    /// CPUs of the machine, the largest if there were some.
    pub cpus: usize,
    /// Unit, and how many it is of what rows are in.
    pub unit: (&'static str, u32),
    /// Numbers.
    pub rows: &'static [Row],
    /// Prices in the order in which they are calibrated: each depends on those before only, or is only
    /// approached and comes again.
    pub calibration: &'static [Parameter],
    /// Table whose rows fix the prices, if it is another.
    pub prices_of: Option<Table>,
    /// What the simulation cannot show, and where its numbers are off for a known reason.
    pub not_shown: &'static [&'static str],
}

const OFF: Subject = Subject {
    kernel: "rfc-async-teardown",
    on: false,
    pages: GB,
    huge: false,
    tasks: 1,
    killed: true,
    measure: Measure::Reap,
};
const ON: Subject = Subject { on: true, ..OFF };
const NOT_BUILT: Subject = Subject { kernel: "v6.12", ..OFF };

const fn row(what: &'static str, subject: Subject, published: u64) -> Row {
    Row { what, of: Of::Exits(subject), cpus: None, published: Some(published), fixes: None }
}

const fn execs_on(cpus: usize, what: &'static str, published: u64) -> Row {
    Row { what, of: Of::Execs, cpus: Some(cpus), published: Some(published), fixes: None }
}

const fn fixes(parameter: Parameter, row: Row) -> Row {
    Row { fixes: Some(parameter), ..row }
}

/// `[RFC PATCH 7/7] exit: route exit_mm()'s final mmput() through mmput_exit()`.
#[rustfmt::skip]
pub const ASYNC_TEARDOWN: Publication = Publication {
    message: "[RFC PATCH 7/7] exit: route exit_mm()'s final mmput() through mmput_exit(), Aditya Sharma",
    about: "SIGKILL until waitpid() returns, vm.async_mm_teardown off and on; medians of 10",
    cpus: 32,
    unit: ("ms", 1_000_000),
    rows: &[
        fixes(Parameter::Page, row("1 GB", OFF, 18_010_000)),
        fixes(Parameter::Rest, row("1 GB", ON, 140_000)),
        row("4 GB", Subject { pages: 4 * GB, ..OFF }, 73_710_000),
        row("4 GB", Subject { pages: 4 * GB, ..ON }, 140_000),
        row("16 GB", Subject { pages: 16 * GB, ..OFF }, 282_160_000),
        row("16 GB", Subject { pages: 16 * GB, ..ON }, 150_000),
        fixes(Parameter::HugePage, row("16 GB, huge pages", Subject { pages: 16 * GB, huge: true, ..OFF }, 27_680_000)),
        row("16 GB, huge pages", Subject { pages: 16 * GB, huge: true, ..ON }, 130_000),
        row("16 GB, _exit()", Subject { pages: 16 * GB, killed: false, ..OFF }, 271_270_000),
        row("16 GB, _exit()", Subject { pages: 16 * GB, killed: false, ..ON }, 120_000),
        row("redis-server, 16.2 GB", Subject { pages: 162 * GB / 10, ..OFF }, 292_970_000),
        row("redis-server, 16.2 GB", Subject { pages: 162 * GB / 10, ..ON }, 240_000),
        fixes(Parameter::HandOver, row("32 exits of 0.5 GB, the last", Subject { pages: GB / 2, tasks: 32, killed: false, ..OFF }, 157_420_000)),
        row("32 exits of 0.5 GB, the last", Subject { pages: GB / 2, tasks: 32, killed: false, ..ON }, 320_000),
        row("30 MB, below the threshold", Subject { pages: 30 * GB / 1024, ..OFF }, 560_000),
        row("30 MB, below the threshold", Subject { pages: 30 * GB / 1024, ..ON }, 600_000),
        row("1 GB, not built in", NOT_BUILT, 18_010_000),
        row("16 GB, not built in", Subject { pages: 16 * GB, ..NOT_BUILT }, 282_140_000),
        row("16 GB, until all memory is free", Subject { pages: 16 * GB, measure: Measure::MemoryBack, ..OFF }, 283_000_000),
        row("16 GB, until all memory is free", Subject { pages: 16 * GB, measure: Measure::MemoryBack, ..ON }, 240_000_000),
        fixes(Parameter::Reaper, row("16 GB, CPU of mm_reaper to inline", Subject { pages: 16 * GB, measure: Measure::ReaperCpu, ..ON }, 1_180)),
    ],
    calibration: &[Parameter::Rest, Parameter::Page, Parameter::HugePage, Parameter::HandOver, Parameter::Reaper],
    prices_of: None,
    not_shown: &[
        "caches, TLB shootdown, NUMA and frequency: each page costs the same, wherever it was last used",
        "files, sockets and threads of a real server: redis-server is one task with an mm here",
        "how long tasklist_lock and zone->lock are held is a guess: 32 exits that queue take 0.25 to 0.36 ms",
        "noise: the published numbers are medians, and kill and _exit() of 16 GB differ by 4 % in them",
        "1.18x the CPU time and memory back after 0.85x the wall time: no price a page gives both",
    ],
};

/// One exit of a small process: 100 pages, of which the number hardly matters.
const SMALL: Subject = Subject { kernel: "v5.15", killed: false, pages: 100, ..OFF };

/// The measurement that went before `exit_mmap()` took the lock for every mm.
pub const WRITE_LOCK: Publication = Publication {
    message: "Suren Baghdasaryan, 2 Nov 2021: unconditional mmap_write_lock in exit_mmap, against f31531e55495",
    about: "exit of a small process, which is no OOM victim; p50 in the unit of the test program, taken for ns",
    cpus: 256,
    unit: ("ns", 1),
    rows: &[
        fixes(Parameter::Rest, row("p50, lock for OOM victims only", SMALL, 87_412)),
        row("p50, unconditional write lock", Subject { kernel: "write-lock-2021", ..SMALL }, 88_312),
    ],
    calibration: &[Parameter::Rest],
    prices_of: None,
    not_shown: &[
        "p95 +1.5 %, p99 +0.9 %, average -0.2 % with a standard deviation of 30 %: one execution has none",
        "nobody else wants the lock of a dying mm: lock, MMF_OOM_SKIP and unlock are 20 ns each, +0.07 % in all",
        "+1.03 % would take 300 ns for each of the three; the same would raise the average by 0.9 %",
    ],
};

/// `[RFC PATCH 7/7] kernel/fork: improve exec() throughput with slab ctor/dtor pair`.
pub const EXEC: Publication = Publication {
    message: "[RFC PATCH 7/7] kernel/fork: improve exec() throughput with slab ctor/dtor pair, Harry Yoo, 24 Apr 2025",
    about: "execs a second, one process a CPU: gain of rfc-slab-ctor-fixed over v7.1",
    cpus: 192,
    unit: ("%", 1_000),
    rows: &[
        fixes(Parameter::Percpu, execs_on(1, "1 process", 4_000)),
        execs_on(24, "24 hardware threads, a desktop", 4_560),
        fixes(Parameter::PercpuLocked, execs_on(192, "192 cores, two sockets", 33_000)),
    ],
    calibration: &[Parameter::Percpu, Parameter::PercpuLocked, Parameter::Percpu],
    prices_of: None,
    not_shown: &[
        "how long an exec takes is a guess, 300 us, and differs by up to half: gains are ratios and hardly depend on it",
        "one price of per-CPU memory for both machines, though clearing it takes longer the more CPUs there are",
        "caches: 192 cores on two sockets also pay more for a contended line, which is part of the calibrated time",
        "other locks that execs have in common (files, page allocator): with them the mutex would be less of a limit",
        "slab pages that are given back, so that the constructor runs again; each CPU keeps one object here",
        "noise: the single-process gain is published as roughly 4 %, and none with a deviation",
    ],
};

const fn walk(what: &'static str, reaper: Reaper, of: walks::Of, published: u64) -> Row {
    Row { what, of: Of::Walk(reaper, of), cpus: None, published: Some(published), fixes: None }
}

/// `[PATCH v6 0/2] Do not delay OOM reaper when the victim is frozen`: test data, and what the profiles
/// have of `_raw_spin_lock()` in `oom_reaper()`: 33.70 % of 76.67 %, and 1.72 % of 53.45 %.
#[rustfmt::skip]
pub const REVERSE_WALK: Publication = Publication {
    message: "[PATCH v6 0/2] Do not delay OOM reaper when the victim is frozen, zhongjinji, 29 Aug 2025",
    about: "a process on Android that is thawed and exits: how long its last thread and oom_reaper run, spinning included",
    cpus: 8,
    unit: ("ms", 1_000_000),
    rows: &[
        fixes(Parameter::Page, walk("no reaper: exit", Reaper::Absent, walks::Of::Exit, 106_020_000)),
        fixes(Parameter::Rest, walk("reaper upwards: exit", Reaper::Upwards, walks::Of::Exit, 81_850_000)),
        fixes(Parameter::PageLocked, walk("reaper upwards: oom_reaper", Reaper::Upwards, walks::Of::Reaper, 69_320_000)),
        walk("reaper downwards: exit", Reaper::Downwards, walks::Of::Exit, 60_690_000),
        walk("reaper downwards: oom_reaper", Reaper::Downwards, walks::Of::Reaper, 46_490_000),
        walk("reaper upwards: spins for locks", Reaper::Upwards, walks::Of::ReaperSpins, 25_440),
        walk("reaper downwards: spins for locks", Reaper::Downwards, walks::Of::ReaperSpins, 910),
    ],
    calibration: &[
        Parameter::Page, Parameter::PageLocked, Parameter::Rest,
        Parameter::Page, Parameter::PageLocked, Parameter::Rest,
        Parameter::Page, Parameter::PageLocked, Parameter::Rest,
    ],
    prices_of: None,
    not_shown: &[
        "how large the process was: 1 GiB in 512 page tables is taken, and the price of a page makes up for it",
        "how many CPUs of which kind: 8 alike are taken; three threads run",
        "what exit does and oom_reaper does not, 12 ms, might come before as well as after the walk",
        "work that gets slower while two CPUs do it side by side: it counts as time under the lock here",
        "noise: one measurement each, of three runs whose last thread is another one each time",
    ],
};

const fn pinned(what: &'static str, kernel: &'static str, users: Users, free: Free) -> Row {
    let victim = Victim { kernel, users, free };
    Row { what, of: Of::Frozen(victim), cpus: None, published: None, fixes: None }
}

/// How long the same process pins its memory, if all who use it are frozen when it is chosen.
#[rustfmt::skip]
pub const FROZEN_VICTIM: Publication = Publication {
    message: "How long a frozen OOM victim pins its memory; nobody has published that",
    about: "from the OOM kill until it is free; the process and the prices of `simulate reverse`",
    cpus: 8,
    unit: ("ms", 1_000_000),
    rows: &[
        pinned("1 thread, v6.12: pages", "v6.12", Users::One, Free::Pages),
        pinned("1 thread, v6.12: page tables", "v6.12", Users::One, Free::PageTables),
        pinned("1 thread, v6.12: mm_struct", "v6.12", Users::One, Free::MmStruct),
        pinned("1 thread, v6.18: pages", "v6.18", Users::One, Free::Pages),
        pinned("1 thread, v6.18: page tables", "v6.18", Users::One, Free::PageTables),
        pinned("1 thread, v6.18: mm_struct", "v6.18", Users::One, Free::MmStruct),
        pinned("1 thread, frozen-no-delay-v6: pages", "frozen-no-delay-v6", Users::One, Free::Pages),
        pinned("1 thread, frozen-no-delay-v6: page tables", "frozen-no-delay-v6", Users::One, Free::PageTables),
        pinned("1 thread, frozen-no-delay-v6: mm_struct", "frozen-no-delay-v6", Users::One, Free::MmStruct),
        pinned("2 threads, v6.12: pages", "v6.12", Users::Threads, Free::Pages),
        pinned("2 threads, v6.12: page tables", "v6.12", Users::Threads, Free::PageTables),
        pinned("2 threads, v6.18: pages", "v6.18", Users::Threads, Free::Pages),
        pinned("2 threads, v6.18: page tables", "v6.18", Users::Threads, Free::PageTables),
        pinned("2 threads, frozen-no-delay-v6: pages", "frozen-no-delay-v6", Users::Threads, Free::Pages),
        pinned("2 threads, frozen-no-delay-v6: page tables", "frozen-no-delay-v6", Users::Threads, Free::PageTables),
        pinned("CLONE_VM sharer, v6.12: pages", "v6.12", Users::Sharer, Free::Pages),
        pinned("CLONE_VM sharer, v6.12: page tables", "v6.12", Users::Sharer, Free::PageTables),
        pinned("CLONE_VM sharer, v6.18: pages", "v6.18", Users::Sharer, Free::Pages),
        pinned("CLONE_VM sharer, v6.18: page tables", "v6.18", Users::Sharer, Free::PageTables),
        pinned("CLONE_VM sharer, frozen-no-delay-v6: pages", "frozen-no-delay-v6", Users::Sharer, Free::Pages),
        pinned("CLONE_VM sharer, frozen-no-delay-v6: page tables", "frozen-no-delay-v6", Users::Sharer, Free::PageTables),
    ],
    calibration: &[],
    prices_of: Some(Table::Reverse),
    not_shown: &[
        "who thaws the cgroup: nobody does here, so what is left to a frozen task is never free",
        "how long a thawed task takes to get a CPU on a busy machine, or what it waits for before it exits",
        "pages that are shared, mlocked or swapped: all of them are private and resident",
    ],
};
