//! The definition of a function among the tokens of a file.

use super::tokens::Token;

/// The file ends within the function that begins at this line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Line, from 1.
    pub line: usize,
}

/// The first definition of `name`: from the line that has its name to the brace that closes its body.
/// `None` if there is none; declarations, calls and macros are none.
///
/// # Errors
/// If the file ends before the function does.
pub fn definition<'t, 's>(
    tokens: &'t [Token<'s>],
    name: &str,
) -> Result<Option<&'t [Token<'s>]>, Unfinished> {
    for at in 0..tokens.len() {
        if !tokens[at].is(name) || tokens[at].in_directive {
            continue;
        }
        let Some((start, open)) = head(tokens, at) else { continue };
        let unfinished = Unfinished { line: tokens[start].line };
        let parameters = closing(tokens, open, "(", ")").ok_or(unfinished)?;
        match body(tokens, parameters + 1) {
            Next::Body(open) => {
                let end = closing(tokens, open, "{", "}").ok_or(unfinished)?;
                return Ok(Some(&tokens[start..=end]));
            }
            Next::Something => {}
            Next::End => return Err(unfinished),
        }
    }
    Ok(None)
}

/// Where the line begins that may declare the function named at `at`, and where its parameters open.
fn head(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let next_is = |text| tokens.get(at + 1).is_some_and(|t| t.is(text));
    if let Some(call) = at.checked_sub(2)
        && tokens[at - 1].is("(")
        && is_syscall(tokens[call].text)
        && tokens[call].at_margin
    {
        return Some((call, at - 1));
    }
    if !next_is("(") {
        return None;
    }
    // Types may stand on lines before; they do not belong to the hash.
    let line = tokens[at].line;
    let mut start = at;
    while start > 0 && tokens[start - 1].line == line {
        start -= 1;
    }
    let is_type = |t: &Token<'_>| t.is_word() || t.is("*");
    (tokens[start].at_margin && tokens[start..at].iter().all(is_type)).then_some((start, at + 1))
}

/// `SYSCALL_DEFINE2` and the like.
fn is_syscall(text: &[u8]) -> bool {
    let macros: [&[u8]; 2] = [b"SYSCALL_DEFINE", b"COMPAT_SYSCALL_DEFINE"];
    macros.iter().any(|m| text.strip_prefix(*m).is_some_and(|rest| matches!(rest, [b'0'..=b'6'])))
}

/// What comes after the parameters.
enum Next {
    /// The brace here opens the body.
    Body(usize),
    /// It is no definition.
    Something,
    /// Nothing.
    End,
}

/// Look for the body from `at` on, over annotations such as `__releases(lock)`.
fn body(tokens: &[Token<'_>], mut at: usize) -> Next {
    while let Some(token) = tokens.get(at) {
        if token.in_directive || token.is_word() {
            at += 1;
        } else if token.is("(") {
            let Some(end) = closing(tokens, at, "(", ")") else { return Next::End };
            at = end + 1;
        } else if token.is("{") {
            return Next::Body(at);
        } else {
            return Next::Something;
        }
    }
    Next::End
}

/// Where what `start` opens is closed; braces in directives do not count.
fn closing(tokens: &[Token<'_>], start: usize, open: &str, close: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start).filter(|(_, t)| !t.in_directive) {
        if token.is(open) {
            depth += 1;
        } else if token.is(close) {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::definition;
    use crate::drift::tokens::tokens;

    /// First line, first token and number of tokens of `name` in `source`.
    #[track_caller]
    fn found(source: &str, name: &str) -> Option<(usize, String, usize)> {
        let tokens = tokens(source.as_bytes());
        let definition = definition(&tokens, name).unwrap()?;
        let first = String::from_utf8_lossy(definition[0].text).into();
        Some((definition[0].line, first, definition.len()))
    }

    #[test]
    fn a_definition_is_told_from_declarations_and_calls() {
        let source = "void f(int);\nint g(void)\n{\n\tf(1);\n}\n\nvoid f(int a)\n{ if (a) { g(); } }\n";
        assert_eq!(found(source, "f"), Some((7, "void".into(), 18)));
        assert_eq!(found(source, "g"), Some((2, "int".into(), 12)));
        assert_eq!(found(source, "a"), None);
        assert_eq!(found("int x = sizeof(f);\nint y = f(3) ;\n", "f"), None);
    }

    #[test]
    fn signatures_are_of_many_kinds() {
        let prefixes = "static inline bool __must_check f(struct mm_struct *mm) { return mm; }";
        assert_eq!(found(prefixes, "f").unwrap().1, "static");
        let lines = "static struct mm_struct *f(struct mm_struct *mm,\n\tint (*g)(void))\n{\n}\n";
        assert_eq!(found(lines, "f"), Some((1, "static".into(), 22)));
        let type_before = "void __noreturn\nf(int code)\n{\n}\n";
        assert_eq!(found(type_before, "f"), Some((2, "f".into(), 7)));
        let annotated = "void f(void)\n\t__releases(&lock)\n\t__acquires(x)\n{\n}\n";
        assert_eq!(found(annotated, "f").unwrap().0, 1);
        let syscall = "SYSCALL_DEFINE2(f, int, pidfd, unsigned int, flags)\n{\n\treturn 0;\n}\n";
        assert_eq!(found(syscall, "f"), Some((1, "SYSCALL_DEFINE2".into(), 18)));
    }

    #[test]
    fn directives_are_no_code_but_are_part_of_it() {
        let source = "#define f(x) do { \\\n\tg(x); } while (0)\n#endif\nvoid f(void)\n{\n#if A\n\tg();\n#define B {\n#endif\n}\n";
        assert_eq!(found(source, "f"), Some((4, "void".into(), 20)));
        assert_eq!(found("#define f(x) { }\n", "f"), None);
    }

    #[test]
    fn of_two_definitions_the_first_counts() {
        let source = "#ifdef A\nint f(void) { return 1; }\n#else\nint f(void) { return 0 + 0; }\n#endif\n";
        assert_eq!(found(source, "f"), Some((2, "int".into(), 10)));
    }

    #[test]
    fn a_file_may_end_too_early() {
        for cut in
            ["void f(int a", "void f(int a)", "void f(int a)\n\t__releases(", "void f(int a)\n{ if (a) {"]
        {
            let source = format!("int g;\n{cut}");
            let tokens = tokens(source.as_bytes());
            assert_eq!(definition(&tokens, "f").unwrap_err().line, 2, "{cut}");
        }
        assert_eq!(found("", "f"), None);
        assert_eq!(found("f", "f"), None);
        assert_eq!(found("}}}}) f", "f"), None);
    }
}
