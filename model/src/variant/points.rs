//! Where kernels differ, as far as the model goes. A commit is named by its first 12 digits.

use super::choice::{ChoiceInfo, Chosen, choices};

choices! {
    /// How `exit_mmap()` keeps a reaper out of what it frees.
    ExitMmap = "exit_mmap() locking" {
        NoLock "none",
            "no lock: whoever reaps owns an mm_users, so exit_mmap() does not run; MMF_OOM_SKIP comes after it",
            "aac453635549 (4.6)";
        Cycle "flag, empty cycle",
            "unmap, set MMF_OOM_SKIP, then write-lock and unlock once if the mm is a victim's, then free",
            "212925802454 (4.14)";
        ReapThenCycle "reap, flag, empty cycle",
            "a victim's mm is reaped by exit_mmap() itself, flagged and cycled through the write lock before munlock",
            "27ae357fa82b (4.17)";
        ReapThenWrite "reap, flag, write lock",
            "the same, then everything from munlock on runs under the write lock",
            "64591e8605d6 (5.17)";
        ReadFlagWrite "read lock, flag, write lock",
            "unmap under the read lock, set MMF_OOM_SKIP, free under the write lock, for every mm",
            "bf3980c85212 (6.0)";
        Write "write lock",
            "unmap, flag and free in one section of the write lock",
            "proposed on linux-mm, May 2026";
    }
}

choices! {
    /// Which mms `exit_mmap()` guards against a reaper.
    Guarded = "guarded mms" {
        VictimTask "of a victim that runs exit_mmap()",
            "whether the task that tears down is an OOM victim",
            "212925802454 (4.14)";
        VictimMm "of a victim",
            "whether an OOM victim was ever marked on the mm (MMF_OOM_VICTIM)",
            "4837fe37adff (4.15)";
        All "all",
            "any mm",
            "bf3980c85212, b3541d912a84 (6.0)";
    }
}

choices! {
    /// How an address space finds its VMAs.
    Vmas = "VMAs" {
        List "list",
            "mm->mmap heads a list; exit_mmap() leaves it pointing to the first VMA that it has freed",
            "before 6.1";
        ListReset "list, reset",
            "a list whose head exit_mmap() sets to NULL under the write lock",
            "f798a1d4f94d (5.17)";
        Tree "maple tree",
            "a tree that exit_mmap() destroys under the write lock",
            "763ecb035029 (6.1)";
    }
}

choices! {
    /// Where the pages of mlocked VMAs are unlocked at exit.
    Munlock = "munlock at exit" {
        BeforeUnmap "its own walk",
            "exit_mmap() clears VM_LOCKED and walks the PTEs of a VMA before it unmaps anything",
            "before 5.18";
        AtZap "with the zap",
            "whoever clears a PTE unlocks its page",
            "a213e5cf71cb (5.18)";
    }
}

choices! {
    /// What the OOM reaper owns while it reaps.
    ReaperPin = "reaper pins" {
        Users "mm_users, mmput()",
            "mmget_not_zero(), and an mmput() that may tear down in the reaper",
            "aac453635549 (4.6)";
        UsersAsync "mm_users, mmput_async()",
            "mmget_not_zero(); a worker tears down if the reaper's use was the last one",
            "ec8d7c14ea14 (4.7)";
        Task "the task",
            "nothing of the mm: signal->oom_mm keeps the struct, the lock protocol the rest",
            "212925802454 (4.14)";
    }
}

choices! {
    /// When the reaper flushes TLBs, whose entries running threads of the victim may still use.
    ReaperFlush = "TLB flush of the reaper" {
        Never "none",
            "one gather for the whole mm, which is taken for one that nobody runs on",
            "aac453635549 (4.6)";
        PerVma "before pages are freed",
            "a gather for each VMA: TLBs are flushed before its pages are freed",
            "687cb0884a71 (4.15)";
    }
}

choices! {
    /// What becomes of a page fault where a reaper has been: the page that it would map is empty.
    ReapedFaults = "faults on reaped memory" {
        Untested "map a page",
            "like any other; there is no MMF_UNSTABLE",
            "before 4.9";
        KernelThreads "fail in kernel threads",
            "handle_mm_fault() tests MMF_UNSTABLE at its end, if a kernel thread has borrowed the mm",
            "3f70dc38cec2 (4.9)";
        All "fail",
            "whoever faults tests MMF_UNSTABLE under the page-table lock, before a page is mapped",
            "6b31d5955cb2 (4.13)";
    }
}

