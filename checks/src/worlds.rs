//! Random worlds: what meets what, beyond what somebody has thought of.
//!
//! A world is drawn as a loose draft and then made well-formed: each task has one actor that makes
//! it exit, nobody waits for a kill that may never come, all I/O completes. So whatever proptest
//! leaves out while it shrinks, a well-formed world is left.

use crate::scenario::{Actor, Scenario};
use mmspec_model::variant::Kernel;
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::RangeInclusive;

/// Most tasks that may get to the OOM reaper: `oom_reaper_list` has four bits an entry.
const REAPABLE_TASKS: usize = 15;

/// Worlds small enough to be exhausted: up to 4 actors, and up to 6 threads with those of the kernel.
pub fn small() -> impl Strategy<Value = Scenario> {
    let size = Size { mms: 1..=2, groups: 1..=3, crew: 1..=2, others: 0..=3, actors: 4, threads: 6 };
    worlds(size)
}

/// Worlds to be sampled: 8 to 32 threads, up to 15 mms.
///
/// 32 threads fill the bits of a wait queue and of an rwsem's queue; 15 mms those of `llist`.
pub fn large() -> impl Strategy<Value = Scenario> {
    let size = Size { mms: 1..=15, groups: 7..=16, crew: 1..=2, others: 0..=9, actors: 32, threads: 32 };
    worlds(size)
}

/// Bounds of a world.
struct Size {
    mms: RangeInclusive<usize>,
    groups: RangeInclusive<usize>,
    /// Threads of a group.
    crew: RangeInclusive<usize>,
    /// Actors that are no tasks of the world.
    others: RangeInclusive<usize>,
    actors: usize,
    /// Threads on the kernel that has the most.
    threads: usize,
}

/// How a task comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Exits,
    ExitsWithGroup,
    RunsUntilKilled,
    Allocates,
}

/// A thread group.
#[derive(Clone, Debug)]
struct Group {
    mm: usize,
    killable: bool,
    threads: Vec<End>,
}

/// A world as drawn. Indices are taken modulo what there is.
#[derive(Clone, Debug)]
struct Draft {
    /// Pages, and whether there is I/O in flight.
    mms: Vec<(u64, bool)>,
    groups: Vec<Group>,
    others: Vec<Actor>,
    limits: (u64, u64),
}

/// Some index, to be taken modulo.
fn index() -> impl Strategy<Value = usize> {
    0usize..60
}

fn group(crew: RangeInclusive<usize>) -> impl Strategy<Value = Group> {
    let end = prop_oneof![
        6 => Just(End::Exits),
        4 => Just(End::RunsUntilKilled),
        1 => Just(End::ExitsWithGroup),
        1 => Just(End::Allocates),
    ];
    let crew = prop_oneof![2 => vec(end.clone(), 1), 1 => vec(end, crew)];
    (index(), any::<bool>(), crew).prop_map(|(mm, killable, threads)| Group { mm, killable, threads })
}

fn other() -> impl Strategy<Value = Actor> {
    prop_oneof![
        5 => Just(Actor::OomKill),
        1 => index().prop_map(Actor::AllocateUnderMmapLock),
        2 => index().prop_map(Actor::GetTaskMm),
        1 => index().prop_map(Actor::GetTaskMmAsync),
        1 => index().prop_map(Actor::ProcMem),
        2 => index().prop_map(Actor::KillAndMrelease),
        1 => Just(Actor::Toggle),
        1 => (0u64..8).prop_map(Actor::LowerCap),
        1 => Just(Actor::Suspend),
        1 => Just(Actor::OomDisable),
    ]
}

fn worlds(size: Size) -> impl Strategy<Value = Scenario> {
    let Size { mms, groups, crew, others, actors, threads } = size;
    // Around the threshold and the cap: below, at, above.
    let mm = (0u64..=4, prop::bool::weighted(0.2));
    let limits = (0u64..=3, 0u64..=8);
    (vec(mm, mms), vec(group(crew), groups), vec(other(), others), limits)
        .prop_map(|(mms, groups, others, limits)| Draft { mms, groups, others, limits })
        .prop_map(move |draft| draft.world(actors, threads))
}

impl Draft {
    /// The world, with so many actors and threads at most.
    fn world(mut self, actors: usize, threads: usize) -> Scenario {
        let kernel = Kernel::named("rfc-async-teardown").expect("a kernel with all threads");
        loop {
            self.make_well_formed();
            let world = self.build();
            if world.actors.len() <= actors && world.threads(&kernel) <= threads {
                return world;
            }
            if self.others.len() > self.groups.len() || self.groups.len() == 1 && !self.others.is_empty() {
                self.others.pop();
            } else if self.groups.len() > 1 {
                self.groups.pop();
            } else {
                self.groups[0].threads.pop();
            }
        }
    }

