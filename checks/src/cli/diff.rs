//! `diff`: what two kernels do differently.

use super::args::{DiffArgs, Format};
use super::error::CliError;
use super::screen::Screen;
use super::{Exit, names};
use mmspec_model::variant::ChoiceInfo;
use serde::Serialize;

/// A variation point at which they differ.
#[derive(Serialize)]
struct Difference {
    point: &'static str,
    old: Choice,
    new: Choice,
}

/// What one of them does there.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    about: &'static str,
    source: &'static str,
}

/// Print the choices that differ.
pub fn run(args: &DiffArgs, screen: &mut Screen) -> Result<Exit, CliError> {
    let (old, new) = (names::kernel(&args.old)?, names::kernel(&args.new)?);
    let choice = |c: ChoiceInfo| Choice { name: c.name, about: c.about, source: c.source };
    let differences: Vec<Difference> = old
        .differences(&new)
        .into_iter()
        .map(|(a, b)| Difference { point: a.point, old: choice(a.choice), new: choice(b.choice) })
        .collect();
    if args.format == Format::Json {
        screen.json(&differences)?;
        return Ok(Exit::AsExpected);
    }
    if differences.is_empty() {
        screen.line(format_args!("{} and {} do not differ in what is modelled.", old.name, new.name))?;
    }
    for (i, d) in differences.iter().enumerate() {
        if i > 0 {
            screen.line("")?;
        }
        screen.line(d.point)?;
        for (kernel, sign, c) in [(old.name, '-', &d.old), (new.name, '+', &d.new)] {
            screen.line(format_args!("{sign} {kernel}: {} ({})", c.name, c.source))?;
            screen.line(format_args!("    {}", c.about))?;
        }
    }
    Ok(Exit::AsExpected)
}
