//! Where kernels differ in what others than tasks do with an address space: files, drivers, scanners.

use super::choice::{ChoiceInfo, Chosen, choices};

choices! {
    /// What a userfaultfd owns of the mm that it was made for.
    UffdPin = "userfaultfd" {
        Users "mm_users",
            "an mm_users as long as it is open",
            "86039bd3b4e6 (4.3)";
        Count "mm_count",
            "an mm_count; operations take mm_users with mmget_not_zero()",
            "d2005e3f41d4 (4.7)";
    }
}

choices! {
    /// What `UFFDIO_WRITEPROTECT` owns while it walks VMAs.
    UffdWriteProtect = "UFFDIO_WRITEPROTECT" {
        Count "mm_count",
            "the mm_count of the file, and the read lock",
            "63b2d4174c4a (5.7)";
        Users "mm_users",
            "mmget_not_zero(), as the other operations",
            "cb185d5f1ebf (5.15)";
    }
}

choices! {
    /// What a device owns of an mm that it is bound to.
    SvaPin = "SVA bond" {
        Nothing "nothing",
            "a bare pointer",
            "32784a9562fb (5.11)";
        Count "mm_count",
            "mmgrab() when it is bound, mmdrop() when it is unbound",
            "cbd23144f766 (5.19)";
    }
}

choices! {
    /// How the page fault of a device gives up its use, with the mutex held that the notifier takes.
    OdpPut = "put under umem_mutex" {
        Inline "mmput()",
            "the last one tears down under the mutex",
            "before 6.0";
        Async "mmput_async()",
            "a worker tears down",
            "85eaeb5058f0 (6.0)";
    }
}

choices! {
    /// Where amdkfd waits for its work item before it frees a process.
    SvmFlush = "flush of amdkfd's work" {
        NotifierRelease "in release()",
            "the notifier waits for it, within exit_mmap()",
            "before 5.18";
        WqRelease "in a worker",
            "who frees the process waits for it",
            "6225bb3a88d2 (5.18)";
    }
}

choices! {
    /// What KSM does first once it has the read lock of an mm.
    KsmScan = "KSM under the lock" {
        IterateFirst "walks",
            "goes to the first VMA and looks for users then",
            "a5f18ba07276 (6.1)";
        TestFirst "looks for users",
            "walks only if there are users",
            "6db504ce55bd (6.3)";
    }
}

choices! {
    /// What KSM gives up first once its cursor has left an mm.
    KsmUnlock = "KSM's unlock" {
        ListFirst "its list",
            "the lock of the list, then the read lock of the mm",
            "before 4.7";
        MmapFirst "the mm",
            "the read lock of the mm first: an exit that gets the lock of the list frees it",
            "7496fea9a4bf (4.7)";
    }
}

choices! {
    /// What KSM hears of the mm that exec makes.
    ExecKsm = "exec and KSM" {
        Untold "nothing",
            "KSM does not hear of it, whatever the process has asked for",
            "before 6.10";
        UnderLock "told",
            "ksm_execve(), and ksm_exit() if the stack cannot be mapped, both under the write lock",
            "3a9e567ca45f (6.10)";
    }
}

choices! {
    /// What keeps khugepaged, which finds an mm by rmap, from the page tables of an mm that goes.
    Retract = "page tables of a file" {
        NoTest "mmap write lock",
            "freed under the write lock, which exit_mmap() does not take",
            "f3f0e1d2150b (4.8)";
        TestExit "mmap write lock, users",
            "freed under the write lock if there are users",
            "18e77600f7a1 (5.9)";
        PageTableLock "page-table lock",
            "the entry is cleared and looked at under the page-table lock, and the table freed by RCU",
            "1d65b771bc08 (6.6)";
    }
}

choices! {
    /// What keeps those who change VMAs from a core dump.
    CoreDump = "core dump" {
        Unlocked "nothing",
            "VMAs are walked without a lock: the threads of the process are stopped",
            "before 5.1";
        StillValid "mmget_still_valid()",
            "the same, and others who take the write lock look whether the mm is dumped",
            "04f5866e41fb (5.1)";
        Snapshot "snapshot",
            "VMAs are copied under the mmap lock",
            "a07279c9a8cd (5.10)";
    }
}
