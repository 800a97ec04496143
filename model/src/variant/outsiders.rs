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
