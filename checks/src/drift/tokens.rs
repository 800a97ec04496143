//! C source as tokens: without comments and white space, and without what string literals say.

use logos::{Lexer, Logos};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'s> {
    /// What is hashed. A string or character literal is a pair of quotes with a blank between, whatever
    /// it says.
    pub text: &'s [u8],
    /// Line, from 1.
    pub line: usize,
    /// Whether nothing, not even a blank, stands before it on its line.
    pub at_margin: bool,
    /// Whether it belongs to a preprocessor directive.
    pub in_directive: bool,
    kind: Kind,
}

impl Token<'_> {
    /// Whether it is a name, a keyword or a number.
    pub fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// Whether it is `text`.
    pub fn is(&self, text: &str) -> bool {
        self.text == text.as_bytes()
    }
}

/// Every byte of a source is part of a token or skipped: nothing is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(utf8 = false)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
enum Kind {
    #[regex(b"[0-9A-Za-z_\x80-\xff]+")]
    Word,
    #[regex(b"\"([^\"\\\\\n]|\\\\[\x00-\xff])*\"")]
    Text,
    #[regex(b"'([^'\\\\\n]|\\\\[\x00-\xff])*'")]
    Character,
    // Neither shifts nor compound assignments: so the pinned hashes were made.
    #[regex(r"->|\+\+|--|<=|>=|==|!=|&&|\|\|")]
    Operator,
    #[regex(b"[\x00-\x7f]", priority = 0)]
    Other,
}

/// The tokens of `source`.
pub fn tokens(source: &[u8]) -> Vec<Token<'_>> {
    let mut lexer: Lexer<'_, Kind> = Kind::lexer(source);
    let mut tokens = Vec::new();
    let (mut line, mut counted, mut directive_end) = (1, 0, 0);
    while let Some(kind) = lexer.next() {
        let at = lexer.span().start;
        line += source[counted..at].split(|b| *b == b'\n').count() - 1;
        counted = at;
        let line_start = source[..at].iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
        let kind = kind.unwrap_or(Kind::Other);
        let text = match kind {
            Kind::Text => b"\" \"",
            Kind::Character => b"' '",
            _ => lexer.slice(),
        };
        if text == b"#" && source[line_start..at].iter().all(u8::is_ascii_whitespace) {
            directive_end = directive_end.max(end_of_directive(source, at));
        }
        let in_directive = at < directive_end;
        tokens.push(Token { text, line, at_margin: at == line_start, in_directive, kind });
    }
    tokens
}

/// The end of the directive that begins at `start`: of its line, or of the last that continues it.
fn end_of_directive(source: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(length) = source[at..].iter().position(|b| *b == b'\n') {
        let end = at + length;
        if !source[at..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::tokens;

    /// The tokens of `source`, joined by blanks.
    fn joined(source: &str) -> String {
        let texts: Vec<String> =
            tokens(source.as_bytes()).iter().map(|t| String::from_utf8_lossy(t.text).into()).collect();
        texts.join(" ")
    }

    #[test]
    fn comments_white_space_and_what_strings_say_do_not_count() {
        assert_eq!(joined("a/* b */  c // d\n\te/***/f/**/"), "a c e f");
        assert_eq!(joined(r#"f("x /* y */ \" z", '"', '\'', "")"#), r#"f ( " " , ' ' , ' ' , " " )"#);
        assert_eq!(joined("/* \" */ a /* ' */ b // it's\nc"), "a b c");
        assert_eq!(joined("\"one \\\n line\" a"), "\" \" a");
    }

    #[test]
    fn operators_are_split_as_the_hashes_want_it() {
        assert_eq!(joined("a->b++ != c--&&!d||e>=f<=g==h"), "a -> b ++ != c -- && ! d || e >= f <= g == h");
        assert_eq!(joined("a>>=1<<2|=b ...x##y"), "a > >= 1 < < 2 | = b . . . x # # y");
    }

    #[test]
    fn what_is_not_closed_is_split() {
        assert_eq!(joined("a /* b"), "a / * b");
        assert_eq!(joined("\"a\nb"), "\" a b");
        assert_eq!(joined("don't\nstop"), "don ' t stop");
        assert_eq!(joined("\\"), "\\");
    }

    #[test]
    fn bytes_that_are_no_text_are_words() {
        let found = tokens(b"a \xff\xfe( \x00");
        let texts: Vec<&[u8]> = found.iter().map(|t| t.text).collect();
        assert_eq!(texts, [&b"a"[..], b"\xff\xfe", b"(", b"\x00"]);
    }

    #[test]
    fn lines_margins_and_directives_are_known() {
        let found = tokens(b"/* 1\n2 */ a\n#define X \\\n  b\nc # d\n  #if E\nf");
        let known: Vec<(&str, usize, bool, bool)> = found
            .iter()
            .map(|t| (std::str::from_utf8(t.text).unwrap(), t.line, t.at_margin, t.in_directive))
            .collect();
        let expected = [
            ("a", 2, false, false),
            ("#", 3, true, true),
            ("define", 3, false, true),
            ("X", 3, false, true),
            ("\\", 3, false, true),
            ("b", 4, false, true),
            ("c", 5, true, false),
            ("#", 5, false, false),
            ("d", 5, false, false),
            ("#", 6, false, true),
            ("if", 6, false, true),
            ("E", 6, false, true),
            ("f", 7, true, false),
        ];
        assert_eq!(known, expected);
    }
}