choices! {
    /// Whether fault-around tests it, which maps pages of a file that are in the page cache.
    FaultAround = "fault-around on reaped memory" {
        Untested "maps pages",
            "do_fault_around() maps what the file holds before finish_fault() tests MMF_UNSTABLE",
            "every released kernel";
        Tested "maps none",
            "filemap_map_pages() tests MMF_UNSTABLE under the page-table lock",
            "proposal of this model";
    }
}

choices! {
    /// When the fault that maps one page of a file tests it.
    FinishFault = "finish_fault() on reaped memory" {
        BeforeLock "tests early",
            "finish_fault() tests MMF_UNSTABLE before it takes the page-table lock",
            "6b31d5955cb2 (4.13)";
        UnderLock "tests under the lock",
            "finish_fault() tests MMF_UNSTABLE under the page-table lock",
            "proposal of this model";
    }
}

choices! {
    /// Whether a TLB gather knows of others on the same mm.
    Gathers = "TLB gathers side by side" {
        Alone "each for itself",
            "who finds a PTE clear does not flush, even if another gather has cleared it and not flushed yet",
            "before 4.13";
        Counted "counted",
            "mm->tlb_flush_pending counts gathers, and one that is not alone flushes everything",
            "99baac21e458 (4.13)";
    }
}

choices! {
    /// How the reaper gets on with mmu notifiers.
    NotifierMode = "mmu notifiers of a victim" {
        Blocking "called",
            "callbacks may wait for whatever the driver holds",
            "before 4.14";
        Avoided "avoided",
            "an mm with notifiers is not reaped, and MMF_OOM_SKIP is set",
            "4d4bbd8526a8 (4.14)";
        NonBlocking "called without waiting",
            "a callback that would have to wait refuses, and the reaper comes again",
            "93065ac753e4 (4.19)";
    }
}

choices! {
    /// Whether a child that uses its parent's mm until it calls `exec()` may become a victim.
    Vforked = "vforked children" {
        Candidates "candidates",
            "like any other task; whoever cannot be killed keeps the mm",
            "before 4.8";
        PassedOver "passed over",
            "not chosen while the parent waits for them",
            "b18dc5f291c0 (4.8)";
    }
}

choices! {
    /// What a dying task does whose cgroup is at its limit.
    MemcgOom = "memcg OOM of dying tasks" {
        BeforeLock "tested before oom_lock",
            "charged beyond the limit, unless it gets SIGKILL while it waits for oom_lock: then it kills",
            "before 5.1";
        UnderLock "tested again under oom_lock",
            "the same, but under oom_lock it looks again whether it is dying, and whether there is room",
            "7775face2079 (5.1), 1378b37d03e8 (5.9)";
        FailsDying "fails",
            "the charge fails once oom_lock was taken, or the mm reaped",
            "a4ebf1b6ca1e (5.16)";
    }
}

choices! {
    /// When a vforked child that exits lets its parent go on.
    VforkDone = "end of a vfork" {
        BeforeDetach "before ->mm is cleared",
            "complete_vfork_done() is the last step of mm_release(): for a while the child still uses the mm",
            "every released kernel";
        AfterDetach "once ->mm is cleared",
            "complete_vfork_done() comes after the child has left the mm",
            "proposal of this model";
    }
}

choices! {
    /// What becomes of a process with `OOM_SCORE_ADJ_MIN` that shares the victim's mm.
    UnkillableSharer = "sharers with OOM_SCORE_ADJ_MIN" {
        Spared "spared",
            "not killed, and the mm is not reaped",
            "before 4.8";
        Killed "killed",
            "killed like any other sharer",
            "97fd49c2355f (4.8)";
    }
}

choices! {
    /// What becomes of a victim whose mm could not be reaped.
    GiveUp = "when reaping fails" {
        Leave "the victim stays",
            "the OOM killer waits for the victim until it has exited",
            "before 4.7";
        Flag "MMF_OOM_SKIP",
            "the OOM killer may choose another victim",
            "since 4.7";
    }
}

choices! {
    /// How a victim comes to the OOM reaper.
    Queue = "reaper queue" {
        ListOnce "at once, unless linked",
            "put on the list at once, unless it is the head or has a successor",
            "9bcdeb51bd7d removed it (5.0)";
        Ticket "at once, one ticket",
            "put on the list at once, if it gets the MMF_OOM_REAP_QUEUED of its mm",
            "9bcdeb51bd7d (5.0)";
        TicketTimer "after 2 s, one ticket",
            "with the ticket a timer is armed, which puts it on the list",
            "e4a38402c36e (5.18)";
    }
}

