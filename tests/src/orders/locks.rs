//! Barriers, SRCU, and locks of scenarios that are too large for the survey.

use super::{ANY, Place, V6_12};
use mmspec_model::k::engine::Order;

pub(super) const PLACES: &[Place] = &[
    Place {
        op: "smp_mb",
        word: "",
        function: "exit_mm",
        kernel: Order::Full,
        at: "kernel/exit.c:exit_mm()",
        rule: "R56",
        subjects: &[("exit_vs_membarrier", V6_12)],
        lkmm: "a barrier (g2); of weaker ones no test",
        ..ANY
    },
    Place {
        op: "smp_mb",
        word: "",
        function: "membarrier_private_expedited",
        kernel: Order::Full,
        at: "kernel/sched/membarrier.c:membarrier_private_expedited()",
        rule: "R56",
        subjects: &[("exit_vs_membarrier", V6_12)],
        lkmm: "a barrier (g1, g2); of weaker ones no test",
        ..ANY
    },
    Place {
        op: "smp_mb",
        word: "",
        function: "smp_flush_tlb_mm",
        kernel: Order::Full,
        at: "arch/sparc/kernel/smp_64.c:smp_flush_tlb_mm()",
        rule: "R3",
        subjects: &[("munmap_vs_kthread_use_mm", V6_12)],
        lkmm: "store buffering: full (g1)",
        ..ANY
    },
    Place {
        op: "cmpxchg",
        word: "mm_cpumask(mm0)",
        function: "switch_mm_irqs_off",
        kernel: Order::Full,
        at: "arch/x86/mm/tlb.c:switch_mm_irqs_off()",
        rule: "R3",
        subjects: &[("munmap_vs_kthread_use_mm", V6_12)],
        lkmm: "store buffering: full (g1)",
        ..ANY
    },
    Place {
        op: "srcu_read_unlock",
        word: "srcu",
        function: "mmu_notifier_invalidate_range_start",
        kernel: Order::Full,
        at: "mm/mmu_notifier.c:mn_hlist_invalidate_range_start()",
        rule: "R24",
        subjects: &[("reclaim_vs_notifier_release", V6_12)],
        lkmm: "no test: SRCU as a count of readers",
        ..ANY
    },
    Place {
        op: "synchronize_srcu",
        word: "srcu",
        function: "mn_hlist_release",
        kernel: Order::Full,
        at: "mm/mmu_notifier.c:mn_hlist_release()",
        rule: "R24",
        subjects: &[("reclaim_vs_notifier_release", V6_12)],
        lkmm: "no test: SRCU as a count of readers",
        ..ANY
    },
    Place {
        op: "mmap_read_trylock",
        word: "mmap_lock",
        function: "oom_reap_task_mm",
        kernel: Order::Acquire,
        at: "mm/oom_kill.c:oom_reap_task_mm()",
        rule: "R29",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock (b1); without it b4",
        ..ANY
    },
    Place {
        op: "mmap_read_unlock",
        word: "mmap_lock",
        function: "oom_reap_task_mm",
        kernel: Order::Release,
        at: "mm/oom_kill.c:oom_reap_task_mm()",
        rule: "R23",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock (b1); without it b4",
        ..ANY
    },
    Place {
        op: "spin_lock",
        word: "oom_reaper_lock",
        kernel: Order::Acquire,
        at: "mm/oom_kill.c:oom_reaper()",
        rule: "I7",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock, or release and acquire (d1)",
        ..ANY
    },
    Place {
        op: "spin_unlock",
        word: "oom_reaper_lock",
        function: "wake_oom_reaper",
        kernel: Order::Release,
        at: "mm/oom_kill.c:wake_oom_reaper()",
        rule: "I7",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock, or release and acquire (d1)",
        ..ANY
    },
    Place {
        op: "spin_lock",
        word: "alloc_lock",
        function: "oom_kill_process",
        kernel: Order::Acquire,
        at: "mm/oom_kill.c:oom_kill_process()",
        rule: "R38",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock (c1); without it c2, c3",
        ..ANY
    },
    Place {
        op: "spin_unlock",
        word: "alloc_lock",
        function: "__oom_kill_process",
        kernel: Order::Release,
        at: "mm/oom_kill.c:__oom_kill_process()",
        rule: "R38",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock (c1); without it c2, c3",
        ..ANY
    },
    Place {
        op: "spin_unlock",
        word: "alloc_lock",
        function: "oom_badness",
        kernel: Order::Release,
        at: "mm/oom_kill.c:oom_badness()",
        rule: "R3",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "a lock (c1); without it c2, c3",
        ..ANY
    },
];
