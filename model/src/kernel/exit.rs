//! `kernel/exit.c`: a task gives up its address space.

use crate::include::mm_types::MmStruct;
use crate::include::mmap_lock::{mmap_read_lock, mmap_read_unlock};
use crate::include::sched::{TIF_MEMDIE, TaskStruct};
use crate::include::sched_mm::mmgrab_lazy_tlb;
use crate::k::atomic::{smp_mb, write_once};
use crate::k::bitops::test_bit;
use crate::k::lock::{spin_lock, spin_unlock};
use crate::k::{call, enclosed};
use crate::kernel::fork::{mmput, mmput_exit, put_task_struct};
use crate::kernel::futex::futex_exit_release;
use crate::kernel::vfork::complete_vfork_done;
use crate::mm::oom_kill::victims::exit_oom_victim;
use crate::system::System;
use crate::variant::{Rule, VforkDone};

/// `exit_mm()`: detach from the address space and drop it. 6.12; the owner's hand-over is left out.
pub fn exit_mm(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    let _call = call("exit_mm");
    if !sys.kernel.keeps(Rule::R4) {
        mmap_read_lock(mm);
        mmap_read_unlock(mm);
        drop_mm(sys, current, mm);
        spin_lock(current.alloc_lock);
        current.clear_mm();
        spin_unlock(current.alloc_lock);
        return leave_oom_victims(sys, current);
    }
    clear_mm(sys, current, mm);
    if sys.kernel.vfork_done == VforkDone::AfterDetach {
        complete_vfork_done(sys, current);
    }
    if sys.kernel.keeps(Rule::R40) {
        drop_mm(sys, current, mm);
        leave_oom_victims(sys, current);
    } else {
        leave_oom_victims(sys, current);
        drop_mm(sys, current, mm);
    }
}

fn clear_mm(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    let locked = sys.kernel.keeps(Rule::R3);
    mmap_read_lock(mm);
    if current.on_cpu {
        // Kernel threads run on the CPU from now on, with these page tables.
        mmgrab_lazy_tlb(sys, mm);
    }
    if locked {
        spin_lock(current.alloc_lock);
    }
    // For membarrier(), which passes over a CPU that does not run the mm.
    if sys.user_word.is_some() && sys.kernel.keeps(Rule::R56) {
        smp_mb();
    }
    current.clear_mm();
    if locked {
        spin_unlock(current.alloc_lock);
    }
    mmap_read_unlock(mm);
}

fn drop_mm(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    if sys.kernel.is_async() {
        enclosed(|| mmput_exit(sys, mm, current));
    } else {
        mmput(sys, mm, Some(current));
    }
}

fn leave_oom_victims(sys: &System, current: &TaskStruct) {
    enclosed(|| {
        if sys.has_oom && test_bit(TIF_MEMDIE, current.flags) {
            exit_oom_victim(sys, current);
        }
    });
}

/// `do_group_exit()`: the whole group is told to die, then the task exits.
pub fn do_group_exit(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    let _call = call("do_group_exit");
    write_once(sys.signals[current.signal].group_exit, 1);
    do_exit(sys, current, mm);
}

/// `do_exit()` as far as the address space goes, and the release of the task.
pub fn do_exit(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    let _call = call("do_exit");
    let first = sys.kernel.keeps(Rule::R54);
    if current.robust && first {
        futex_exit_release(sys, current, mm);
    }
    if sys.kernel.vfork_done == VforkDone::BeforeDetach {
        complete_vfork_done(sys, current);
    }
    exit_mm(sys, current, mm);
    if current.robust && !first {
        futex_exit_release(sys, current, mm);
    }
    put_task_struct(sys, current);
}
