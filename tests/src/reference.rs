//! The generated parts of the documentation: between `<!-- generated: NAME -->` and `<!-- end -->`.

use crate::orders::survey::{Ordered, survey};
use crate::orders::words::{GUARDS, NOT_RUN};
use crate::orders::{Engine, ORDERS, Place, Verdict, places, try_orders};
use crate::phases::{DEEDS, Deed, PHASES, Phase, Seen, explore};
use mmspec::manifest::Manifest;
use mmspec::proofs::Proof;
use mmspec_model::rules::functions::{ELSEWHERE, FUNCTIONS, TREES};
use mmspec_model::rules::{LockingRule, TOPICS, all};
use mmspec_model::variant::RULES;
use std::fmt::Write;

/// A generated part.
#[derive(Clone, Copy)]
pub struct Part {
    /// File, from the root of the repository.
    pub file: &'static str,
    /// Name in its marker.
    pub name: &'static str,
    /// Makes the text.
    pub text: fn() -> String,
}

/// All of them.
pub const PARTS: &[Part] = &[
    Part { file: "docs/locking-rules.md", name: "phases", text: phases },
    Part { file: "docs/locking-rules.md", name: "rules", text: rules },
    Part { file: "docs/functions.md", name: "functions", text: functions },
    Part { file: "docs/functions.md", name: "elsewhere", text: elsewhere },
    Part { file: "docs/memory-ordering.md", name: "orders", text: orders },
    Part { file: "docs/memory-ordering.md", name: "relaxed", text: relaxed },
    Part { file: "docs/memory-ordering.md", name: "unordered", text: unordered },
    Part { file: "docs/limits.md", name: "enforced", text: enforced },
    Part { file: "docs/limits.md", name: "open", text: open },
];

impl Part {
    /// What stands before the part in `document`, the part as it is there, and what follows.
    ///
    /// # Panics
    /// When its markers are missing.
    pub fn find<'a>(&self, document: &'a str) -> (&'a str, &'a str, &'a str) {
        let start = format!("<!-- generated: {} -->\n", self.name);
        let at = document.find(&start).unwrap_or_else(|| panic!("{}: no {start}", self.file)) + start.len();
        let end = document[at..].find("<!-- end -->").unwrap_or_else(|| panic!("{}: no end", self.file));
        (&document[..at], &document[at..at + end], &document[at + end..])
    }
}

/// A table of Markdown.
fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).expect("memory");
    }
    text
}

