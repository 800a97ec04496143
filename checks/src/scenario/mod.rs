//! Scenarios: small closed worlds, named for what meets what.

mod actor;
mod bodies;
mod build;
mod judge;
pub mod library;
mod print;

pub use actor::Actor;
use mmspec_model::system::SysctlInit;
use serde::{Deserialize, Serialize};

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mm {
    /// VMAs.
    pub vmas: usize,
    /// Pages mapped by each.
    pub pages: u64,
    /// Whether they are mlocked.
    pub mlocked: bool,
    /// Whether a CPU that runs the mm may cache them.
    pub cached: bool,
    /// Whether a driver mirrors the mm.
    pub mirrored: bool,
    /// Whether it is told who waits for its page-table locks.
    pub page_table_locks: bool,
    /// Asynchronous I/O in flight.
    pub aio: u64,
    /// Whether it maps a file privately; pages that are there were written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_file: bool,
}

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Index of its mm; two tasks with one mm share it by `CLONE_VM`.
    pub mm: usize,
    /// Index of its thread group.
    pub group: usize,
    /// Whether the OOM killer may choose it.
    pub killable: bool,
    /// Whether it is global init, which is never killed.
    pub init: bool,
    /// Whether its cgroup is frozen, and it with it.
    pub frozen: bool,
    /// Whether it owns a robust futex.
    pub robust: bool,
    /// Whether its `oom_score_adj` is `OOM_SCORE_ADJ_MIN`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub oom_score_adj_min: bool,
    /// Whether it is in the memory cgroup.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memcg: bool,
    /// The task that has made it by `vfork()` and waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vforked_by: Option<usize>,
}

impl Task {
    /// A task that nothing is known of but its mm and its thread group.
    fn new(mm: usize, group: usize) -> Self {
        Self {
            mm,
            group,
            killable: false,
            init: false,
            frozen: false,
            robust: false,
            oom_score_adj_min: false,
            memcg: false,
            vforked_by: None,
        }
    }
}

/// The memory cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memcg {
    /// `memory.max` in pages.
    pub max: u64,
    /// Whether OOM is left to a handler in user space.
    pub oom_kill_disable: bool,
}

/// Settings of the RFC, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sysctl {
    /// `vm.async_mm_teardown`.
    pub on: bool,
    /// `vm.async_mm_teardown_thresh_pages`.
    pub thresh_pages: u64,
    /// `vm.async_mm_teardown_max_pending_pages`.
    pub max_pending_pages: u64,
}

impl Mm {
    /// One VMA of so many pages, and nothing special.
    const fn of_pages(pages: u64) -> Self {
        Self {
            vmas: 1,
            pages,
            mlocked: false,
            cached: false,
            mirrored: false,
            page_table_locks: false,
            aio: 0,
            private_file: false,
        }
    }
}

impl From<Sysctl> for SysctlInit {
    fn from(s: Sysctl) -> Self {
        Self { on: s.on, thresh_pages: s.thresh_pages, max_pending_pages: s.max_pending_pages }
    }
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Name.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Objects of the slab cache that `mm_struct`s are allocated from, if somebody forks.
    pub mm_slots: usize,
    /// Address spaces.
    pub mms: Vec<Mm>,
    /// Tasks.
    pub tasks: Vec<Task>,
    /// The memory cgroup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memcg: Option<Memcg>,
    /// Whether the kernel has `CONFIG_PREEMPT_RT`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preempt_rt: bool,
    /// Who acts.
    pub actors: Vec<Actor>,
    /// Settings of the RFC.
    pub sysctl: Sysctl,
    /// Whether it says something only about kernels with `mm_reaper`.
    pub async_only: bool,
    /// Whether it is left to kernels without `mm_reaper`, because another thread makes it too large.
    pub inline_only: bool,
    /// Steps that a run must reach on every kernel; else it is vacuous.
    pub goals: Vec<String>,
    /// Further ones on kernels with `mm_reaper`.
    pub async_goals: Vec<String>,
    /// Whether kills made while memory waits in the queue are told apart.
    pub watch_needless_kills: bool,
}

