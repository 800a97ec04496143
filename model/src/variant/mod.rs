//! Which kernel is modelled: a choice at each variation point, and the rules it keeps.

mod choice;
mod kernels;
mod outsiders;
mod points;
mod rule;

pub use choice::{ChoiceInfo, Chosen};
pub use kernels::KERNELS;
pub use outsiders::{
    CoreDump, ExecKsm, KsmScan, KsmUnlock, OdpPut, Retract, SvaPin, SvmFlush, UffdPin, UffdWriteProtect,
};
pub use points::{
    ExitMmap, FaultAround, FinishFault, FrozenDelay, Gathers, GiveUp, Guarded, MemcgOom, MmCache, Mrelease,
    Munlock, NotifierMode, Queue, ReapedFaults, ReaperFlush, ReaperPin, Teardown, Thaw, UnkillableSharer,
    VforkDone, Vforked, Vmas, Walk, Walkers, WhileFrozen,
};
pub use rule::{RULES, Rule, RuleInfo};

/// What a kernel is here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The released kernel that everything else is measured by: explored by every engine.
    Current,
    /// A proposal, explored as thoroughly.
    Proposal,
    /// Another design of a proposal, kept for comparison.
    Alternative,
    /// A version or a small change that is looked at in the matrix only.
    Version,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Name on the command line.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// How `exit_mmap()` keeps reapers out.
    pub exit_mmap: ExitMmap,
    /// Which mms it does that for.
    pub guarded: Guarded,
    /// How VMAs are found.
    pub vmas: Vmas,
    /// Where mlocked pages are unlocked at exit.
    pub munlock: Munlock,
    /// What the OOM reaper owns.
    pub reaper_pin: ReaperPin,
    /// When it flushes TLBs.
    pub reaper_flush: ReaperFlush,
    /// What becomes of page faults after it.
    pub reaped_faults: ReapedFaults,
    /// Whether fault-around is among them.
    pub fault_around: FaultAround,
    /// When the fault that maps one page of a file tests.
    pub finish_fault: FinishFault,
    /// Whether TLB gathers know of each other.
    pub gathers: Gathers,
    /// How it gets on with mmu notifiers.
    pub notifiers: NotifierMode,
    /// What a dying task does whose cgroup is at its limit.
    pub memcg_oom: MemcgOom,
    /// Whether a vforked child may become a victim.
    pub vforked: Vforked,
    /// When such a child lets its parent go on.
    pub vfork_done: VforkDone,
    /// Whether a sharer with `OOM_SCORE_ADJ_MIN` is killed.
    pub unkillable_sharer: UnkillableSharer,
    /// What it does when it cannot reap.
    pub give_up: GiveUp,
    /// How victims come to it.
    pub queue: Queue,
    /// Which threads of a frozen victim are thawed.
    pub thaw: Thaw,
    /// Whether its reaping is delayed.
    pub frozen_delay: FrozenDelay,
    /// What `process_mrelease()` relies on.
    pub mrelease: Mrelease,
    /// The reapers' way through the VMAs.
    pub walk: Walk,
    /// What readers of `/proc/PID/mem` own.
    pub walkers: Walkers,
    /// What an mm is allocated from.
    pub mm_cache: MmCache,
    /// Who tears down on exit.
    pub teardown: Teardown,
    /// Exits during suspend.
    pub while_frozen: WhileFrozen,
    /// What a userfaultfd owns.
    pub uffd_pin: UffdPin,
    /// What its write-protection owns.
    pub uffd_writeprotect: UffdWriteProtect,
    /// What a bound device owns.
    pub sva_pin: SvaPin,
    /// How a device's page fault gives up its use.
    pub odp_put: OdpPut,
    /// Where amdkfd waits for its work item.
    pub svm_flush: SvmFlush,
    /// What a core dump relies on.
    pub core_dump: CoreDump,
    /// What KSM does first under the lock.
    pub ksm_scan: KsmScan,
    /// What it gives up first.
    pub ksm_unlock: KsmUnlock,
    /// What it hears of exec.
    pub exec_ksm: ExecKsm,
    /// What keeps khugepaged and an exit apart.
    pub retract: Retract,
    /// Tries of the OOM reaper for the mmap lock (the kernel's `MAX_OOM_REAP_RETRIES` is 10; two
    /// reach every path).
    pub reap_retries: usize,
    /// What it is here for.
    pub status: Status,
    removed: u128,
}

impl Kernel {
    /// The kernel of this name.
    pub fn named(name: &str) -> Option<Self> {
        KERNELS.iter().find(|k| k.name == name).copied()
    }

    /// The same kernel with `rule` broken.
    #[must_use]
    pub fn without(mut self, rule: Rule) -> Self {
        self.removed |= 1 << rule as u32;
        self
    }

    /// Whether it keeps `rule`.
    pub fn keeps(&self, rule: Rule) -> bool {
        self.removed >> rule as u32 & 1 == 0
    }

    /// Rules that it breaks.
    pub fn broken(&self) -> Vec<Rule> {
        RULES.iter().map(|r| r.rule).filter(|&r| !self.keeps(r)).collect()
    }

    /// Whether it has `mm_reaper`.
    pub fn is_async(&self) -> bool {
        self.teardown != Teardown::Inline
    }

    /// What it does at each variation point.
    pub fn choices(&self) -> [Chosen; 35] {
        [
            self.exit_mmap.chosen(),
            self.guarded.chosen(),
            self.vmas.chosen(),
            self.munlock.chosen(),
            self.reaper_pin.chosen(),
            self.reaper_flush.chosen(),
            self.reaped_faults.chosen(),
            self.fault_around.chosen(),
            self.finish_fault.chosen(),
            self.gathers.chosen(),
            self.notifiers.chosen(),
            self.memcg_oom.chosen(),
            self.vforked.chosen(),
            self.vfork_done.chosen(),
            self.unkillable_sharer.chosen(),
            self.give_up.chosen(),
            self.queue.chosen(),
            self.thaw.chosen(),
            self.frozen_delay.chosen(),
            self.mrelease.chosen(),
            self.walk.chosen(),
            self.walkers.chosen(),
            self.mm_cache.chosen(),
            self.teardown.chosen(),
            self.while_frozen.chosen(),
            self.uffd_pin.chosen(),
            self.uffd_writeprotect.chosen(),
            self.sva_pin.chosen(),
            self.odp_put.chosen(),
            self.svm_flush.chosen(),
            self.core_dump.chosen(),
            self.ksm_scan.chosen(),
            self.ksm_unlock.chosen(),
            self.exec_ksm.chosen(),
            self.retract.chosen(),
        ]
    }

    /// The points at which `other` chooses differently: the point, what this kernel does, what
    /// `other` does.
    pub fn differences(&self, other: &Self) -> Vec<(Chosen, Chosen)> {
        self.choices().into_iter().zip(other.choices()).filter(|(a, b)| a != b).collect()
    }
}
