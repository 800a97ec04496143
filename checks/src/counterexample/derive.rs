//! Schedules for executions of engines that keep none: taken from what the tasks did.

use super::order::{Access, Order, order};
use crate::engine::explore::follow::{Followed, follow, words};
use crate::engine::explore::footprint::MAX_THREADS;
use crate::engine::explore::memory::Memory;
use crate::engine::explore::memory::sc::Sc;
use crate::engine::explore::memory::views::Views;
use crate::engine::explore::record::Decision;
use crate::engine::explore::search::named::Wanted;
use crate::engine::{Failure, Limits, Report, states};
use mmspec_model::event::{Event, Kind};
use mmspec_model::k::engine::Class;
use mmspec_model::k::program::Setup;
use mmspec_traces::Step;
use std::collections::HashMap;

/// `search` of a report of shuttle whose counterexample was made as short as `states` can.
const SHORTENED: &str = "random+pct, then states";

/// Why an execution is none of sequentially consistent memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weak {
    /// This event, by index, finds an old value, the newest being `newest`, and no other order of the
    /// steps explains that.
    OldValue {
        /// Index of the event.
        event: usize,
        /// Newest value in the order given.
        newest: u64,
    },
    /// The orders are too many to try.
    Unknown,
}

/// A schedule, with the event from which each step comes.
pub struct Derived {
    /// The steps.
    pub schedule: Vec<Wanted>,
    /// Indices of their events.
    pub events: Vec<usize>,
}

/// The steps of `events` that a scheduler decides on in `setup`, barriers as well if they are `steps`.
fn decided(events: &[Event], setup: &Setup, barriers: bool) -> Derived {
    let classes: HashMap<String, Class> = words(setup).into_iter().collect();
    let mut derived = Derived { schedule: Vec::new(), events: Vec::new() };
    for (index, event) in events.iter().enumerate() {
        let Step { task, function, step, arg, word, .. } = Step::of(event, 0);
        let (is_decided, before) = match event.kind {
            Kind::Ghost | Kind::Waits | Kind::Free => (false, None),
            Kind::Fence => (barriers && step == "smp_mb", None),
            // A word that the program does not have shows that the model has changed since.
            Kind::Read | Kind::Write | Kind::Failed => {
                (!matches!(classes.get(&word), Some(Class::Plain | Class::Ghost)), Some(event.before))
            }
        };
        if is_decided {
            let decision = Decision { thread: task, function, step, arg, word, alternative: 0 };
            derived.schedule.push(Wanted { decision, before });
            derived.events.push(index);
        }
    }
    derived
}

/// The interleaving that `events` are.
///
/// # Errors
/// When they are none.
pub fn interleaved(events: &[Event], setup: &Setup) -> Result<Derived, Weak> {
    let Derived { schedule, events: indices } = decided(events, setup, false);
    let accesses = schedule.iter().zip(&indices).map(|(wanted, &index)| {
        let event = &events[index];
        // The bits of a flag word are words of one name.
        let bit = if event.step.ends_with("_bit") { event.arg.as_str() } else { "" };
        let word = format!("{} {bit}", wanted.decision.word);
        Access { thread: event.task, word, before: event.before, after: event.after }
    });
    match order(&accesses.collect::<Vec<_>>()) {
        Order::Interleaving(order) => {
            let schedule = order.iter().map(|&i| schedule[i].clone()).collect();
            Ok(Derived { schedule, events: order.iter().map(|&i| indices[i]).collect() })
        }
        Order::None(access, newest) => Err(Weak::OldValue { event: indices[access], newest }),
        Order::Unknown => Err(Weak::Unknown),
    }
}

/// Follow `events` on `states`, and one step further if need be: that which broke the rule may have
/// left no event.
///
/// # Errors
/// When they are no interleaving.
pub fn follow_on_states(events: &[Event], setup: &Setup) -> Result<(Followed, Vec<usize>), Weak> {
    let derived = interleaved(events, setup)?;
    Ok((follow_to_the_fault(Sc::default, &derived.schedule, setup), derived.events))
}

/// The same on `views`, where old values are chosen that the events have.
pub fn follow_on_views(events: &[Event], setup: &Setup) -> (Followed, Vec<usize>) {
    let derived = decided(events, setup, true);
    (follow_to_the_fault(Views::default, &derived.schedule, setup), derived.events)
}

fn follow_to_the_fault<M: Memory + 'static>(
    memory: impl Fn() -> M,
    schedule: &[Wanted],
    setup: &Setup,
) -> Followed {
    let followed = follow(memory(), schedule.to_vec(), 0, setup);
    let at_the_end = followed.divergence.as_ref().is_some_and(|d| d.expected.is_none());
    let Some(stands) = followed.stands.last().filter(|_| at_the_end && followed.fault.is_none()) else {
        return followed;
    };
    let further = stands.iter().enumerate().filter(|(_, stand)| stand.can_run).map(|(thread, stand)| {
        let (step, arg, word) = (stand.offer.step.into(), stand.offer.arg.into(), stand.offer.word.clone());
        let decision = Decision { thread, function: String::new(), step, arg, word, alternative: 0 };
        let last = Wanted { decision, before: None };
        follow(memory(), schedule.iter().cloned().chain([last]).collect(), 0, setup)
    });
    let broken = further.into_iter().find(|further| further.fault.is_some());
    broken.unwrap_or(followed)
}

