//! The gate in words: a table as the checks end, the mutants, and what all of it shows.

use super::document::Document;
use super::error::CliError;
use super::finding::{Finding, Word};
use super::gate::{ENGINES, Plan, PlannedRow, Slot, as_it_is};
use super::screen::Screen;
use indicatif::HumanCount;
use mmspec::check::Engine;
use mmspec::verdict::Verdict;
use mmspec_model::variant::{RULES, RuleInfo};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZero;
use std::thread::available_parallelism;

/// Marks what is not as expected.
const UNEXPECTED: &str = " (!)";

/// Prints what is known so far.
pub struct Report<'a> {
    plan: &'a Plan,
    /// Widths of the columns: the scenario, the engines.
    scenario: usize,
    engines: [usize; 3],
    rows: usize,
    mutants: usize,
}

impl<'a> Report<'a> {
    /// A report of `plan`, with columns that are wide enough for what is expected.
    pub fn new(plan: &'a Plan) -> Self {
        let scenario = plan.rows.iter().map(|p| p.row.scenario.len()).max().unwrap_or(0);
        let expected = |planned: &PlannedRow, engine: Engine| {
            planned.row.pin(engine).map_or(0, |pin| {
                let verdict = pin.preemptions.map_or(Verdict::Complete, Verdict::Bounded);
                cell(&verdict.to_string(), pin.executions).len()
            })
        };
        let width =
            |e: Engine| plan.rows.iter().map(|p| expected(p, e)).max().unwrap_or(0).max(e.name().len());
        Self { plan, scenario, engines: ENGINES.map(width), rows: 0, mutants: 0 }
    }

    /// Print the rows and mutants that the first `findings` complete.
    pub fn advance(&mut self, findings: &[Finding], screen: &mut Screen) -> Result<(), CliError> {
        while let Some(planned) = self.plan.rows.get(self.rows) {
            let ended =
                |slot: &Slot| if let Slot::Job(index) = slot { *index < findings.len() } else { true };
            if !planned.slots.iter().all(ended) {
                return Ok(());
            }
            if self.rows == 0 || self.plan.rows[self.rows - 1].row.kernel != planned.row.kernel {
                self.head(planned, screen)?;
            }
            screen.line(self.row(planned, findings))?;
            self.rows += 1;
        }
        while let Some(finding) = findings.get(self.plan.row_jobs + self.mutants) {
            if self.mutants == 0 {
                screen.line(
                    "\nRules taken away, one at a time: what breaks, and the fewest preemptions it takes",
                )?;
            }
            screen.line(self.mutant(finding))?;
            self.mutants += 1;
        }
        Ok(())
    }

    fn head(&self, planned: &PlannedRow, screen: &mut Screen) -> Result<(), CliError> {
        let gap = if self.rows == 0 { "" } else { "\n" };
        screen.line(format_args!("{gap}{} - {}", planned.kernel.name, planned.kernel.about))?;
        screen.line(self.columns("scenario", "threads", &ENGINES.map(|e| e.name().into()), "time"))
    }

    fn row(&self, planned: &PlannedRow, findings: &[Finding]) -> String {
        let mut seconds = 0.0;
        let cells = planned.slots.map(|slot| match slot {
            Slot::Nothing => "-".into(),
            Slot::Deep => "(--deep)".into(),
            Slot::Job(index) => {
                let finding = &findings[index];
                seconds += finding.wall_seconds;
                let mark = if finding.unexpected.is_some() { UNEXPECTED } else { "" };
                cell(&finding.verdict_text(), finding.executions) + mark
            }
        });
        let threads = planned.scenario.threads(&planned.kernel).to_string();
        self.columns(&planned.row.scenario, &threads, &cells, &format!("{seconds:.1} s"))
    }

    fn columns(&self, scenario: &str, threads: &str, cells: &[String; 3], time: &str) -> String {
        let mut line = format!("{scenario:width$}  {threads:>7}", width = self.scenario);
        for (cell, width) in cells.iter().zip(self.engines) {
            let _ = write!(line, "  {cell:width$}");
        }
        format!("{line}  {time:>7}")
    }

