//! `drivers/gpu/drm/amd/amdkfd/`: processes of a GPU, and the ranges that it shares with them.

use crate::include::mm_types::MmStruct;
use crate::include::sched_mm::mmget_not_zero;
use crate::k::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Sleep, Until, Word, engine};
use crate::k::plain::{Plain, read};
use crate::k::work::{Work, schedule_work};
use crate::k::{call, goal};
use crate::kernel::fork::mmput;
use crate::system::System;
use crate::variant::{Rule, SvmFlush};

/// `struct svm_range_list`, part of a `struct kfd_process`.
#[derive(Clone, Copy, Debug)]
pub struct Svms {
    /// The allocation.
    object: Object,
    /// Head of the list of ranges that are worked on.
    deferred_range_list: Plain,
    /// Whether `deferred_list_work` runs.
    running: Word,
    /// `release_work`: the struct is freed.
    pub release_work: Work,
}

impl Svms {
    /// That of the process whose mm is number `mm`, and whose `deferred_list_work` runs.
    pub fn new(mm: u16) -> Self {
        let object = engine().new_object("kfd_process", mm);
        // A work queue outlives whoever queues on it.
        let queue = engine().new_object("workqueue", mm);
        Self {
            object,
            deferred_range_list: Plain::new(object, "deferred_range_list", 0),
            running: engine().new_word("deferred_list_work", Class::Sync, queue, 1),
            release_work: Work::new(queue, "release_work"),
        }
    }
}

/// `kfd_create_process()`, when a task opens the device while the GPU is reset.
pub fn kfd_create_process(sys: &System, mm: &MmStruct) {
    let _call = call("kfd_create_process");
    if !mmget_not_zero(mm) {
        return;
    }
    // kfd_is_locked()
    goal("the GPU is being reset");
    if sys.kernel.keeps(Rule::R2Error) {
        mmput(sys, mm, None);
    }
}

/// `svm_range_deferred_list_work()`: a work item that owns an `mm_users` of the mm of its ranges.
pub fn svm_range_deferred_list_work(sys: &System, mm: &MmStruct, svms: &Svms) {
    {
        let _call = call("svm_range_deferred_list_work");
        mmput(sys, mm, None);
        read(svms.deferred_range_list);
    }
    let done = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(0) };
    engine().rmw(svms.running, Order::Release, &done, Site::here("process_one_work"));
}

/// `flush_work()` of `deferred_list_work`.
fn flush_deferred_list_work(svms: &Svms) {
    let flush = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    let site = Site::with("flush_work", "deferred_list_work");
    engine().wait_rmw(svms.running, Order::Acquire, Until::clear(u64::MAX), Sleep::Held, &flush, site);
}

/// `kfd_process_notifier_release()`: the address space goes away, and with it, later, the process.
pub fn kfd_process_notifier_release(sys: &System, svms: &Svms) {
    let _call = call("kfd_process_notifier_release");
    if sys.kernel.svm_flush == SvmFlush::NotifierRelease {
        flush_deferred_list_work(svms);
    }
    schedule_work(svms.release_work);
}

/// `kfd_process_wq_release()`: a worker frees the process.
pub fn kfd_process_wq_release(sys: &System, svms: &Svms) {
    let _call = call("kfd_process_wq_release");
    if sys.kernel.svm_flush == SvmFlush::WqRelease {
        flush_deferred_list_work(svms);
    }
    engine().free(svms.object, Site::here("kfree"));
    goal("a process of the GPU is freed");
}
