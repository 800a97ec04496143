//! A scenario as the code that builds it, to be pasted into the library.

use super::{Scenario, Task};
use std::fmt::Write;

/// Widest line of the library, its indentation left out.
const WIDTH: usize = 102;

/// Calls of the builder, written down as they are made: the text says what `built` is.
struct Builder {
    built: Scenario,
    text: String,
    indent: &'static str,
}

/// Make a call and write it down.
macro_rules! call {
    ($builder:ident.$method:ident($($arg:expr),*)) => {{
        let args: &[String] = &[$(format!("{:?}", $arg)),*];
        let Builder { text, indent, .. } = &mut $builder;
        write!(text, "\n{indent}.{}({})", stringify!($method), args.join(", ")).expect("memory is there");
        $builder.built = $builder.built.$method($($arg),*);
    }};
}

impl Builder {
    fn new(name: &str, about: &str) -> Self {
        let line = format!("Scenario::new({name:?}, {about:?})");
        let (text, indent) = if line.len() <= WIDTH {
            (line, "    ")
        } else {
            (format!("Scenario::new(\n    {name:?},\n    {about:?},\n)"), "")
        };
        Self { built: Scenario::new(name, about), text, indent }
    }
}

impl Scenario {
    /// The code that builds it, as one would write it in the library. What the builder has no method
    /// for (a sysctl that is off at first, groups out of order) is said in a comment.
    pub fn to_rust(&self) -> String {
        let Builder { built, text, .. } = self.rebuild();
        if built == *self { text } else { format!("// The builder cannot say all of this: {self:?}\n{text}") }
    }

    fn rebuild(&self) -> Builder {
        let mut builder = Builder::new(&self.name, &self.about);
        if self.async_only {
            call!(builder.async_only());
        }
        if self.inline_only {
            call!(builder.inline_only());
        }
        if self.mm_slots > 0 {
            call!(builder.mm_slots(self.mm_slots));
        }
        if self.preempt_rt {
            call!(builder.preempt_rt());
        }
        match self.memcg {
            Some(memcg) if memcg.oom_kill_disable => call!(builder.memcg_with_handler(memcg.max)),
            Some(memcg) => call!(builder.memcg(memcg.max)),
            None => {}
        }
        for mm in &self.mms {
            match (mm.vmas, mm.mlocked, mm.aio) {
                _ if mm.mirrored => call!(builder.mirrored_mm(mm.pages)),
                _ if mm.private_file => call!(builder.mm_of_file(mm.pages)),
                _ if mm.cached => call!(builder.cached_mm(mm.pages)),
                (1, false, 0) => call!(builder.mm(mm.pages)),
                (1, true, _) => call!(builder.mlocked_mm(mm.pages)),
                (1, false, _) => call!(builder.mm_with_aio(mm.pages)),
                _ => call!(builder.mm_of_vmas(mm.vmas, mm.pages)),
            }
            if mm.page_table_locks {
                call!(builder.page_table_locks());
            }
        }
        for (i, task) in self.tasks.iter().enumerate() {
            let like = |other: &Task| Task {
                init: task.init,
                frozen: task.frozen,
                robust: task.robust,
                oom_score_adj_min: task.oom_score_adj_min,
                memcg: task.memcg,
                vforked_by: task.vforked_by,
                ..*other
            };
            if i > 0 && like(&self.tasks[i - 1]) == *task {
                call!(builder.thread());
            } else if task.killable {
                call!(builder.victim(task.mm));
            } else {
                call!(builder.task(task.mm));
            }
            // A thread is made like the one before it.
            let made = *builder.built.tasks.last().expect("just added");
            if task.init && !made.init {
                call!(builder.init());
            }
            if task.frozen && !made.frozen {
                call!(builder.frozen());
            }
            if task.robust && !made.robust {
                call!(builder.robust());
            }
            if task.oom_score_adj_min && !made.oom_score_adj_min {
                call!(builder.oom_score_adj_min());
            }
            if task.memcg && !made.memcg {
                call!(builder.in_memcg());
            }
            if let (Some(parent), None) = (task.vforked_by, made.vforked_by) {
                call!(builder.vforked_by(parent));
            }
        }
        let limits = (self.sysctl.thresh_pages, self.sysctl.max_pending_pages);
        if limits != (builder.built.sysctl.thresh_pages, builder.built.sysctl.max_pending_pages) {
            call!(builder.limits(limits.0, limits.1));
        }
        for actor in &self.actors {
            call!(builder.actor(*actor));
        }
        if self.watch_needless_kills {
            call!(builder.watching_needless_kills());
        }
        for goal in &self.goals {
            call!(builder.reaches(goal));
        }
        for goal in &self.async_goals {
            call!(builder.reaches_async(goal));
        }
        builder
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Actor, Scenario, library};

