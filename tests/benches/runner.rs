//! One configuration of the peers protocol by one search, for `against-spin.sh`. Prints on one line how
//! it ended, executions, complete executions, states, steps, seconds of CPU and peak memory in KiB.

use clap::{Parser, ValueEnum};
use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits, Report, views};
use mmspec_tests::peers::{Config, program};
use std::process::ExitCode;
use std::time::Duration;

/// Explore one configuration of tests/src/peers.rs
#[derive(Parser)]
struct Args {
    /// An exiting task and the reaper, then the OOM killer, the user, more exiting tasks
    #[arg(value_parser = clap::value_parser!(u8).range(2..=16))]
    actors: u8,
    /// How many mms the exiting tasks share
    #[arg(value_parser = clap::value_parser!(u8).range(1..=2))]
    mms: u8,
    /// How to search
    #[arg(value_enum)]
    search: By,
    /// Give up after so many seconds of CPU
    #[arg(long, value_name = "S", default_value_t = 300)]
    seconds: u64,
    /// Give up when this much memory was used
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// states, partial-order reduction
    Dpor,
    /// states, state hashing
    Hashing,
    /// views
    Views,
}

/// Most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).expect("a peak");
    line.trim_end_matches("kB").trim().parse().expect("a number")
}

fn run(args: &Args) -> Report {
    let setup = program(Config::new(args.actors.into(), args.mms.into()));
    let limits = Limits { time: Duration::from_secs(args.seconds), ..Limits::default() };
    // An engine has no limit of memory, so the process ends where the search is.
    let watch = |executions: u64| {
        let peak = peak();
        if peak > args.memory << 10 {
            println!("memory {executions} - - - - {peak}");
            std::process::exit(1);
        }
    };
    match args.search {
        By::Dpor => states::run(Reduction::Dpor, limits, &setup, &watch),
        By::Hashing => states::run(Reduction::Hashing, limits, &setup, &watch),
        By::Views => views::run(limits, &setup, &watch),
    }
}

fn main() -> ExitCode {
    let report = run(&Args::parse());
    let end = match &report.failure {
        Some(failure) => failure.rule.as_str(),
        None if report.effort == Effort::Complete => "complete",
        None => "time",
    };
    let Report { executions, complete, states, steps, seconds, .. } = report;
    println!("{end} {executions} {complete} {states} {steps} {seconds:.3} {}", peak());
    if end == "complete" { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
