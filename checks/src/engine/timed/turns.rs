//! Who goes on, and when: the life of a thread between two steps.

use super::machine::{Event, Machine, Phase, Span, Stand};

/// `event` happens to `thread`; whether it gives way to another thread.
pub fn meet(machine: &mut Machine, thread: usize, event: Event) -> bool {
    if event == Event::Slept {
        return false;
    }
    machine.account(thread);
    if event == Event::Unlocks
        && let Some((next, ns)) = machine.zone.give()
    {
        machine.schedule(machine.costs.hand_over + ns, next, Event::Unlocks);
    }
    let yields = machine.threads[thread].spinlocks == 0 && machine.cpus.should_yield(thread);
    if yields {
        machine.cpus.release(thread);
        machine.cpus.enqueue(thread);
    }
    yields
}

/// Take up the next span of `thread`; whether there is none, and it goes on in its program.
pub fn moves(machine: &mut Machine, thread: usize) -> bool {
    if machine.phase != Phase::Running {
        return false;
    }
    match machine.threads[thread].stand {
        Stand::Done => return false,
        Stand::Waiting(wait) => {
            if !wait.spins {
                machine.account(thread);
                machine.cpus.release(thread);
            }
            return false;
        }
        Stand::Start | Stand::Busy => {}
    }
    if let Some(&Span::Off(ns)) = machine.threads[thread].spans.front() {
        machine.threads[thread].spans.pop_front();
        machine.cpus.release(thread);
        machine.schedule(ns, thread, Event::Slept);
        return false;
    }
    if !machine.cpus.runs(thread) {
        machine.cpus.enqueue(thread);
        return false;
    }
    loop {
        match machine.threads[thread].spans.pop_front() {
            None => return true,
            Some(Span::Pages(0) | Span::Gathered(0)) => machine.page_freed = Some(machine.now),
            Some(span @ (Span::Pages(pages) | Span::Gathered(pages))) => {
                let batch = pages.min(machine.costs.batch);
                let gathered = matches!(span, Span::Gathered(_));
                let state = &mut machine.threads[thread];
                let (outside, locked) = machine.costs.pages(batch, state.percent, gathered);
                let rest = if gathered { Span::Gathered } else { Span::Pages };
                let spans = [Span::Run(outside), Span::Locked(locked), rest(pages - batch)];
                spans.into_iter().rev().for_each(|span| state.spans.push_front(span));
            }
            Some(Span::Locked(ns)) => {
                if machine.zone.take(thread, ns) {
                    machine.schedule(ns, thread, Event::Unlocks);
                }
                return false;
            }
            Some(Span::Run(ns)) => {
                machine.schedule(ns, thread, Event::Ran);
                return false;
            }
            Some(Span::Off(_)) => unreachable!("a thread sleeps before it runs"),
        }
    }
}

/// The next thread that may go on at its blocking step. Who has spun for it has a CPU.
pub fn hand_on(machine: &mut Machine) -> Option<usize> {
    let (thread, wait) = machine.next_ready()?;
    if wait.spins {
        let spun = machine.now - machine.threads[thread].since;
        machine.threads[thread].spun += spun;
        machine.account(thread);
    } else {
        machine.threads[thread].since = machine.now;
    }
    Some(thread)
}
