//! `mm/page_alloc.c`: memory that somebody waits for.

use crate::include::mm_types::MmStruct;
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::system::System;

/// Where those wait who need the memory of an mm: bit n is set once mm n is torn down.
#[derive(Clone, Copy, Debug)]
pub struct FreeMemory(Option<Word>);

impl FreeMemory {
    /// One that belongs to `owner`, if somebody waits.
    pub fn new(owner: Object, wanted: bool) -> Self {
        Self(wanted.then(|| engine().new_word("free_pages", Class::Sync, owner, 0)))
    }
}

/// The pages of `mm` are free again.
pub(super) fn free_pages(sys: &System, mm: &MmStruct) {
    if let Some(word) = sys.free_memory.0 {
        let bit = 1 << mm.index;
        let free = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v | bit) };
        engine().rmw(word, Order::Release, &free, Site::here("__free_pages"));
    }
}

/// An allocation that succeeds only once the memory of `mm` is free.
pub fn wait_for_memory(sys: &System, mm: &MmStruct) {
    if let Some(word) = sys.free_memory.0 {
        let take = Rmw { shape: Shape::Conditional, apply: &Effect::store };
        let site = Site::here("__alloc_pages_slowpath");
        engine().wait_rmw(word, Order::Acquire, Until::any(1 << mm.index), Sleep::Held, &take, site);
    }
}
