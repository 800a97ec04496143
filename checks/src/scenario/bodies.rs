//! The code that each actor runs.

mod cpus;
mod dumps;
mod faults;
mod notifiers;
mod outsiders;

use super::build::Kthreads;
use super::{Actor, Scenario};
use mmspec_model::arch::pgtable::pgd_alloc;
use mmspec_model::drivers::kfd::kfd_create_process;
use mmspec_model::fs::exec::bprm::{bprm_mm_init, free_bprm};
use mmspec_model::fs::userfaultfd::fault::fault_in_userfaultfd;
use mmspec_model::include::mm_types::MmStruct;
use mmspec_model::include::mmap_lock::{
    mmap_read_lock, mmap_read_unlock, mmap_write_lock, mmap_write_unlock,
};
use mmspec_model::include::sched::{TaskStruct, send_sigkill, wait_for_sigkill, wait_for_sigkill_if_any};
use mmspec_model::include::sched_mm::{mmdrop, mmget, mmget_not_zero};
use mmspec_model::k::atomic::{atomic_read, atomic_set, write_once};
use mmspec_model::k::completion;
use mmspec_model::k::engine::{Effect, Fault, Note, Order, Rmw, Shape, Site, Sleep, Until, engine};
use mmspec_model::k::lock::signal_wake_up;
use mmspec_model::k::{call, goal};
use mmspec_model::kernel::copy_process::copy_process;
use mmspec_model::kernel::dup_mmap::{dup_mmap_fails, register_for_each_vma};
use mmspec_model::kernel::entry::fault_in_user_mode;
use mmspec_model::kernel::exit::{do_exit, do_group_exit, exit_mm};
use mmspec_model::kernel::fork::{get_task_mm, mmput, mmput_async, put_task_struct};
use mmspec_model::kernel::freezer::Phase;
use mmspec_model::kernel::futex::futex_wait;
use mmspec_model::kernel::mm_init::{MmCachep, fork_and_exit, takedown_cpu};
use mmspec_model::kernel::refrigerator::leave_refrigerator;
use mmspec_model::kernel::vfork::wait_for_vfork_done;
use mmspec_model::mm::khugepaged::retract_page_tables;
use mmspec_model::mm::khugepaged::scan::khugepaged;
use mmspec_model::mm::ksm::{ksm_scan_thread, unmerge_and_remove_all_rmap_items};
use mmspec_model::mm::madvise::madvise_dontneed;
use mmspec_model::mm::memcontrol::{Charge, MemCgroup, mem_cgroup_oom_synchronize, try_charge_memcg};
use mmspec_model::mm::memory::{access_remote_vm, access_remote_vm_uncounted, get_user};
use mmspec_model::mm::mmu_notifier::under_notifier_lock;
use mmspec_model::mm::oom_kill::kill::out_of_memory;
use mmspec_model::mm::oom_kill::mrelease::process_mrelease;
use mmspec_model::mm::oom_kill::retry_allocation;
use mmspec_model::mm::oom_kill::victims::{oom_killer_disable, oom_killer_enable};
use mmspec_model::mm::swapfile::try_to_unuse;
use mmspec_model::mm::tlb::{user_access, user_access_of_discarded};
use mmspec_model::system::System;
use mmspec_model::variant::{Rule, Walkers};

/// What a thread runs.
pub(super) type Body = Box<dyn Fn(&System)>;

/// From here on the thread keeps nothing of what it has observed; `place` is unique in its body.
fn forget(place: u64) {
    engine().note(Note::Forget(1 + place));
}

