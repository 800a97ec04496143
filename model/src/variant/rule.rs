//! The rules that the model keeps, each a place where the kernel does one thing and could wrongly do
//! another. Taking a rule away makes a mutant, which some scenario must refute.

/// A rule: a variation point whose other side is known to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "described by RuleInfo")]
#[rustfmt::skip]
pub enum Rule {
    R1, R2, R2Error, R2Open, R2Put, R3Exec, R3Mask, R3Use, R4, R9, R10, R11, R12, R12Early, R13, R14, R15, R16, R17, R18, R18List, R19, R20, R20Scan, R21, R22, R22Madvise, R22Ptl, R23Set, R23Test, R24Release, R24Seq, R24Unlink, R25, R27, R28, R29Killable, R30Late, R30Lock, R30Set, R30Test, R33, R34, R35, R37, R38, R38Current, R38Disable, R38Memcg, R39, R40, R41, R42, R42Eintr, R43,
    R43Init, R43Leader, R44, R44Dying, R44Skip, R45, R45Adj, R45Leader, R48, R49Dump, R50, R51, R52, R53, R56, R57, R59, R60, R61, I7, M1, M2, O1, O2, O24,
    A1, A3Late, A3PerTask, A6, A8Charge, A8Early, A8Uncharge, A9,
    R3, R8, R29, R54, A2, A13,
}

/// What a rule says.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// The rule.
    pub rule: Rule,
    /// Name on the command line; numbers are those of the locking-rules reference.
    pub id: &'static str,
    /// What must be done.
    pub statement: &'static str,
    /// Function of the kernel that keeps it.
    pub place: &'static str,
    /// What the mutant does instead.
    pub without: &'static str,
}

macro_rules! rules {
    ($($rule:ident $id:literal, $statement:literal, $place:literal, $without:literal;)*) => {
        /// All rules, in the order of their names.
        pub const RULES: &[RuleInfo] = &[$(RuleInfo {
            rule: Rule::$rule, id: $id, statement: $statement, place: $place, without: $without,
        }),*];
    };
}

