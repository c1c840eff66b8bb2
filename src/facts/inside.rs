//! The place, in a TOML file, of a piece of a string's value: what a filter's offset is in part.toml.

use std::ops::Range;

/// `raw` is the string as written, with its quotation marks; `piece` is in bytes of its value.
pub(super) fn raw_range(raw: &str, piece: Range<usize>) -> Range<usize> {
    let start = raw_offset(raw, piece.start);
    start..raw_offset(raw, piece.end.max(piece.start)).max(start)
}

fn raw_offset(raw: &str, offset: usize) -> usize {
    let basic = raw.starts_with('"');
    let multi_line = raw.starts_with("\"\"\"") || raw.starts_with("'''");
    let mut at = match (multi_line, raw.as_bytes().get(3..)) {
        (true, Some([b'\n', ..])) => 4,
        (true, Some([b'\r', b'\n', ..])) => 5,
        (true, _) => 3,
        (false, _) => 1,
    };
    let mut value = 0;
    while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
        let (written, means) = if basic && rest.starts_with('\\') { escape(rest) } else { plain(rest) };
        if value >= offset && means > 0 {
            break;
        }
        value += means;
        at += written;
    }
    at.min(raw.len())
}

/// How many bytes a character takes in the file and in the value.
fn plain(rest: &str) -> (usize, usize) {
    let length = rest.chars().next().map_or(0, char::len_utf8);
    (length, length)
}

/// The same for an escape sequence.
fn escape(rest: &str) -> (usize, usize) {
    let digits = match rest.as_bytes().get(1) {
        Some(b'u') => 4,
        Some(b'U') => 8,
        Some(b'x') => 2,
        Some(b' ' | b'\t' | b'\r' | b'\n') => {
            // the line goes on at the next character that is no blank
            return (rest[1..].find(|c: char| !c.is_ascii_whitespace()).map_or(rest.len(), |blanks| blanks + 1), 0);
        }
        _ => return (2.min(rest.len()), 1),
    };
    let code = rest.get(2..2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    (2 + digits, code.and_then(char::from_u32).map_or(1, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each string holds one `x` in its value, and one `x` as written.
    #[test]
    fn every_kind_of_string() {
        for raw in [
            "'abc x'",
            "\"abc x\"",
            "\"\\\"\\\\ x\"",
            "\"\\u00e9\\U0001F600\\t x\"",
            "'''x'''",
            "'''\nabc\n  x\n'''",
            "'''\r\nabc\r\n  x\r\n'''",
            "\"\"\"\nabc \\\n     def\\t\n x\"\"\"",
            "\"\"\"abc \\\r\n\r\n   x\"\"\"",
            "\"\"\"\\   \n   x\"\"\"",
            "'가나 x'",
            "'''\n\n'' x\n'''",
        ] {
            let value: toml::Table = toml::from_str(&format!("v = {raw}")).expect("TOML");
            let value = value["v"].as_str().expect("a string");
            let at = value.find('x').expect("an x");
            let range = raw_range(raw, at..at + 1);
            assert_eq!(&raw[range], "x", "{raw}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_outside(raw in "[\"']{1,3}[\\\\uU\"'\n\r x0-9가]{0,20}", a in 0_usize..40, b in 0_usize..40) {
            let range = raw_range(&raw, a..b);
            proptest::prop_assert!(range.start <= range.end && range.end <= raw.len());
        }
    }
}
