//! `pin`: what the engines find now becomes what the gate expects.
//!
//! The rows are written anew, in the order of the kernels and of the library; what stands before the
//! first `[[check]]` and from the first `[[mutant]]` on is written by hand and stays as it is.

use super::args::PinArgs;
use super::error::CliError;
use super::gate::ENGINES;
use super::jobs::{self, Job};
use super::screen::Screen;
use super::{Exit, expected, names, pin_matrix};
use cpu_time::ThreadTime;
use mmspec::check::{Checked, Engine, Options, check};
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::engine::{ForeignSetting, loom};
use mmspec::manifest::{Pin, Row};
use mmspec::scenario::{Scenario, library};
use mmspec::verdict::Verdict;
use mmspec_model::variant::{KERNELS, Kernel, Status};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Smallest bound of preemptions that says enough.
const LEAST_BOUND: u32 = 3;
/// Largest bound that is tried.
const MOST_BOUND: u32 = 6;
/// Most actors of a scenario that is pinned for alternative designs too.
const LARGE: usize = 5;
/// Time for what has no time box.
const AMPLE: Duration = Duration::from_hours(1);

/// What an engine found within its time box.
struct Found {
    checked: Checked,
    bound: Option<u32>,
    time: Duration,
}

/// A scenario on a kernel, and who explores it.
struct Target {
    scenario: Scenario,
    kernel: Kernel,
    engines: Vec<Engine>,
}

/// Pin what `args` asks for.
pub fn run(args: &PinArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    refuse_foreign_settings()?;
    if args.matrix {
        return pin_matrix::run(&args.only, screen);
    }
    let text = expected::read(&args.manifest)?;
    let committed = expected::parse(&text, &args.manifest)?;
    let targets = targets(args)?;
    let jobs: Vec<_> = targets.iter().flat_map(|t| t.engines.iter().map(|&e| job(t, e, args))).collect();
    let mut found = Vec::new();
    jobs::run(&jobs, |index, result| {
        let result = result?;
        let what = result.as_ref().map_or("does not finish: no pin".into(), |f| {
            format!("{} {:.1} s", f.checked.verdict, f.time.as_secs_f64())
        });
        screen.line(format_args!("{}: {what}", jobs[index].subject))?;
        found.push(result);
        Ok(())
    })?;
    let mut found = found.into_iter();
    let mut rows: Vec<Row> = Vec::new();
    let mut refused = Vec::new();
    for target in &targets {
        let of_target = target.engines.iter().map(|&e| (e, found.next().flatten())).collect();
        match row(target, of_target, args) {
            Ok(row) => rows.push(row),
            Err(why) => refused.push(format!("{} on {}: {why}", target.scenario.name, target.kernel.name)),
        }
    }
    // What was not run, or may not be expected, stays as it was.
    let anew =
        |old: &Row| rows.iter().any(|row| (&row.kernel, &row.scenario) == (&old.kernel, &old.scenario));
    let stay: Vec<Row> = committed.check.into_iter().filter(|old| !anew(old)).collect();
    rows.extend(stay);
    let rows = in_order(rows);
    replace(&args.manifest, &text, &written(&text, &rows))?;
    screen.line(format_args!("\n{}: {} rows", args.manifest.display(), rows.len()))?;
    if refused.is_empty() {
        return Ok(Exit::AsExpected);
    }
    screen.line("Not pinned, because nobody should expect it:")?;
    refused.iter().try_for_each(|line| screen.line(format_args!("  {line}")))?;
    Ok(Exit::Unexpected)
}

/// What is explored, by whom.
fn targets(args: &PinArgs) -> Result<Vec<Target>, CliError> {
    let only = args.only.iter().map(|name| names::scenario(name)).collect::<Result<Vec<_>, _>>()?;
    let scenarios = if only.is_empty() { library::all() } else { only };
    let mut targets = Vec::new();
    for kernel in KERNELS.iter().filter(|k| k.status != Status::Version) {
        for scenario in scenarios.iter().filter(|s| s.applies_to(kernel)) {
            let fits = |engine: &Engine| match engine {
                Engine::States => true,
                Engine::Loom if !loom::fits(scenario.threads(kernel)) => false,
                // An alternative design differs from the proposal in what it does, not in its orders.
                _ => kernel.status != Status::Alternative,
            };
            let engines: Vec<Engine> = ENGINES.into_iter().filter(fits).collect();
            if kernel.status == Status::Alternative && scenario.actors.len() > LARGE {
                continue;
            }
            targets.push(Target { scenario: scenario.clone(), kernel: *kernel, engines });
        }
    }
    Ok(targets)
}

fn job<'a>(
    target: &'a Target,
    engine: Engine,
    args: &'a PinArgs,
) -> Job<'a, Result<Option<Found>, ForeignSetting>> {
    Job {
        subject: format!("{} on {}, {}", target.scenario.name, target.kernel.name, engine.name()),
        engine,
        explore: Box::new(move |progress| {
            let search = |bound, time| find(target, engine, bound, time, progress);
            match engine {
                Engine::Loom => largest_bound(args.loom_seconds, args.loom_most_seconds, search),
                Engine::Views => search(None, args.views_seconds),
                Engine::States | Engine::Shuttle => search(None, AMPLE),
            }
        }),
    }
}