    /// What later tasks do must not get them to the OOM reaper. Only one actor suspends or disables the
    /// OOM killer (`system_transition_mutex`), and the latter does nothing where there is none.
    fn make_well_formed(&mut self) {
        let mut tasks = 0;
        for group in &mut self.groups {
            tasks += group.threads.len();
            if tasks > REAPABLE_TASKS {
                group.killable = false;
                group.threads.iter_mut().filter(|e| **e == End::Allocates).for_each(|e| *e = End::Exits);
            }
        }
        let has_oom = self.oom_actors() > 0;
        let mut suspended = false;
        self.others.retain(|actor| match actor {
            Actor::OomDisable if !has_oom => false,
            Actor::Suspend | Actor::OomDisable => !std::mem::replace(&mut suspended, true),
            _ => true,
        });
    }

    /// Number of tasks.
    fn tasks(&self) -> usize {
        self.groups.iter().map(|g| g.threads.len()).sum()
    }

    /// The group that task number `task` (modulo what there is) belongs to.
    fn group_of(&self, task: usize) -> usize {
        let groups =
            self.groups.iter().enumerate().flat_map(|(g, group)| group.threads.iter().map(move |_| g));
        groups.cycle().nth(task % self.tasks()).expect("a world has tasks")
    }

    /// Times that the OOM killer runs.
    fn oom_actors(&self) -> usize {
        let allocating =
            self.groups.iter().flat_map(|g| &g.threads).filter(|e| **e == End::Allocates).count();
        let fails = |a: &&Actor| matches!(a, Actor::OomKill | Actor::AllocateUnderMmapLock(_));
        allocating + self.others.iter().filter(fails).count()
    }

    /// Whether somebody kills each group, whatever happens.
    fn killed(&self) -> Vec<bool> {
        let mut killed = vec![false; self.groups.len()];
        for actor in &self.others {
            if let Actor::KillAndMrelease(task) = actor {
                killed[self.group_of(*task)] = true;
            }
        }
        if let Some(first) = self.surely_chosen(&killed) {
            let shared = self.mm_of(first);
            for (g, killed) in killed.iter_mut().enumerate() {
                *killed |= self.mm_of(g) == shared;
            }
        }
        killed
    }

    /// The group that the OOM killer chooses and kills, with all who share its mm, whatever happens:
    /// the first candidate, if it stays until then without being about to die, and if nobody makes
    /// himself the victim before or disables the OOM killer.
    fn surely_chosen(&self, killed: &[bool]) -> Option<usize> {
        let freezes = self.others.iter().any(|a| matches!(a, Actor::Suspend | Actor::OomDisable));
        let allocates = self.groups.iter().any(|g| g.threads.contains(&End::Allocates));
        if freezes || allocates || self.oom_actors() == 0 {
            return None;
        }
        let first = self.groups.iter().position(|g| g.killable)?;
        let threads = &self.groups[first].threads;
        let stays = threads.contains(&End::RunsUntilKilled) && !threads.contains(&End::ExitsWithGroup);
        (stays && !killed[first]).then_some(first)
    }

    fn mm_of(&self, group: usize) -> usize {
        self.groups[group].mm % self.mms.len()
    }

    fn build(&self) -> Scenario {
        // An address space without users would never be torn down.
        let used: Vec<usize> =
            (0..self.mms.len()).filter(|&mm| (0..self.groups.len()).any(|g| self.mm_of(g) == mm)).collect();
        let mut world = Scenario::new("world", "made by chance").limits(self.limits.0, self.limits.1);
        for &mm in &used {
            let (pages, aio) = self.mms[mm];
            world = if aio { world.mm_with_aio(pages) } else { world.mm(pages) };
        }
        let (killed, tasks) = (self.killed(), self.tasks());
        for (g, group) in self.groups.iter().enumerate() {
            let first = world.tasks.len();
            let mm = used.iter().position(|&mm| mm == self.mm_of(g)).expect("it is used");
            world = if group.killable { world.victim(mm) } else { world.task(mm) };
            for (task, end) in (first..).zip(&group.threads) {
                world = if task > first { world.thread() } else { world };
                world = world.actor(match end {
                    End::RunsUntilKilled if killed[g] => Actor::ExitWhenKilled(task),
                    End::Allocates => Actor::AllocateAndExit(task),
                    End::ExitsWithGroup => Actor::ExitGroup(task),
                    _ => Actor::Exit(task),
                });
            }
        }
        for actor in &self.others {
            world = world.actor(match *actor {
                Actor::AllocateUnderMmapLock(task) => Actor::AllocateUnderMmapLock(task % tasks),
                Actor::GetTaskMm(task) => Actor::GetTaskMm(task % tasks),
                Actor::GetTaskMmAsync(task) => Actor::GetTaskMmAsync(task % tasks),
                Actor::KillAndMrelease(task) => Actor::KillAndMrelease(task % tasks),
                Actor::ProcMem(mm) => Actor::ProcMem(mm % used.len()),
                actor => actor,
            });
        }
        let in_flight: Vec<usize> = (0..world.mms.len()).filter(|&mm| world.mms[mm].aio > 0).collect();
        in_flight.into_iter().fold(world, |world, mm| world.actor(Actor::CompleteAio(mm)))
    }
}
