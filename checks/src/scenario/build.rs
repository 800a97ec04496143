//! From a scenario to a program: the machine, a thread for each actor, the kernel's own threads.

use super::bodies::{Body, body};
use super::{Actor, Scenario, judge};
use mmspec_model::drivers::kfd::kfd_process_wq_release;
use mmspec_model::include::mm_types::MmInit;
use mmspec_model::include::sched_mm::__mmdrop_delayed;
use mmspec_model::k::preempt_rt::rcu_do_batch;
use mmspec_model::k::program::{Program, Setup, Thread};
use mmspec_model::k::wait::MAX_SLEEPERS;
use mmspec_model::k::work::{process_one_work, run_timer_softirq};
use mmspec_model::kernel::fork::kworker;
use mmspec_model::mm::memcontrol::MemCgroupInit;
use mmspec_model::mm::mm_reaper::mm_reaper;
use mmspec_model::mm::mm_slot::SlotsInit;
use mmspec_model::mm::oom_kill::reaper::{oom_reaper, wake_oom_reaper};
use mmspec_model::system::{Features, System, TaskInit};
use mmspec_model::variant::{Kernel, OdpPut, Queue, ReaperPin, Rule, SvaPin, UffdPin, Vmas};
use std::rc::Rc;
use std::sync::Arc;

/// Kernel threads of a program, by thread index.
#[derive(Clone, Copy, Default)]
pub(super) struct Kthreads {
    pub(super) oom_reaper: Option<usize>,
    pub(super) mm_reaper: Option<usize>,
}

/// What somebody owns of an mm from the start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// An `mm_users`.
    User,
    /// An `mm_count`.
    Struct,
}