/// What `actor` of `scenario` runs.
pub(super) fn body(scenario: &Scenario, actor: Actor, kthreads: Kthreads) -> Body {
    let mm_of = |task: usize| scenario.tasks[task].mm;
    match actor {
        Actor::Exit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| do_exit(sys, &sys.tasks[t], &sys.mms[mm]))
        }
        Actor::ExitGroup(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| do_group_exit(sys, &sys.tasks[t], &sys.mms[mm]))
        }
        Actor::ExitWhenKilled(t) => {
            let mm = mm_of(t);
            let frozen = scenario.tasks[t].frozen;
            Box::new(move |sys| {
                if frozen && !leave_refrigerator(sys, &sys.tasks[t]) {
                    return;
                }
                wait_for_sigkill(&sys.signals[sys.tasks[t].signal]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::FaultUntilKilled(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                fault_in_user_mode(sys, &sys.tasks[t]);
                forget(1);
                wait_for_sigkill(&sys.signals[sys.tasks[t].signal]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::StayUnlessKilled(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                if wait_for_sigkill_if_any(&sys.signals[sys.tasks[t].signal]) {
                    do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
                }
            })
        }
        Actor::ForkAndExitWhenKilled(t, child) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                copy_process(sys, &sys.tasks[t], &sys.tasks[child], &sys.mms[mm]);
                forget(1);
                wait_for_sigkill(&sys.signals[sys.tasks[t].signal]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::BornUnlessKilled(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                let task = &sys.tasks[t];
                if task.ret_from_fork() && wait_for_sigkill_if_any(&sys.signals[task.signal]) {
                    do_exit(sys, task, &sys.mms[mm]);
                }
            })
        }
        Actor::ExitAndAllocate(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                write_once(sys.signals[sys.tasks[t].signal].group_exit, 1);
                exit_mm(sys, &sys.tasks[t], &sys.mms[mm]);
                out_of_memory(sys, Some(&sys.tasks[t]));
                forget(1);
                put_task_struct(sys, &sys.tasks[t]);
            })
        }
        Actor::ReadTwiceAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                let mm = &sys.mms[mm];
                if let Some(tlb) = mm.tlb {
                    user_access(tlb, &mm.vmas[0]);
                    user_access(tlb, &mm.vmas[0]);
                }
                forget(1);
                do_exit(sys, &sys.tasks[t], mm);
            })
        }
        Actor::ReadDiscardReadAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                let mm = &sys.mms[mm];
                let tlb = mm.tlb.expect("somebody discards pages of a cached mm");
                user_access(tlb, &mm.vmas[0]);
                madvise_dontneed(sys, mm);
                user_access_of_discarded(tlb, &mm.vmas[0]);
                forget(1);
                do_exit(sys, &sys.tasks[t], mm);
            })
        }
        Actor::DiscardAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                madvise_dontneed(sys, &sys.mms[mm]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::OpenDeviceAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                kfd_create_process(sys, &sys.mms[mm]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::FaultAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                fault_in_userfaultfd(sys, &sys.mms[mm]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::ReadOwnMemory(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                if !get_user(&sys.mms[mm]) {
                    engine().fault(Fault { rule: "R43", what: "global init finds its memory gone" });
                }
            })
        }
        Actor::AllocateAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                write_once(sys.signals[sys.tasks[t].signal].group_exit, 1);
                out_of_memory(sys, Some(&sys.tasks[t]));
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::ChargeAndExit(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                try_charge_memcg(sys, memcg(sys), &sys.tasks[t], false);
                forget(1);
                sys.tasks.iter().for_each(|task| put_task_struct(sys, task));
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::BrkAndFault(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                brk_and_fault(sys, &sys.tasks[t], &sys.mms[mm]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::OomHandler(reads, kills) => Box::new(move |sys| {
            memcg(sys).read_oom_event();
            if let Some(mm) = get_task_mm(sys, &sys.tasks[reads]) {
                access_remote_vm(mm);
                mmput(sys, mm, None);
            }
            forget(1);
            put_task_struct(sys, &sys.tasks[reads]);
            send_sigkill(&sys.signals[sys.tasks[kills].signal]);
            put_task_struct(sys, &sys.tasks[kills]);
        }),
        Actor::OomKill => Box::new(|sys| out_of_memory(sys, None)),
        Actor::OomKillTwice(mm) => Box::new(move |sys| {
            out_of_memory(sys, None);
            forget(1);
            retry_allocation(sys, &sys.mms[mm]);
            out_of_memory(sys, None);
        }),
        Actor::GetTaskMm(t) => Box::new(move |sys| {
            if let Some(mm) = get_task_mm(sys, &sys.tasks[t]) {
                access_remote_vm(mm);
                mmput(sys, mm, None);
                goal("a reader gets the mm");
            } else {
                goal("a reader finds no mm");
            }
            forget(1);
            put_task_struct(sys, &sys.tasks[t]);
        }),
        Actor::GetTaskMmAsync(t) => Box::new(move |sys| {
            if let Some(mm) = get_task_mm(sys, &sys.tasks[t]) {
                mmput_async(sys, mm);
            }
            forget(1);
            put_task_struct(sys, &sys.tasks[t]);
        }),
        Actor::AllocateUnderMmapLock(t) => Box::new(move |sys| allocate_under_mmap_lock(sys, t)),
        Actor::AllocateInDriver(mm) => Box::new(move |sys| {
            let mm = &sys.mms[mm];
            under_notifier_lock(mm, || {
                out_of_memory(sys, None);
                if sys.signals.iter().any(|signal| atomic_read(signal.oom_mm) != 0) {
                    goal("a driver waits for a victim that waits for its lock");
                    retry_allocation(sys, mm);
                }
            });
            forget(1);
            mmdrop(sys, mm);
        }),
        Actor::ProcMem(mm) => Box::new(move |sys| proc_mem_read(sys, mm)),
        Actor::FaultByProcMem(_)
        | Actor::HoldProcMem(_)
        | Actor::HoldUserfaultfd(_)
        | Actor::CloseUserfaultfd(_)
        | Actor::WriteProtect(_)
        | Actor::UnbindDevice(_)
        | Actor::FaultInDevice(_)
        | Actor::WorkOnRanges(_) => outsiders::body(actor),
        Actor::DumpAndExit(_)
        | Actor::RegisterUserfaultfd(_)
        | Actor::MadviseFromWorker(_)
        | Actor::CollapseHuge(_) => dumps::body(scenario, actor),
        Actor::WritePage(_) | Actor::FillPage(_) | Actor::PassPageOn(_) | Actor::ActOnPage(_) => {
            faults::body(scenario, actor)
        }
        Actor::UnmergeKsm => Box::new(unmerge_and_remove_all_rmap_items),
        Actor::ScanKsm => Box::new(ksm_scan_thread),
        Actor::ScanHuge => Box::new(khugepaged),
        Actor::CollapseFile => Box::new(retract_page_tables),
        Actor::ForkFailsHalfway(mm) => Box::new(move |sys| dup_mmap_fails(sys, &sys.mms[mm])),
        Actor::Swapoff => Box::new(try_to_unuse),
        Actor::ExecFails(mm) => Box::new(move |sys| {
            if bprm_mm_init(sys, &sys.mms[mm]) {
                free_bprm(sys, &sys.mms[mm]);
            }
        }),
        Actor::RegisterUprobe => Box::new(register_for_each_vma),
        Actor::RegisterNotifier(_)
        | Actor::UnregisterNotifier(_)
        | Actor::RemoveInterval(_)
        | Actor::ReclaimPage
        | Actor::GuestReads(_)
        | Actor::InvalidateAndExit(_) => notifiers::body(scenario, actor),
        Actor::ExecOnBorrowedMm
        | Actor::UseMm(_)
        | Actor::WriteAndExit(_)
        | Actor::MembarrierAndExit(..)
        | Actor::UnmapAndExit(_)
        | Actor::PreemptAndExit(_)
        | Actor::ExitOnCpu(_) => cpus::body(scenario, actor),
        Actor::VforkAndExit(t) => {
            let mm = mm_of(t);
            let child = scenario.tasks.iter().position(|task| task.vforked_by == Some(t));
            let child = child.expect("a task waits for a child that it has made by vfork()");
            Box::new(move |sys| {
                wait_for_vfork_done(sys, &sys.tasks[child]);
                forget(1);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::Kill(t) => Box::new(move |sys| {
            send_sigkill(&sys.signals[sys.tasks[t].signal]);
            if let Some(vfork) = sys.vfork {
                completion::signal_wake_up(vfork);
            }
            put_task_struct(sys, &sys.tasks[t]);
        }),
        Actor::KillAndMrelease(t) => Box::new(move |sys| {
            send_sigkill(&sys.signals[sys.tasks[t].signal]);
            process_mrelease(sys, &sys.tasks[t]);
        }),
        Actor::KillAndMreleaseAsServer(t) => Box::new(move |sys| {
            send_sigkill(&sys.signals[sys.tasks[t].signal]);
            process_mrelease(sys, &sys.tasks[t]);
            forget(1);
            let answer = Rmw { shape: Shape::Conditional, apply: &|_| Effect::store(1) };
            engine().rmw(sys.fuse_reply, Order::Release, &answer, Site::here("fuse_request_end"));
        }),
        Actor::KillServer(mm) => Box::new(move |sys| {
            signal_wake_up(sys.mms[mm].mmap_lock);
            mmdrop(sys, &sys.mms[mm]);
        }),
        Actor::MmapServedFile(t) => {
            let mm = mm_of(t);
            Box::new(move |sys| {
                fuse_file_mmap(sys, &sys.mms[mm]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
            })
        }
        Actor::WorkInDriver(mm) => Box::new(move |sys| {
            under_notifier_lock(&sys.mms[mm], || {});
            mmdrop(sys, &sys.mms[mm]);
        }),
        Actor::Fork | Actor::ForkFails => {
            let fails = actor == Actor::ForkFails;
            Box::new(move |sys| fork_and_exit(&sys.kernel, cachep(sys), fails))
        }
        Actor::AllocatePgd => Box::new(|sys| pgd_alloc(sys, sys.pgd_lock.expect("somebody takes it"))),
        Actor::CpuOffline => Box::new(|sys| takedown_cpu(cachep(sys))),
        Actor::FutexWait => Box::new(|sys| futex_wait(sys.robust_futex)),
        Actor::Toggle => Box::new(|sys| {
            atomic_set(sys.sysctl.async_mm_teardown, 0);
            atomic_set(sys.sysctl.async_mm_teardown, 1);
        }),
        Actor::LowerCap(pages) => Box::new(move |sys| atomic_set(sys.sysctl.max_pending_pages, pages)),
        Actor::Suspend => Box::new(move |sys| suspend(sys, kthreads)),
        Actor::OomDisable => Box::new(|sys| {
            oom_killer_disable(sys);
            sys.freezer.begin(Phase::NoVictims);
            oom_killer_enable(sys);
            sys.freezer.end(Phase::NoVictims);
        }),
        Actor::CompleteAio(mm) => Box::new(move |sys| complete_aio(sys, mm)),
        Actor::CompleteAioAfter(mm, other) => Box::new(move |sys| {
            retry_allocation(sys, &sys.mms[other]);
            complete_aio(sys, mm);
        }),
    }
}

fn cachep(sys: &System) -> &MmCachep {
    sys.mm_cachep.as_ref().expect("a scenario in which somebody forks has slots")
}

fn memcg(sys: &System) -> &MemCgroup {
    sys.memcg.as_ref().expect("a scenario in which somebody charges has a cgroup")
}

/// `brk()` charges under the mmap lock and fails at the limit. A page fault that fails lets go of the lock,
/// waits for the OOM handler, and is tried again.
fn brk_and_fault(sys: &System, current: &TaskStruct, mm: &MmStruct) {
    mmap_write_lock(mm);
    if try_charge_memcg(sys, memcg(sys), current, false) == Charge::Failed {
        goal("brk() fails at the limit");
    }
    mmap_write_unlock(mm);
    loop {
        mmap_read_lock(mm);
        let charge = try_charge_memcg(sys, memcg(sys), current, true);
        mmap_read_unlock(mm);
        if charge != Charge::FailedInFault {
            break;
        }
        mem_cgroup_oom_synchronize(sys, memcg(sys));
    }
}

/// A holder of the mmap lock of another task's mm, such as uprobe registration, that needs memory.
fn allocate_under_mmap_lock(sys: &System, task: usize) {
    if let Some(mm) = get_task_mm(sys, &sys.tasks[task]) {
        mmap_write_lock(mm);
        out_of_memory(sys, None);
        if atomic_read(sys.signals[sys.tasks[task].signal].oom_mm) != 0 {
            goal("an allocator waits for a victim that waits for its lock");
            retry_allocation(sys, mm);
        }
        mmap_write_unlock(mm);
        mmput(sys, mm, None);
    } else {
        out_of_memory(sys, None);
    }
    put_task_struct(sys, &sys.tasks[task]);
}

/// `mmap()` of a file of a FUSE server: invalidating its pages may write some back. A request that the
/// server has read is waited for, killed or not.
fn fuse_file_mmap(sys: &System, mm: &MmStruct) {
    let _call = call("fuse_file_mmap");
    mmap_write_lock(mm);
    let answered = Rmw { shape: Shape::Conditional, apply: &Effect::store };
    let site = Site::here("request_wait_answer");
    engine().wait_rmw(sys.fuse_reply, Order::Acquire, Until::any(1), Sleep::Held, &answered, site);
    mmap_write_unlock(mm);
}

fn complete_aio(sys: &System, mm: usize) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v.wrapping_sub(1)) };
    engine().rmw(sys.mms[mm].ioctx, Order::Release, &rmw, Site::here("aio_complete"));
}

/// `mem_rw()` and `mem_release()` (fs/proc/base.c) of a file that was opened before.
fn proc_mem_read(sys: &System, mm: usize) {
    let mm = &sys.mms[mm];
    if sys.kernel.walkers == Walkers::Count {
        let alive = access_remote_vm_uncounted(mm);
        goal(if alive { "/proc/PID/mem is read" } else { "/proc/PID/mem is at its end" });
        return mmdrop(sys, mm);
    }
    let got = if sys.kernel.keeps(Rule::R2) {
        mmget_not_zero(mm)
    } else {
        mmget(mm);
        true
    };
    if got {
        access_remote_vm(mm);
        if sys.kernel.keeps(Rule::R8) {
            mmput(sys, mm, None);
        } else {
            mmap_read_lock(mm);
            mmput(sys, mm, None);
            mmap_read_unlock(mm);
        }
        goal("/proc/PID/mem is read");
    } else {
        goal("/proc/PID/mem is at its end");
    }
    forget(1);
    mmdrop(sys, mm);
}

/// `freeze_processes()`, `freeze_kernel_threads()`, device suspend, and all back.
fn suspend(sys: &System, kthreads: Kthreads) {
    if sys.has_oom {
        oom_killer_disable(sys);
        sys.freezer.begin(Phase::NoVictims);
    }
    if sys.kernel.keeps(Rule::R37) {
        let threads = [(kthreads.oom_reaper, sys.oom.reaper_wait), (kthreads.mm_reaper, sys.mm_reaper_wait)];
        let frozen: Vec<_> = threads.into_iter().filter_map(|(t, queue)| Some((t?, queue))).collect();
        sys.freezer.freeze_kernel_threads(&frozen);
    }
    sys.freezer.begin(Phase::Suspended);
    sys.freezer.dpm_resume();
    sys.freezer.end(Phase::Suspended);
    if sys.has_oom {
        oom_killer_enable(sys);
        sys.freezer.end(Phase::NoVictims);
    }
    sys.freezer.thaw_kernel_threads();
}
