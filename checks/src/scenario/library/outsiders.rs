//! Files and drivers that hold an mm from outside.

use crate::scenario::Actor::{
    CloseUserfaultfd, Exit, FaultAndExit, FaultInDevice, HoldProcMem, HoldUserfaultfd, OpenDeviceAndExit,
    UnbindDevice, WorkOnRanges, WriteProtect,
};
use crate::scenario::Scenario;

/// Small ones first.
pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("device_opened_during_reset", "a task opens a GPU while that is reset, and exits")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(OpenDeviceAndExit(0))
            .reaches("the GPU is being reset"),
        Scenario::new(
            "proc_mem_held_for_memory",
            "whoever holds /proc/PID/mem open needs the memory of the process",
        )
        .inline_only()
        .mm(3)
        .task(0)
        .actor(Exit(0))
        .actor(HoldProcMem(0))
        .reaches("an open file is closed only once there is memory"),
        Scenario::new(
            "userfaultfd_held_for_memory",
            "whoever holds a userfaultfd of a process needs the memory of the process",
        )
        .inline_only()
        .mm(3)
        .task(0)
        .actor(Exit(0))
        .actor(HoldUserfaultfd(0))
        .reaches("an open file is closed only once there is memory"),
        Scenario::new("userfault_vs_close", "a fault waits for a userfaultfd that is closed")
            .inline_only()
            .mm(1)
            .task(0)
            .actor(FaultAndExit(0))
            .actor(CloseUserfaultfd(0))
            .reaches("a fault waits for the userfaultfd")
            .reaches("a fault finds its userfaultfd released")
            .reaches("a fault comes after its userfaultfd"),
        Scenario::new("writeprotect_vs_exit", "UFFDIO_WRITEPROTECT on an mm whose last user exits")
            .inline_only()
            .mm(3)
            .task(0)
            .actor(Exit(0))
            .actor(WriteProtect(0))
            .reaches("UFFDIO_WRITEPROTECT walks the VMAs")
            .reaches("UFFDIO_WRITEPROTECT returns -ESRCH"),
        Scenario::new(
            "device_unbound_after_exit",
            "a device shares an mm and lets go of it after the last user",
        )
        .inline_only()
        .mm(1)
        .task(0)
        .actor(Exit(0))
        .actor(UnbindDevice(0))
        .reaches("a device lets go of the mm"),
        Scenario::new("device_fault_vs_exit", "the page fault of a device may drop the mm last")
            .inline_only()
            .mirrored_mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(FaultInDevice(0))
            .reaches("a device's page fault is handled")
            .reaches("a device's page fault finds no users"),
        Scenario::new("device_work_drops_last", "the work item of a GPU may drop the mm last")
            .inline_only()
            .mirrored_mm(1)
            .task(0)
            .actor(Exit(0))
            .actor(WorkOnRanges(0))
            .reaches("a process of the GPU is freed"),
    ]
}
