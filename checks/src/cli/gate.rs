//! `check` of all that the manifest expects.

use super::args::{CheckArgs, Format};
use super::document::{Document, MutantFinding, Subject};
use super::error::CliError;
use super::finding::{Finding, Word};
use super::jobs::{self, Job};
use super::report::Report;
use super::screen::Screen;
use super::{Exit, evidence, expected, names};
use mmspec::check::{Checked, Engine, Options};
use mmspec::engine::environment::refuse_foreign_settings;
use mmspec::engine::{ForeignSetting, Limits};
use mmspec::manifest::{Mutant, Row};
use mmspec::scenario::Scenario;
use mmspec_model::variant::{Kernel, Rule};

/// What a kernel does that is refuted with all rules kept.
pub fn as_it_is(kernel: &str) -> &'static str {
    if kernel.starts_with('v') { "the kernel as released" } else { "the design as proposed" }
}

use std::path::Path;
use std::time::{Duration, Instant};

/// Engines of the gate, in the order of their columns.
pub const ENGINES: [Engine; 3] = [Engine::States, Engine::Views, Engine::Loom];
/// More than any pin takes: what runs so long is lost.
const TIME: Duration = Duration::from_hours(1);

/// The rows and what is run for each; the mutants.
pub struct Plan {
    /// Scenarios that hold.
    pub rows: Vec<PlannedRow>,
    /// Rules that are necessary; and proposals that are refuted as they are, without a rule.
    pub mutants: Vec<(Mutant, Option<Rule>, Scenario, Kernel)>,
    /// Number of jobs for the rows; those for the mutants follow.
    pub row_jobs: usize,
}

/// A row, and for each engine of [`ENGINES`] what is done.
pub struct PlannedRow {
    /// What is expected.
    pub row: Row,
    /// The scenario.
    pub scenario: Scenario,
    /// The kernel.
    pub kernel: Kernel,
    /// What is done.
    pub slots: [Slot; 3],
}

/// What is done by an engine for a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// It is the job of this index.
    Job(usize),
    /// It takes long.
    Deep,
    /// Nothing is expected.
    Nothing,
}

