//! What may be said on the command line. The doc comments are the help text.

use clap::{Parser, Subcommand, ValueEnum};
use mmspec::check::Engine;
use mmspec::simulation::Table;
use std::path::PathBuf;
use std::time::Duration;

/// How the last line of a check reads, in numbers.
const EXIT_CODES: &str = "\
Exit codes:
  0  all as expected: every check holds, the trace is reproduced
  1  a rule is broken, or something else was found than expected
  2  it could not be done: usage, bad input, a file that cannot be read or written
  3  inconclusive: a limit was reached, or a scenario never gets to what it is about";

/// Examples for `check`.
const CHECK_EXAMPLES: &str = "\
Examples:
  mmspec check                          the gate: everything in the manifest, and all mutants
  mmspec check exit_vs_reaper           one scenario, on v6.12 and on the proposal
  mmspec check --without A3-late        take a rule away and see what breaks
  mmspec check --kernel all             a matrix: every scenario on every kernel, by states
  mmspec check backpressure --kernel rfc-async-teardown --engine views,loom

Exit codes:
  0  all as expected     1  a rule is broken, or something unexpected was found
  2  usage or bad input  3  inconclusive: a limit was reached, or a goal never";

/// What `replay` does on each engine.
const REPLAY_ENGINES: &str = "\
Engines:
  states  follows the schedule; that of another engine is taken from the steps in the file, if they
          are an interleaving
  views   follows it on weak memory, and reads the old values that the trace has
  loom    cannot be led: searches for a violation of the same rule, with more and more preemptions
Without --engine: a trace of states or shuttle on states, one of views on views, one of loom on
states, on views and by loom, until one of them reproduces it.

Exit codes:
  0  the rule breaks again   1  it does not
  2  usage or bad input      3  loom was given up before it found anything";

/// Examples for `show`.
const SHOW_EXAMPLES: &str = "\
Examples:
  mmspec show TRACE                              the race table, 75 columns wide
  mmspec show TRACE --format changelog           the table and three sentences for a commit message
  mmspec show TRACE --format html > trace.html   to step through in a browser
  mmspec show TRACE --format perfetto > t.json   open it on ui.perfetto.dev
  mmspec show TRACE --format ftrace              text as of /sys/kernel/tracing/trace";

/// What this is about.
const ABOUT: &str = "\
Explores the life of a Linux mm_struct, asynchronous teardown included, and prints what is proved
about it, or how it breaks";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "mmspec", version, about = ABOUT, long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check scenarios; without names and options that choose some: all that the manifest expects
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// List scenarios, kernels, rules and engines
    List(ListArgs),
    /// Show bugs of history: found on the kernel that had them, and not on the one that mended them
    Bugs(BugsArgs),
    /// List the locking rules: what each says, and what shows that it is needed
    Rules(RulesArgs),
    /// Explain a rule: why, where, what proves it, and how it breaks without it
    Explain(ExplainArgs),
    /// What two kernels do differently, as far as it is modelled
    ///
    /// Exits with 0 whether they differ or not.
    Diff(DiffArgs),
    /// Compare the functions that the model mirrors with a Linux source tree
    ///
    /// Exits with 1 if one of them is not what the model was written after, and says what to check again.
    Drift(DriftArgs),
    /// Draw a trace file: as a race table, as a page for a browser, or for a trace viewer
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowArgs),
    /// Follow a trace file on the model as it is now
    ///
    /// Exits with 0 if the same rule breaks again, with 1 if it does not, and says where they part.
    #[command(after_help = REPLAY_ENGINES)]
    Replay(ReplayArgs),
    /// Walk through a trace file, step by step
    ///
    /// Shows what each task is about to do, what memory holds and what changed. Reads commands from
    /// standard input; `h` lists them.
    Step(StepArgs),
    /// Print published numbers beside those of a simulation on a virtual clock
    ///
    /// One price is calibrated from each row that says so; the other rows are predictions.
    Simulate(SimulateArgs),
    /// Rewrite the `[[check]]` rows of the manifest from what the engines find
    #[command(hide = true)]
    Pin(PinArgs),
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// A race table.
    Table,
    /// The same with three sentences and the rule, for a commit message.
    Changelog,
    /// One page for a browser, to step through; it needs no network.
    Html,
    /// JSON that ui.perfetto.dev opens.
    Perfetto,
    /// Text of ftrace, with the kernel's tracepoints where a step is one.
    Ftrace,
    /// The trace file itself, once it is found to be well-formed.
    Json,
}

/// Options of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Scenarios; all that say something about the kernel if none is named
    #[arg(value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Kernel, or `all` [default: v6.12 and rfc-async-teardown]
    #[arg(long = "kernel", value_name = "NAME", value_delimiter = ',')]
    pub kernels: Vec<String>,
    /// Take this rule away; several are taken away together
    #[arg(long = "without", value_name = "RULE", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Who explores [default: states]
    #[arg(long = "engine", value_name = "ENGINE", value_delimiter = ',')]
    pub engines: Vec<Engine>,
    /// Explore executions with at most so many preemptions (states, loom)
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// CPU seconds after which a search is given up [default: 300; in the gate 3600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Seed of the random schedules (shuttle) [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of random schedules (shuttle) [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Check also what takes long
    #[arg(long)]
    pub deep: bool,
    /// How the results are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Directory for trace files, made if it is missing; nothing in it is overwritten
    #[arg(long, value_name = "DIR", default_value = "traces")]
    pub out: PathBuf,
    /// Another manifest than that which the program was built with
    #[arg(long, value_name = "FILE", hide = true, conflicts_with_all = ["scenarios", "kernels", "without", "engines"])]
    pub manifest: Option<PathBuf>,
}