/// What `actor`, who is no task, owns from the start, and of which mm.
fn holds(actor: &Actor, kernel: &Kernel) -> Option<(Hold, usize)> {
    let user_if = |user: bool| if user { Hold::User } else { Hold::Struct };
    match *actor {
        Actor::ProcMem(mm)
        | Actor::FaultByProcMem(mm)
        | Actor::AllocateInDriver(mm)
        | Actor::WorkInDriver(mm)
        | Actor::KillServer(mm)
        | Actor::FaultInDevice(mm)
        | Actor::RegisterNotifier(mm)
        | Actor::UnregisterNotifier(mm)
        | Actor::RemoveInterval(mm)
        | Actor::RegisterUserfaultfd(mm)
        | Actor::MadviseFromWorker(mm)
        | Actor::CollapseHuge(mm)
        | Actor::UseMm(mm) => Some((Hold::Struct, mm)),
        Actor::ExecOnBorrowedMm => Some((Hold::Struct, 0)),
        Actor::HoldUserfaultfd(mm) | Actor::WriteProtect(mm) | Actor::CloseUserfaultfd(mm) => {
            Some((user_if(kernel.uffd_pin == UffdPin::Users), mm))
        }
        Actor::UnbindDevice(mm) if kernel.sva_pin == SvaPin::Count => Some((Hold::Struct, mm)),
        Actor::WorkOnRanges(mm)
        | Actor::ForkFailsHalfway(mm)
        | Actor::ActOnPage(mm)
        | Actor::ExecFails(mm) => Some((Hold::User, mm)),
        _ => None,
    }
}

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
            if kernel.queue == Queue::TicketTimer {
                threads.push(("timer softirq".into(), Box::new(softirq)));
            }
            threads.push(("oom_reaper".into(), Box::new(oom_reaper)));
        }
        if kernel.is_async() {
            threads.push(("mm_reaper".into(), Box::new(mm_reaper)));
        }
        for mm in 0..self.mms.len() {
            let uses = |a: &Actor| match *a {
                Actor::GetTaskMmAsync(t) => self.tasks[t].mm == mm,
                Actor::AllocatePgd => self.has_oom(),
                Actor::FaultInDevice(of) => of == mm && kernel.odp_put == OdpPut::Async,
                _ => false,
            };
            let by_reaper = self.has_oom() && kernel.reaper_pin == ReaperPin::UsersAsync;
            if by_reaper || self.actors.iter().any(uses) {
                threads.push(("kworker".into(), Box::new(move |sys| kworker(sys, &sys.mms[mm]))));
            }
        }
        let lazy = |a: &Actor| if let Actor::ExitOnCpu(t) = a { Some(self.tasks[*t].mm) } else { None };
        for mm in self.actors.iter().filter_map(lazy).filter(|_| self.preempt_rt) {
            let callback = move |sys: &System| {
                let Some(rt) = &sys.preempt_rt else { return };
                rcu_do_batch(rt.delayed_drop[mm], || __mmdrop_delayed(sys, &sys.mms[mm]));
            };
            threads.push(("RCU callback".into(), Box::new(callback)));
        }
        let works_on_ranges = |a: &Actor| if let Actor::WorkOnRanges(mm) = a { Some(*mm) } else { None };
        for mm in self.actors.iter().filter_map(works_on_ranges) {
            let worker = move |sys: &System| {
                if let Some(svms) = sys.mms[mm].notifier.as_ref().and_then(|notifier| notifier.svms.as_ref())
                {
                    process_one_work(svms.release_work, || kfd_process_wq_release(sys, svms));
                }
            };
            threads.push(("kfd worker".into(), Box::new(worker)));
        }
        threads
    }

    fn boot(&self, kernel: Kernel) -> System {
        let count = |f: &dyn Fn(&Actor) -> bool| self.actors.iter().filter(|a| f(a)).count() as u64;
        let forked = count(&|a| matches!(a, Actor::ForkFailsHalfway(_) | Actor::ExecFails(_))) > 0;
        let ksm = count(&|a| matches!(a, Actor::UnmergeKsm | Actor::ScanKsm));
        let collapses = count(&|a| *a == Actor::CollapseFile) > 0;
        let mms: Vec<MmInit> = (0..self.mms.len())
            .map(|i| MmInit {
                users: (0..self.tasks.len()).filter(|&t| self.tasks[t].mm == i && !self.forked(t)).count()
                    as u64
                    + count(&|a| holds(a, &kernel) == Some((Hold::User, i))),
                pins: count(&|a| holds(a, &kernel) == Some((Hold::Struct, i)))
                    + u64::from(ksm > 0 && !forked && i == 0),
                vmas: self.mms[i].vmas,
                pages: self.mms[i].pages,
                mlocked: self.mms[i].mlocked,
                cached: self.mms[i].cached,
                mirrored: self.mms[i].mirrored,
                counts_gathers: count(&|a| matches!(a, Actor::DiscardAndExit(t) if self.tasks[*t].mm == i))
                    > 0,
                page_table_locks: self.mms[i].page_table_locks,
                faults: count(&|a| self.faults_on(a) == Some(i)) > 0,
                private_file: self.mms[i].private_file,
                subscribed: count(&|a| *a == Actor::UnregisterNotifier(i) || *a == Actor::GuestReads(i)) > 0,
                registered: self.actors.contains(&Actor::RegisterNotifier(i)),
                guest: count(&|a| *a == Actor::GuestReads(i)) > 0,
                interval: count(&|a| *a == Actor::RemoveInterval(i)) > 0,
                stale: count(&|a| *a == Actor::UseMm(i)) > 0,
                svm: count(&|a| *a == Actor::WorkOnRanges(i)) > 0,
                bonds: count(&|a| *a == Actor::UnbindDevice(i)),
                list: kernel.vmas != Vmas::Tree,
                memcg: self.charged(i),
                aio: self.mms[i].aio,
                mmdrop_async: self.has_oom()
                    && count(&|a| match a {
                        Actor::GetTaskMmAsync(t) => self.tasks[*t].mm == i,
                        _ => *a == Actor::AllocatePgd,
                    }) > 0,
                uffd: self.actors.contains(&Actor::CloseUserfaultfd(i)),
                dumped: count(&|a| matches!(a, Actor::DumpAndExit(t) if self.tasks[*t].mm == i)) > 0,
                walked: self.preempt_rt
                    || count(&|a| matches!(a, Actor::ExitOnCpu(t) if self.tasks[*t].mm == i)) > 0,
                file: i == 0 && collapses,
                trylocked: self.has_oom() || collapses || self.actors.contains(&Actor::ScanHuge),
            })
            .collect();
        // The OOM killer and process_mrelease() scan all tasks in RCU read sections; others hold one task.
        let kills: u64 = self.actors.iter().map(Actor::oom_kills).sum();
        let scans = kills + count(&Actor::mreleases);
        let tasks: Vec<TaskInit> = (0..self.tasks.len())
            .map(|i| TaskInit {
                mm: self.tasks[i].mm,
                group: self.tasks[i].group,
                pins: scans
                    + count(&|a| match a {
                        Actor::GetTaskMm(t)
                        | Actor::GetTaskMmAsync(t)
                        | Actor::AllocateUnderMmapLock(t)
                        | Actor::HoldProcMem(t)
                        | Actor::MembarrierAndExit(_, t)
                        | Actor::Kill(t) => *t == i,
                        Actor::VforkAndExit(parent) => self.tasks[i].vforked_by == Some(*parent),
                        Actor::OomHandler(reads, kills) => *reads == i || *kills == i,
                        _ => false,
                    }),
                killable: self.tasks[i].killable,
                init: self.tasks[i].init,
                stays: self.tasks[i].init || !self.actors.iter().any(|a| a.task_that_ends() == Some(i)),
                unless_killed: self.actors.contains(&Actor::StayUnlessKilled(i)) || self.forked(i),
                forked: self.forked(i),
                oom_score_adj_min: self.tasks[i].oom_score_adj_min,
                memcg: self.tasks[i].memcg,
                vforked_by: self.tasks[i].vforked_by,
                awaited: self.tasks[i]
                    .vforked_by
                    .is_some_and(|t| self.actors.contains(&Actor::VforkAndExit(t))),
                frozen: self.tasks[i].frozen,
                robust: self.tasks[i].robust,
                on_cpu: self.actors.contains(&Actor::ExitOnCpu(i)),
            })
            .collect();
        let groups = self.tasks.iter().map(|t| t.group).max().unwrap_or(0);
        let mrelease = count(&Actor::mreleases) > 0;
        let by_rmap =
            |a: &Actor| matches!(a, Actor::ReclaimPage | Actor::CollapseFile | Actor::RegisterUprobe);
        let membarrier = count(&|a| matches!(a, Actor::MembarrierAndExit(..))) > 0;
        let features = Features {
            oom: self.has_oom(),
            lockless_mm: groups > 0 && (self.has_oom() || mrelease)
                || !kernel.keeps(Rule::R1)
                || !kernel.keeps(Rule::R3)
                || !kernel.keeps(Rule::R38)
                || membarrier,
            freezer: count(&|a| matches!(a, Actor::Suspend | Actor::OomDisable)) > 0,
            aio: self.mms.iter().any(|mm| mm.aio > 0),
            pgd_lock: count(&|a| *a == Actor::AllocatePgd) > 0,
            two_kills: self.killable_mms() > 1 && kills > 1,
            mm_slots: self.mm_slots,
            forks: count(&|a| matches!(a, Actor::Fork | Actor::ForkFails)) as usize,
            membarrier,
            rmap: (count(&by_rmap) > 0).then_some(!forked),
            swapoff: count(&|a| *a == Actor::Swapoff) > 0,
            ksm: (ksm > 0)
                .then(|| SlotsInit { listed: !forked, comes_back: self.actors.contains(&Actor::ScanKsm) }),
            khugepaged: self
                .actors
                .contains(&Actor::ScanHuge)
                .then_some(SlotsInit { listed: false, comes_back: true }),
            cpu: self.actors.iter().find_map(|a| match a {
                Actor::ExecOnBorrowedMm | Actor::ExitOnCpu(_) => Some(true),
                Actor::UseMm(_) => Some(false),
                _ => None,
            }),
            needs_memory: count(&|a| matches!(a, Actor::HoldProcMem(_) | Actor::HoldUserfaultfd(_))) > 0,
            memcg: self.memcg.map(|memcg| MemCgroupInit {
                usage: (0..self.mms.len()).filter(|&i| self.charged(i)).map(|i| self.pages(i)).sum(),
                max: memcg.max,
                oom_kill_disable: memcg.oom_kill_disable,
            }),
            preempt_rt: self.preempt_rt,
            vfork: self
                .actors
                .iter()
                .find_map(|a| if let Actor::VforkAndExit(t) = a { Some(*t) } else { None }),
            kills_mrelease: count(&|a| matches!(a, Actor::KillServer(_))) > 0,
            needless_kills: self.watch_needless_kills,
            stuck_allocator: count(&|a| {
                matches!(
                    a,
                    Actor::AllocateUnderMmapLock(_)
                        | Actor::AllocateInDriver(_)
                        | Actor::OomKillTwice(_)
                        | Actor::CompleteAioAfter(..)
                )
            }) > 0,
        };
        System::new(kernel, &mms, &tasks, self.sysctl.into(), features)
    }

    /// The mm in which `actor` takes page faults, if it matters.
    fn faults_on(&self, actor: &Actor) -> Option<usize> {
        match *actor {
            Actor::WritePage(t) | Actor::FillPage(t) | Actor::PassPageOn(t) => Some(self.tasks[t].mm),
            Actor::ActOnPage(mm) => Some(mm),
            _ => None,
        }
    }

    /// Whether the task is forked by another one.
    fn forked(&self, task: usize) -> bool {
        self.actors.contains(&Actor::BornUnlessKilled(task))
    }

    /// Whether the pages of an mm are charged to the memory cgroup.
    fn charged(&self, mm: usize) -> bool {
        self.tasks.iter().any(|t| t.mm == mm && t.memcg)
    }

    fn pages(&self, mm: usize) -> u64 {
        self.mms[mm].pages * self.mms[mm].vmas as u64
    }

    /// Address spaces that the OOM killer may choose.
    fn killable_mms(&self) -> usize {
        let killable = |mm: &usize| self.tasks.iter().any(|t| t.mm == *mm && t.killable);
        (0..self.mms.len()).filter(killable).count()
    }

    fn set_up(&self, kernel: Kernel) -> Program {
        let sys = Rc::new(self.boot(kernel));
        let kthreads = self.kthreads(&kernel);
        // Kernel threads sleep on queues; tasks that only exit do not, and may have any number.
        let kthreads_first = self.actors.len() + kthreads.len() > MAX_SLEEPERS;
        let before_kthreads = if kthreads_first { 0 } else { self.actors.len() };
        let position = |name: &str| kthreads.iter().position(|(n, _)| n == name).map(|i| before_kthreads + i);
        let known = Kthreads { oom_reaper: position("oom_reaper"), mm_reaper: position("mm_reaper") };
        let actors = self.actors.iter().map(|&actor| (actor.label(), body(self, actor, known)));
        let thread = |(name, body): (String, Body)| {
            let sys = sys.clone();
            Thread { name, body: Rc::new(move || body(&sys)) }
        };
        let mut threads: Vec<Thread> = actors.chain(kthreads).map(thread).collect();
        if kthreads_first {
            threads.rotate_left(self.actors.len());
        }
        let names: Vec<String> = threads.iter().map(|t| t.name.clone()).collect();
        let judged = sys.clone();
        Program { threads, judge: Rc::new(move || judge::judge(&judged, &names)) }
    }
}
