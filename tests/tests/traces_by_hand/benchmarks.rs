//! The programs by which partial-order reductions are compared in the literature (Flanagan and
//! Godefroid, 2005; Abdulla, Aronis, Jonsson and Sagonas, 2017), with the counts printed there.

use super::{assert_counts, assert_traces, body, each, program};
use mmspec_model::k::atomic::{AtomicT, cmpxchg_null, read_once, write_once};
use mmspec_model::k::engine::Object;
use mmspec_model::k::lock::{Spinlock, spin_lock, spin_unlock};
use mmspec_model::k::plain::{Plain, read, write};
use mmspec_model::k::program::Setup;

fn words(n: usize) -> impl Fn(Object) -> Vec<AtomicT> {
    move |o| (0..n).map(|_| AtomicT::new(o, "x", 0)).collect()
}

/// lastzero(n): thread j of 1..=n sets x[j] to x[j - 1] + 1; thread 0 looks for the last 0, from x[n]
/// down. x[0] stays 0.
///
/// Each thread but the first reads before or after its predecessor writes: n - 1 choices. Thread 0
/// stops at 0 (it came last) or at n (before n's write) whatever these are: 2 * 2^(n - 1) traces. If it
/// stops at an i between, x[i + 1] is written before it stops and x[i] after, so that i + 1 has read
/// before i has written: 1 choice less, (n - 1) 2^(n - 2) traces. In all (n + 3) 2^(n - 2).
fn lastzero(n: usize) -> Setup {
    let mut bodies = vec![body(move |x: &Vec<AtomicT>| {
        (0..=n).rev().find(|&i| read_once(x[i]) == 0).expect("x[0] is 0") as u64
    })];
    bodies.extend(each(n as u64, |x: &Vec<AtomicT>, i| {
        let before = read_once(x[i as usize]);
        write_once(x[i as usize + 1], before + 1);
        0
    }));
    program(words(n + 1), bodies)
}

#[test]
fn lastzero_has_the_traces_of_the_literature() {
    for (n, traces) in [(3, 12), (4, 28), (5, 64), (6, 144), (7, 320), (10, 3328)] {
        assert_eq!(traces, (n + 3) << (n - 2));
        assert_traces(&lastzero(n as usize), traces);
    }
}

/// The interleavings of lastzero(2): thread 0 is spread over each of the 6 orders of r1 w1 and r2 w2. It
/// reads x[2], and if that is 0 stops: once at each place up to w2. If not, it reads x[1] later, and if
/// that is not 0, x[0] after that.
///
/// If p steps are before w2, p + 1 gaps are, in which x[2] is still 0; 4 - p gaps are behind it. If w1 is
/// before w2, all 3 reads are in these: m gaps take r reads in C(m + r - 1, r) ways. If w1 is behind w2,
/// x[1] is read between them and 0; or behind both, and x[0] after it.
#[test]
fn lastzero_by_interleavings() {
    let gaps = |m: u64, reads: u64| (0..reads).map(|i| m + i).product::<u64>() / (1..=reads).product::<u64>();
    let mut all = 0;
    // The places of w1 and w2 in: r1 w1 r2 w2, r1 r2 w1 w2 and r2 r1 w1 w2 (w1 first), and the same three
    // with w2 first.
    for (w1, w2) in [(1, 3), (2, 3), (2, 3), (3, 1), (3, 2), (3, 2)] {
        all += w2 + 1;
        if w1 < w2 {
            all += gaps(4 - w2, 3);
        } else {
            // Gaps w2 + 1 ..= w1 are before w1, gap 4 behind it.
            let before = w1 - w2;
            all += gaps(before, 2) + before * gaps(4 - w1, 2) + gaps(4 - w1, 3);
        }
    }
    assert_counts(&lastzero(2), 5, all);
}

const INODES: usize = 32;
const BLOCKS: usize = 26;

struct Disk {
    inodes: Vec<(Spinlock, Plain)>,
    blocks: Vec<(Spinlock, Plain)>,
}

fn disk(o: Object) -> Disk {
    let place = |_| (Spinlock::new(o, "lock"), Plain::new(o, "p", 0));
    Disk { inodes: (0..INODES).map(place).collect(), blocks: (0..BLOCKS).map(place).collect() }
}

/// Thread i takes the first free block from 2i modulo 26 for its inode.
fn allocate(disk: &Disk, i: u64) -> u64 {
    let (lock, inode) = disk.inodes[i as usize];
    spin_lock(lock);
    let mut b = 2 * i as usize % BLOCKS;
    while read(inode) == 0 {
        let (lock, busy) = disk.blocks[b];
        spin_lock(lock);
        if read(busy) == 0 {
            write(busy, 1);
            write(inode, b as u64 + 1);
        }
        spin_unlock(lock);
        b = (b + 1) % BLOCKS;
    }
    let block = read(inode);
    spin_unlock(lock);
    block
}

/// filesystem(n): thread 13 + k wants the block of thread k, and whoever comes second takes the odd one
/// behind it, which nobody else wants: 2^(n - 13) traces.
#[test]
fn filesystem_has_the_traces_of_the_literature() {
    for (n, traces) in [(13, 1), (14, 2), (15, 4), (16, 8)] {
        assert_traces(&program(disk, each(n, allocate)), traces);
    }
}

const TABLE: u64 = 128;

/// Thread i puts the words 11 m + i, for m in 1..=4, into a hash table, each at 7 times itself or the
/// next free place.
fn index(table: &[AtomicT], i: u64) -> u64 {
    (1..=4).fold(0, |tries, m| {
        let word = 11 * m + i;
        let mut places = 7 * word..;
        tries * 2 + places.position(|h| cmpxchg_null(table[(h % TABLE) as usize], word)).expect("room") as u64
    })
}

/// indexer(n): threads k and 11 + k have 3 words in common. Any order at one of them goes with any at the
/// others, because neither thread meets the other's earlier words. The place behind a word w belongs to
/// w + 55 (7 * 55 is 1 modulo 128), which nobody has: 2^(3 (n - 11)) traces.
#[test]
fn indexer_has_the_traces_of_the_literature() {
    for (n, traces) in [(11, 1), (12, 8), (13, 64), (14, 512)] {
        assert_traces(
            &program(words(TABLE as usize), each(n, |table: &Vec<AtomicT>, i| index(table, i))),
            traces,
        );
    }
}
