//! `check` of what was named.

use super::args::{CheckArgs, Format};
use super::document::{Document, Subject};
use super::error::CliError;
use super::finding::{Finding, Word};
use super::jobs::{self, Job};
use super::screen::Screen;
use super::{Exit, evidence, expected, names};
use mmspec::check::{Engine, Options, check};
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::engine::loom;
use mmspec::scenario::{Scenario, library};
use mmspec_model::variant::{KERNELS, Kernel};
use std::path::Path;
use std::time::Instant;

/// Kernels that are checked if none is named: what is released, and what is proposed.
const DEFAULT_KERNELS: [&str; 2] = ["v6.12", "rfc-async-teardown"];

/// What is to be explored.
struct Plan {
    checks: Vec<(Scenario, Kernel, Engine)>,
    left_for_deep: Vec<Subject>,
    too_large_for_loom: Vec<String>,
}

/// Check what `args` names.
pub fn run(args: &CheckArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let start = Instant::now();
    refuse_foreign_settings()?;
    let plan = Plan::new(args)?;
    let options = options(args);
    evidence::check_directory(&args.out)?;
    let jobs: Vec<_> = plan.checks.iter().map(|c| job(c, &options)).collect();
    let mut findings = Vec::new();
    let text = args.format == Format::Text;
    let widths = Widths::of(&plan);
    jobs::run(&jobs, |_, found| {
        let finding = found?;
        if text {
            screen.line(widths.line(&finding))?;
        }
        findings.push(finding);
        Ok(())
    })?;
    let keep_all = !args.scenarios.is_empty() || args.without.is_empty();
    let best = evidence::write(&mut findings, &args.out, keep_all)?;
    let document = Document::new(findings, Vec::new(), plan.left_for_deep, start);
    if text {
        if let Some(best) = best {
            conclude_broken(&document.checks, best, screen)?;
        }
        conclude(&document, &plan.too_large_for_loom, args, screen)?;
    } else {
        screen.json(&document)?;
    }
    Ok(exit(&document.checks))
}

impl Plan {
    fn new(args: &CheckArgs) -> Result<Self, CliError> {
        let scenarios =
            args.scenarios.iter().map(|name| names::scenario(name)).collect::<Result<Vec<_>, _>>()?;
        let named = !scenarios.is_empty();
        let scenarios = if named { scenarios } else { library::all() };
        let kernels = kernels(args)?;
        let engines = if args.engines.is_empty() { vec![Engine::States] } else { distinct(&args.engines) };
        useless_options(args, &engines)?;
        let manifest = expected::parse(expected::TEXT, Path::new(expected::PATH))?;
        let is_deep = |scenario: &str, kernel: &str, engine| {
            let row = manifest.check.iter().find(|r| r.scenario == scenario && r.kernel == kernel);
            row.and_then(|row| row.pin(engine)).is_some_and(|pin| pin.deep)
        };
        let mut plan = Self { checks: Vec::new(), left_for_deep: Vec::new(), too_large_for_loom: Vec::new() };
        for kernel in &kernels {
            for scenario in scenarios.iter().filter(|s| s.applies_to(kernel)) {
                for &engine in &engines {
                    let subject = || format!("{} on {}", scenario.name, kernel.name);
                    if !named && engine == Engine::Loom && !loom::fits(scenario.threads(kernel)) {
                        plan.too_large_for_loom.push(subject());
                    } else if !named && !args.deep && is_deep(&scenario.name, kernel.name, engine) {
                        let (kernel, scenario) = (kernel.name.into(), scenario.name.clone());
                        plan.left_for_deep.push(Subject { kernel, scenario, engine: engine.name() });
                    } else {
                        plan.checks.push((scenario.clone(), *kernel, engine));
                    }
                }
            }
        }
        if named && plan.checks.is_empty() {
            let scenarios = args.scenarios.join(", ");
            let kernels = kernels.iter().map(|k| k.name).collect::<Vec<_>>().join(", ");
            return Err(CliError::NothingApplies { scenarios, kernels });
        }
        Ok(plan)
    }
}

fn kernels(args: &CheckArgs) -> Result<Vec<Kernel>, CliError> {
    let mut kernels = Vec::new();
    let named: Vec<&str> = args.kernels.iter().map(String::as_str).collect();
    for name in if named.is_empty() { &DEFAULT_KERNELS[..] } else { &named } {
        if *name == "all" {
            kernels.extend_from_slice(KERNELS);
        } else {
            kernels.push(names::kernel(name)?);
        }
    }
    let mut seen = Vec::new();
    kernels.retain(|k| {
        !seen.contains(&k.name) && {
            seen.push(k.name);
            true
        }
    });
    for rule in &args.without {
        let rule = names::rule(rule)?;
        kernels = kernels.into_iter().map(|k| k.without(rule)).collect();
    }
    Ok(kernels)
}

fn distinct(engines: &[Engine]) -> Vec<Engine> {
    let mut distinct = Vec::new();
    for &engine in engines {
        if !distinct.contains(&engine) {
            distinct.push(engine);
        }
    }
    distinct
}

