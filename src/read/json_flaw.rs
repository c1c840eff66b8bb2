//! What `serde_json` finds wrong, as a diagnostic that names the place and quotes nothing of the text.

use serde_json::error::Category;

use crate::diag::{Diagnostic, Place};

/// `error` came from parsing `text[at..]` or a part of it that begins at `at`; `line` is the number, from 1, of the
/// first line of `text` in the file `path`. `help` says what the document should have been.
pub(super) fn json_flaw(path: &str, text: (&str, usize, usize), error: &serde_json::Error, help: &str) -> Diagnostic {
    let (text, at, line) = text;
    let end = text.len();
    let (code, message, offset) = match error.classify() {
        Category::Eof | Category::Io => ("json-truncated", "the JSON breaks off here".to_owned(), end),
        Category::Syntax => {
            ("json-syntax", format!("this is not JSON: {}", words(error)), offset(&text[at..], error) + at)
        }
        Category::Data => ("json-shape", expected(&words(error)), offset(&text[at..], error) + at),
    };
    let help = match error.classify() {
        Category::Eof | Category::Io => "the capture was cut off: take it again",
        Category::Syntax | Category::Data => help,
    };
    Diagnostic::error(code, message).with_place(json_place(path, (text, offset, line))).with_help(help)
}

/// The place of a byte of `text`, whose first line has the number `line` in the file.
pub(super) fn json_place(path: &str, (text, offset, line): (&str, usize, usize)) -> Place {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let lines = before.bytes().filter(|b| *b == b'\n').count();
    Place::at(path, line + lines, before[start..].chars().count() + 1)
}

/// The byte at which parsing of `text` stopped. `serde_json` counts lines from 1, and columns as bytes that it has read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let mut start = 0;
    for _ in 1..error.line() {
        start += text[start..].find('\n').map_or(0, |i| i + 1);
    }
    start + error.column().saturating_sub(1)
}

/// The message without its place.
fn words(error: &serde_json::Error) -> String {
    let mut words = error.to_string();
    if error.line() > 0
        && let Some(place) = words.rfind(" at line ")
    {
        words.truncate(place);
    }
    words
}

/// What was expected. Only serde's own words and ours stand after the last `, expected `: what was found is not quoted.
fn expected(words: &str) -> String {
    match words.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw<'a, T: serde::Deserialize<'a> + std::fmt::Debug>(text: &'a str) -> String {
        let error = serde_json::from_str::<T>(text).expect_err("it is wrong");
        let found = json_flaw("f", (text, 0, 1), &error, "help");
        format!("{} {} {}", found.place().expect("a place"), found.code(), found.message())
    }

    #[test]
    fn the_place_counts_characters() {
        assert_eq!(flaw::<serde_json::Value>("{\"한글\": }"), "f:1:8 json-syntax this is not JSON: expected value");
        assert_eq!(flaw::<serde_json::Value>("{\n  \"a\": [1,\n"), "f:3:1 json-truncated the JSON breaks off here");
        assert_eq!(flaw::<serde_json::Value>("[1]\n]"), "f:2:1 json-syntax this is not JSON: trailing characters");
    }

    #[test]
    fn what_was_found_is_not_quoted() {
        let text = r#"[", expected secret"]"#;
        assert_eq!(flaw::<Vec<u8>>(text), "f:1:20 json-shape expected u8");
    }
}
