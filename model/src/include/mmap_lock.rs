//! `include/linux/mmap_lock.h`.

use super::mm_types::MmStruct;
use crate::k::lock;

/// `mmap_read_lock()`.
#[track_caller]
pub fn mmap_read_lock(mm: &MmStruct) {
    lock::down_read(mm.mmap_lock, "mmap_read_lock");
}

/// `mmap_read_lock_killable()`: whether the lock was taken; if not, the caller has got SIGKILL.
#[track_caller]
pub fn mmap_read_lock_killable(mm: &MmStruct) -> bool {
    lock::down_read_killable(mm.mmap_lock, "mmap_read_lock_killable")
}

/// `mmap_read_trylock()`.
#[track_caller]
pub fn mmap_read_trylock(mm: &MmStruct) -> bool {
    lock::down_read_trylock(mm.mmap_lock, "mmap_read_trylock")
}

/// `mmap_read_unlock()`.
#[track_caller]
pub fn mmap_read_unlock(mm: &MmStruct) {
    lock::up_read(mm.mmap_lock, "mmap_read_unlock");
}

/// `mmap_write_lock()`.
#[track_caller]
pub fn mmap_write_lock(mm: &MmStruct) {
    lock::down_write(mm.mmap_lock, "mmap_write_lock");
}

/// `mmap_write_trylock()`.
#[track_caller]
pub fn mmap_write_trylock(mm: &MmStruct) -> bool {
    lock::down_write_trylock(mm.mmap_lock, "mmap_write_trylock")
}

/// `mmap_write_unlock()`.
#[track_caller]
pub fn mmap_write_unlock(mm: &MmStruct) {
    lock::up_write(mm.mmap_lock, "mmap_write_unlock");
}
