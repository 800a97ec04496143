//! What must hold when nobody can move any more, and the end state in words.

use mmspec_model::include::mm_types::{MMF_OOM_SKIP, MmStruct, life};
use mmspec_model::include::sched::TaskStruct;
use mmspec_model::k::engine::engine;
use mmspec_model::k::program::Ending;
use mmspec_model::system::System;

/// Judge the end state of `sys`, whose threads have these names.
pub fn judge(sys: &System, names: &[String]) -> Ending {
    let mut ending = Ending::default();
    let mut words = Vec::new();
    for task in sys.tasks.iter().filter(|t| sys.has_frozen && t.frozen.peek() != 0) {
        words.push(format!("T{} stays frozen", task.index));
        if sys.signals[task.signal].oom_mm.peek() != 0 {
            let what = format!("T{} of the OOM victim stays in the refrigerator", task.index);
            ending.faults.push(("R39", what));
        }
    }
    if let Some(cachep) = &sys.mm_cachep {
        let (faults, words_of_cache) = cachep.judge(&sys.kernel);
        ending.faults.extend(faults);
        words.push(words_of_cache);
    }
    if sys.has_robust && engine().peek(sys.robust_futex) == 0 {
        ending.faults.push(("R36", "whoever waits for a robust futex of the victim is never woken".into()));
    }
    ending.faults.extend(missed_release(sys));
    for mm in &sys.mms {
        let history = mm.life.peek();
        words.push(describe(mm.index, history, names));
        if let Some(waits) = mm.ptl_waits {
            words.push(format!("waits for page-table locks: {}", waits.peek()));
        }
        // It is not lost if a task that is frozen, or init, uses it.
        if sys.tasks.iter().any(|t| stays(sys, t) && t.peek_mm() == Some(mm.index)) {
            continue;
        }
        if !engine().freed(mm.object) {
            let (rule, what) = if history & life::QUEUED != 0 {
                ("A9", "is queued and never torn down")
            } else {
                ("leak", "is never freed")
            };
            ending.faults.push((rule, format!("mm{} {what}", mm.index)));
        }
        if !engine().freed(mm.pgtables) {
            ending.faults.push(("leak", format!("the page tables of mm{} are never freed", mm.index)));
        }
        if mm.rss.peek() != 0 {
            ending.faults.push((
                "rss",
                format!("mm{} is freed with {} pages in its counters", mm.index, mm.rss.peek()),
            ));
        }
    }
    ending.faults.extend(wrong_victims(sys));
    ending.faults.extend(unkilled_sharers(sys));
    for (g, signal) in sys.signals.iter().enumerate() {
        if let Some(mm) = (signal.oom_mm.peek() as usize).checked_sub(1) {
            words.push(format!("group {g} was the OOM victim"));
            if !sys.mms[mm].flags.peek(MMF_OOM_SKIP) {
                ending.faults.push(("R35", format!("mm{mm} of an OOM victim never gets MMF_OOM_SKIP")));
            }
        }
    }
    for task in &sys.tasks {
        if !engine().freed(task.object) && !stays(sys, task) {
            ending.faults.push(("leak", format!("T{} is never released", task.index)));
        }
    }
    if sys.mm_pending.peek() != 0 {
        ending.faults.push((
            "A8",
            format!("{} pages stay charged to the pending budget", sys.mm_pending.peek().cast_signed()),
        ));
    }
    let marked = sys.tasks.iter().filter(|t| stays(sys, t) && t.victim.peek() != 0).count() as u64;
    if sys.oom.victims.peek() != marked {
        ending.faults.push(("R38", format!("oom_victims stays at {}", sys.oom.victims.peek().cast_signed())));
    }
    if sys.needless_kill.peek() != 0 {
        words.push("killed while memory was queued".into());
    }
    ending.outcome = words.join("; ");
    ending
}

/// Whether the task is there in the end.
fn stays(sys: &System, task: &TaskStruct) -> bool {
    task.stays || task.frozen.peek() != 0 || task.unless_killed && !killed(sys, task)
}

fn killed(sys: &System, task: &TaskStruct) -> bool {
    sys.signals[task.signal].group_exit.peek() != 0
}

/// A notifier that stays on the list of an mm that is torn down.
fn missed_release(sys: &System) -> impl Iterator<Item = (&'static str, String)> {
    let late =
        |mm: &&MmStruct| mm.life.peek() & life::TORN != 0 && mm.subscription.is_some_and(|s| s.peek_linked());
    sys.mms.iter().filter(late).map(|mm| ("R25", format!("a driver is never told that mm{} goes", mm.index)))
}

/// A task that was forked while its parent was killed for the mm that they share, and was not.
fn unkilled_sharers(sys: &System) -> impl Iterator<Item = (&'static str, String)> {
    let was_victims = |mm: usize| sys.signals.iter().any(|s| s.oom_mm.peek() as usize == mm + 1);
    let spared =
        move |t: &&TaskStruct| t.is_forked() && !killed(sys, t) && t.peek_mm().is_some_and(was_victims);
    let what =
        |t: &TaskStruct| ("R21", format!("T{} keeps the mm of the OOM victim that has forked it", t.index));
    sys.tasks.iter().filter(spared).map(what)
}

/// What is wrong with who was killed.
fn wrong_victims(sys: &System) -> Vec<(&'static str, String)> {
    let unkillable = sys.tasks.iter().filter(|t| t.oom_score_adj_min && killed(sys, t));
    let victim = sys.tasks.iter().find(|t| sys.signals[t.signal].oom_mm.peek() != 0);
    let with = |t: &TaskStruct| match victim {
        Some(victim) if victim.signal != t.signal => format!(" with T{}", victim.index),
        _ => String::new(),
    };
    let what = |t: &TaskStruct| format!("T{} has OOM_SCORE_ADJ_MIN, and is killed{}", t.index, with(t));
    let mut faults: Vec<_> = unkillable.map(|t| ("R45", what(t))).collect();
    let victims: Vec<(usize, usize)> = sys
        .signals
        .iter()
        .enumerate()
        .filter_map(|(g, s)| Some((g, (s.oom_mm.peek() as usize).checked_sub(1)?)))
        .collect();
    for &(group, mm) in &victims {
        let candidate = |t: &&TaskStruct| {
            let elsewhere = t.peek_mm().is_some_and(|m| m != mm);
            sys.killable[t.index] && !t.oom_score_adj_min && elsewhere && !killed(sys, t)
        };
        let Some(spared) = sys.tasks.iter().find(candidate) else { continue };
        let kept = sys.tasks.iter().find(|t| stays(sys, t) && !killed(sys, t) && t.peek_mm() == Some(mm));
        if let Some(keeper) = kept {
            faults.push((
                "R45",
                format!(
                    "group {group} is killed in vain, because T{} keeps mm{mm}, and T{} is spared",
                    keeper.index, spared.index
                ),
            ));
        }
        if victims.iter().any(|&(g, m)| g < group && m == mm) {
            faults.push((
                "R44",
                format!("group {group} is killed for mm{mm} too, and T{} is spared", spared.index),
            ));
        }
    }
    faults
}

fn describe(mm: usize, history: u64, names: &[String]) -> String {
    let by = (history >> life::BY_SHIFT) as usize;
    let by = by.checked_sub(1).map_or("nobody", |t| &names[t]);
    let queued = if history & life::WAS_QUEUED != 0 { ", queued" } else { "" };
    let reaped = if history & life::REAPED != 0 { ", reaped" } else { "" };
    format!("mm{mm} torn down by {by}{queued}{reaped}")
}
