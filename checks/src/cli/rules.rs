//! `rules`: the locking rules, a line each.

use super::Exit;
use super::args::{Format, RulesArgs};
use super::error::CliError;
use super::explain::Explained;
use super::screen::Screen;
use mmspec::manifest::Manifest;
use mmspec_model::rules::TOPICS;

/// List all rules.
pub fn run(args: &RulesArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let manifest = Manifest::committed();
    let topics: Vec<(&str, Vec<Explained>)> = TOPICS
        .iter()
        .map(|topic| (topic.title, topic.rules.iter().map(|r| Explained::new(r, &manifest)).collect()))
        .collect();
    if args.format == Format::Json {
        let rules: Vec<Explained> = topics.into_iter().flat_map(|(_, rules)| rules).collect();
        screen.json(&rules)?;
        return Ok(Exit::AsExpected);
    }
    for (title, rules) in &topics {
        screen.line(title)?;
        for rule in rules {
            let mark = if rule.proof.is_needed() { '+' } else { '-' };
            screen.line(format_args!("{mark} {:4} {}", rule.id, rule.statement))?;
        }
        screen.line("")?;
    }
    let all: Vec<&Explained> = topics.iter().flat_map(|(_, rules)| rules).collect();
    let needed = all.iter().filter(|rule| rule.proof.is_needed()).count();
    screen.line(format_args!(
        "{} rules: + {needed} are shown to be needed, - {} are not. `explain RULE` says by what, or why not.",
        all.len(),
        all.len() - needed
    ))?;
    Ok(Exit::AsExpected)
}