rules! {
    R1 "R1", "mmget() only while mm_users is proven to be at least 1: under task_lock() with ->mm set",
        "kernel/fork.c:get_task_mm()", "get_task_mm() reads ->mm without task_lock()";
    R2 "R2", "from an mm_count pin, mm_users is taken with mmget_not_zero()",
        "fs/proc/base.c:mem_rw()", "the reader calls mmget()";
    R2Error "R2-error", "who has taken mm_users gives it up on every path, those of errors too",
        "drivers/gpu/drm/amd/amdkfd/kfd_process.c:kfd_create_process()", "an error returns at once";
    R2Open "R2-open", "an open file owns an mm_count, and mm_users only while it is read",
        "fs/proc/base.c:mem_open()", "it owns an mm_users until it is closed";
    R2Put "R2-put", "where mmget_not_zero() fails, nothing is given up",
        "mm/oom_kill.c:oom_reap_task_mm()", "the reaper gives up what it did not get";
    R3Exec "R3-exec", "exec changes ->mm and ->active_mm with interrupts off",
        "fs/exec.c:exec_mmap()", "the scheduler may come between reading ->active_mm and changing it";
    R3Mask "R3-mask", "mm_users of 1 does not say that no other CPU uses the mm",
        "arch/sparc/kernel/smp_64.c:smp_flush_tlb_mm()", "other CPUs leave mm_cpumask() where it is 1";
    R3Use "R3-use", "a kthread changes ->active_mm and switches to the mm with interrupts off",
        "kernel/kthread.c:kthread_use_mm()", "an interrupt may come between the two";
    R4 "R4", "->mm is cleared before its mm_users reference is dropped",
        "kernel/exit.c:exit_mm()", "exit_mm() drops first and clears ->mm then";
    R9 "R9", "whoever may drop the last use holds no lock that the teardown takes",
        "mm/swapfile.c:try_to_unuse()", "swapoff gives up its use under mmlist_lock";
    R10 "R10", "all users together own one mm_count, dropped once, last",
        "mm/mm_reaper.c:mm_reaper()", "the reaper drops it a second time";
    R11 "R11", "scanners let go of the mm before exit_mmap()",
        "kernel/fork.c:__mmput()", "ksm_exit() and khugepaged_exit() come after it";
    R12 "R12", "an mm leaves mmlist before its struct is freed",
        "kernel/fork.c:__mmput()", "it stays there";
    R12Early "R12-early", "an mm leaves mmlist after exit_mmap()",
        "kernel/fork.c:__mmput()", "it leaves the list first";
    R13 "R13", "mm->async_put_work is queued for the struct only once no mm_count is left",
        "kernel/fork.c:mmdrop_async()", "the drop itself is left to the worker";
    R14 "R14", "a CPU that keeps the page tables of an mm owns an mm_count",
        "kernel/exit.c:exit_mm(), kernel/sched/core.c:finish_task_switch()", "it is not counted, and nobody stops the CPU";
    R15 "R15", "a CPU gives up its mm_count once it has loaded other page tables",
        "kernel/sched/core.c:finish_task_switch()", "it is given up before the switch";
    R16 "R16", "with PREEMPT_RT an RCU callback frees what the scheduler drops last",
        "include/linux/sched/mm.h:mmdrop_sched()", "finish_task_switch() calls __mmdrop()";
    R17 "R17", "a pin that may be dropped in softirq is dropped with mmdrop_async()",
        "kernel/fork.c:free_signal_struct()", "signal->oom_mm is dropped at once";
    R18 "R18", "the counters of an mm are summed before they are destroyed",
        "kernel/fork.c:__mmdrop()", "check_mm() comes after percpu_counter_destroy_many()";
    R18List "R18-list", "a counter leaves the hotplug list before its memory is freed",
        "lib/percpu_counter.c:percpu_counter_destroy_many()", "it stays on the list";
    R19 "R19", "mm_init() resets what dup_mm() has copied",
        "kernel/fork.c:mm_init()", "the parent's flags stay";
    R20 "R20", "a child that is given up half-way is MMF_UNSTABLE before its lock is dropped",
        "kernel/fork.c:dup_mmap()", "it looks like any other";
    R20Scan "R20-scan", "scanners are told of a child once it is whole",
        "kernel/fork.c:dup_mmap()", "KSM is told at the start";
    R21 "R21", "fork links a child under siglock, and looks there for a fatal signal",
        "kernel/fork.c:copy_process()", "it has looked before it takes the lock";
    R22 "R22", "page tables are freed under the mmap write lock",
        "mm/mmap.c:exit_mmap()", "exit_mmap() frees them under the read lock";
    R22Madvise "R22-madvise", "whoever changes VMAs of others looks under the write lock for a dump of them",
        "mm/madvise.c:do_madvise()", "a worker that has borrowed the mm does not look";
    R22Ptl "R22-ptl", "a PTE is read and cleared in one hold of its page-table lock",
        "mm/memory.c:unmap_page_range()", "it is read in one hold and cleared in the next";
    R23Set "R23-set", "MMF_OOM_SKIP is stored before the write-lock cycle that frees page tables",
        "mm/mmap.c:exit_mmap()", "it is stored after the write unlock";
    R23Test "R23-test", "MMF_OOM_SKIP is tested under the read lock that protects the walk",
        "mm/oom_kill.c:oom_reap_task_mm()", "it is tested before the lock is taken";
    R24Release "R24-release", "a notifier is told that the mm goes before it is unlinked",
        "mm/mmu_notifier.c:mn_hlist_release()", "it is unlinked and told then";
    R24Seq "R24-seq", "whoever waits for the end of an invalidation looks for it under the lock",
        "mm/mmu_notifier.c:mmu_interval_notifier_remove()", "it looks without the lock";
    R24Unlink "R24-unlink", "whoever unlinks a notifier looks under the lock whether it is linked",
        "mm/mmu_notifier.c:mmu_notifier_unregister()", "it has looked before";
    R25 "R25", "whoever registers a notifier owns a use",
        "mm/mmu_notifier.c:__mmu_notifier_register()", "he owns an mm_count only";
    R27 "R27", "a VMA leaves rmap before its page tables are freed",
        "mm/memory.c:free_pgtables()", "it leaves rmap once they are freed";
    R28 "R28", "a gather that is not alone flushes the TLB even if it has cleared nothing",
        "mm/mmu_gather.c:tlb_finish_mmu()", "it flushes what it has cleared itself";
    R29Killable "R29-killable", "process_mrelease() waits for the mmap lock only as long as its caller lives",
        "mm/oom_kill.c:process_mrelease()", "it waits like anybody else";
    R30Late "R30-late", "MMF_UNSTABLE is set before a PTE is zapped",
        "mm/oom_kill.c:__oom_reap_task_mm()", "it is set when everything is zapped";
    R30Lock "R30-lock", "a fault tests MMF_UNSTABLE under the page-table lock under which it maps a page",
        "mm/memory.c:do_anonymous_page()", "it tests before it takes the lock";
    R30Set "R30-set", "a reaper tells by MMF_UNSTABLE that private content may be gone",
        "mm/oom_kill.c:__oom_reap_task_mm()", "it tells nobody";
    R30Test "R30-test", "a fault tests MMF_UNSTABLE before it maps a new page",
        "mm/memory.c:do_anonymous_page()", "it maps one in any case";
    R33 "R33", "one reaper ticket an mm: test_and_set_bit(MMF_OOM_REAP_QUEUED)",
        "mm/oom_kill.c:queue_oom_reaper()", "a victim is queued whenever someone asks";
    R34 "R34", "the task is pinned before its reaper timer is armed",
        "mm/oom_kill.c:queue_oom_reaper()", "the reference is taken after add_timer()";
    R35 "R35", "MMF_OOM_SKIP is set even when the reaper gives up",
        "mm/oom_kill.c:oom_reap_task()", "it is set only after a successful reap";
    R37 "R37", "oom_reaper and mm_reaper are freezable",
        "mm/oom_kill.c:oom_reaper(), mm/mm_reaper.c:mm_reaper()", "the freezer does not wait for it";
    R38 "R38", "a victim is marked with its mm stable: under task_lock() with ->mm set",
        "mm/oom_kill.c:__oom_kill_process()", "mark_oom_victim() is called after task_unlock()";
    R38Current "R38-current", "a dying task that allocates is marked only while it has its mm",
        "mm/oom_kill.c:out_of_memory()", "a task that has left its mm is marked too";
    R38Disable "R38-disable", "oom_killer_disabled is set under oom_lock",
        "mm/oom_kill.c:oom_killer_disable()", "it is set without the lock";
    R38Memcg "R38-memcg", "the OOM killer of a cgroup takes oom_lock too",
        "mm/memcontrol.c:mem_cgroup_out_of_memory()", "it runs beside the global one";
    R39 "R39", "a victim's mark is published before it is thawed",
        "mm/oom_kill.c:mark_oom_victim()", "it is thawed first";
    R40 "R40", "a victim leaves oom_victims only after its mmput()",
        "kernel/exit.c:exit_mm()", "exit_oom_victim() comes before mmput()";
    R41 "R41", "SIGKILL is sent before the victim gets access to memory reserves",
        "mm/oom_kill.c:__oom_kill_process()", "mark_oom_victim() comes first";
    R42 "R42", "an mm that is used after task_unlock() is pinned by mmgrab() before",
        "mm/oom_kill.c:process_mrelease()", "process_mrelease() keeps a bare pointer";
    R42Eintr "R42-eintr", "what mmgrab() has pinned is dropped on every way out, -EINTR too",
        "mm/oom_kill.c:process_mrelease()", "-EINTR is returned at once";
    R43 "R43", "every sharer of the victim's mm is killed too",
        "mm/oom_kill.c:__oom_kill_process()", "only the victim's thread group is killed";
    R43Init "R43-init", "an mm that global init uses is not reaped",
        "mm/oom_kill.c:__oom_kill_process()", "it is reaped with init alive";
    R43Leader "R43-leader", "a sharer is known by any of its threads that has an mm",
        "mm/oom_kill.c:__oom_kill_process()", "only the leader's mm is looked at";
    R44 "R44", "nobody is chosen while a victim has not yet got MMF_OOM_SKIP",
        "mm/oom_kill.c:oom_evaluate_task()", "victims are passed over";
    R44Dying "R44-dying", "a task that is dying does not start an OOM kill in its cgroup",
        "mm/memcontrol.c:mem_cgroup_out_of_memory()", "whoever gets oom_lock kills";
    R44Skip "R44-skip", "nobody is chosen whose mm has MMF_OOM_SKIP",
        "mm/oom_kill.c:oom_badness()", "another user of the mm can be chosen";
    R45 "R45", "a vforked child is not chosen: its parent keeps the mm",
        "mm/oom_kill.c:oom_badness()", "it is a candidate like any other";
    R45Adj "R45-adj", "a task with OOM_SCORE_ADJ_MIN is not chosen",
        "mm/oom_kill.c:oom_badness()", "it is a candidate like any other";
    R45Leader "R45-leader", "a candidate is judged by any of its threads that has an mm",
        "mm/oom_kill.c:oom_badness()", "only the leader's mm is looked at";
    R48 "R48", "an exit that finds a scanner at work on the mm cycles through the write lock before it goes on",
        "mm/ksm.c:__ksm_exit(), mm/khugepaged.c:__khugepaged_exit()", "it goes on at once";
    R49Dump "R49-dump", "khugepaged looks under the write lock whether the mm is dumped",
        "mm/khugepaged.c:khugepaged_test_exit()", "it only looks for users";
    R50 "R50", "khugepaged hears of an mm, before that is pinned for it, from somebody who owns a use",
        "mm/khugepaged.c:__khugepaged_enter()", "from somebody who has given up his use and the mmap lock";
    R51 "R51", "once its cursor has left an mm, KSM gives up the mmap lock before the lock of its list",
        "mm/ksm.c:scan_get_next_rmap_item()", "it gives up the lock of its list first";
    R53 "R53", "a vforked child takes and completes ->vfork_done under its task_lock()",
        "kernel/fork.c:complete_vfork_done()", "it does so without the lock";
    R52 "R52", "exit hooks of scanners are called without the mmap lock",
        "kernel/fork.c:__mmput()", "they are called under the write lock";
    R56 "R56", "a full barrier stands before ->mm = NULL",
        "kernel/exit.c:exit_mm()", "there is none";
    R57 "R57", "whoever lends an mm to a kernel thread owns a use until that has done with it",
        "drivers/vfio/vfio_iommu_type1.c:vfio_iommu_type1_dma_rw_chunk()", "it is given up at once";
    R59 "R59", "the OOM killer compares the mm pointers of other tasks, and follows none",
        "mm/oom_kill.c:process_shares_mm()", "it looks whether the mm of another process has users";
    R60 "R60", "an mm in which exec has mapped something is given up by mmput()",
        "fs/exec.c:free_bprm()", "by mmdrop(), as one in which nothing is mapped";
    R61 "R61", "a fault that waits for a userfaultfd owns a reference on it",
        "fs/userfaultfd.c:handle_userfault()", "it owns none once it has let go of the lock";
    I7 "I7", "signal->oom_mm owns an mm_count",
        "mm/oom_kill.c:mark_oom_victim()", "it is a bare pointer";
    M1 "M1", "nobody waits for an OOM handler in user space inside a charge, where locks may be held",
        "mm/memcontrol-v1.c:memcg1_oom_prepare()", "the charge waits";
    M2 "M2", "who waits for an OOM handler in user space queues itself before it tells him",
        "mm/memcontrol-v1.c:mem_cgroup_oom_synchronize()", "it tells him first";
    O1 "O1", "the drop of mm_users is fully ordered",
        "include/linux/sched/mm.h:mmput()", "it is relaxed";
    O2 "O2", "the drop of mm_count is fully ordered",
        "include/linux/sched/mm.h:mmdrop()", "it is relaxed";
    O24 "O24", "a sleeper queues itself before it tests its condition",
        "mm/mm_reaper.c:mm_reaper()", "mm_reaper tests the list, then queues itself and sleeps";
    A1 "A1", "whether to defer is decided after mm_users has reached 0",
        "kernel/fork.c:mmput_exit()", "the flags are tested before the drop";
    A3Late "A3-late", "MMF_OOM_TARGETED is set under the victim's task_lock()",
        "mm/oom_kill.c:mark_oom_victim()", "it is set after task_unlock()";
    A3PerTask "A3-task", "MMF_OOM_TARGETED belongs to the mm, so that every sharer sees it",
        "mm/oom_kill.c:mark_oom_victim()", "it is a flag of the victim's task";
    A6 "A6", "after a thaw the reaper looks at its list again before it sleeps",
        "mm/mm_reaper.c:mm_reaper()", "it goes back to sleep at once";
    A8Charge "A8-charge", "the pending budget is checked and charged in one atomic step",
        "mm/mm_reaper.c:mm_try_charge()", "it is checked, then charged";
    A8Early "A8-early", "a queued mm is uncharged after its teardown",
        "mm/mm_reaper.c:mm_reaper()", "it is uncharged when it is taken off the queue";
    A8Uncharge "A8-uncharge", "what was charged is what is uncharged",
        "mm/mm_reaper.c:mm_reaper()", "the live RSS is uncharged";
    A9 "A9", "whoever queues an mm wakes the reaper",
        "mm/mm_reaper.c:queue_mm_reaper()", "it relies on the reaper being awake";
    R3 "R3", "->mm is changed under task_lock()",
        "kernel/exit.c:exit_mm()", "exit_mm() clears it without the lock";
    R8 "R8", "no mmput() under the mmap lock",
        "fs/proc/base.c:mem_rw()", "the reader drops its use before it lets go of the read lock";
    R29 "R29", "the reaper does not wait for the mmap lock",
        "mm/oom_kill.c:oom_reap_task_mm()", "it takes the read lock";
    R54 "R54", "user memory is used before ->mm is cleared",
        "kernel/fork.c:exit_mm_release()", "the robust futex list is walked after the mmput()";
    A2 "A2", "the queue owns the users' mm_count until the teardown is done",
        "mm/mm_reaper.c:mm_reaper()", "it is dropped before the teardown";
    A13 "A13", "an exit that may not queue tears down itself",
        "kernel/fork.c:mmput_exit()", "an mm that the budget does not admit is left alone";
}

impl Rule {
    /// What it says.
    pub fn info(self) -> &'static RuleInfo {
        RULES.iter().find(|r| r.rule == self).expect("every rule is listed")
    }

    /// The rule with this name, whatever the case of its letters.
    pub fn parse(id: &str) -> Option<Self> {
        RULES.iter().find(|r| r.id.eq_ignore_ascii_case(id)).map(|r| r.rule)
    }
}