/// An option that changes nothing would be taken for one that did.
fn useless_options(args: &CheckArgs, engines: &[Engine]) -> Result<(), CliError> {
    let obeys = |obeying: &[Engine]| engines.iter().any(|e| obeying.contains(e));
    let useless = |option, meant_for| {
        let engines = engines.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
        Err(CliError::UselessOption { option, engines, meant_for })
    };
    if args.preemptions.is_some() && !obeys(&[Engine::States, Engine::Loom]) {
        return useless("--preemptions", "states or loom");
    }
    if args.seed.is_some() && !obeys(&[Engine::Shuttle]) {
        return useless("--seed", "shuttle");
    }
    if args.runs.is_some() && !obeys(&[Engine::Shuttle]) {
        return useless("--runs", "shuttle");
    }
    Ok(())
}

fn options(args: &CheckArgs) -> Options {
    let mut options = Options { preemptions: args.preemptions, ..Options::default() };
    options.limits.time = args.time.unwrap_or(options.limits.time);
    options.random = (args.seed.unwrap_or(options.random.0), args.runs.unwrap_or(options.random.1));
    options
}

fn job<'a>(
    subject: &'a (Scenario, Kernel, Engine),
    options: &'a Options,
) -> Job<'a, Result<Finding, CliError>> {
    let (scenario, kernel, engine) = subject;
    Job {
        subject: format!("{} on {}, {}", scenario.name, kernel.name, engine.name()),
        engine: *engine,
        explore: Box::new(move |progress| {
            let start = Instant::now();
            let checked = check(scenario, *kernel, *engine, options, progress)?;
            Ok(Finding::new(scenario, kernel, *engine, &checked, start.elapsed()))
        }),
    }
}

/// Columns of the lines.
struct Widths {
    scenario: usize,
    kernel: usize,
    engine: usize,
}

impl Widths {
    fn of(plan: &Plan) -> Self {
        let widest = |text: &dyn Fn(&(Scenario, Kernel, Engine)) -> usize| plan.checks.iter().map(text).max();
        Self {
            scenario: widest(&|c| c.0.name.len()).unwrap_or(0),
            kernel: widest(&|c| c.1.name.len()).unwrap_or(0),
            engine: widest(&|c| c.2.name().len()).unwrap_or(0),
        }
    }

    fn line(&self, finding: &Finding) -> String {
        format!(
            "{:s$}  {:k$}  {:e$}  {:17}  {} ({:.1} s)",
            finding.scenario,
            finding.kernel,
            finding.engine.name(),
            finding.verdict_text(),
            finding.effort_text(),
            finding.wall_seconds,
            s = self.scenario,
            k = self.kernel,
            e = self.engine,
        )
    }
}

/// The best counterexample in full, the others by name.
fn conclude_broken(findings: &[Finding], best: usize, screen: &mut Screen) -> Result<(), CliError> {
    screen.line("")?;
    evidence::show(&findings[best], screen)?;
    let others = findings.iter().enumerate().filter(|(index, _)| *index != best);
    let kept: Vec<_> = others.filter_map(|(_, f)| f.violation.as_ref()?.trace.as_ref()).collect();
    if !kept.is_empty() {
        screen.line("The others:")?;
    }
    kept.into_iter().try_for_each(|path| screen.line(format_args!("  {}", path.display())))
}

/// How many of what, and what was not run.
fn conclude(
    document: &Document,
    too_large_for_loom: &[String],
    args: &CheckArgs,
    screen: &mut Screen,
) -> Result<(), CliError> {
    const WORDS: [Word; 6] =
        [Word::Complete, Word::Bounded, Word::Sampled, Word::Violated, Word::Vacuous, Word::Inconclusive];
    let of = |word: Word| document.checks.iter().filter(|f| f.verdict == word).count();
    let counts = WORDS.iter().filter(|w| of(**w) > 0).map(|w| format!("{} {}", of(*w), w.text()));
    let (summary, counts) = (&document.summary, counts.collect::<Vec<_>>().join(", "));
    screen.line(format_args!(
        "\n{} check{}: {counts}; {:.1} s, {:.1} s of CPU",
        document.checks.len(),
        if document.checks.len() == 1 { "" } else { "s" },
        summary.wall_seconds,
        summary.cpu_seconds
    ))?;
    if !args.without.is_empty() && of(Word::Violated) == 0 {
        screen.line(format_args!("Nothing here shows what {} is needed for.", args.without.join(", ")))?;
    }
    if !document.left_for_deep.is_empty() {
        let left =
            document.left_for_deep.iter().map(|l| format!("{} on {} by {}", l.scenario, l.kernel, l.engine));
        screen.line(format_args!("Left for --deep: {}", left.collect::<Vec<_>>().join("; ")))?;
    }
    if !too_large_for_loom.is_empty() {
        screen.line(format_args!("Too many threads for loom: {}", too_large_for_loom.join("; ")))?;
    }
    Ok(())
}

/// A broken rule outweighs what is not known, and that outweighs what holds.
fn exit(findings: &[Finding]) -> Exit {
    let found = |words: &[Word]| findings.iter().any(|f| words.contains(&f.verdict));
    if found(&[Word::Violated]) {
        Exit::Unexpected
    } else if found(&[Word::Inconclusive, Word::Vacuous]) || findings.is_empty() {
        Exit::Inconclusive
    } else {
        Exit::AsExpected
    }
}
