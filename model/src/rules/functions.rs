//! Which kernel functions the model mirrors, and where they are.

/// Trees that the lines are of.
pub const TREES: [&str; 4] = ["6.1.192", "6.12.117", "7.0", "7.1.5"];

/// A function of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// File below `model/src/`.
    pub file: &'static str,
    /// Function of the model.
    pub function: &'static str,
    /// Function of the kernel that it is, or is a part of: `file:function()`.
    pub kernel: &'static str,
    /// Its lines in each of [`TREES`]; `-` where it is not there, or was not looked up.
    pub lines: [&'static str; 4],
}

const fn row(
    file: &'static str,
    function: &'static str,
    kernel: &'static str,
    lines: [&'static str; 4],
) -> Mirrored {
    Mirrored { file, function, kernel, lines }
}

const UNKNOWN: [&str; 4] = ["-"; 4];

/// All of them, in the order of the model's files.
#[rustfmt::skip]
pub const FUNCTIONS: &[Mirrored] = &[
    row("include/mm_types.rs", "new", "kernel/fork.c:mm_alloc()", ["1199-1209", "1356-1366", "1154-1164", "1162-1172"]),
    row("include/mmap_lock.rs", "mmap_read_lock", "include/linux/mmap_lock.h:mmap_read_lock()", ["114-119", "158-163", "589-594", "589-594"]),
    row("include/mmap_lock.rs", "mmap_read_trylock", "include/linux/mmap_lock.h:mmap_read_trylock()", ["131-139", "175-183", "606-614", "606-614"]),
    row("include/mmap_lock.rs", "mmap_read_unlock", "include/linux/mmap_lock.h:mmap_read_unlock()", UNKNOWN),
    row("include/mmap_lock.rs", "mmap_write_lock", "include/linux/mmap_lock.h:mmap_write_lock()", ["68-73", "102-108", "533-539", "533-539"]),
    row("include/mmap_lock.rs", "mmap_write_unlock", "include/linux/mmap_lock.h:mmap_write_unlock()", ["102-106", "144-149", "575-580", "575-580"]),
    row("include/sched.rs", "send_sigkill", "kernel/signal.c:do_send_sig_info()", UNKNOWN),
    row("include/sched.rs", "wait_for_sigkill", "kernel/signal.c:get_signal()", ["2653-2895", "2706-2952", "2799-3045", "2810-3057"]),
    row("include/sched_mm.rs", "mmgrab", "include/linux/sched/mm.h:mmgrab()", ["35-38", "35-38", "35-38", "35-38"]),
    row("include/sched_mm.rs", "mmdrop", "include/linux/sched/mm.h:mmdrop()", ["42-51", "47-56", "47-56", "47-56"]),
    row("include/sched_mm.rs", "mmget", "include/linux/sched/mm.h:mmget()", ["98-101", "131-134", "131-134", "131-134"]),
    row("include/sched_mm.rs", "mmget_not_zero", "include/linux/sched/mm.h:mmget_not_zero()", ["103-106", "136-139", "136-139", "136-139"]),
    row("include/sched_mm.rs", "drop_user", "kernel/fork.c:mmput()", ["1236-1242", "1394-1400", "1193-1199", "1201-1207"]),
    row("kernel/exit.rs", "exit_mm", "kernel/exit.c:exit_mm()", ["539-575", "545-580", "550-584", "555-590"]),
    row("kernel/exit.rs", "do_group_exit", "kernel/exit.c:do_group_exit()", ["1005-1032", "1071-1098", "1093-1120", "1099-1126"]),
    row("kernel/exit.rs", "do_exit", "kernel/exit.c:do_exit()", ["814-932", "883-998", "896-1020", "901-1025"]),
    row("kernel/fork.rs", "get_task_mm", "kernel/fork.c:get_task_mm()", ["1407-1421", "1566-1579", "1366-1379", "1374-1387"]),
    row("kernel/fork.rs", "exit_aio", "fs/aio.c:exit_aio()", ["901-941", "903-943", "891-931", "946-986"]),
    row("kernel/fork.rs", "mmput_hooks", "kernel/fork.c:__mmput()", ["1211-1231", "1369-1389", "1167-1188", "1175-1196"]),
    row("kernel/fork.rs", "mmput_teardown", "kernel/fork.c:__mmput()", ["1211-1231", "1369-1389", "1167-1188", "1175-1196"]),
    row("kernel/fork.rs", "__mmput", "kernel/fork.c:__mmput()", ["1211-1231", "1369-1389", "1167-1188", "1175-1196"]),
    row("kernel/fork.rs", "mmput", "kernel/fork.c:mmput()", ["1236-1242", "1394-1400", "1193-1199", "1201-1207"]),
    row("kernel/fork.rs", "mmput_reaping", "kernel/fork.c:mmput()", ["1236-1242", "1394-1400", "1193-1199", "1201-1207"]),
    row("kernel/fork.rs", "mmput_async", "kernel/fork.c:mmput_async()", ["1254-1260", "1412-1418", "1211-1217", "1219-1225"]),
    row("kernel/fork.rs", "mmput_async_fn", "kernel/fork.c:mmput_async_fn()", ["1246-1252", "1404-1410", "1203-1209", "1211-1217"]),
    row("kernel/fork.rs", "mmput_exit", "kernel/fork.c:mmput_exit()", UNKNOWN),
    row("kernel/fork.rs", "mm_worth_deferring", "kernel/fork.c:mm_worth_deferring()", UNKNOWN),
    row("kernel/fork.rs", "mmput_deferred", "kernel/fork.c:__mmput()", ["1211-1231", "1369-1389", "1167-1188", "1175-1196"]),
    row("kernel/fork.rs", "__mmdrop", "kernel/fork.c:__mmdrop()", ["800-812", "935-954", "718-738", "720-740"]),
    row("kernel/fork.rs", "put_task_struct", "include/linux/sched/task.h:put_task_struct()", UNKNOWN),
    row("kernel/fork.rs", "put_signal_struct", "kernel/fork.c:put_signal_struct()", ["844-848", "986-990", "770-774", "772-776"]),
    row("kernel/freezer.rs", "freezing", "include/linux/freezer.h:freezing()", UNKNOWN),
    row("kernel/freezer.rs", "refrigerator", "kernel/freezer.c:__refrigerator()", ["62-91", "62-95", "63-96", "63-96"]),
    row("kernel/freezer.rs", "freeze_kernel_threads", "kernel/power/process.c:freeze_kernel_threads()", UNKNOWN),
    row("kernel/freezer.rs", "thaw_kernel_threads", "kernel/power/process.c:thaw_kernel_threads()", UNKNOWN),
    row("kernel/freezer.rs", "dpm_resume", "drivers/base/power/main.c:dpm_resume()", UNKNOWN),
    row("kernel/freezer.rs", "wait_event_freezable", "include/linux/wait.h:wait_event_freezable()", UNKNOWN),
    row("kernel/futex.rs", "futex_exit_release", "kernel/futex/core.c:futex_exit_release()", ["1159-1164", "1173-1178", "1509-1514", "1512-1517"]),
    row("kernel/futex.rs", "futex_wait", "kernel/futex/waitwake.c:futex_wait()", UNKNOWN),
    row("kernel/mm_init.rs", "allocate", "kernel/fork.c:allocate_mm()", UNKNOWN),
    row("kernel/mm_init.rs", "mm_struct_ctor", "kernel/fork.c:mm_struct_ctor()", UNKNOWN),
    row("kernel/mm_init.rs", "fork_and_exit", "kernel/fork.c:dup_mm()", ["1546-1581", "1704-1743", "1515-1554", "1523-1562"]),
    row("kernel/mm_init.rs", "mm_init", "kernel/fork.c:mm_init()", ["1138-1194", "1284-1351", "1072-1149", "1080-1157"]),
    row("kernel/mm_init.rs", "__mmdrop", "kernel/fork.c:__mmdrop()", ["800-812", "935-954", "718-738", "720-740"]),
    row("kernel/mm_init.rs", "check_mm", "kernel/fork.c:check_mm()", ["768-790", "842-864", "622-647", "624-649"]),
    row("kernel/mm_init.rs", "takedown_cpu", "kernel/cpu.c:takedown_cpu()", UNKNOWN),
    row("kernel/refrigerator.rs", "freezing", "kernel/freezer.c:freezing_slow_path()", ["38-53", "38-53", "39-54", "39-54"]),
    row("kernel/refrigerator.rs", "leave_refrigerator", "kernel/freezer.c:__refrigerator()", ["62-91", "62-95", "63-96", "63-96"]),
    row("kernel/refrigerator.rs", "__thaw_task", "kernel/freezer.c:__thaw_task()", ["194-213", "202-207", "203-208", "203-208"]),
    row("kernel/refrigerator.rs", "thaw_victim", "kernel/freezer.c:thaw_process()", ["-", "-", "216-225", "216-225"]),
    row("mm/memory.rs", "unmap_page_range", "mm/memory.c:unmap_page_range()", ["1628-1646", "1793-1811", "2076-2094", "-"]),
    row("mm/memory.rs", "munlock_vma_pages_range", "mm/mlock.c:munlock_vma_pages_range()", UNKNOWN),
    row("mm/memory.rs", "get_user", "include/asm-generic/uaccess.h:get_user()", UNKNOWN),
    row("mm/memory.rs", "access_remote_vm", "mm/memory.c:access_remote_vm()", UNKNOWN),
    row("mm/memory.rs", "access_remote_vm_uncounted", "mm/memory.c:access_remote_vm()", UNKNOWN),
    row("mm/mm_reaper.rs", "mm_try_charge", "mm/mm_reaper.c:mm_try_charge()", UNKNOWN),
    row("mm/mm_reaper.rs", "queue_mm_reaper", "mm/mm_reaper.c:queue_mm_reaper()", UNKNOWN),
    row("mm/mm_reaper.rs", "mm_reaper", "mm/mm_reaper.c:mm_reaper()", UNKNOWN),
    row("mm/mm_reaper.rs", "mm_reap", "mm/mm_reaper.c:mm_reap()", UNKNOWN),
    row("mm/mmap.rs", "exit_mmap", "mm/mmap.c:exit_mmap()", ["3267-3326", "1916-1980", "1275-1329", "1273-1327"]),
    row("mm/mmap.rs", "read_flag_write", "mm/mmap.c:exit_mmap()", ["3267-3326", "1916-1980", "1275-1329", "1273-1327"]),
    row("mm/mmap.rs", "unmap_vmas", "mm/memory.c:unmap_vmas()", ["1712-1731", "1879-1904", "2153-2176", "2161-2183"]),
    row("mm/mmap.rs", "free_pgtables", "mm/memory.c:free_pgtables()", ["396-438", "365-419", "386-436", "373-423"]),
    row("mm/mmu_notifier.rs", "mm_has_notifiers", "include/linux/mmu_notifier.h:mm_has_notifiers()", UNKNOWN),
    row("mm/mmu_notifier.rs", "mmu_notifier_invalidate_range_start", "include/linux/mmu_notifier.h:mmu_notifier_invalidate_range_start()", UNKNOWN),
    row("mm/mmu_notifier.rs", "mmu_notifier_invalidate_range_end", "include/linux/mmu_notifier.h:mmu_notifier_invalidate_range_end()", UNKNOWN),
    row("mm/mmu_notifier.rs", "mmu_notifier_release", "include/linux/mmu_notifier.h:mmu_notifier_release()", UNKNOWN),
    row("mm/oom_kill/kill.rs", "out_of_memory", "mm/oom_kill.c:out_of_memory()", ["1116-1187", "1113-1182", "1119-1188", "1103-1172"]),
    row("mm/oom_kill/kill.rs", "kill_current", "mm/oom_kill.c:out_of_memory()", ["1116-1187", "1113-1182", "1119-1188", "1103-1172"]),
    row("mm/oom_kill/kill.rs", "select_bad_process", "mm/oom_kill.c:select_bad_process()", ["366-381", "366-381", "365-380", "362-377"]),
    row("mm/oom_kill/kill.rs", "oom_badness", "mm/oom_kill.c:oom_badness()", ["203-241", "203-241", "202-240", "199-237"]),
    row("mm/oom_kill/kill.rs", "oom_kill_process", "mm/oom_kill.c:oom_kill_process()", ["1023-1067", "1018-1064", "1024-1070", "1008-1054"]),
    row("mm/oom_kill/kill.rs", "__oom_kill_process", "mm/oom_kill.c:__oom_kill_process()", ["926-1006", "922-1002", "928-1008", "912-992"]),
    row("mm/oom_kill/kill.rs", "kill_sharers", "mm/oom_kill.c:__oom_kill_process()", ["926-1006", "922-1002", "928-1008", "912-992"]),
    row("mm/oom_kill/kill.rs", "process_shares_mm", "mm/oom_kill.c:process_shares_mm()", ["497-507", "494-504", "494-504", "491-501"]),
    row("mm/oom_kill/mod.rs", "find_lock_task_mm", "mm/oom_kill.c:find_lock_task_mm()", ["135-152", "135-152", "134-151", "134-148"]),
    row("mm/oom_kill/mod.rs", "task_will_free_mem", "mm/oom_kill.c:task_will_free_mem()", ["879-924", "875-920", "881-926", "865-910"]),
    row("mm/oom_kill/mod.rs", "retry_allocation", "mm/page_alloc.c:__alloc_pages_may_oom()", ["4456-4540", "3655-3739", "4070-4154", "4042-4126"]),
    row("mm/oom_kill/mod.rs", "__oom_reap_task_mm", "mm/oom_kill.c:__oom_reap_task_mm()", ["519-567", "516-564", "516-570", "513-554"]),
    row("mm/oom_kill/mrelease.rs", "process_mrelease", "mm/oom_kill.c:process_mrelease()", ["1210-1272", "1205-1267", "1211-1273", "1195-1257"]),
    row("mm/oom_kill/mrelease.rs", "owning_count", "mm/oom_kill.c:process_mrelease()", ["1210-1272", "1205-1267", "1211-1273", "1195-1257"]),
    row("mm/oom_kill/mrelease.rs", "owning_users", "mm/oom_kill.c:process_mrelease()", ["1210-1272", "1205-1267", "1211-1273", "1195-1257"]),
    row("mm/oom_kill/reaper.rs", "queue_oom_reaper", "mm/oom_kill.c:queue_oom_reaper()", ["699-709, 750-752", "696-706, 746-748", "702-712, 752-754", "686-696, 736-738"]),
    row("mm/oom_kill/reaper.rs", "gets_ticket", "mm/oom_kill.c:queue_oom_reaper()", ["699-709, 750-752", "696-706, 746-748", "702-712, 752-754", "686-696, 736-738"]),
    row("mm/oom_kill/reaper.rs", "wake_oom_reaper", "mm/oom_kill.c:wake_oom_reaper()", ["669-688", "666-685", "672-691", "656-675"]),
    row("mm/oom_kill/reaper.rs", "put_on_list", "mm/oom_kill.c:wake_oom_reaper()", ["669-688", "666-685", "672-691", "656-675"]),
    row("mm/oom_kill/reaper.rs", "oom_reaper", "mm/oom_kill.c:oom_reaper()", ["647-667", "644-664", "650-670", "634-654"]),
    row("mm/oom_kill/reaper.rs", "oom_reap_task", "mm/oom_kill.c:oom_reap_task()", ["616-645", "613-642", "619-648", "603-632"]),
    row("mm/oom_kill/reaper.rs", "oom_reap_task_mm", "mm/oom_kill.c:oom_reap_task_mm()", ["575-613", "572-610", "578-616", "562-600"]),
    row("mm/oom_kill/reaper.rs", "reap_locked", "mm/oom_kill.c:oom_reap_task_mm()", ["575-613", "572-610", "578-616", "562-600"]),
    row("mm/oom_kill/victims.rs", "mark_oom_victim", "mm/oom_kill.c:mark_oom_victim()", ["765-790", "761-786", "767-792", "751-776"]),
    row("mm/oom_kill/victims.rs", "exit_oom_victim", "mm/oom_kill.c:exit_oom_victim()", ["795-801", "791-797", "797-803", "781-787"]),
    row("mm/oom_kill/victims.rs", "oom_killer_disable", "mm/oom_kill.c:oom_killer_disable()", ["827-849", "823-845", "829-851", "813-835"]),
    row("mm/oom_kill/victims.rs", "oom_killer_enable", "mm/oom_kill.c:oom_killer_enable()", ["806-810", "802-806", "808-812", "792-796"]),
    row("mm/percpu.rs", "alloc", "include/linux/percpu.h:alloc_percpu()", UNKNOWN),
    row("mm/percpu.rs", "counter_init_many", "lib/percpu_counter.c:__percpu_counter_init_many()", ["-", "188-224", "188-224", "188-224"]),
    row("mm/percpu.rs", "counter_destroy_many", "lib/percpu_counter.c:percpu_counter_destroy_many()", ["-", "227-252", "227-252", "227-252"]),
    row("mm/percpu.rs", "cpu_dead", "lib/percpu_counter.c:percpu_counter_cpu_dead()", ["195-215", "266-286", "266-286", "266-286"]),
    row("mm/percpu.rs", "free", "mm/percpu.c:free_percpu()", UNKNOWN),
    row("mm/tlb.rs", "flush_tlb", "mm/mmu_gather.c:tlb_finish_mmu()", UNKNOWN),
    row("mm/vma.rs", "for_each_vma", "include/linux/mm.h:for_each_vma()", UNKNOWN),
    row("mm/vma.rs", "remove_vmas", "mm/vma.c:remove_vma()", ["-", "329-340", "463-471", "466-474"]),
];

/// The function of the model that is `kernel`, or the first part of it.
pub fn mirrored(kernel: &str) -> Option<&'static Mirrored> {
    FUNCTIONS.iter().find(|f| f.kernel == kernel)
}
