//! `simulate`: published tables beside simulated ones.

use super::Exit;
use super::args::{Format, SimulateArgs};
use super::error::CliError;
use super::screen::Screen;
use clap::ValueEnum;
use mmspec::simulation::{Line, Simulated, Table};
use serde::Serialize;

/// What `--format json` writes.
#[derive(Serialize)]
struct Document {
    /// Always `mmspec-simulate`.
    format: &'static str,
    /// Rises when the meaning of a field changes or a field goes.
    version: u32,
    tables: Vec<Simulated>,
}

/// Simulate what `args` asks for.
pub fn run(args: &SimulateArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let asked = Table::value_variants().iter().filter(|&&table| args.table.is_none_or(|t| t == table));
    let cpus = args.cpus.map(usize::from);
    let tables: Vec<Simulated> = asked.map(|table| table.simulate(cpus)).collect();
    if args.format == Format::Json {
        screen.json(&Document { format: "mmspec-simulate", version: 2, tables })?;
        return Ok(Exit::AsExpected);
    }
    for (i, table) in tables.iter().enumerate() {
        if i > 0 {
            screen.line("")?;
        }
        for line in text(table) {
            screen.line(line)?;
        }
    }
    Ok(Exit::AsExpected)
}

fn text(table: &Simulated) -> Vec<String> {
    let mut lines = vec![table.message.to_string(), table.about.to_string()];
    let mut with_number = table.rows.iter().filter(|row| row.published.is_some()).peekable();
    if with_number.peek().is_some() && with_number.all(|row| row.error_percent.is_none()) {
        let mut published: Vec<String> =
            table.rows.iter().map(|row| row.published_cpus.to_string()).collect();
        published.dedup();
        lines.push(format!(
            "Published for {} CPUs, simulated with {}: not to be compared",
            published.join(", "),
            table.cpus
        ));
    }
    let width = table.rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    lines.push(String::new());
    lines.push(format!(
        "{:width$}  {:5}  {:>12}  {:>12}  {:>8}  calibrates",
        "row", "async", "published", "simulated", "error"
    ));
    lines.extend(table.rows.iter().map(|row| {
        let Line { what, unit, published, simulated, error_percent, calibrates, .. } = row;
        let on = row.r#async.map_or("-", |on| if on { "on" } else { "off" });
        let number = |value: &Option<f64>, none: &str| {
            value.map_or(format!("{none:>12}"), |value| format!("{value:>9.2} {unit:2}"))
        };
        let (published, simulated) = (number(published, "-"), number(simulated, "never"));
        let error = error_percent.map_or("-".into(), |error| format!("{error:+.1} %"));
        let role = calibrates.as_deref().unwrap_or("(predicted)");
        format!("{what:width$}  {on:5}  {published}  {simulated}  {error:>8}  {role}")
    }));
    lines.push(String::new());
    let role = if table.rows.iter().any(|row| row.calibrates.is_some()) {
        "Each calibrated row fixes one price and is no evidence; the others are predictions."
    } else {
        "All are predictions, from prices that another table calibrates."
    };
    lines.push(role.into());
    lines.push("What this cannot show:".into());
    lines.extend(table.not_shown.iter().map(|what| format!("  {what}")));
    lines
}