/// `text` with what is code between backticks.
pub fn marked(text: &str) -> String {
    let mark = |word: &str| {
        let is_code = |w: &str| w.contains('_') || w.contains("()") || w.contains("->");
        let core = word.trim_start_matches('(');
        let start = word.len() - core.len();
        let core = core.trim_end_matches([',', '.', ';', ':']);
        let unbalanced = core.matches(')').count().saturating_sub(core.matches('(').count());
        let core = &core[..core.len() - unbalanced];
        let core = core.strip_suffix("'s").unwrap_or(core);
        if !is_code(core) {
            return word.to_string();
        }
        format!("{}`{core}`{}", &word[..start], &word[start + core.len()..])
    };
    text.split(' ').map(mark).collect::<Vec<_>>().join(" ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

/// `file:function()` of the model, as documents name it.
fn in_model(place: &str) -> String {
    let (file, function) = place.split_once(':').expect("file:function()");
    format!("`{function}` in `{file}`")
}

fn rules() -> String {
    let manifest = Manifest::committed();
    let mut text = String::new();
    for topic in TOPICS {
        write!(text, "\n### {}\n", topic.title).expect("memory");
        for rule in topic.rules {
            text += &rule_text(rule, &Proof::of(rule, &manifest));
        }
    }
    text + "\n"
}

fn rule_text(rule: &LockingRule, proof: &Proof) -> String {
    let kernel: Vec<String> = rule.kernel.iter().map(|place| format!("`{place}`")).collect();
    let model: Vec<String> = rule.model.iter().map(|place| in_model(place)).collect();
    let anchor = rule.id.to_lowercase();
    let statement = capital(&marked(rule.statement));
    let mut text = format!("\n<a id=\"{anchor}\"></a>**{}** {statement}.\n", rule.id);
    let mut line = |title: &str, about: &str| writeln!(text, "- {title}: {about}").expect("memory");
    line("Why", &format!("{}. Without: {}.", marked(rule.why), marked(rule.broken)));
    line("Kernel", &format!("{}; {}", kernel.join(", "), marked(rule.versions)));
    if !model.is_empty() {
        line("Model", &model.join(", "));
    }
    line("Order", &marked(rule.order));
    if proof.is_needed() {
        let mut scenarios: Vec<String> = proof.mutants.iter().map(|m| format!("`{}`", m.scenario)).collect();
        scenarios.extend(proof.bugs.iter().map(|b| format!("`{}`", b.scenario)));
        scenarios.sort();
        scenarios.dedup();
        line("Shown by", &format!("{} in {}", proof.by(), scenarios.join(", ")));
    } else {
        line("Not shown to be needed", &marked(rule.missing));
    }
    text
}

fn functions() -> String {
    let mut above = "";
    let rows = FUNCTIONS.iter().map(|f| {
        let (file, function) = f.kernel.split_once(':').expect("file:function()");
        let model = if f.file == above { String::new() } else { format!("`model/src/{}`", f.file) };
        above = f.file;
        let mut row = vec![model, format!("`{}()`", f.function), format!("{file}: `{function}`")];
        row.extend(f.lines.map(String::from));
        row
    });
    table(&[&["file", "function", "kernel"], &TREES[..]].concat(), rows)
}

fn elsewhere() -> String {
    let rows = ELSEWHERE.iter().map(|(kernel, lines)| {
        let (file, function) = kernel.split_once(':').expect("file:function()");
        let rules: Vec<&str> = all().filter(|r| r.kernel.contains(kernel)).map(|r| r.id).collect();
        let rules = if rules.is_empty() { "-".into() } else { rules.join(", ") };
        let mut row = vec![format!("{file}: `{function}`"), rules];
        row.extend(lines.map(String::from));
        row
    });
    table(&[&["kernel", "rules"], &TREES[..]].concat(), rows)
}

/// Scenarios and kernels of which every state is visited.
const VISITED: [(&str, &str); 7] = [
    ("exit_vs_get_task_mm", "v6.12"),
    ("exit_vs_proc_mem", "v6.12"),
    ("exit_vs_mrelease", "v6.12"),
    ("exit_vs_reaper", "v6.12"),
    ("queued_mm_vs_mrelease", "rfc-async-teardown"),
    ("exit_vs_proc_mem", "rfc-async-teardown"),
    ("exit_vs_proc_mem", "count-walkers-2026"),
];

fn phases() -> String {
    let seen: Vec<Seen> = VISITED.iter().map(|(scenario, kernel)| explore(scenario, kernel)).collect();
    let rows = DEEDS.iter().map(|&deed| {
        let cell = |phase: Phase| {
            let by: Vec<String> = (seen.iter().enumerate())
                .filter(|(_, pairs)| pairs.contains(&(deed, phase)))
                .map(|(number, _)| (number + 1).to_string())
                .collect();
            if by.is_empty() { "never".into() } else { format!("yes ({})", by.join(", ")) }
        };
        std::iter::once(of_deed(deed).into()).chain(PHASES.map(cell)).collect()
    });
    let mut text = table(
        &["who", "in use", "users 0", "unmap, read lock", "flag set", "free, write lock", "gone"],
        rows,
    );
    text.push('\n');
    for (number, (scenario, kernel)) in VISITED.iter().enumerate() {
        writeln!(text, "{}. `{scenario}` on `{kernel}`", number + 1).expect("memory");
    }
    text
}

fn of_deed(deed: Deed) -> &'static str {
    match deed {
        Deed::TakesUse => "`get_task_mm()` takes a use",
        Deed::TakesUseOfPin => "`mmget_not_zero()` succeeds",
        Deed::Pins => "`mmgrab()` under `task_lock()`",
        Deed::Marks => "`mark_oom_victim()` marks it",
        Deed::UserReads => "owner of a use reads",
        Deed::ReaperWalks => "OOM reaper walks",
        Deed::MreleaseWalks => "`process_mrelease()` walks",
        Deed::CountReads => "owner of an `mm_count` reads",
    }
}

/// Primitive and word of a step.
fn step(op: &str, arg: &str, word: &str) -> String {
    let arg = if arg.is_empty() { "()".to_string() } else { format!("({arg})") };
    if word.is_empty() { format!("`{op}{arg}`") } else { format!("`{op}{arg}` of `{word}`") }
}

fn orders() -> String {
    let of_kernel = |place: &Place| ORDERS.iter().find(|(order, _)| *order == place.kernel).expect("known").1;
    let named = |place: &Place| {
        format!("{}, `{}`", step(place.op, place.arg, place.word), place.at.rsplit(':').next().expect("one"))
    };
    let rows = places().map(|place| {
        let (views, loom) = (try_orders(*place, Engine::Views), try_orders(*place, Engine::Loom));
        let mut row = vec![named(place), place.rule.into(), of_kernel(place).into()];
        row.extend(views.iter().zip(&loom).map(|(views, loom)| match (views, loom) {
            (Some(views), Some(loom)) => format!("{} / {}", word(views), word(loom)),
            _ => String::new(),
        }));
        row.push(marked(place.lkmm));
        row
    });
    let columns = ORDERS.iter().skip(1).map(|(_, name)| *name);
    let head: Vec<&str> =
        ["step", "rule", "kernel"].into_iter().chain(columns).chain(["LKMM asks for"]).collect();
    let mut text = table(&head, rows);
    text.push('\n');
    for place in places() {
        let subjects: Vec<String> = place.subjects.iter().map(|(s, k)| format!("`{s}` on `{k}`")).collect();
        writeln!(text, "- {}: {}", named(place), subjects.join(", ")).expect("memory");
    }
    text
}

/// Every ordered step of the small scenarios, relaxed: one row for each primitive of a word.
fn relaxed() -> String {
    let all = survey();
    let rows =
        all.chunk_by(|a, b| (a.step.word, a.step.op, a.step.arg) == (b.step.word, b.step.op, b.step.arg));
    let mut last = None;
    let rows = rows.map(|steps| {
        let Ordered { step: first, .. } = &steps[0];
        let broken: Vec<String> = steps.iter().filter_map(broken).collect();
        let holds: Vec<String> = steps
            .iter()
            .filter(|o| o.seen.iter().all(|seen| seen.broken.is_none()))
            .map(|o| format!("`{}()`", o.step.function))
            .collect();
        let guard = GUARDS.iter().find(|guard| guard.word == first.word).expect("tested");
        let is_new = last.replace(first.word) != Some(first.word);
        let (rules, lkmm) =
            if is_new { (guard.rules.join(" "), marked(guard.lkmm)) } else { Default::default() };
        vec![step(first.op, first.arg, first.word), broken.join("; "), holds.join(", "), rules, lkmm]
    });
    table(&["step", "breaks in", "holds in", "rules", "LKMM asks for"], rows)
}

/// Where a step is needed: its function, the rule that breaks without its order, and the first scenario; its
/// kernel if it is not v6.12.
fn broken(ordered: &Ordered) -> Option<String> {
    let seen = ordered.seen.iter().find(|seen| seen.broken.is_some())?;
    let rule = seen.broken.as_deref().unwrap_or_default();
    let kernel = if seen.kernel == "v6.12" { String::new() } else { format!(" on `{}`", seen.kernel) };
    Some(format!("`{}()`: **{rule}** (`{}`{kernel})", ordered.step.function, seen.scenario))
}

fn unordered() -> String {
    let rule = |id: &str| all().find(|rule| rule.id == id).expect("tested");
    let rows = NOT_RUN.iter().map(|(id, why)| vec![(*id).into(), marked(rule(id).order), (*why).into()]);
    table(&["rule", "order that it takes", "why no engine was asked"], rows)
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Breaks(rule) => format!("**{rule}**"),
        Verdict::Unknown => "-".into(),
    }
}