/// `report` of shuttle with the counterexample that has the fewest preemptions, if `states` can run the
/// program and follows the one that was found.
pub fn minimal(report: Report, limits: Limits, setup: &Setup, progress: &dyn Fn(u64)) -> Report {
    let Some(failure) = report.failure.as_ref().filter(|_| report.tasks.len() <= MAX_THREADS) else {
        return report;
    };
    let Ok((followed, _)) = follow_on_states(&failure.events, setup) else { return report };
    let preemptions = followed.preemptions();
    let Followed { fault: Some((rule, what)), events, decisions, .. } = followed else { return report };
    if rule != failure.rule {
        return report;
    }
    let schedule = decisions.iter().map(|decision| decision.thread as u16).collect();
    let at_end = failure.at_end;
    let found = Failure { rule, what, schedule, preemptions, at_end, events, decisions };
    let least = states::fewest_preemptions(preemptions, limits, setup, progress);
    let least = least.and_then(|report| report.failure).filter(|least| least.rule == found.rule);
    Report { search: SHORTENED, failure: Some(least.unwrap_or(found)), ..report }
}

#[cfg(test)]
mod tests {
    use super::{Weak, follow_on_states, follow_on_views, minimal};
    use crate::engine::shuttle::{Scheduler, Shuttle};
    use crate::engine::{Limits, Loom, Report, views};
    use mmspec_model::k::atomic::{AtomicT, atomic_inc, read_once, smp_mb, write_once};
    use mmspec_model::k::engine::engine;
    use mmspec_model::k::program::{Ending, Program, Setup, Thread};
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::Arc;

    /// What a program of two threads is about.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Shape {
        /// Each writes one word and reads the other.
        StoreBuffering,
        /// One writes two words, the other reads them in the other order.
        MessagePassing,
        /// Both add to a word by a read and a write.
        LostUpdate,
    }

    /// A program whose end breaks `R` if the shape shows what it is named for.
    fn program(shape: Shape) -> Setup {
        Arc::new(move || {
            let mm = engine().new_object("mm", 0);
            let [x, y] = ["x", "y"].map(|name| AtomicT::new(mm, name, 0));
            let seen: [Rc<Cell<u64>>; 2] = [Rc::default(), Rc::default()];
            let thread = |index: usize| {
                let seen = seen[index].clone();
                let body = move || match (shape, index) {
                    (Shape::StoreBuffering, _) => {
                        let (mine, other) = if index == 0 { (x, y) } else { (y, x) };
                        write_once(mine, 1);
                        seen.set(1 + read_once(other));
                    }
                    (Shape::MessagePassing, 0) => {
                        write_once(x, 1);
                        write_once(y, 1);
                    }
                    (Shape::MessagePassing, _) => {
                        let flag = read_once(y);
                        smp_mb();
                        seen.set(1 + 10 * flag + read_once(x));
                    }
                    (Shape::LostUpdate, _) => {
                        atomic_inc(y);
                        let found = read_once(x);
                        write_once(x, found + 1);
                    }
                };
                Thread { name: format!("T{index}"), body: Rc::new(body) }
            };
            let threads = vec![thread(0), thread(1)];
            let judge = move || {
                let seen = [seen[0].take(), seen[1].take()];
                let broken = match shape {
                    Shape::StoreBuffering => seen == [1, 1],
                    Shape::MessagePassing => seen[1] == 11,
                    Shape::LostUpdate => x.peek() == 1,
                };
                let faults = if broken { vec![("R", "it shows".to_string())] } else { Vec::new() };
                Ending { outcome: String::new(), faults }
            };
            Program { threads, judge: Rc::new(judge) }
        })
    }

    fn by_views(setup: &Setup) -> Report {
        views::run(Limits::default(), setup, &|_| {})
    }

    fn by_loom(setup: &Setup) -> Report {
        Loom::default().run(setup).expect("no foreign settings")
    }

    #[test]
    fn weak_memory_is_told_and_followed_on_views() {
        for shape in [Shape::StoreBuffering, Shape::MessagePassing] {
            let setup = program(shape);
            for find in [by_views, by_loom] {
                let events = find(&setup).failure.expect("weak memory shows it").events;
                let Err(Weak::OldValue { event, newest: 1 }) = follow_on_states(&events, &setup) else {
                    panic!("a read of an old 0 makes it what it is");
                };
                assert_eq!((events[event].step.as_str(), events[event].before), ("READ_ONCE", 0));
                let (followed, _) = follow_on_views(&events, &setup);
                assert_eq!(followed.fault.expect("the same end").0, "R");
                assert_eq!(followed.divergence, None);
            }
        }
    }

    #[test]
    fn an_interleaving_of_any_engine_is_followed_on_states() {
        let setup = program(Shape::LostUpdate);
        let by_shuttle = |setup: &Setup| {
            let shuttle = Shuttle {
                scheduler: Scheduler::Portfolio { seed: 1, runs: 1000 },
                limits: Limits::default(),
            };
            shuttle.run(setup).expect("no foreign settings")
        };
        for find in [by_views, by_loom, by_shuttle] {
            let events = find(&setup).failure.expect("an update is lost").events;
            let (followed, places) = follow_on_states(&events, &setup).expect("an interleaving");
            assert_eq!(followed.fault.as_ref().expect("the same end").0, "R");
            assert_eq!((places.len(), followed.decisions.len()), (6, 6));
            assert!(followed.preemptions() >= 1);
        }
        let least = minimal(by_shuttle(&setup), Limits::default(), &setup, &|_| {});
        let failure = least.failure.expect("still broken");
        assert_eq!((failure.preemptions, failure.decisions.len()), (1, 6));
        assert_eq!((least.engine, least.search), ("shuttle", super::SHORTENED));
    }
}