/// Explore for `time`; `None` if that was too short.
fn find(
    target: &Target,
    engine: Engine,
    bound: Option<u32>,
    time: Duration,
    progress: &dyn Fn(u64),
) -> Result<Option<Found>, ForeignSetting> {
    let mut options = Options { preemptions: bound, ..Options::default() };
    options.limits.time = time;
    let start = ThreadTime::now();
    let checked = check(&target.scenario, target.kernel, engine, &options, progress)?;
    let finished = checked.verdict != Verdict::Inconclusive;
    Ok(finished.then(|| Found { checked, bound, time: start.elapsed() }))
}

/// Everything, if that finishes within `time`; else with the largest bound that does; else with the
/// least, within `most`.
fn largest_bound(
    time: Duration,
    most: Duration,
    search: impl Fn(Option<u32>, Duration) -> Result<Option<Found>, ForeignSetting>,
) -> Result<Option<Found>, ForeignSetting> {
    if let Some(found) = search(None, time)? {
        return Ok(Some(found));
    }
    let mut largest = search(Some(LEAST_BOUND), most)?;
    let mut bound = LEAST_BOUND;
    // The next bound takes longer than the one before.
    while bound < MOST_BOUND && largest.as_ref().is_some_and(|found| found.time < time) {
        bound += 1;
        match search(Some(bound), time)? {
            Some(found) => largest = Some(found),
            None => break,
        }
    }
    Ok(largest)
}

/// The row that expects what was found, or why nobody should.
fn row(target: &Target, found: Vec<(Engine, Option<Found>)>, args: &PinArgs) -> Result<Row, String> {
    let mut row = Row {
        kernel: target.kernel.name.into(),
        scenario: target.scenario.name.clone(),
        outcomes: BTreeSet::new(),
        states: None,
        views: None,
        loom: None,
    };
    for (engine, found) in found {
        let Some(found) = found else {
            if engine == Engine::States {
                return Err("INCONCLUSIVE on states".into());
            }
            continue;
        };
        let (report, verdict) = (&found.checked.report, &found.checked.verdict);
        if !verdict.holds() {
            return Err(format!("{verdict} on {}", engine.name()));
        }
        if engine == Engine::States {
            row.outcomes.clone_from(&report.outcomes);
        }
        let missing: Vec<_> = row.outcomes.difference(&report.outcomes).collect();
        if found.bound.is_none() && !missing.is_empty() {
            return Err(format!("{} never ends like this, but states does: {missing:?}", engine.name()));
        }
        let mut pin = Pin::of(&found.checked, found.bound);
        pin.extra = report.outcomes.difference(&row.outcomes).cloned().collect();
        pin.deep = found.time > args.deep_seconds.unwrap_or(every_day(engine));
        match engine {
            Engine::States => row.states = Some(pin),
            Engine::Views => row.views = Some(pin),
            Engine::Loom => row.loom = Some(pin),
            Engine::Shuttle => {}
        }
    }
    Ok(row)
}

/// What an engine may take of every run of the gate.
fn every_day(engine: Engine) -> Duration {
    Duration::from_secs(if engine == Engine::Views { 8 } else { 4 })
}

/// The rows by kernel, then by scenario, as the library has them. Strangers go.
fn in_order(rows: Vec<Row>) -> Vec<Row> {
    let scenarios = library::all();
    let place = |row: &Row| {
        let kernel = KERNELS.iter().position(|k| k.name == row.kernel)?;
        Some((kernel, scenarios.iter().position(|s| s.name == row.scenario)?))
    };
    let mut placed: Vec<_> = rows.into_iter().filter_map(|row| Some((place(&row)?, row))).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, row)| row).collect()
}

/// The manifest `old` with these rows.
fn written(old: &str, rows: &[Row]) -> String {
    let at = |header: &str| {
        let starts = |(at, _): &(usize, &str)| *at == 0 || old.as_bytes()[at - 1] == b'\n';
        old.match_indices(header).find(starts).map_or(old.len(), |(at, _)| at)
    };
    let (checks, mutants) = (at("[[check]]"), at("[[mutant]]"));
    let mut text = old[..checks.min(mutants)].to_string();
    for row in rows {
        let _ = writeln!(
            text,
            "[[check]]\nkernel = {:?}\nscenario = {:?}\noutcomes = [",
            row.kernel, row.scenario
        );
        for outcome in &row.outcomes {
            let _ = writeln!(text, "    {outcome:?},");
        }
        text.push_str("]\n");
        for (engine, pin) in ENGINES.into_iter().filter_map(|e| Some((e, row.pin(e)?))) {
            let _ = writeln!(text, "{} = {}", engine.name(), pin.line());
        }
        text.push('\n');
    }
    text + &old[mutants..]
}

/// Replace the contents of `path`, all at once, unless somebody has changed them meanwhile.
pub(super) fn replace(path: &Path, old: &str, new: &str) -> Result<(), CliError> {
    if expected::read(path)? != old {
        return Err(CliError::ManifestChanged { path: path.into() });
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let failed = |source| CliError::Io { path: beside.clone(), done: "written", source };
    let mut file = fs::File::create_new(&beside).map_err(failed)?;
    let written = file.write_all(new.as_bytes()).and_then(|()| fs::rename(&beside, path));
    written.map_err(|source| {
        // It was made here, so it is nobody else's.
        let _ = fs::remove_file(&beside);
        failed(source)
    })
}