/// Check everything.
pub fn run(args: &CheckArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let start = Instant::now();
    refuse_foreign_settings()?;
    let plan = match &args.manifest {
        Some(path) => Plan::new(&expected::read(path)?, path, args.deep)?,
        None => Plan::new(expected::TEXT, Path::new(expected::PATH), args.deep)?,
    };
    evidence::check_directory(&args.out)?;
    let limits = Limits { time: args.time.unwrap_or(TIME), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let jobs = plan.jobs(&options);
    let mut findings = Vec::new();
    let mut report = (args.format == Format::Text).then(|| Report::new(&plan));
    jobs::run(&jobs, |_, found| {
        findings.push(found?);
        if let Some(report) = &mut report {
            report.advance(&findings, screen)?;
        }
        if screen.is_gone() {
            // An exploration under way cannot be called off, and nobody waits for its result.
            std::process::exit(Exit::Inconclusive.code().into());
        }
        Ok(())
    })?;
    let best = keep_counterexamples(&mut findings, &plan, &args.out)?;
    let best = best.map(|index| findings[index].clone());
    let document = plan.document(findings, start);
    if let Some(report) = report {
        report.conclude(&document, screen)?;
        best.map_or(Ok(()), |finding| evidence::show(&finding, screen))?;
    } else {
        screen.json(&document)?;
    }
    Ok(exit(&document))
}

impl Plan {
    fn new(text: &str, path: &Path, deep: bool) -> Result<Self, CliError> {
        let manifest = expected::parse(text, path)?;
        let scenario = |name: &str| names::scenario(name).map_err(expected::at(text, path, name));
        let kernel = |name: &str| names::kernel(name).map_err(expected::at(text, path, name));
        let mut row_jobs = 0;
        let mut rows = Vec::new();
        for row in manifest.check {
            let slots = ENGINES.map(|engine| match row.pin(engine) {
                None => Slot::Nothing,
                Some(pin) if pin.deep && !deep => Slot::Deep,
                Some(_) => {
                    row_jobs += 1;
                    Slot::Job(row_jobs - 1)
                }
            });
            let (scenario, kernel) = (scenario(&row.scenario)?, kernel(&row.kernel)?);
            rows.push(PlannedRow { row, scenario, kernel, slots });
        }
        let mut mutants = Vec::new();
        for mutant in manifest.mutant {
            let (scenario, mut kernel) = (scenario(&mutant.scenario)?, kernel(&mutant.kernel)?);
            let mut rule = None;
            if !mutant.rule.is_empty() {
                let known = names::rule(&mutant.rule).map_err(expected::at(text, path, &mutant.rule))?;
                kernel = kernel.without(known);
                rule = Some(known);
            }
            mutants.push((mutant, rule, scenario, kernel));
        }
        if rows.is_empty() {
            return Err(CliError::EmptyManifest { path: path.into() });
        }
        Ok(Self { rows, mutants, row_jobs })
    }

    fn jobs<'a>(&'a self, options: &'a Options) -> Vec<Job<'a, Result<Finding, CliError>>> {
        let mut jobs = Vec::new();
        for planned in &self.rows {
            let PlannedRow { row, scenario, kernel, slots } = planned;
            for (engine, _) in ENGINES.into_iter().zip(slots).filter(|(_, s)| matches!(s, Slot::Job(_))) {
                jobs.push(job(scenario, kernel, engine, move |p| row.run(engine, options, p)));
            }
        }
        for (mutant, _, scenario, kernel) in &self.mutants {
            jobs.push(job(scenario, kernel, mutant.engine, move |p| mutant.run(options, p)));
        }
        jobs
    }

    /// Everything that was found, the mutants told apart.
    fn document(&self, mut findings: Vec<Finding>, start: Instant) -> Document {
        let of_mutants = findings.split_off(self.row_jobs);
        let mutants =
            self.mutants.iter().zip(of_mutants).map(|((mutant, rule, ..), finding)| MutantFinding {
                rule: mutant.rule.clone(),
                does: rule.map_or_else(|| as_it_is(&mutant.kernel), |rule| rule.info().without),
                breaks: mutant.breaks.clone(),
                finding,
            });
        let left = self.rows.iter().flat_map(|planned| {
            let left = ENGINES.into_iter().zip(planned.slots).filter(|(_, slot)| *slot == Slot::Deep);
            left.map(|(engine, _)| Subject {
                kernel: planned.row.kernel.clone(),
                scenario: planned.row.scenario.clone(),
                engine: engine.name(),
            })
        });
        Document::new(findings, mutants.collect(), left.collect(), start)
    }
}

/// Runs a row or a mutant with the expectation that it carries.
fn job<'a>(
    scenario: &'a Scenario,
    kernel: &'a Kernel,
    engine: Engine,
    run: impl Fn(&dyn Fn(u64)) -> Result<(Checked, Option<String>), ForeignSetting> + Send + Sync + 'a,
) -> Job<'a, Result<Finding, CliError>> {
    let without: Vec<_> = kernel.broken().iter().map(|rule| format!(" without {}", rule.info().id)).collect();
    Job {
        subject: format!("{} on {}{}, {}", scenario.name, kernel.name, without.concat(), engine.name()),
        engine,
        explore: Box::new(move |progress| {
            let start = Instant::now();
            let (checked, unexpected) = run(progress)?;
            let finding = Finding::new(scenario, kernel, engine, &checked, start.elapsed());
            Ok(Finding { unexpected, ..finding })
        }),
    }
}

/// Keep the best counterexample of those that nobody expects. Returns its index.
fn keep_counterexamples(
    findings: &mut [Finding],
    plan: &Plan,
    out: &Path,
) -> Result<Option<usize>, CliError> {
    for finding in &mut *findings {
        if finding.unexpected.is_none() {
            finding.counterexample = None;
        }
    }
    // A mutant that breaks another rule than meant says little while a row is broken.
    let (rows, mutants) = findings.split_at_mut(plan.row_jobs);
    match evidence::write(rows, out, false)? {
        Some(best) => Ok(Some(best)),
        None => Ok(evidence::write(mutants, out, false)?.map(|index| plan.row_jobs + index)),
    }
}

/// What is only not known is no surprise.
fn exit(document: &Document) -> Exit {
    let findings = document.checks.iter().chain(document.mutants.iter().map(|m| &m.finding));
    let unexpected: Vec<_> = findings.filter(|f| f.unexpected.is_some()).collect();
    if unexpected.is_empty() {
        Exit::AsExpected
    } else if unexpected.iter().all(|f| f.verdict == Word::Inconclusive) {
        Exit::Inconclusive
    } else {
        Exit::Unexpected
    }
}
