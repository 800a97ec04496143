//! `kernel/fork.c`: `struct mm_struct` as memory: the slab cache that it comes from, what `mm_init()`
//! acquires and in which order it undoes that, and `__mmdrop()`.
//!
//! Only what is acquired is here; address spaces and their counts are in [`super::fork`].

use crate::include::mm_types::MMF_OOM_SKIP;
use crate::k::engine::{Class, Effect, Fault, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::plain::{Plain, read, write};
use crate::k::{call, goal};
use crate::mm::percpu::{Percpu, PercpuPtr};
use crate::variant::{Kernel, MmCache, Rule};
use std::ops::Range;

/// One object of the cache: its memory outlives every `mm_struct` in it.
#[derive(Clone, Debug)]
pub struct Slot {
    nr: usize,
    /// Whether the constructor has run.
    constructed: Plain,
    /// `flags`.
    flags: Plain,
    /// Whether the architecture's context is live.
    context: Plain,
    /// `pcpu_cid`.
    pcpu_cid: PercpuPtr,
    /// `rss_stat`.
    rss_stat: PercpuPtr,
}

/// `mm_cachep`, and the globals that its objects depend on.
#[derive(Clone, Debug)]
pub struct MmCachep {
    /// Free objects, a bit each.
    free: Word,
    /// Number of the first of them.
    first: usize,
    slots: Vec<Slot>,
    percpu: Percpu,
}

impl MmCachep {
    /// A cache of `slots` objects, from which `forks` structs are allocated.
    pub fn new(owner: Object, slots: usize, forks: usize) -> Self {
        Self::part(owner, 0..slots, forks, || Percpu::new(owner, slots))
    }

    /// What `cpus` CPUs have of the cache: an object each, that only they allocate, and all else shared.
    pub fn per_cpu(owner: Object, cpus: usize, forks: usize) -> Vec<Self> {
        let percpu = Percpu::new(owner, cpus);
        (0..cpus).map(|cpu| Self::part(owner, cpu..cpu + 1, forks, || percpu.clone())).collect()
    }

    fn part(owner: Object, numbers: Range<usize>, forks: usize, percpu: impl FnOnce() -> Percpu) -> Self {
        let slot = |nr: usize| {
            let object = engine().new_object("mm_slab", nr as u16);
            Slot {
                nr,
                constructed: Plain::new(object, "constructed", 0),
                flags: Plain::new(object, "flags", 0),
                context: Plain::new(object, "context", 0),
                pcpu_cid: PercpuPtr::new(object, "pcpu_cid", nr, forks),
                rss_stat: PercpuPtr::new(object, "rss_stat", nr, forks),
            }
        };
        Self {
            free: engine().new_word("mm_cachep", Class::Sync, owner, (1 << numbers.len()) - 1),
            first: numbers.start,
            slots: numbers.map(slot).collect(),
            percpu: percpu(),
        }
    }

    /// `allocate_mm()`: any free object; waits until there is one, because a scenario is about reuse.
    fn allocate(&self, kernel: &Kernel) -> &Slot {
        let take = Rmw {
            shape: Shape::Conditional,
            apply: &|v| Effect::ret(v & v.wrapping_sub(1), v.trailing_zeros().into()),
        };
        let site = Site::here("kmem_cache_alloc");
        let nr = engine().wait_rmw(self.free, Order::Acquire, Until::any(u64::MAX), Sleep::Held, &take, site)
            as usize;
        let slot = &self.slots[nr.min(self.slots.len() - 1)];
        if kernel.mm_cache.has_ctor() && read(slot.constructed) == 0 {
            self.mm_struct_ctor(slot);
        }
        slot
    }

    fn free(&self, slot: &Slot) {
        let bit = 1 << (slot.nr - self.first);
        let give = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | bit) };
        engine().rmw(self.free, Order::Release, &give, Site::here("kmem_cache_free"));
    }

    /// `mm_struct_ctor()`, as proposed: once for each object of a new slab page.
    fn mm_struct_ctor(&self, slot: &Slot) {
        let _call = call("mm_struct_ctor");
        self.percpu.alloc(&slot.pcpu_cid);
        self.percpu.counter_init_many(slot.nr, &slot.rss_stat);
        write(slot.constructed, 1);
    }
}

