//! Traces made by hand, in the terms of the protocol.

use mmspec_model::event::{Event, Kind, Place};
use mmspec_traces::{FORMAT, Step, TraceFile, VERSION};

/// Writes a trace step by step.
pub struct Script {
    file: TraceFile,
    /// Calls around the next steps of each task.
    stacks: Vec<Vec<String>>,
}

/// A trace of `tasks` in which `rule` breaks.
pub fn script(scenario: &str, tasks: &[&str], rule: &str, what: &str) -> Script {
    let file = TraceFile {
        format: FORMAT.into(),
        version: VERSION,
        kernel: "rfc-async-teardown".into(),
        without: vec![rule.into()],
        scenario: scenario.into(),
        engine: "states".into(),
        search: "dpor".into(),
        rule: rule.into(),
        what: what.into(),
        preemptions: 1,
        at_end: false,
        tasks: tasks.iter().map(ToString::to_string).collect(),
        schedule: Vec::new(),
        events: Vec::new(),
    };
    Script { file, stacks: vec![Vec::new(); tasks.len()] }
}

impl Script {
    /// The rule that was taken out of the kernel, where it is not the one that breaks.
    pub fn without(&mut self, rule: &str) -> &mut Self {
        self.file.without = vec![rule.into()];
        self
    }

    /// From now on `task` is in these calls, outermost first.
    pub fn calls(&mut self, task: usize, stack: &str) -> &mut Self {
        self.stacks[task] = stack.split_whitespace().map(String::from).collect();
        self
    }

    /// A step of any kind; `word` is `object->word`, `word` or `object`, the latter if it is freed.
    pub fn event(
        &mut self,
        task: usize,
        step: &str,
        arg: &str,
        word: &str,
        values: (u64, u64),
        kind: Kind,
    ) -> &mut Self {
        let (object, word) = match word.split_once("->") {
            Some(parts) => parts,
            None if kind == Kind::Free => (word, ""),
            None => ("", word),
        };
        let event = Event {
            task,
            stack: self.stacks[task].clone(),
            step: step.into(),
            arg: arg.into(),
            object: object.into(),
            word: word.into(),
            before: values.0,
            after: values.1,
            result: None,
            kind,
            site: Place { file: "model/src/mm/exit.rs".into(), line: 10 },
        };
        self.file.schedule.push(Step::of(&event, 0));
        self.file.events.push(event);
        self
    }

    /// A read.
    pub fn read(&mut self, task: usize, step: &str, word: &str, value: u64) -> &mut Self {
        self.event(task, step, "", word, (value, value), Kind::Read)
    }

    /// A write or read-modify-write.
    pub fn write(&mut self, task: usize, step: &str, word: &str, before: u64, after: u64) -> &mut Self {
        self.event(task, step, "", word, (before, after), Kind::Write)
    }

    /// A conditional step that changes nothing.
    pub fn fails(&mut self, task: usize, step: &str, word: &str, value: u64) -> &mut Self {
        self.event(task, step, "", word, (value, value), Kind::Failed)
    }

    /// A step on a flag word.
    pub fn bit(
        &mut self,
        task: usize,
        step: &str,
        bit: &str,
        word: &str,
        before: u64,
        after: u64,
    ) -> &mut Self {
        let kind = if step == "test_bit" { Kind::Read } else { Kind::Write };
        self.event(task, step, bit, word, (before, after), kind)
    }

    /// The task arrives at a step that it has to wait for.
    pub fn waits(&mut self, task: usize, step: &str, word: &str) -> &mut Self {
        self.event(task, step, "", word, (0, 0), Kind::Waits)
    }

    /// An object is freed.
    pub fn frees(&mut self, task: usize, step: &str, object: &str) -> &mut Self {
        self.event(task, step, "", object, (0, 0), Kind::Free)
    }

    /// The finished trace.
    pub fn done(&self) -> TraceFile {
        self.file.clone()
    }
}

