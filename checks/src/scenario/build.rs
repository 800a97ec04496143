//! From a scenario to a program: the machine, a thread for each actor, the kernel's own threads.

use super::{Actor, Scenario, judge};
use mmspec_model::include::mm_types::MmInit;
use mmspec_model::include::mmap_lock::{mmap_write_lock, mmap_write_unlock};
use mmspec_model::include::sched::{send_sigkill, wait_for_sigkill};
use mmspec_model::include::sched_mm::{mmdrop, mmget, mmget_not_zero};
use mmspec_model::k::atomic::{atomic_read, atomic_set, write_once};
use mmspec_model::k::engine::{Effect, Note, Order, Rmw, Shape, Site, engine};
use mmspec_model::k::goal;
use mmspec_model::k::program::{Program, Setup, Thread};
use mmspec_model::k::work::{process_one_work, run_timer_softirq};
use mmspec_model::kernel::exit::{do_exit, do_group_exit};
use mmspec_model::kernel::fork::{get_task_mm, mmput, mmput_async, mmput_async_fn, put_task_struct};
use mmspec_model::kernel::freezer::Phase;
use mmspec_model::mm::memory::access_remote_vm;
use mmspec_model::mm::mm_reaper::mm_reaper;
use mmspec_model::mm::oom_kill::kill::out_of_memory;
use mmspec_model::mm::oom_kill::mrelease::process_mrelease;
use mmspec_model::mm::oom_kill::reaper::{oom_reaper, wake_oom_reaper};
use mmspec_model::mm::oom_kill::retry_allocation;
use mmspec_model::mm::oom_kill::victims::{oom_killer_disable, oom_killer_enable};
use mmspec_model::system::{Features, System, TaskInit};
use mmspec_model::variant::{Kernel, Rule};
use std::rc::Rc;
use std::sync::Arc;

/// Kernel threads of a program, by thread index.
#[derive(Clone, Copy, Default)]
struct Kthreads {
    oom_reaper: Option<usize>,
    mm_reaper: Option<usize>,
}

type Body = Box<dyn Fn(&System)>;

impl Scenario {
    /// The program that runs this scenario on `kernel`.
    pub fn program(&self, kernel: Kernel) -> Setup {
        let scenario = self.clone();
        Arc::new(move || scenario.set_up(kernel))
    }

    /// Number of threads of the program.
    pub fn threads(&self, kernel: &Kernel) -> usize {
        self.actors.len() + self.kthreads(kernel).len()
    }

    fn kthreads(&self, kernel: &Kernel) -> Vec<(String, Body)> {
        let mut threads: Vec<(String, Body)> = Vec::new();
        if self.has_oom() {
            let softirq =
                |sys: &System| run_timer_softirq(sys.timers, |task| wake_oom_reaper(sys, &sys.tasks[task]));
            threads.push(("timer softirq".into(), Box::new(softirq)));
            threads.push(("oom_reaper".into(), Box::new(oom_reaper)));
        }
        if kernel.is_async() {
            threads.push(("mm_reaper".into(), Box::new(mm_reaper)));
        }
        for mm in 0..self.mms.len() {
            let uses = |a: &Actor| matches!(a, Actor::GetTaskMmAsync(t) if self.tasks[*t].mm == mm);
            if self.actors.iter().any(uses) {
                let worker = move |sys: &System| {
                    process_one_work(sys.async_put_work[mm], || mmput_async_fn(sys, &sys.mms[mm]));
                };
                threads.push(("kworker".into(), Box::new(worker)));
            }
        }
        threads
    }

    fn boot(&self, kernel: Kernel) -> System {
        let count = |f: &dyn Fn(&Actor) -> bool| self.actors.iter().filter(|a| f(a)).count() as u64;
        let mms: Vec<MmInit> = (0..self.mms.len())
            .map(|i| MmInit {
                users: self.tasks.iter().filter(|t| t.mm == i).count() as u64,
                pins: count(&|a| *a == Actor::ProcMem(i)),
                pages: self.mms[i].pages,
                aio: self.mms[i].aio,
                trylocked: self.has_oom(),
            })
            .collect();
        // The OOM killer and process_mrelease() scan all tasks in RCU read sections; others hold one task.
        let scans = count(&|a| {
            matches!(
                a,
                Actor::OomKill
                    | Actor::AllocateAndExit(_)
                    | Actor::AllocateUnderMmapLock(_)
                    | Actor::KillAndMrelease(_)
            )
        });
        let tasks: Vec<TaskInit> = (0..self.tasks.len())
            .map(|i| TaskInit {
                mm: self.tasks[i].mm,
                group: self.tasks[i].group,
                pins: scans
                    + count(&|a| match a {
                        Actor::GetTaskMm(t) | Actor::GetTaskMmAsync(t) | Actor::AllocateUnderMmapLock(t) => {
                            *t == i
                        }
                        _ => false,
                    }),
                killable: self.tasks[i].killable,
            })
            .collect();
        let groups = self.tasks.iter().map(|t| t.group).max().unwrap_or(0);
        let mrelease = count(&|a| matches!(a, Actor::KillAndMrelease(_))) > 0;
        let features = Features {
            oom: self.has_oom(),
            lockless_mm: groups > 0 && (self.has_oom() || mrelease)
                || !kernel.keeps(Rule::R1)
                || !kernel.keeps(Rule::R38),
            freezer: count(&|a| matches!(a, Actor::Suspend | Actor::OomDisable)) > 0,
            aio: self.mms.iter().any(|mm| mm.aio > 0),
            needless_kills: self.watch_needless_kills,
            stuck_allocator: count(&|a| {
                matches!(a, Actor::AllocateUnderMmapLock(_) | Actor::CompleteAioAfter(..))
            }) > 0,
        };
        System::new(kernel, &mms, &tasks, self.sysctl.into(), features)
    }

