//! Whether an execution is an interleaving: one order of its steps in which each finds what the last
//! one on its word has left.

use std::collections::{HashMap, HashSet};

/// Points of the search after which it is given up.
const MOST_POINTS: usize = 200_000;

/// One access of a word that has one value at a time if memory is sequentially consistent.
#[derive(Clone, Debug)]
pub struct Access {
    /// Who.
    pub thread: usize,
    /// Word.
    pub word: String,
    /// Value found.
    pub before: u64,
    /// Value left.
    pub after: u64,
}

/// What is known about the order of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// This one is an interleaving: indices of the accesses, in order.
    Interleaving(Vec<usize>),
    /// There is none; in the order given this access is the first to find an old value, the newest
    /// being the other number.
    None(usize, u64),
    /// The search was given up.
    Unknown,
}

/// Find an interleaving of `accesses` that keeps the order of each thread; that which is given, if it is
/// one.
pub fn order(accesses: &[Access]) -> Order {
    let mut search = Search::new(accesses);
    let first_old = search.first_old();
    loop {
        if search.chosen.len() == accesses.len() {
            return Order::Interleaving(search.chosen);
        }
        if search.seen.len() > MOST_POINTS {
            return Order::Unknown;
        }
        if !search.go_on() && !search.go_back() {
            let (index, newest) = first_old.expect("the order given is tried first");
            return Order::None(index, newest);
        }
    }
}

struct Search<'a> {
    accesses: &'a [Access],
    /// Accesses of each thread.
    threads: Vec<Vec<usize>>,
    /// Index of each access's word.
    words: Vec<usize>,
    /// How far each thread is.
    at: Vec<usize>,
    values: Vec<u64>,
    chosen: Vec<usize>,
    /// Accesses that are still to be tried at each point, the last one first.
    open: Vec<Vec<usize>>,
    seen: HashSet<(Vec<usize>, Vec<u64>)>,
}

impl<'a> Search<'a> {
    fn new(accesses: &'a [Access]) -> Self {
        let mut names = HashMap::new();
        let mut values = Vec::new();
        let mut threads: Vec<Vec<usize>> = Vec::new();
        let mut words = Vec::new();
        for (index, access) in accesses.iter().enumerate() {
            if threads.len() <= access.thread {
                threads.resize(access.thread + 1, Vec::new());
            }
            threads[access.thread].push(index);
            // Whoever comes first cannot have found anything but the initial value.
            let word = *names.entry(access.word.as_str()).or_insert_with(|| {
                values.push(access.before);
                values.len() - 1
            });
            words.push(word);
        }
        let at = vec![0; threads.len()];
        let mut new = Self {
            accesses,
            threads,
            words,
            at,
            values,
            chosen: Vec::new(),
            open: Vec::new(),
            seen: HashSet::new(),
        };
        new.enter();
        new
    }

    /// First access in the order given that does not find the newest value, and that value.
    fn first_old(&self) -> Option<(usize, u64)> {
        let mut values = self.values.clone();
        for (index, access) in self.accesses.iter().enumerate() {
            let newest = std::mem::replace(&mut values[self.words[index]], access.after);
            if newest != access.before {
                return Some((index, newest));
            }
        }
        None
    }

    /// Note what can be tried at the point that was reached.
    fn enter(&mut self) {
        let mut next: Vec<usize> = Vec::new();
        if self.seen.insert((self.at.clone(), self.values.clone())) {
            let heads = self.threads.iter().zip(&self.at).filter_map(|(steps, &at)| steps.get(at));
            let fits = |&&i: &&usize| self.values[self.words[i]] == self.accesses[i].before;
            next.extend(heads.filter(fits));
            next.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.open.push(next);
    }

    fn go_on(&mut self) -> bool {
        let Some(index) = self.open.last_mut().and_then(Vec::pop) else { return false };
        self.chosen.push(index);
        self.at[self.accesses[index].thread] += 1;
        self.values[self.words[index]] = self.accesses[index].after;
        self.enter();
        true
    }

    fn go_back(&mut self) -> bool {
        self.open.pop();
        let Some(index) = self.chosen.pop() else { return false };
        self.at[self.accesses[index].thread] -= 1;
        self.values[self.words[index]] = self.accesses[index].before;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Order, order};

    fn accesses(steps: &[(usize, &str, u64, u64)]) -> Vec<Access> {
        let access = |&(thread, word, before, after): &(usize, &str, u64, u64)| Access {
            thread,
            word: word.into(),
            before,
            after,
        };
        steps.iter().map(access).collect()
    }

    #[test]
    fn an_interleaving_is_left_as_it_is() {
        let steps = accesses(&[(0, "x", 0, 1), (1, "x", 1, 1), (1, "y", 0, 1), (0, "y", 1, 1)]);
        assert_eq!(order(&steps), Order::Interleaving(vec![0, 1, 2, 3]));
    }

    #[test]
    fn an_old_value_may_come_from_another_order() {
        // 1 reads x late, but as if before the write.
        let steps = accesses(&[(0, "x", 0, 1), (1, "x", 0, 0), (1, "y", 0, 1), (0, "y", 1, 1)]);
        assert_eq!(order(&steps), Order::Interleaving(vec![1, 0, 2, 3]));
    }

    #[test]
    fn store_buffering_is_no_interleaving() {
        let steps = accesses(&[(0, "x", 0, 1), (1, "y", 0, 1), (0, "y", 0, 0), (1, "x", 0, 0)]);
        assert_eq!(order(&steps), Order::None(2, 1));
    }

    #[test]
    fn message_passing_without_barriers_is_no_interleaving() {
        let steps = accesses(&[(0, "data", 0, 1), (0, "flag", 0, 1), (1, "flag", 1, 1), (1, "data", 0, 0)]);
        assert_eq!(order(&steps), Order::None(3, 1));
    }
}