choices! {
    /// Which threads of a frozen victim are thawed, and how a thread knows that it may run.
    Thaw = "thawing a victim" {
        OneThread "the marked thread",
            "only the thread that was marked is woken, and only TIF_MEMDIE exempts a thread",
            "before 6.18";
        Process "the process",
            "all threads are woken, and signal->oom_mm exempts them",
            "59d4d36158ba (6.18)";
    }
}

choices! {
    /// How long the reaper waits for a victim that is frozen.
    FrozenDelay = "delay for a frozen victim" {
        Same "as for others",
            "as long as for any other victim",
            "every released kernel";
        None "none",
            "a victim that is still frozen is put on the reaper's list at once",
            "zhongjinji, v6, 29 August 2025";
    }
}

choices! {
    /// What `process_mrelease()` relies on.
    Mrelease = "process_mrelease()" {
        Absent "absent",
            "there is no such system call",
            "before 5.15";
        CountPin "mm_count, read lock",
            "pins the struct and walks under the read lock, whatever exit_mmap() does",
            "884a7e5964e0 (5.15-rc1)";
        UsersPin "mm_users",
            "mmget_not_zero(), and an mmput() that may tear down in the caller",
            "337546e83fc7 (5.15)";
        UnderLock "mm_count, MMF_OOM_SKIP under the read lock",
            "pins the struct and tests MMF_OOM_SKIP under the lock that protects the walk",
            "ba535c1caf3e (5.17)";
    }
}

choices! {
    /// In which order a reaper visits VMAs; `exit_mmap()` goes upwards.
    Walk = "reaper walk" {
        Ascending "ascending",
            "from the lowest address, as exit_mmap() does",
            "before 6.18";
        Descending "descending",
            "from the highest address, to meet exit_mmap() once",
            "zhongjinji, 9 September 2025 (6.18)";
    }
}

choices! {
    /// What a reader of `/proc/PID/mem` owns while it walks.
    Walkers = "/proc walkers" {
        Users "mm_users",
            "mmget_not_zero() for each read",
            "6d08f2c71397 (3.3)";
        Count "mm_count",
            "the file's mm_count and the read lock; the walk may meet an mm without users",
            "proposed on linux-mm, May 2026";
    }
}

choices! {
    /// What `mm_init()` acquires for a `struct mm_struct`, and what its error labels give back.
    MmCache = "mm_struct allocation" {
        AtomicRss "counters in the struct",
            "counters are ordinary words: the arch context is the last thing that can fail",
            "before 6.2";
        PercpuLeaky "per-CPU, context leaked",
            "per-CPU memory is allocated after the context, whose label was not there yet",
            "f1a7941243c1 (6.2)";
        Percpu "per-CPU",
            "per-CPU memory is allocated for each mm, and everything is undone in reverse order",
            "b20b0368c614 (6.4)";
        CtorAsPosted "constructor, as posted",
            "a constructor allocates it once an object; the label of a failed charge frees it, and the context stays",
            "Harry Yoo, RFC 7/7, 24 April 2025";
        CtorCorrected "constructor",
            "a constructor allocates it once an object; a failed charge destroys the context and nothing else",
            "the same, corrected here";
    }
}

impl MmCache {
    /// Whether objects are constructed when their slab page is made.
    pub fn has_ctor(self) -> bool {
        matches!(self, Self::CtorAsPosted | Self::CtorCorrected)
    }
}

choices! {
    /// Who tears down an address space whose last user is an exiting task.
    Teardown = "teardown at exit" {
        Inline "inline",
            "the exiting task itself",
            "every released kernel";
        Async "mm_reaper",
            "mm_reaper, if the mm is worth it; uprobe_clear_state() to khugepaged_exit() stay with the task",
            "RFC asynchronous mm teardown, 7/7";
        AsyncAll "mm_reaper, hooks too",
            "mm_reaper, all of __mmput() included",
            "alternative reading of the RFC";
    }
}

choices! {
    /// What an exit does while `mm_reaper` is frozen.
    WhileFrozen = "exits during suspend" {
        Queue "queue",
            "queue; the backlog waits for the thaw with its budget charged",
            "decision of this model";
        Inline "inline",
            "tear down inline",
            "alternative";
    }
}
