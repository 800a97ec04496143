//! Queues, work, and whoever sleeps until there is some.

use super::{ANY, Place, RFC, V6_12};
use mmspec_model::k::engine::Order;

pub(super) const PLACES: &[Place] = &[
    Place {
        op: "prepare_to_wait",
        word: "oom_reaper_wait",
        kernel: Order::Full,
        at: "mm/oom_kill.c:oom_reaper()",
        rule: "O24",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "full without the queue's lock (h1), relaxed with it (h2)",
        ..ANY
    },
    Place {
        op: "prepare_to_wait",
        word: "mm_reaper_wait",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_reaper()",
        rule: "O24",
        subjects: &[("exit_to_mm_reaper", RFC)],
        lkmm: "full without the queue's lock (h1), relaxed with it (h2)",
        ..ANY
    },
    Place {
        op: "wake_up",
        word: "mm_reaper_wait",
        kernel: Order::AcqRel,
        at: "mm/mm_reaper.c:queue_mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC)],
        lkmm: "the queue's lock (h2); relaxed loses the wake-up (h1)",
        ..ANY
    },
    Place {
        op: "llist_add",
        word: "mm_reaper_list",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:queue_mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC), ("backpressure", RFC)],
        lkmm: "release (d1); full only if the waker looks whether anybody sleeps (h3)",
        ..ANY
    },
    Place {
        op: "llist_del_all",
        word: "mm_reaper_list",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_reaper()",
        rule: "A9",
        subjects: &[("exit_to_mm_reaper", RFC), ("backpressure", RFC)],
        lkmm: "relaxed, by address dependency (d2); acquire if the entry is no pointer (d1)",
        ..ANY
    },
    Place {
        op: "schedule_work",
        word: "async_put_work",
        function: "mmput_async",
        kernel: Order::Full,
        at: "kernel/fork.c:mmput_async()",
        rule: "",
        subjects: &[("exit_vs_mmput_async", V6_12)],
        lkmm: "release (d1)",
        ..ANY
    },
    Place {
        op: "prepare_to_wait",
        word: "memcg_oom_waitq",
        function: "mem_cgroup_oom_synchronize",
        kernel: Order::Full,
        at: "mm/memcontrol-v1.c:mem_cgroup_oom_synchronize()",
        rule: "M2",
        subjects: &[("memcg_oom_in_user_space", V6_12)],
        lkmm: "full without the queue's lock (h1), relaxed with it (h2)",
        ..ANY
    },
    Place {
        op: "eventfd_signal",
        word: "memcg.oom_notify",
        function: "mem_cgroup_oom_synchronize",
        kernel: Order::Release,
        at: "fs/eventfd.c:eventfd_signal_mask()",
        rule: "M2",
        subjects: &[("memcg_oom_in_user_space", V6_12)],
        lkmm: "release (d1)",
        ..ANY
    },
    Place {
        op: "wake_up",
        word: "memcg_oom_waitq",
        function: "exit_mmap",
        kernel: Order::AcqRel,
        at: "mm/memcontrol-v1.c:memcg_oom_recover()",
        rule: "M2",
        subjects: &[("memcg_oom_in_user_space", V6_12)],
        lkmm: "the queue's lock (h2)",
        ..ANY
    },
    Place {
        op: "wake_up",
        word: "oom_reaper_wait",
        function: "wake_oom_reaper",
        kernel: Order::AcqRel,
        at: "mm/oom_kill.c:wake_oom_reaper()",
        rule: "O24",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "the queue's lock (h2); relaxed loses the wake-up (h1)",
        ..ANY
    },
];