impl CheckArgs {
    /// Whether nothing in particular is asked for.
    pub fn is_gate(&self) -> bool {
        let Self { scenarios, kernels, without, engines, preemptions, seed, runs, .. } = self;
        scenarios.is_empty()
            && kernels.is_empty()
            && without.is_empty()
            && engines.is_empty()
            && preemptions.is_none()
            && seed.is_none()
            && runs.is_none()
    }
}

impl CheckArgs {
    /// Whether every scenario is to be explored on every kernel.
    pub fn is_matrix(&self) -> bool {
        let Self { scenarios, kernels, without, engines, preemptions, seed, runs, .. } = self;
        kernels.iter().any(|k| k == "all")
            && scenarios.is_empty()
            && without.is_empty()
            && engines.iter().all(|e| *e == Engine::States)
            && preemptions.is_none()
            && seed.is_none()
            && runs.is_none()
    }
}

/// What there are lists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    /// What meets what.
    Scenarios,
    /// Which kernels are modelled.
    Kernels,
    /// What the kernels keep, and what happens without.
    Rules,
    /// Who explores.
    Engines,
}

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// What to list, in full [default: all, in short]
    #[arg(value_enum)]
    pub topic: Option<Topic>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `bugs`.
#[derive(Debug, clap::Args)]
pub struct BugsArgs {
    /// Bugs; all if none is named
    #[arg(value_name = "BUG")]
    pub bugs: Vec<String>,
    /// How they are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `rules`.
#[derive(Debug, clap::Args)]
pub struct RulesArgs {
    /// How they are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// A rule, such as R23, or one of the ways to break it, such as R23-test
    pub rule: String,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// A kernel
    pub old: String,
    /// Another one
    pub new: String,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `drift`.
#[derive(Debug, clap::Args)]
pub struct DriftArgs {
    /// The source tree
    #[arg(long, value_name = "TREE")]
    pub linux: PathBuf,
    /// Kernel to compare with [default: of those with hashes, the newest that is not newer than the tree]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Take the tree's hashes as the kernel's: rewrite this file, which is checks/drift.toml
    #[arg(long, value_name = "FILE", requires = "kernel", conflicts_with = "format")]
    pub pin: Option<PathBuf>,
}

/// Options of `show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Trace file, as written by `check`
    pub trace: PathBuf,
    /// Columns of a race table at most [default: 75]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    pub width: Option<u16>,
    /// Show each step, also where the table gets longer than a screen
    #[arg(long)]
    pub full: bool,
    /// How it is written
    #[arg(long, value_enum, default_value_t = TraceFormat::Table)]
    pub format: TraceFormat,
    /// Where the sources of the model can be seen: the page links each step to URL/FILE#LLINE
    #[arg(long, value_name = "URL", value_parser = source_url)]
    pub source: Option<String>,
}

/// Options of `replay`.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Trace file, as written by `check`
    pub trace: PathBuf,
    /// Who runs it [default: see below]
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<Engine>,
    /// CPU seconds after which loom is given up
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub time: Duration,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `step`.
#[derive(Debug, clap::Args)]
pub struct StepArgs {
    /// Trace file, as written by `check`
    pub trace: PathBuf,
    /// Text for a walk, JSON for all states at once
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `simulate`.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    /// Which numbers [default: all]
    #[arg(value_enum)]
    pub table: Option<Table>,
    /// CPUs of the simulated machine [default: as many as the machine of the published numbers had]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cpus: Option<u16>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Options of `pin`.
#[derive(Debug, clap::Args)]
pub struct PinArgs {
    /// The manifest to rewrite
    #[arg(long, value_name = "FILE", default_value = "checks/manifest.toml")]
    pub manifest: PathBuf,
    /// Pin this scenario only; the other rows stay as they are
    #[arg(long, value_name = "SCENARIO")]
    pub only: Vec<String>,
    /// CPU seconds after which `views` is given up: no pin
    #[arg(long, value_name = "N", default_value = "60", value_parser = seconds)]
    pub views_seconds: Duration,
    /// CPU seconds after which `loom` is given up: the next smaller bound
    #[arg(long, value_name = "N", default_value = "20", value_parser = seconds)]
    pub loom_seconds: Duration,
    /// CPU seconds after which `loom` is given up with the least bound: no pin
    #[arg(long, value_name = "N", default_value = "600", value_parser = seconds)]
    pub loom_most_seconds: Duration,
    /// Rewrite checks/matrix.toml in place of the manifest: what `states` finds on kernels of history
    #[arg(long, conflicts_with = "manifest")]
    pub matrix: bool,
    /// CPU seconds above which a pin is deep [default: states 4, views 8, loom 4]
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub deep_seconds: Option<Duration>,
}

/// An address that a browser may follow: nothing that it would run.
fn source_url(text: &str) -> Result<String, String> {
    let known = ["https://", "http://", "file:///"].iter().any(|scheme| text.starts_with(scheme));
    if known {
        Ok(text.into())
    } else {
        Err("not an address that starts with https://, http:// or file:///".into())
    }
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("not a positive number of seconds".into()),
    }
}