    #[test]
    fn printed_calls_build_the_same_scenario() {
        for scenario in library::all() {
            assert_eq!(scenario.rebuild().built, scenario);
        }
    }

    /// Without what rustfmt decides, and with the library's short cut for `async_only()`.
    fn normalised(code: &str) -> String {
        let code = code.split_whitespace().collect::<String>().replace(",)", ")");
        match code.strip_prefix("Scenario::new").and_then(|rest| rest.split_once(".async_only()")) {
            Some((new, rest)) => format!("scenario{new}{rest}"),
            None => code,
        }
    }

    #[test]
    fn the_library_is_written_as_printed() {
        let library = [
            include_str!("library/references.rs"),
            include_str!("library/oom.rs"),
            include_str!("library/teardown.rs"),
            include_str!("library/selection.rs"),
            include_str!("library/memcg.rs"),
            include_str!("library/mrelease.rs"),
            include_str!("library/frozen.rs"),
            include_str!("library/slab.rs"),
            include_str!("library/outsiders.rs"),
            include_str!("library/notifiers.rs"),
            include_str!("library/cpus.rs"),
            include_str!("library/vfork.rs"),
            include_str!("library/faults.rs"),
            include_str!("library/scanners.rs"),
            include_str!("library/deferred.rs"),
        ];
        let library = library.concat().split_whitespace().collect::<String>().replace(",)", ")");
        for scenario in library::all() {
            let printed = normalised(&scenario.to_rust());
            let ends = |at: usize| matches!(library[at + printed.len()..].bytes().next(), Some(b',' | b']'));
            assert!(
                library.match_indices(&printed).any(|(at, _)| ends(at)),
                "not written like this:\n{}",
                scenario.to_rust()
            );
        }
    }

    #[test]
    fn every_call_is_printed() {
        let long = "x".repeat(80);
        let scenario = Scenario::new("every_call", &long)
            .mm_with_aio(3)
            .mm_of_vmas(2, 1)
            .mlocked_mm(1)
            .victim(0)
            .thread()
            .task(0)
            .limits(1, 2)
            .actor(Actor::LowerCap(4))
            .actor(Actor::OomKill);
        let head = format!("Scenario::new(\n    \"every_call\",\n    \"{long}\",\n)");
        let calls = "
.mm_with_aio(3)
.mm_of_vmas(2, 1)
.mlocked_mm(1)
.victim(0)
.thread()
.task(0)
.limits(1, 2)
.actor(LowerCap(4))
.actor(OomKill)";
        assert_eq!(scenario.to_rust(), head + calls);
    }

    #[test]
    fn what_the_builder_cannot_say_is_not_hidden() {
        let mut scenario = Scenario::new("off", "the sysctl is off").mm(3).task(0).actor(Actor::Exit(0));
        assert!(scenario.to_rust().starts_with("Scenario::new("));
        scenario.sysctl.on = false;
        assert!(scenario.to_rust().starts_with("// The builder cannot say all of this: "));
    }
}
