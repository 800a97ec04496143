//! `mm/madvise.c`: a thread gives up pages of its own, and runs on.

use super::memory::zap_page_range;
use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::k::call;
use crate::system::System;

/// `madvise(MADV_DONTNEED)` on the first VMA: until 6.16 under the mmap lock, as modelled. Once it has
/// returned, no thread of the process may see what was there.
pub fn madvise_dontneed(sys: &System, mm: &MmStruct) {
    let _call = call("madvise_dontneed_single_vma");
    mmap_read_lock(mm);
    zap_page_range(sys, mm, &mm.vmas[0]);
    mmap_read_unlock(mm);
}
