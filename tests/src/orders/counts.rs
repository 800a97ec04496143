//! Counters and flags.

use super::{ANY, Place, RFC, V6_12};
use mmspec_model::k::engine::Order;

pub(super) const PLACES: &[Place] = &[
    Place {
        op: "atomic_dec_and_test",
        word: "mm_users",
        kernel: Order::Full,
        at: "kernel/fork.c:mmput()",
        rule: "O1",
        subjects: &[("two_sharers_exit", V6_12), ("exit_vs_proc_mem", V6_12), ("two_sharers_exit", RFC)],
        lkmm: "release by all, acquire by the last (a1 to a4); acquire alone if a lock orders the others (c4)",
        ..ANY
    },
    Place {
        op: "atomic_dec_and_test",
        word: "mm_users",
        function: "mmput_async",
        kernel: Order::Full,
        at: "kernel/fork.c:mmput_async()",
        rule: "O1",
        subjects: &[("exit_vs_mmput_async", V6_12), ("exit_vs_mmput_async", RFC)],
        lkmm: "release by all, acquire by the last (a1 to a4)",
        ..ANY
    },
    Place {
        op: "atomic_dec_and_test",
        word: "mm_count",
        kernel: Order::Full,
        at: "include/linux/sched/mm.h:mmdrop()",
        rule: "O2",
        subjects: &[("exit_vs_proc_mem", V6_12), ("sharers_vs_two_readers", V6_12)],
        lkmm: "release by all, acquire by the last (a1 to a5)",
        ..ANY
    },
    Place {
        op: "atomic_inc_not_zero",
        word: "mm_users",
        kernel: Order::Full,
        at: "include/linux/sched/mm.h:mmget_not_zero()",
        rule: "R2",
        subjects: &[("exit_vs_proc_mem", V6_12), ("exit_vs_proc_mem", RFC)],
        lkmm: "relaxed: the drop orders (f2)",
        ..ANY
    },
    Place {
        op: "cmpxchg",
        word: "oom_mm",
        kernel: Order::Full,
        at: "mm/oom_kill.c:mark_oom_victim()",
        rule: "O8",
        subjects: &[("exit_vs_reaper", V6_12)],
        lkmm: "no test; by analysis release",
        ..ANY
    },
    Place {
        op: "test_and_set_bit",
        arg: "MMF_OOM_REAP_QUEUED",
        word: "flags",
        kernel: Order::Full,
        at: "mm/oom_kill.c:queue_oom_reaper()",
        rule: "O7",
        subjects: &[("victim_allocates", V6_12), ("exit_vs_reaper", V6_12)],
        lkmm: "no test; by analysis relaxed",
        ..ANY
    },
    Place {
        op: "test_and_set_bit",
        arg: "TIF_MEMDIE",
        word: "flags",
        kernel: Order::Full,
        at: "mm/oom_kill.c:mark_oom_victim()",
        rule: "O9",
        subjects: &[("exit_vs_reaper", V6_12), ("frozen_victim", V6_12)],
        lkmm: "no test; by analysis relaxed, under freezer_lock",
        ..ANY
    },
    Place {
        op: "atomic_dec_return",
        word: "oom_victims",
        kernel: Order::Full,
        at: "mm/oom_kill.c:exit_oom_victim()",
        rule: "O11",
        subjects: &[("victim_vs_oom_disable", V6_12)],
        lkmm: "for the wake-up relaxed, because wake_up() takes a lock (h2); release for what suspend relies on",
        ..ANY
    },
    Place {
        op: "atomic_long_add_return",
        word: "mm_pending",
        kernel: Order::Full,
        at: "mm/mm_reaper.c:mm_try_charge()",
        rule: "A8",
        subjects: &[("backpressure", RFC), ("exit_to_mm_reaper", RFC)],
        lkmm: "relaxed (i2)",
        ..ANY
    },
    Place {
        op: "refcount_dec_and_test",
        word: "usage",
        function: "put_task_struct",
        kernel: Order::Release,
        at: "include/linux/sched/task.h:put_task_struct()",
        rule: "",
        subjects: &[("exit_vs_get_task_mm", V6_12), ("exit_vs_mrelease", V6_12)],
        lkmm: "release by all, acquire by the last (a1 to a4)",
        ..ANY
    },
    Place {
        op: "refcount_dec_and_test",
        word: "",
        function: "put_task_struct",
        kernel: Order::Acquire,
        at: "include/linux/sched/task.h:put_task_struct()",
        rule: "",
        subjects: &[("exit_vs_get_task_mm", V6_12)],
        lkmm: "release by all, acquire by the last (a4 with rmb)",
        ..ANY
    },
    Place {
        op: "refcount_dec_and_test",
        word: "sigcnt",
        function: "put_signal_struct",
        kernel: Order::Release,
        at: "kernel/fork.c:put_signal_struct()",
        rule: "",
        subjects: &[("two_threads_discard", V6_12)],
        lkmm: "release by all, acquire by the last (a1 to a4)",
        ..ANY
    },
    Place {
        op: "refcount_dec_and_test",
        word: "",
        function: "put_signal_struct",
        kernel: Order::Acquire,
        at: "kernel/fork.c:put_signal_struct()",
        rule: "",
        subjects: &[("two_threads_discard", V6_12)],
        lkmm: "release by all, acquire by the last (a4 with rmb)",
        ..ANY
    },
];