    fn set_up(&self, kernel: Kernel) -> Program {
        let sys = Rc::new(self.boot(kernel));
        let kthreads = self.kthreads(&kernel);
        let position =
            |name: &str| kthreads.iter().position(|(n, _)| n == name).map(|i| self.actors.len() + i);
        let known = Kthreads { oom_reaper: position("oom_reaper"), mm_reaper: position("mm_reaper") };
        let actors = self.actors.iter().map(|&actor| (label(actor), body(self, actor, known)));
        let thread = |(name, body): (String, Body)| {
            let sys = sys.clone();
            Thread { name, body: Rc::new(move || body(&sys)) }
        };
        let threads: Vec<Thread> = actors.chain(kthreads).map(thread).collect();
        let names: Vec<String> = threads.iter().map(|t| t.name.clone()).collect();
        let judged = sys.clone();
        Program { threads, judge: Rc::new(move || judge::judge(&judged, &names)) }
    }
}

/// Name of an actor's thread.
fn label(actor: Actor) -> String {
    match actor {
        Actor::Exit(t) | Actor::ExitGroup(t) => format!("T{t} exit"),
        Actor::ExitWhenKilled(t) => format!("T{t} killed"),
        Actor::AllocateAndExit(t) => format!("T{t} allocates"),
        Actor::OomKill => "OOM killer".into(),
        Actor::AllocateUnderMmapLock(t) => format!("allocator on T{t}"),
        Actor::GetTaskMm(t) => format!("reader of T{t}"),
        Actor::GetTaskMmAsync(t) => format!("async reader of T{t}"),
        Actor::ProcMem(mm) => format!("/proc mem of mm{mm}"),
        Actor::KillAndMrelease(t) => format!("mrelease of T{t}"),
        Actor::Toggle | Actor::LowerCap(_) => "sysctl".into(),
        Actor::Suspend => "suspend".into(),
        Actor::OomDisable => "oom disable".into(),
        Actor::CompleteAio(_) | Actor::CompleteAioAfter(..) => "aio completion".into(),
    }
}

/// From here on the thread keeps nothing of what it has observed; `place` is unique in its body.
fn forget(place: u64) {
    engine().note(Note::Forget(1 + place));
}

fn body(scenario: &Scenario, actor: Actor, kthreads: Kthreads) -> Body {
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
            Box::new(move |sys| {
                wait_for_sigkill(&sys.signals[sys.tasks[t].signal]);
                do_exit(sys, &sys.tasks[t], &sys.mms[mm]);
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
        Actor::OomKill => Box::new(|sys| out_of_memory(sys, None)),
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
        Actor::ProcMem(mm) => Box::new(move |sys| proc_mem_read(sys, mm)),
        Actor::KillAndMrelease(t) => Box::new(move |sys| {
            send_sigkill(&sys.signals[sys.tasks[t].signal]);
            process_mrelease(sys, &sys.tasks[t]);
        }),
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

fn complete_aio(sys: &System, mm: usize) {
    let rmw = Rmw { shape: Shape::Conditional, apply: &|v| Effect::store(v.wrapping_sub(1)) };
    engine().rmw(sys.mms[mm].ioctx, Order::Release, &rmw, Site::here("aio_complete"));
}

/// `mem_read()` and `mem_release()` (fs/proc/base.c) of a file that was opened before.
fn proc_mem_read(sys: &System, mm: usize) {
    let mm = &sys.mms[mm];
    let got = if sys.kernel.keeps(Rule::R2) {
        mmget_not_zero(mm)
    } else {
        mmget(mm);
        true
    };
    if got {
        access_remote_vm(mm);
        mmput(sys, mm, None);
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