fn enforced() -> String {
    let manifest = Manifest::committed();
    let mut parts: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    parts.sort_by_key(|id| {
        let (number, part) = id[1..].split_once('-').unwrap_or((&id[1..], ""));
        let topic = "ROIMA".find(&id[..1]);
        (topic, number.parse::<u32>().expect("a number"), part)
    });
    let by_kernel: Vec<String> = all()
        .filter_map(|rule| {
            let proof = Proof::of(rule, &manifest);
            (!proof.bugs.is_empty()).then(|| {
                let bugs: Vec<&str> = proof.bugs.iter().map(|b| &*b.id).collect();
                format!("{} ({})", rule.id, bugs.join(", "))
            })
        })
        .collect();
    let lines = |items: &[String]| wrapped(&(items.join(", ") + "."));
    let parts: Vec<String> = parts.into_iter().map(String::from).collect();
    format!(
        "\n{}\n\nBy a kernel of history that breaks it (`mmspec bugs`):\n\n{}\n\n",
        lines(&parts),
        lines(&by_kernel)
    )
}

/// Lines of at most 100 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && line.len() + 1 + word.len() > 100 {
            lines.push(word.into());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn open() -> String {
    let manifest = Manifest::committed();
    let rows = all()
        .filter(|rule| !Proof::of(rule, &manifest).is_needed())
        .map(|rule| vec![rule.id.to_string(), marked(rule.statement), marked(rule.missing)]);
    table(&["rule", "says", "missing"], rows)
}