    fn mutant(&self, finding: &Finding) -> String {
        let (mutant, rule, ..) = &self.plan.mutants[self.mutants];
        let id = RULES.iter().map(|r| r.id.len()).max().unwrap_or(0);
        let scenario = self.plan.mutants.iter().map(|(m, ..)| m.scenario.len()).max().unwrap_or(0);
        // Only `states` looks for the fewest.
        let fewest = finding.violation.as_ref().filter(|_| finding.engine == Engine::States);
        let fewest = fewest.map_or("-".into(), |v| v.preemptions.to_string());
        let mark = if finding.unexpected.is_some() { UNEXPECTED } else { "" };
        format!(
            "{:id$}  {:17}  {:6}  {:scenario$}  {fewest:>2}  {}",
            if mutant.rule.is_empty() { "-" } else { &mutant.rule },
            finding.verdict_text() + mark,
            finding.engine.name(),
            mutant.scenario,
            rule.map_or_else(
                || format!("{}: {}", mutant.kernel, as_it_is(&mutant.kernel)),
                |rule| does(rule.info())
            ),
        )
    }

    /// What all of it shows, and what is not as expected.
    pub fn conclude(&self, document: &Document, screen: &mut Screen) -> Result<(), CliError> {
        let summary = &document.summary;
        screen.line(format_args!("\nOf {} pairs of a scenario and a kernel,", self.plan.rows.len()))?;
        let by_engine = |what: &dyn Fn(Engine) -> Option<String>| {
            let each = ENGINES.into_iter().filter_map(|e| Some(format!("{} on {}", what(e)?, e.name())));
            Some(each.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
        };
        let some = |n: usize| (n > 0).then(|| n.to_string());
        let proved = by_engine(&|e| Some(document.count(e.name(), &[Word::Complete]).to_string()));
        let bounded = by_engine(&|e| bounds(document, e));
        let deep =
            by_engine(&|e| some(document.left_for_deep.iter().filter(|l| l.engine == e.name()).count()));
        let broken = by_engine(&|e| some(document.count(e.name(), &[Word::Violated])));
        let unknown = by_engine(&|e| some(document.count(e.name(), &[Word::Inconclusive, Word::Vacuous])));
        let not_run = |e: Engine| self.plan.rows.iter().filter(|p| p.row.pin(e).is_none()).count();
        let lines = [
            ("proved (COMPLETE)", proved),
            ("only bounded", bounded),
            ("left for --deep", deep),
            ("not explored", by_engine(&|e| some(not_run(e)))),
            ("broken", broken),
            ("inconclusive", unknown),
        ];
        for (what, text) in lines {
            text.map_or(Ok(()), |text| screen.line(format_args!("  {what:18}  {text}")))?;
        }
        screen.line(format_args!(
            "Of {} mutants, {} break the rule meant.",
            document.mutants.len(),
            summary.mutants_refuted
        ))?;
        let cores = available_parallelism().map_or(1, NonZero::get);
        screen.line(format_args!(
            "{} executions, {} distinct states; {:.1} s, {:.1} s of CPU on {cores} cores.",
            HumanCount(summary.executions),
            HumanCount(summary.states),
            summary.wall_seconds,
            summary.cpu_seconds
        ))?;
        if summary.unexpected == 0 {
            return screen.line("All as expected.");
        }
        Self::surprises(document, screen)
    }

    fn surprises(document: &Document, screen: &mut Screen) -> Result<(), CliError> {
        screen.line(format_args!("\n{} not as the manifest expects:", document.summary.unexpected))?;
        for finding in document.checks.iter().chain(document.mutants.iter().map(|m| &m.finding)) {
            if let Some(text) = &finding.unexpected {
                screen.line(format_args!("  {}: {text}", finding.subject()))?;
            }
        }
        let holds = |f: &&Finding| matches!(f.verdict, Word::Complete | Word::Bounded);
        if document.checks.iter().filter(holds).any(|f| f.unexpected.is_some()) {
            let hint = "If the model was changed on purpose: `mmspec pin --only SCENARIO` expects what is found now.";
            screen.line(hint)?;
        }
        screen.line("")
    }
}

/// What the mutant does, and in which functions.
fn does(rule: &RuleInfo) -> String {
    let function = |place: &str| place.rsplit(':').next().unwrap_or(place).to_string();
    let functions = rule.place.split(", ").map(function).collect::<Vec<_>>().join(", ");
    if rule.without.starts_with(&functions) {
        rule.without.into()
    } else {
        format!("{functions}: {}", rule.without)
    }
}

/// How many checks by `engine` are bounded, by bound.
fn bounds(document: &Document, engine: Engine) -> Option<String> {
    let mut bounds: BTreeMap<u32, usize> = BTreeMap::new();
    for finding in document.checks.iter().filter(|f| f.engine == engine) {
        if let Some(bound) = finding.bound {
            *bounds.entry(bound).or_default() += 1;
        }
    }
    let each = bounds.iter().map(|(bound, n)| format!("{n} up to {bound} preemptions"));
    Some(each.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

fn cell(verdict: &str, executions: u64) -> String {
    format!("{verdict} {}", HumanCount(executions))
}
