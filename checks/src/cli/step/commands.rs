//! What may be said during a walk.

/// What `h` prints.
pub const HELP: &str = "\
  n [N]    the next step, or N steps on; an empty line repeats the last command
  p [N]    back
  g N      to step N; 0 is the start
  s        to where the next task runs
  f TEXT   to the next step with TEXT in it (a word, a function, a task)
  l        the steps around this one
  h        this help
  q        quit";

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// So many steps on.
    Next(usize),
    /// So many steps back.
    Previous(usize),
    /// To this step.
    Go(usize),
    /// To where another task runs.
    Switch,
    /// To the next step with this text.
    Find(String),
    /// Show the steps around.
    List,
    /// Show the commands.
    Help,
    /// Leave.
    Quit,
}

impl Command {
    /// The command on `line`; an empty line is `last` again.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(line: &str, last: &Self) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let number = |missing: Option<usize>| match (rest, missing) {
            ("", Some(missing)) => Ok(missing),
            ("", None) => Err(format!("{word} takes the number of a step")),
            _ => rest.parse().map_err(|_| format!("\"{rest}\" is no number of steps")),
        };
        let alone = |command: Self| {
            if rest.is_empty() { Ok(command) } else { Err(format!("{word} takes nothing behind it")) }
        };
        match word {
            "" => Ok(last.clone()),
            "n" | "next" => number(Some(1)).map(Self::Next),
            "p" | "previous" => number(Some(1)).map(Self::Previous),
            "g" | "go" => number(None).map(Self::Go),
            "s" | "switch" => alone(Self::Switch),
            "f" | "find" if rest.is_empty() => Err(format!("{word} takes the text to look for")),
            "f" | "find" => Ok(Self::Find(rest.into())),
            "l" | "list" => alone(Self::List),
            "h" | "help" | "?" => alone(Self::Help),
            "q" | "quit" => alone(Self::Quit),
            _ => Err(format!("no command is called \"{word}\"; h lists them")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command::{self, Find, Go, Next, Previous, Quit, Switch};

    fn parse(line: &str) -> Result<Command, String> {
        Command::parse(line, &Go(7))
    }

    #[test]
    fn commands_and_their_numbers() {
        for (line, command) in [
            ("n", Next(1)),
            ("next 12\r\n", Next(12)),
            (" p  3 ", Previous(3)),
            ("g 0", Go(0)),
            ("s\n", Switch),
            ("f mm_users 1", Find("mm_users 1".into())),
            ("\n", Go(7)),
            ("q", Quit),
        ] {
            assert_eq!(parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn what_is_no_command_is_told_why() {
        for (line, why) in [
            ("x", "no command"),
            ("g", "number of a step"),
            ("n -1", "no number"),
            ("n 99999999999999999999", "no number"),
            ("f", "text"),
            ("q now", "nothing behind it"),
        ] {
            assert!(parse(line).unwrap_err().contains(why), "{line}");
        }
    }
}