/// `get_task_mm()` finds `->mm` that `exit_mm()` has yet to clear, and raises `mm_users` from 0.
pub fn resurrection() -> TraceFile {
    let mut s =
        script("exit_vs_get_task_mm", &["T1 exit", "T2 get_task_mm"], "R1", "a reference is taken from 0");
    s.calls(1, "get_task_mm").write(1, "spin_lock", "T1->alloc_lock", 0, 1).read(1, "read", "T1->mm", 1);
    s.calls(0, "exit_mm").event(0, "mmap_read_lock", "", "mm0->mmap_lock", (0, 1), Kind::Write);
    s.write(0, "mmap_read_unlock", "mm0->mmap_lock", 1, 0);
    s.calls(0, "exit_mm mmput").write(0, "atomic_dec_and_test", "mm0->mm_users", 1, 0);
    s.calls(1, "get_task_mm mmget").write(1, "atomic_inc", "mm0->mm_users", 0, 1);
    s.done()
}

/// The flag is tested before the drop, and the victim's mm is queued.
pub fn victim_queued() -> TraceFile {
    let mut s = script(
        "exit_and_sharer_vs_oom_killer",
        &["T1 exit", "T2 CLONE_VM sharer", "T3 out_of_memory"],
        "A3",
        "an mm that the OOM killer has chosen is queued for asynchronous teardown",
    );
    s.calls(0, "exit_mm").write(0, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
    s.write(0, "spin_lock", "T1->alloc_lock", 0, 1).write(0, "write", "T1->mm", 1, 0);
    s.write(0, "spin_unlock", "T1->alloc_lock", 1, 0).write(0, "mmap_read_unlock", "mm0->mmap_lock", 1, 0);
    s.calls(0, "exit_mm mmput_exit").bit(0, "test_bit", "MMF_OOM_TARGETED", "mm0->flags", 0, 0);
    s.calls(2, "out_of_memory oom_kill_process").write(2, "spin_lock", "T2->alloc_lock", 0, 1);
    s.read(2, "read", "T2->mm", 1);
    s.calls(2, "out_of_memory oom_kill_process mark_oom_victim");
    s.bit(2, "set_bit", "MMF_OOM_TARGETED", "mm0->flags", 0, 0x10);
    s.event(2, "ghost", "", "mm0->marked", (0, 1), Kind::Ghost);
    s.calls(2, "out_of_memory oom_kill_process mark_oom_victim mmgrab").write(
        2,
        "atomic_inc",
        "mm0->mm_count",
        1,
        2,
    );
    s.calls(2, "out_of_memory oom_kill_process mark_oom_victim").write(2, "atomic_inc", "oom_victims", 0, 1);
    s.calls(2, "out_of_memory oom_kill_process").write(2, "spin_unlock", "T2->alloc_lock", 1, 0);
    s.calls(1, "exit_mm").write(1, "spin_lock", "T2->alloc_lock", 0, 1).write(1, "write", "T2->mm", 1, 0);
    s.write(1, "spin_unlock", "T2->alloc_lock", 1, 0);
    s.calls(1, "exit_mm mmput_exit").bit(1, "test_bit", "MMF_OOM_TARGETED", "mm0->flags", 0x10, 0x10);
    s.write(1, "atomic_dec_and_test", "mm0->mm_users", 2, 1);
    s.calls(1, "exit_mm exit_oom_victim").read(1, "read", "T2->TIF_MEMDIE", 0);
    s.calls(0, "exit_mm mmput_exit").write(0, "atomic_dec_and_test", "mm0->mm_users", 1, 0);
    s.calls(0, "exit_mm mmput_exit mm_reaper_charge").write(
        0,
        "atomic_long_add_return",
        "pending_pages",
        0,
        3,
    );
    s.calls(0, "exit_mm mmput_exit").write(0, "llist_add", "mm_reaper_list", 0, 1);
    s.event(0, "ghost", "", "mm0->marked", (1, 1), Kind::Ghost);
    s.done()
}

/// Seven tasks, of which one never runs: page tables are freed while `process_mrelease()` walks them.
pub fn crowd() -> TraceFile {
    let mut s = script(
        "everybody_vs_exit",
        &[
            "T1 exit",
            "T2 CLONE_VM sharer",
            "T3 /proc reader",
            "T4 process_mrelease",
            "oom_reaper",
            "mm_reaper",
            "sysctl",
        ],
        "uaf",
        "page tables are walked after exit_mmap() has freed them",
    );
    s.without("R21").waits(4, "schedule", "oom_reaper_wait");
    s.calls(6, "proc_dointvec").write(6, "WRITE_ONCE", "sysctl_async_mm_teardown", 1, 0);
    s.calls(2, "get_task_mm mmget").write(2, "atomic_inc", "mm0->mm_users", 2, 3);
    s.calls(3, "process_mrelease mmgrab").write(3, "atomic_inc", "mm0->mm_count", 1, 2);
    s.calls(3, "process_mrelease").write(3, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
    s.bit(3, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 0);
    s.calls(1, "exit_mm mmput").write(1, "atomic_dec_and_test", "mm0->mm_users", 3, 2);
    s.calls(1, "exit_mm").read(1, "read", "T2->TIF_MEMDIE", 0);
    s.calls(0, "exit_mm mmput_exit").read(0, "READ_ONCE", "sysctl_async_mm_teardown", 0);
    s.write(0, "atomic_dec_and_test", "mm0->mm_users", 2, 1);
    s.calls(2, "mmput").write(2, "atomic_dec_and_test", "mm0->mm_users", 1, 0);
    s.calls(2, "mmput __mmput exit_mmap").bit(2, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1);
    s.calls(2, "mmput __mmput exit_mmap free_pgtables").frees(2, "pte_free", "pgtables0");
    s.calls(3, "process_mrelease __oom_reap_task_mm").read(3, "read", "pgtables0->pte", 1);
    s.done()
}

/// The reaper tests the flag once, outside the lock that `exit_mmap()` waits for, and goes on to retry.
pub fn waiting() -> TraceFile {
    const QUEUED: u64 = 1 << 32;
    const WRITER: u64 = 1 << 16;
    let mut s =
        script("exit_vs_reaper", &["T1 exit", "oom_reaper"], "R20", "a VMA of a torn down tree is walked");
    s.waits(1, "schedule", "oom_reaper_wait");
    s.calls(0, "mmput").write(0, "atomic_dec_and_test", "mm0->mm_users", 1, 0);
    s.calls(0, "mmput __mmput exit_mmap").write(0, "wake_up", "oom_reaper_wait", 0b10, 2 << 32);
    s.calls(1, "oom_reaper").write(1, "schedule", "oom_reaper_wait", 2 << 32, 0);
    s.calls(1, "oom_reaper oom_reap_task_mm").bit(1, "test_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 0);
    s.write(1, "mmap_read_trylock", "mm0->mmap_lock", 0, 1);
    s.calls(0, "mmput __mmput exit_mmap").bit(0, "set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1);
    s.write(0, "mmap_write_lock", "mm0->mmap_lock", 1, 1 | QUEUED).waits(
        0,
        "mmap_write_lock",
        "mm0->mmap_lock",
    );
    s.write(1, "mmap_read_unlock", "mm0->mmap_lock", 1 | QUEUED, QUEUED);
    s.write(0, "mmap_write_lock", "mm0->mmap_lock", QUEUED, WRITER);
    s.fails(1, "mmap_read_trylock", "mm0->mmap_lock", WRITER);
    s.write(0, "write", "mm0->mm_mt", 1, 0).write(0, "mmap_write_unlock", "mm0->mmap_lock", WRITER, 0);
    s.write(1, "mmap_read_trylock", "mm0->mmap_lock", 0, 1);
    s.calls(1, "oom_reaper oom_reap_task_mm __oom_reap_task_mm").read(1, "read", "mm0->mm_mt", 0);
    s.done()
}

/// A trace of more than `steps` steps of five tasks that take turns.
pub fn long(steps: usize) -> TraceFile {
    let tasks = ["T0 exit", "T1 exit", "OOM killer", "timer softirq", "oom_reaper"];
    let mut s = script("long", &tasks, "R1", "a reference is taken from 0");
    for turn in 0..=steps / 6 {
        let task = turn % tasks.len();
        s.calls(task, "do_exit exit_mm").write(task, "mmap_read_lock", "mm0->mmap_lock", 0, 1);
        s.calls(task, "do_exit exit_mm mmget").write(task, "atomic_inc", "mm0->mm_users", 1, 2);
        s.bit(task, "test_and_set_bit", "MMF_OOM_SKIP", "mm0->flags", 0, 1 << 21);
        s.bit(task, "clear_bit", "MMF_OOM_SKIP", "mm0->flags", 1 << 21, 0);
        s.calls(task, "do_exit exit_mm mmput").write(task, "atomic_dec_and_test", "mm0->mm_users", 2, 1);
        s.calls(task, "do_exit exit_mm").write(task, "mmap_read_unlock", "mm0->mmap_lock", 1, 0);
    }
    s.done()
}
