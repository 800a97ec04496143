//! `mm/percpu.c` and `lib/percpu_counter.c`: per-CPU memory, and counters in it that a CPU going offline
//! must find. 6.6 and later.

use crate::k::atomic::{AtomicT, atomic_read, atomic_set};
use crate::k::call;
use crate::k::engine::{Fault, Object, Site, engine};
use crate::k::lock::{Mutex, Spinlock, mutex_lock, mutex_unlock, spin_lock, spin_unlock};
use crate::k::plain::{Ghost, Plain, ghost_mark, ghost_read, read, write};

/// Owners of counters in one word of the list.
const LIST_BITS: usize = u64::BITS as usize;

/// Globals of the two files.
#[derive(Clone, Debug)]
pub struct Percpu {
    /// `pcpu_alloc_mutex`: every allocation of the machine, one at a time.
    alloc_mutex: Mutex,
    /// Specification: allocations so far.
    allocations: Ghost,
    /// `percpu_counters_lock`.
    counters_lock: Spinlock,
    /// `percpu_counters`: whose counters are linked, a bit each.
    counters: Vec<Plain>,
}

/// A pointer to per-CPU memory, and what it may point to.
#[derive(Clone, Debug)]
pub struct PercpuPtr {
    /// The pointer: 1 + index of a chunk, or 0.
    ptr: Plain,
    /// Chunks that were not handed out yet; under `pcpu_alloc_mutex`.
    next: Plain,
    chunks: Vec<(Object, AtomicT)>,
}

impl Percpu {
    /// Nothing allocated; so many owners will have counters.
    pub fn new(owner: Object, owners: usize) -> Self {
        let list = |_| Plain::new(owner, "percpu_counters", 0);
        Self {
            alloc_mutex: Mutex::new(owner, "pcpu_alloc_mutex"),
            allocations: Ghost::new(owner, "allocations"),
            counters_lock: Spinlock::new(owner, "percpu_counters_lock"),
            counters: (0..owners.div_ceil(LIST_BITS)).map(list).collect(),
        }
    }

    /// Allocations made, for judging an ended run.
    pub fn peek_allocations(&self) -> u64 {
        self.allocations.peek()
    }

    /// Whether the counters of owner `nr` are linked, for judging an ended run.
    pub fn peek_linked(&self, nr: usize) -> bool {
        self.counters[nr / LIST_BITS].peek() >> (nr % LIST_BITS) & 1 != 0
    }

    /// `alloc_percpu()`.
    pub fn alloc(&self, to: &PercpuPtr) {
        let _call = call("alloc_percpu");
        mutex_lock(self.alloc_mutex);
        let chunk = read(to.next);
        write(to.next, chunk + 1);
        let so_far = ghost_read(self.allocations);
        ghost_mark(self.allocations, so_far + 1, so_far, 0, Fault { rule: "", what: "" });
        mutex_unlock(self.alloc_mutex);
        write(to.ptr, chunk + 1);
    }

    /// `__percpu_counter_init_many()` of owner `nr`.
    pub fn counter_init_many(&self, nr: usize, counters: &PercpuPtr) {
        let _call = call("percpu_counter_init_many");
        self.alloc(counters);
        spin_lock(self.counters_lock);
        let (word, bit) = (self.counters[nr / LIST_BITS], 1 << (nr % LIST_BITS));
        let list = read(word);
        if list & bit != 0 {
            engine()
                .fault(Fault { rule: "R18", what: "a counter that is still on the hotplug list is linked" });
        }
        write(word, list | bit);
        spin_unlock(self.counters_lock);
    }

    /// `percpu_counter_destroy_many()` of owner `nr`; `unlink` false breaks rule R18-list.
    pub fn counter_destroy_many(&self, nr: usize, counters: &PercpuPtr, unlink: bool) {
        let _call = call("percpu_counter_destroy_many");
        if unlink {
            spin_lock(self.counters_lock);
            let (word, bit) = (self.counters[nr / LIST_BITS], 1 << (nr % LIST_BITS));
            write(word, read(word) & !bit);
            spin_unlock(self.counters_lock);
        }
        counters.free();
    }

    /// `percpu_counter_cpu_dead()`: fold what the dead CPU has counted into each counter.
    pub fn cpu_dead<'a>(&self, counters: impl Fn(usize) -> &'a PercpuPtr) {
        let _call = call("percpu_counter_cpu_dead");
        spin_lock(self.counters_lock);
        for (i, &word) in self.counters.iter().enumerate() {
            let list = read(word);
            for bit in (0..LIST_BITS).filter(|bit| list >> bit & 1 != 0) {
                counters(i * LIST_BITS + bit).touch();
            }
        }
        spin_unlock(self.counters_lock);
    }
}

impl PercpuPtr {
    /// A NULL pointer `name` inside `owner`, which will point to at most `lives` chunks in turn.
    pub fn new(owner: Object, name: &'static str, nr: usize, lives: usize) -> Self {
        let chunk = |life| {
            let object = engine().new_object(name, (nr * lives + life) as u16);
            (object, AtomicT::new(object, "percpu", 0))
        };
        Self {
            ptr: Plain::new(owner, name, 0),
            next: Plain::new(owner, "next", 0),
            chunks: (0..lives).map(chunk).collect(),
        }
    }

    /// Use what it points to.
    #[track_caller]
    pub fn touch(&self) -> u64 {
        let Some(chunk) = (read(self.ptr) as usize).checked_sub(1) else {
            engine().fault(Fault { rule: "null", what: "a NULL pointer to per-CPU memory is used" });
            return 0;
        };
        atomic_set(self.chunks[chunk].1, 0);
        atomic_read(self.chunks[chunk].1)
    }

    /// `free_percpu()`; the pointer is NULL then.
    #[track_caller]
    pub fn free(&self) {
        if let Some(chunk) = (read(self.ptr) as usize).checked_sub(1) {
            engine().free(self.chunks[chunk].0, Site::here("free_percpu"));
        }
        write(self.ptr, 0);
    }

    /// Whether it points to something that is not freed, for judging an ended run.
    pub fn peek_live(&self) -> bool {
        (self.ptr.peek() as usize).checked_sub(1).is_some_and(|chunk| !engine().freed(self.chunks[chunk].0))
    }

    /// Chunks that were allocated and not freed, for judging an ended run.
    pub fn peek_unfreed(&self) -> usize {
        let used = self.next.peek() as usize;
        self.chunks[..used].iter().filter(|(object, _)| !engine().freed(*object)).count()
    }
}
