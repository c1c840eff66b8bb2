//! What the readers of lines share: words with their places, and the walk that reports what is wrong line by line.

use unicode_width::UnicodeWidthStr;

use super::Input;
use crate::diag::{Diagnostic, Diagnostics, Place};

/// A file with so many wrong lines is of another format: more of them would tell nothing.
const ENOUGH: usize = 20;

/// A run of characters that are not blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The characters.
    pub(super) text: &'a str,
    /// Where it begins in its line, in bytes.
    pub(super) start: usize,
}

impl Word<'_> {
    /// Where it ends in its line, in bytes.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The words of a line, in order.
pub(super) fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    line.split_ascii_whitespace().map(|text| Word { text, start: text.as_ptr().addr() - line.as_ptr().addr() })
}

/// How many columns of a terminal lie before a byte of a line.
pub(super) fn column(line: &str, at: usize) -> usize {
    let before = &line[..at];
    if before.is_ascii() { before.len() } else { before.width() }
}

/// What is wrong in a line. Its texts are fixed, so that nothing captured gets into them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where, in bytes from the start of the line.
    pub(super) at: usize,
    /// What was expected.
    pub(super) message: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
}

/// Hands every line without its end to `each` and gathers what is wrong; `code` names the diagnostics.
pub(super) fn walk(
    input: Input<'_>,
    code: &'static str,
    mut each: impl FnMut(&str) -> Result<(), Fault>,
) -> Diagnostics {
    let mut wrong = Diagnostics::new();
    let mut lines = input.lines();
    let path = lines.path();
    while let Some(next) = lines.next() {
        match next {
            Err(broken) => {
                wrong.extend(broken);
                break;
            }
            Ok((number, line)) => {
                if let Err(fault) = each(line) {
                    wrong.push(fault.found(code, path, (number, line)));
                }
            }
        }
        if wrong.len() >= ENOUGH {
            break;
        }
    }
    wrong
}

impl Fault {
    /// The diagnostic for a fault in a numbered line.
    fn found(self, code: &'static str, path: &str, (number, line): (usize, &str)) -> Diagnostic {
        let before = line.get(..self.at).unwrap_or(line);
        Diagnostic::error(code, self.message)
            .with_place(Place::at(path, number, before.chars().count() + 1))
            .with_help(self.help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_places() {
        let line = "  a  걸음 b";
        let found: Vec<_> = words(line).map(|w| (w.text, w.start, w.end(), column(line, w.start))).collect();
        assert_eq!(found, [("a", 2, 3, 2), ("걸음", 5, 11, 5), ("b", 12, 13, 10)]);
    }

    #[test]
    fn a_wrong_file_is_reported_once_it_is_clear() {
        let text = "x\n".repeat(100);
        let fault = Fault { at: 0, message: "expected y", help: "write y" };
        let wrong = walk(Input::new("f", text.as_bytes()), "code", |_| Err(fault));
        assert_eq!(wrong.len(), ENOUGH);
    }
}
