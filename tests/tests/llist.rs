//! A list of more entries than one word holds is linked: under every interleaving nothing is lost and
//! the order is kept.

use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report, views};
use mmspec_model::k::engine::engine;
use mmspec_model::k::llist::{LlistHead, llist_add, llist_del_all};
use mmspec_model::k::plain::{Plain, write};
use mmspec_model::k::program::{Ending, Program, Setup, Thread};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Thread 0 adds `7` and `3`, thread 1 adds `9`, thread 2 takes all twice. Outcomes are what it took
/// each time, as decimal digits.
fn program(entries: usize) -> Setup {
    Arc::new(move || {
        let object = engine().new_object("", 0);
        let list = LlistHead::new(object, "list", entries);
        let found = [Plain::new(object, "first", 0), Plain::new(object, "second", 0)];
        let thread = |name: &str, body: Rc<dyn Fn()>| Thread { name: name.into(), body };
        let adds_two = move || {
            llist_add(7, list);
            llist_add(3, list);
        };
        let adds_one = move || {
            llist_add(9, list);
        };
        let drains = move || {
            for took in found {
                write(took, llist_del_all(list).iter().fold(0, |digits, entry| 10 * digits + entry));
            }
        };
        let threads = vec![
            thread("adds two", Rc::new(adds_two)),
            thread("adds one", Rc::new(adds_one)),
            thread("takes", Rc::new(drains)),
        ];
        let judge = move || Ending {
            outcome: format!("{} {}", found[0].peek(), found[1].peek()),
            faults: Vec::new(),
        };
        Program { threads, judge: Rc::new(judge) }
    })
}

fn outcomes(report: &Report) -> &BTreeSet<String> {
    assert_eq!(report.effort, Effort::Complete);
    &report.outcomes
}

#[test]
fn a_linked_list_behaves_as_a_packed_one() {
    let plain = |entries| states::run(Reduction::Plain, Limits::default(), &program(entries), &|_| {});
    let (packed, linked) = (plain(15), plain(16));
    assert_eq!(outcomes(&packed), outcomes(&linked));
    assert!(outcomes(&linked).contains("793 0"), "{:?}", linked.outcomes);
    assert!(outcomes(&linked).contains("9 7"), "{:?}", linked.outcomes);
}

#[test]
fn weak_memory_shows_no_entry_before_its_next() {
    let linked = views::run(Limits::default(), &program(16), &|_| {});
    let packed = views::run(Limits::default(), &program(15), &|_| {});
    assert_eq!(outcomes(&linked), outcomes(&packed));
}
