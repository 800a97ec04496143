//! Who is who in the text: pids, names, addresses, and the mm as a probe reads it.

use crate::file::TraceFile;
use crate::timeline::waits;
use mmspec_model::event::{Event, Kind};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// What ftrace prints for a task whose name it has lost.
const UNKNOWN: &str = "<...>";
/// Characters of a task's name that the kernel keeps.
const COMM: usize = 15;
/// Where the first mm lies.
const FIRST_MM: u64 = 0xff11_0000_0400_0000;
/// How far the next one is from it.
const MM_SIZE: u64 = 0x580;
/// Pid of the first task that lives in one of the scenario's mms.
const FIRST_PID: usize = 100;
/// Pid of the first other one.
const FIRST_OTHER: usize = 30;

/// What the lines have said so far.
pub struct World {
    comms: Vec<String>,
    pids: Vec<usize>,
    /// Values of the words of mms; each bit of the flags on its own.
    values: HashMap<(String, String, String), u64>,
    /// The victim that each task is about.
    victims: HashMap<usize, usize>,
    /// Tasks that have asked for an mmap lock and wait.
    asking: HashSet<usize>,
}

/// The number in `object`, if it is a `kind`.
pub fn index_of(object: &str, kind: &str) -> Option<usize> {
    object.strip_prefix(kind)?.parse().ok()
}

/// The word that `e` is about, if it belongs to an mm.
fn place(e: &Event) -> Option<(String, String, String)> {
    let touches = !matches!(e.kind, Kind::Ghost | Kind::Fence | Kind::Free);
    (touches && index_of(&e.object, "mm").is_some()).then(|| {
        let bit = if e.step.ends_with("_bit") { e.arg.clone() } else { String::new() };
        (e.object.clone(), e.word.clone(), bit)
    })
}

impl World {
    /// The world before the first step of `file`.
    pub fn new(file: &TraceFile) -> Self {
        let mut values = HashMap::new();
        for e in &file.events {
            if let Some(place) = place(e) {
                values.entry(place).or_insert(e.before);
            }
        }
        let own = |name: &String| index_of(name.split(' ').next().unwrap_or(""), "T");
        let pid = |(i, name): (usize, &String)| own(name).map_or(FIRST_OTHER + i, |t| FIRST_PID + t);
        Self {
            comms: file.tasks.iter().map(|name| comm(name)).collect(),
            pids: file.tasks.iter().enumerate().map(pid).collect(),
            values,
            victims: HashMap::new(),
            asking: HashSet::new(),
        }
    }

    /// Take `e` in.
    pub fn step(&mut self, e: &Event) {
        if let Some(place) = place(e).filter(|_| e.kind != Kind::Waits) {
            self.values.insert(place, e.after);
        }
        if e.word == "mmap_lock" {
            if waits(e) {
                self.asking.insert(e.task);
            } else {
                self.asking.remove(&e.task);
            }
        }
        // Entries of the reaper's list are numbers of tasks from 1, the first in the low bits.
        let listed = e.word == "oom_reaper_list" && e.step == "WRITE_ONCE";
        let entry = if e.after > e.before { e.after & 0xf } else { e.before & 0xf };
        let victim = if listed { (entry as usize).checked_sub(1) } else { None };
        let marked = if e.arg == "TIF_MEMDIE" { index_of(&e.object, "T") } else { None };
        if let Some(victim) = victim.or(marked) {
            self.victims.insert(e.task, victim);
        }
    }

    /// Whether `task` has asked for an mmap lock and waits.
    pub fn asks(&self, task: usize) -> bool {
        self.asking.contains(&task)
    }

    /// Pid of a task of the trace.
    pub fn pid(&self, task: usize) -> usize {
        self.pids.get(task).copied().unwrap_or(FIRST_OTHER + task)
    }

    /// Its name.
    pub fn comm(&self, task: usize) -> &str {
        self.comms.get(task).map_or(UNKNOWN, String::as_str)
    }

    /// As many as there are tasks.
    pub fn cpus(&self) -> usize {
        self.comms.len()
    }

    /// Pid and name of the victim that `task` has marked, or queued, or taken from the queue.
    pub fn victim(&self, task: usize) -> Option<(usize, String)> {
        let pid = FIRST_PID + self.victims.get(&task)?;
        let known = self.pids.iter().position(|&p| p == pid);
        Some((pid, known.map_or_else(|| UNKNOWN.into(), |t| self.comms[t].clone())))
    }

    /// Address of mm number `index`.
    pub fn address(index: usize) -> u64 {
        FIRST_MM.wrapping_add((index as u64).wrapping_mul(MM_SIZE))
    }

    /// The fields of a probe that prints an mm.
    pub fn mm(&self, index: usize) -> String {
        let value = |word: &str| {
            let place = (format!("mm{index}"), word.to_string(), String::new());
            self.values.get(&place).map(|v| v.cast_signed())
        };
        let flags = self
            .values
            .iter()
            .filter(|((object, word, _), _)| word == "flags" && index_of(object, "mm") == Some(index));
        let flags = flags.fold(0, |all, (_, bits)| all | bits);
        let mut fields = format!(" mm=0x{:x}", Self::address(index));
        for (name, word) in [("users", "mm_users"), ("count", "mm_count")] {
            if let Some(value) = value(word) {
                write!(fields, " {name}={value}").expect("a string takes everything");
            }
        }
        fields + &format!(" flags=0x{flags:x}")
    }
}

/// A task's name as the kernel keeps it; a space would end it for many readers.
fn comm(name: &str) -> String {
    let clean = |c: char| if c.is_control() || c.is_whitespace() { '_' } else { c };
    let comm: String = name.chars().take(COMM).map(clean).collect();
    if comm.is_empty() { UNKNOWN.into() } else { comm }
}
