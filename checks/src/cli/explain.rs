//! `explain`: all that is known of a rule.

use super::args::{ExplainArgs, Format};
use super::error::CliError;
use super::screen::Screen;
use super::{Exit, names};
use mmspec::manifest::Manifest;
use mmspec::proofs::{Proof, Proved};
use mmspec_model::rules::LockingRule;
use mmspec_model::rules::functions::{TREES, lines};
use mmspec_traces::corpus;
use serde::Serialize;

/// A rule and what is known of it.
#[derive(Serialize)]
pub struct Explained {
    pub id: &'static str,
    pub statement: &'static str,
    why: &'static str,
    without: &'static str,
    kernel: &'static [&'static str],
    model: &'static [&'static str],
    versions: &'static str,
    order: &'static str,
    /// If nothing shows that it is needed: what that would take.
    missing: &'static str,
    #[serde(flatten)]
    pub proof: Proof,
    /// A counterexample without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Counterexample>,
}

/// A race table.
#[derive(Serialize)]
struct Counterexample {
    /// Its name in `traces/corpus/`.
    name: String,
    table: &'static str,
}

impl Explained {
    /// All that is committed about `rule`, counterexample aside.
    pub fn new(rule: &LockingRule, manifest: &Manifest) -> Self {
        Self {
            id: rule.id,
            statement: rule.statement,
            why: rule.why,
            without: rule.broken,
            kernel: rule.kernel,
            model: rule.model,
            versions: rule.versions,
            order: rule.order,
            missing: rule.missing,
            proof: Proof::of(rule, manifest),
            counterexample: None,
        }
    }

    /// The counterexample of the part `asked`, else the first one there is.
    fn counterexample(&self, asked: &str) -> Option<Counterexample> {
        let mut of_mutants = self.proof.mutants.iter().filter(|m| m.trace.is_some());
        let name = of_mutants
            .clone()
            .find(|m| m.id.eq_ignore_ascii_case(asked))
            .or_else(|| of_mutants.next())
            .and_then(|m| m.trace.clone())
            .or_else(|| self.proof.bugs.iter().find_map(|bug| bug.trace.clone()))?;
        let table = corpus::table(&name)?;
        Some(Counterexample { name, table })
    }
}

/// Explain the rule of `args`.
pub fn run(args: &ExplainArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let rule = names::locking_rule(&args.rule)?;
    let mut explained = Explained::new(rule, &Manifest::committed());
    explained.counterexample = explained.counterexample(&args.rule);
    if args.format == Format::Json {
        screen.json(&explained)?;
        return Ok(Exit::AsExpected);
    }
    screen.line(format_args!("{} - {}\n", rule.id, rule.statement))?;
    for (title, text) in
        [("why", rule.why), ("without it", rule.broken), ("versions", rule.versions), ("order", rule.order)]
    {
        screen.line(format_args!("{title:10}  {text}"))?;
    }
    places(rule, screen)?;
    proof(&explained, screen)?;
    if let Some(Counterexample { name, table }) = &explained.counterexample {
        screen.line(format_args!("\ntraces/corpus/{name}.txt:\n\n{}", table.trim_end()))?;
    }
    Ok(Exit::AsExpected)
}

fn places(rule: &LockingRule, screen: &mut Screen) -> Result<(), CliError> {
    for (index, place) in rule.kernel.iter().enumerate() {
        let title = if index == 0 { "kernel" } else { "" };
        let lines = lines(place).and_then(|lines| {
            let known = TREES.iter().zip(lines).filter(|(_, lines)| *lines != "-");
            let known: Vec<String> = known.map(|(tree, lines)| format!("{lines} in {tree}")).collect();
            (!known.is_empty()).then(|| format!(" (lines {})", known.join(", ")))
        });
        screen.line(format_args!("{title:10}  {place}{}", lines.unwrap_or_default()))?;
    }
    for (index, place) in rule.model.iter().enumerate() {
        let title = if index == 0 { "model" } else { "" };
        screen.line(format_args!("{title:10}  {place}"))?;
    }
    Ok(())
}

fn proof(explained: &Explained, screen: &mut Screen) -> Result<(), CliError> {
    let Proof { mutants, bugs, proved } = &explained.proof;
    if !explained.proof.is_needed() {
        return screen.line(format_args!("\nNothing takes it away. Missing: {}.", explained.missing));
    }
    screen.line("\nTaken away:")?;
    for m in mutants {
        screen.line(format_args!(
            "  {:10}  {}: {} on {} breaks {} ({})",
            m.id, m.without, m.scenario, m.kernel, m.breaks, m.engine
        ))?;
    }
    for bug in bugs {
        screen.line(format_args!(
            "  {:10}  {}: {} on {}; fixed by {}",
            format!("bug {}", bug.id),
            bug.what,
            bug.scenario,
            bug.kernel,
            bug.fix
        ))?;
    }
    if !proved.is_empty() {
        screen.line("\nKept, in the same scenarios (verdicts and executions of the manifest):")?;
        table(proved, screen)?;
    }
    Ok(())
}

fn table(proved: &[Proved], screen: &mut Screen) -> Result<(), CliError> {
    let width = |text: &dyn Fn(&Proved) -> usize| proved.iter().map(text).max().unwrap_or(0);
    let (scenario, kernel) = (width(&|p| p.scenario.len()), width(&|p| p.kernel.len()));
    for p in proved {
        let verdicts: Vec<String> =
            p.verdicts.iter().map(|(engine, verdict)| format!("{engine} {verdict}")).collect();
        screen.line(format_args!(
            "  {:scenario$}  {:kernel$}  {}",
            p.scenario,
            p.kernel,
            verdicts.join("; ")
        ))?;
    }
    Ok(())
}
