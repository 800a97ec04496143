//! `bugs`: bugs of history, with the kernel that had them and the one that has not.

use super::args::{BugsArgs, Format};
use super::error::CliError;
use super::jobs::{self, Job};
use super::screen::Screen;
use super::{Exit, names};
use mmspec::bugs::{BUGS, Bug, chains, explaining};
use mmspec::check::{Options, check};
use mmspec::engine::ForeignSetting;
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::scenario::library;
use mmspec::verdict::Verdict;
use mmspec_model::variant::Kernel;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What is known of a bug.
#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    bug: Bug,
    before: Side,
    after: Side,
    as_expected: bool,
    /// Its counterexample, if it is there.
    trace: Option<String>,
}

/// A kernel, and how the scenario fares there.
#[derive(Serialize)]
struct Side {
    kernel: String,
    verdict: String,
}

/// Explore both kernels of every bug.
pub fn run(args: &BugsArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let start = Instant::now();
    refuse_foreign_settings()?;
    let named = args.bugs.iter().map(|id| names::bug(id)).collect::<Result<Vec<_>, _>>()?;
    let bugs: Vec<&'static Bug> = if named.is_empty() { BUGS.iter().collect() } else { named };
    let jobs: Vec<_> = bugs
        .iter()
        .flat_map(|bug| {
            let (broken, fixed) = bug.kernels();
            [job(bug, broken), job(bug, fixed)]
        })
        .collect();
    let mut verdicts = Vec::new();
    jobs::run(&jobs, |_, verdict| {
        verdicts.push(verdict?);
        Ok(())
    })?;
    let found: Vec<Found> =
        bugs.iter().zip(verdicts.chunks(2)).map(|(bug, pair)| Found::new(bug, &pair[0], &pair[1])).collect();
    if args.format == Format::Json {
        screen.json(&found)?;
    } else {
        for Found { bug, before, after, trace, .. } in &found {
            screen.line(format_args!("{:4} {}", bug.id, bug.what))?;
            screen
                .line(format_args!("     fixed by {}; affected: {}; {}", bug.fix, bug.span, bug.scenario))?;
            for side in [before, after] {
                screen.line(format_args!("       {:26} {}", side.kernel, side.verdict))?;
            }
            if let Some(trace) = trace {
                screen.line(format_args!("       mmspec show {trace}"))?;
            }
        }
        show_chains(&bugs, screen)?;
        let shown = found.iter().filter(|f| f.as_expected).count();
        screen.line(format_args!(
            "\n{shown} of {} bugs are found before their fix and not after it; {:.1} s",
            found.len(),
            start.elapsed().as_secs_f64()
        ))?;
    }
    Ok(if found.iter().all(|f| f.as_expected) { Exit::AsExpected } else { Exit::Unexpected })
}

/// The chains that one of `bugs` is part of.
fn show_chains(bugs: &[&Bug], screen: &mut Screen) -> Result<(), CliError> {
    let asked = |chain: &Vec<&Bug>| chain.iter().any(|part| bugs.iter().any(|bug| bug.id == part.id));
    let chains: Vec<_> = chains().into_iter().filter(asked).collect();
    if chains.is_empty() {
        return Ok(());
    }
    screen.line("\nChains, by the commit that mended one and brought the next:")?;
    for chain in chains {
        let link = |bug: &&Bug| match &bug.cause {
            Some(cause) => format!(" -{cause}-> {}", bug.id),
            None => format!(" {}", bug.id),
        };
        screen.line(format_args!(" {}", chain.iter().map(link).collect::<String>()))?;
    }
    Ok(())
}

fn job(bug: &'static Bug, kernel: Kernel) -> Job<'static, Result<Verdict, ForeignSetting>> {
    Job {
        subject: format!("{} on {}", bug.scenario, kernel.name),
        engine: bug.engine,
        explore: Box::new(move |progress| {
            let scenario = library::named(&bug.scenario).expect("the gate knows every scenario of a bug");
            Ok(check(&scenario, kernel, bug.engine, &Options::default(), progress)?.verdict)
        }),
    }
}

impl Found {
    fn new(bug: &Bug, before: &Verdict, after: &Verdict) -> Self {
        let breaks =
            |verdict: &Verdict| matches!(verdict, Verdict::Violated { rule, .. } if *rule == bug.rule);
        let broken = match &bug.without {
            Some(rule) => format!("{} without {rule}", bug.fixed),
            None => bug.kernels[0].clone(),
        };
        // The fixed kernel may have a bug of its own.
        let next = match after {
            Verdict::Violated { rule, .. } => {
                explaining(&bug.fixed, rule).next().map(|next| format!(" ({})", next.id))
            }
            _ => None,
        };
        let mended = *after == Verdict::Complete || next.is_some();
        Self {
            bug: bug.clone(),
            before: Side { kernel: broken, verdict: before.to_string() },
            after: Side {
                kernel: bug.fixed.clone(),
                verdict: after.to_string() + next.as_deref().unwrap_or_default(),
            },
            as_expected: breaks(before) && !breaks(after) && mended,
            trace: Some(bug.trace()).filter(|trace| Path::new(trace).exists()),
        }
    }
}