impl Scenario {
    /// A scenario without anybody in it.
    pub fn new(name: &str, about: &str) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            mm_slots: 0,
            mms: Vec::new(),
            tasks: Vec::new(),
            memcg: None,
            preempt_rt: false,
            actors: Vec::new(),
            sysctl: Sysctl { on: true, thresh_pages: 2, max_pending_pages: 8 },
            async_only: false,
            inline_only: false,
            goals: Vec::new(),
            async_goals: Vec::new(),
            watch_needless_kills: false,
        }
    }

    /// `mm_struct`s are allocated from a cache of so many objects.
    #[must_use]
    pub fn mm_slots(mut self, slots: usize) -> Self {
        self.mm_slots = slots;
        self
    }

    /// Add an mm of so many pages.
    #[must_use]
    pub fn mm(mut self, pages: u64) -> Self {
        self.mms.push(Mm::of_pages(pages));
        self
    }

    /// Add an mm of so many VMAs of so many pages each.
    #[must_use]
    pub fn mm_of_vmas(mut self, vmas: usize, pages: u64) -> Self {
        self.mms.push(Mm { vmas, ..Mm::of_pages(pages) });
        self
    }

    /// Add an mm of so many mlocked pages.
    #[must_use]
    pub fn mlocked_mm(mut self, pages: u64) -> Self {
        self.mms.push(Mm { mlocked: true, ..Mm::of_pages(pages) });
        self
    }

    /// Add an mm of so many pages, which the CPU of a running thread may cache.
    #[must_use]
    pub fn cached_mm(mut self, pages: u64) -> Self {
        self.mms.push(Mm { cached: true, ..Mm::of_pages(pages) });
        self
    }

    /// Add an mm of so many pages, which a driver mirrors.
    #[must_use]
    pub fn mirrored_mm(mut self, pages: u64) -> Self {
        self.mms.push(Mm { mirrored: true, ..Mm::of_pages(pages) });
        self
    }

    /// Add an mm of so many pages with one asynchronous I/O in flight.
    #[must_use]
    pub fn mm_with_aio(mut self, pages: u64) -> Self {
        self.mms.push(Mm { aio: 1, ..Mm::of_pages(pages) });
        self
    }

    /// Add an mm of so many pages that were written to in a private mapping of a file.
    #[must_use]
    pub fn mm_of_file(mut self, pages: u64) -> Self {
        self.mms.push(Mm { private_file: true, ..Mm::of_pages(pages) });
        self
    }

    /// It is told who waits for a page-table lock of the last mm.
    #[must_use]
    pub fn page_table_locks(mut self) -> Self {
        self.mms.last_mut().expect("an mm has them").page_table_locks = true;
        self
    }

    /// Add a task on `mm`, alone in its thread group.
    #[must_use]
    pub fn task(mut self, mm: usize) -> Self {
        let group = self.tasks.iter().map(|t| t.group + 1).max().unwrap_or(0);
        self.tasks.push(Task::new(mm, group));
        self
    }

    /// Add a task that the OOM killer may choose.
    #[must_use]
    pub fn victim(mut self, mm: usize) -> Self {
        self = self.task(mm);
        self.tasks.last_mut().expect("just added").killable = true;
        self
    }

    /// Add a thread to the group of the last task.
    #[must_use]
    pub fn thread(mut self) -> Self {
        let last = *self.tasks.last().expect("a thread belongs to the task before");
        self.tasks.push(Task { robust: false, ..last });
        self
    }

    /// The last task is global init.
    #[must_use]
    pub fn init(mut self) -> Self {
        self.tasks.last_mut().expect("a task is init").init = true;
        self
    }

    /// The last task is frozen.
    #[must_use]
    pub fn frozen(mut self) -> Self {
        self.tasks.last_mut().expect("a task is frozen").frozen = true;
        self
    }

    /// The last task owns a robust futex.
    #[must_use]
    pub fn robust(mut self) -> Self {
        self.tasks.last_mut().expect("a task owns it").robust = true;
        self
    }

    /// The last task must not be chosen by the OOM killer.
    #[must_use]
    pub fn oom_score_adj_min(mut self) -> Self {
        self.tasks.last_mut().expect("a task has it").oom_score_adj_min = true;
        self
    }

    /// The kernel has `CONFIG_PREEMPT_RT`.
    #[must_use]
    pub fn preempt_rt(mut self) -> Self {
        self.preempt_rt = true;
        self
    }

    /// There is a memory cgroup with a limit of so many pages.
    #[must_use]
    pub fn memcg(mut self, max: u64) -> Self {
        self.memcg = Some(Memcg { max, oom_kill_disable: false });
        self
    }

    /// There is one, and its OOM is left to a handler in user space.
    #[must_use]
    pub fn memcg_with_handler(mut self, max: u64) -> Self {
        self.memcg = Some(Memcg { max, oom_kill_disable: true });
        self
    }

    /// The last task is in the memory cgroup.
    #[must_use]
    pub fn in_memcg(mut self) -> Self {
        self.tasks.last_mut().expect("a task is in it").memcg = true;
        self
    }

    /// The last task is a child of that one, which waits for it and uses the same mm.
    #[must_use]
    pub fn vforked_by(mut self, parent: usize) -> Self {
        self.tasks.last_mut().expect("a task is vforked").vforked_by = Some(parent);
        self
    }

    /// Add somebody who acts.
    #[must_use]
    pub fn actor(mut self, actor: Actor) -> Self {
        self.actors.push(actor);
        self
    }

    /// Set the RFC's threshold and cap.
    #[must_use]
    pub fn limits(mut self, thresh_pages: u64, max_pending_pages: u64) -> Self {
        (self.sysctl.thresh_pages, self.sysctl.max_pending_pages) = (thresh_pages, max_pending_pages);
        self
    }

    /// Meaningful only with `mm_reaper`.
    #[must_use]
    pub fn async_only(mut self) -> Self {
        self.async_only = true;
        self
    }

    /// Left to kernels without `mm_reaper`.
    #[must_use]
    pub fn inline_only(mut self) -> Self {
        self.inline_only = true;
        self
    }

    /// A step that must be reached.
    #[must_use]
    pub fn reaches(mut self, goal: &str) -> Self {
        self.goals.push(goal.into());
        self
    }

    /// A step that must be reached with `mm_reaper`.
    #[must_use]
    pub fn reaches_async(mut self, goal: &str) -> Self {
        self.async_goals.push(goal.into());
        self
    }

    /// Tell kills apart that are made while memory waits in the queue.
    #[must_use]
    pub fn watching_needless_kills(mut self) -> Self {
        self.watch_needless_kills = true;
        self
    }

    /// Whether the OOM killer runs.
    pub fn has_oom(&self) -> bool {
        self.actors.iter().any(Actor::runs_oom_killer)
    }
}
