//! `list`: what there is to be named.

use super::Exit;
use super::args::{Format, ListArgs, Topic};
use super::error::CliError;
use super::screen::Screen;
use clap::ValueEnum;
use mmspec::check::Engine;
use mmspec::scenario::{Scenario, library};
use mmspec_model::variant::{KERNELS, Kernel, RULES, RuleInfo};
use serde::Serialize;

/// What `list --format json` writes. A list that was not asked for is missing.
#[derive(Serialize)]
struct Lists {
    #[serde(skip_serializing_if = "Option::is_none")]
    scenarios: Option<Vec<ListedScenario>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<Vec<ListedKernel>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<Vec<ListedRule>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<Vec<ListedEngine>>,
}

/// A scenario.
#[derive(Serialize)]
struct ListedScenario {
    name: String,
    about: String,
    #[serde(skip)]
    scope: Scope,
    /// Threads, and the kernels on which there are so many.
    threads: Vec<Threads>,
    /// Steps that a run must reach.
    goals: Vec<String>,
    /// Further ones on kernels with `mm_reaper`.
    async_goals: Vec<String>,
}

/// Which kernels a scenario says something about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Every,
    Asynchronous,
    Inline,
}

/// Threads of a scenario's program.
#[derive(Serialize)]
struct Threads {
    threads: usize,
    kernels: Vec<&'static str>,
}

/// A kernel.
#[derive(Serialize)]
struct ListedKernel {
    name: &'static str,
    about: &'static str,
    /// What it does at each variation point.
    choices: Vec<ListedChoice>,
}

/// A choice at a variation point.
#[derive(Serialize)]
struct ListedChoice {
    point: &'static str,
    choice: &'static str,
    about: &'static str,
    source: &'static str,
}

/// A rule.
#[derive(Serialize)]
struct ListedRule {
    name: &'static str,
    statement: &'static str,
    /// Function of the kernel that keeps it.
    place: &'static str,
    /// What the kernel does if it is taken away.
    without: &'static str,
}

/// An engine.
#[derive(Serialize)]
struct ListedEngine {
    name: &'static str,
    about: String,
}

/// List what `args` asks for.
pub fn run(args: &ListArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let asked = |topic| args.topic.is_none_or(|t| t == topic);
    let lists = Lists {
        scenarios: asked(Topic::Scenarios).then(|| library::all().iter().map(scenario).collect()),
        kernels: asked(Topic::Kernels).then(|| KERNELS.iter().map(kernel).collect()),
        rules: asked(Topic::Rules).then(|| RULES.iter().map(rule).collect()),
        engines: asked(Topic::Engines).then(|| Engine::value_variants().iter().map(|e| engine(*e)).collect()),
    };
    if args.format == Format::Json {
        screen.json(&lists)?;
        return Ok(Exit::AsExpected);
    }
    for line in if args.topic.is_some() { lists.full() } else { lists.short() } {
        screen.line(line)?;
    }
    Ok(Exit::AsExpected)
}

fn scenario(scenario: &Scenario) -> ListedScenario {
    let mut threads: Vec<Threads> = Vec::new();
    for kernel in KERNELS.iter().filter(|k| scenario.applies_to(k)) {
        let count = scenario.threads(kernel);
        match threads.iter_mut().find(|t| t.threads == count) {
            Some(like) => like.kernels.push(kernel.name),
            None => threads.push(Threads { threads: count, kernels: vec![kernel.name] }),
        }
    }
    ListedScenario {
        name: scenario.name.clone(),
        about: scenario.about.clone(),
        scope: Scope::of(scenario),
        threads,
        goals: scenario.goals.clone(),
        async_goals: scenario.async_goals.clone(),
    }
}

fn kernel(kernel: &Kernel) -> ListedKernel {
    let choices = kernel.choices().map(|c| ListedChoice {
        point: c.point,
        choice: c.choice.name,
        about: c.choice.about,
        source: c.choice.source,
    });
    ListedKernel { name: kernel.name, about: kernel.about, choices: choices.into() }
}

fn rule(rule: &RuleInfo) -> ListedRule {
    ListedRule { name: rule.id, statement: rule.statement, place: rule.place, without: rule.without }
}

fn engine(engine: Engine) -> ListedEngine {
    let about = engine.to_possible_value().and_then(|v| v.get_help().map(ToString::to_string));
    ListedEngine { name: engine.name(), about: about.unwrap_or_default() }
}

impl Scope {
    fn of(scenario: &Scenario) -> Self {
        let applies = |to_async| KERNELS.iter().any(|k| k.is_async() == to_async && scenario.applies_to(k));
        match (applies(true), applies(false)) {
            (true, false) => Self::Asynchronous,
            (false, true) => Self::Inline,
            _ => Self::Every,
        }
    }
}

impl Lists {
    /// A line each.
    fn short(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = |title: &str, entries: Vec<(&str, &str)>| {
            if entries.is_empty() {
                return;
            }
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(title.to_string());
            let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            lines.extend(entries.iter().map(|(name, about)| format!("  {name:width$}  {about}")));
        };
        for (title, scope) in [
            ("Scenarios on every kernel", Scope::Every),
            ("Scenarios on kernels with mm_reaper", Scope::Asynchronous),
            ("Scenarios on kernels without mm_reaper", Scope::Inline),
        ] {
            let scenarios = self.scenarios.iter().flatten().filter(|s| s.scope == scope);
            list(title, scenarios.map(|s| (&*s.name, &*s.about)).collect());
        }
        list("Kernels", self.kernels.iter().flatten().map(|k| (k.name, k.about)).collect());
        let rules = self.rules.iter().flatten().map(|r| (r.name, r.statement));
        list("Rules (--without shows what they are needed for)", rules.collect());
        list("Engines", self.engines.iter().flatten().map(|e| (e.name, &*e.about)).collect());
        lines
    }

    /// All that is known.
    fn full(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut entry = |name: &str, about: &[String]| {
            lines.push(name.to_string());
            lines.extend(about.iter().map(|text| format!("  {text}")));
        };
        for s in self.scenarios.iter().flatten() {
            let threads = s.threads.iter().map(|t| format!("{} on {}", t.threads, t.kernels.join(", ")));
            let mut about = vec![s.about.clone()];
            about.push(format!("threads: {}", threads.collect::<Vec<_>>().join("; ")));
            about.extend(s.goals.iter().map(|goal| format!("reaches: {goal}")));
            about.extend(s.async_goals.iter().map(|goal| format!("reaches with mm_reaper: {goal}")));
            entry(&s.name, &about);
        }
        for k in self.kernels.iter().flatten() {
            let choice = |c: &ListedChoice| format!("{}: {} - {}; {}", c.point, c.choice, c.about, c.source);
            entry(k.name, &[vec![k.about.into()], k.choices.iter().map(choice).collect()].concat());
        }
        for r in self.rules.iter().flatten() {
            entry(
                r.name,
                &[r.statement.into(), format!("kept by {}", r.place), format!("without: {}", r.without)],
            );
        }
        for e in self.engines.iter().flatten() {
            entry(e.name, std::slice::from_ref(&e.about));
        }
        lines
    }
}