/// `dup_mm()` up to the point where it can fail, and the end of the mm that it made. With `fails` the
/// last allocation of `mm_init()` does.
pub fn fork_and_exit(kernel: &Kernel, cache: &MmCachep, fails: bool) {
    let _call = call("dup_mm");
    let slot = cache.allocate(kernel);
    // The parent is an OOM victim: all of its flags are copied.
    write(slot.flags, 1 << MMF_OOM_SKIP.nr);
    if !mm_init(kernel, cache, slot, fails) {
        goal("mm_init() fails");
        return cache.free(slot);
    }
    if read(slot.flags) != 0 {
        engine().fault(Fault { rule: "R19", what: "a new mm has MMF_OOM_SKIP of its parent" });
    }
    goal("mm_init() succeeds");
    __mmdrop(kernel, cache, slot);
}

/// `mm_init()`: what can fail, in its order, and its labels.
fn mm_init(kernel: &Kernel, cache: &MmCachep, slot: &Slot, fails: bool) -> bool {
    let _call = call("mm_init");
    if kernel.keeps(Rule::R19) {
        write(slot.flags, 0);
    }
    if kernel.mm_cache == MmCache::AtomicRss && fails {
        return false;
    }
    write(slot.context, 1);
    match kernel.mm_cache {
        MmCache::AtomicRss => return true,
        MmCache::Percpu | MmCache::PercpuLeaky => {
            cache.percpu.alloc(&slot.pcpu_cid);
            if fails {
                slot.pcpu_cid.free();
                if kernel.mm_cache == MmCache::Percpu {
                    write(slot.context, 0);
                }
                return false;
            }
            cache.percpu.counter_init_many(slot.nr, &slot.rss_stat);
        }
        // percpu_counter_charge_many() is what fails.
        MmCache::CtorAsPosted if fails => {
            slot.pcpu_cid.free();
            return false;
        }
        MmCache::CtorCorrected if fails => {
            write(slot.context, 0);
            return false;
        }
        MmCache::CtorAsPosted | MmCache::CtorCorrected => {}
    }
    let _call = call("mm_init_cid");
    slot.pcpu_cid.touch();
    true
}

/// `__mmdrop()` of what [`mm_init`] has acquired.
fn __mmdrop(kernel: &Kernel, cache: &MmCachep, slot: &Slot) {
    let _call = call("__mmdrop");
    write(slot.context, 0);
    let percpu = matches!(kernel.mm_cache, MmCache::Percpu | MmCache::PercpuLeaky);
    let check_first = kernel.keeps(Rule::R18);
    if check_first && kernel.mm_cache != MmCache::AtomicRss {
        check_mm(slot);
    }
    if percpu {
        slot.pcpu_cid.free();
        cache.percpu.counter_destroy_many(slot.nr, &slot.rss_stat, kernel.keeps(Rule::R18List));
    }
    if !check_first {
        check_mm(slot);
    }
    cache.free(slot);
}

/// `check_mm()`: the exact sum of each counter is 0.
fn check_mm(slot: &Slot) {
    let _call = call("check_mm");
    if slot.rss_stat.touch() != 0 {
        engine().fault(Fault { rule: "rss", what: "an mm is freed with pages in its counters" });
    }
}

/// A CPU goes offline.
pub fn takedown_cpu(cache: &MmCachep) {
    cache.percpu.cpu_dead(|nr| &cache.slots[nr - cache.first].rss_stat);
    goal("a CPU goes offline");
}

impl MmCachep {
    /// What is wrong when nobody uses the cache any more, and the end in words.
    pub fn judge(&self, kernel: &Kernel) -> (Vec<(&'static str, String)>, String) {
        let mut faults = Vec::new();
        if engine().peek(self.free) != (1 << self.slots.len()) - 1 {
            faults.push(("leak", "an object does not come back to mm_cachep".into()));
        }
        for slot in &self.slots {
            let nr = slot.nr;
            if slot.context.peek() != 0 {
                faults.push(("leak", format!("the arch context of mm_slab{nr} is never destroyed")));
            }
            let constructed = slot.constructed.peek() != 0;
            let linked = self.percpu.peek_linked(nr);
            if constructed && !(slot.pcpu_cid.peek_live() && slot.rss_stat.peek_live() && linked) {
                faults.push(("null", format!("mm_slab{nr} counts as constructed and is not")));
            }
            if !constructed && (linked || slot.rss_stat.peek_unfreed() + slot.pcpu_cid.peek_unfreed() > 0) {
                faults.push(("leak", format!("per-CPU memory of mm_slab{nr} is never freed")));
            }
        }
        let constructor = if kernel.mm_cache.has_ctor() { "constructed once" } else { "per fork" };
        (faults, format!("{} allocations of per-CPU memory, {constructor}", self.percpu.peek_allocations()))
    }
}
