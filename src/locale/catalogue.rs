//! A catalogue file: TOML whose every value is a string, flattened to dotted keys.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_spanned::Spanned;
use toml::de::{DeTable, DeValue};

use super::Entry;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};

/// Reads every key with its value, in the order of the file; all mistakes at once.
pub(super) fn read(source: &Source) -> Outcome<Vec<Entry>> {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    let mut reader = Reader { source, entries: Vec::new(), seen: BTreeMap::new(), wrong: Diagnostics::new() };
    for error in errors {
        let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
        let place = error.span().map_or_else(|| Place::file(source.path()), |span| source.place(span));
        reader.wrong.push(match message.as_str() {
            "duplicate key" => duplicate().with_place(place),
            _ => Diagnostic::error("catalogue-toml", message)
                .with_place(place)
                .with_help("mend the TOML; a literal string ('''…''') needs no escapes"),
        });
    }
    // What the parser made up to recover would only give mistakes that are none.
    if reader.wrong.is_empty() {
        reader.table("", table.get_ref());
    }
    let Reader { entries, wrong, .. } = reader;
    wrong.or_value(entries)
}

struct Reader<'a> {
    source: &'a Source,
    entries: Vec<Entry>,
    seen: BTreeMap<String, ()>,
    wrong: Diagnostics,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            match value.get_ref() {
                DeValue::Table(inner) => self.table(&key, inner),
                DeValue::String(text) => self.string(key, name.span(), text, value),
                other => self.wrong.push(
                    Diagnostic::error(
                        "catalogue-not-a-string",
                        format!("the value of `{key}` is of type {}, not a string", other.type_str()),
                    )
                    .with_place(self.source.place(value.span()))
                    .with_help("write it in quotes; every value of a catalogue is a string"),
                ),
            }
        }
    }

    fn string(&mut self, key: String, name: Range<usize>, text: &str, value: &Spanned<DeValue<'_>>) {
        if let Some(c) = text.chars().find(|c| is_private(*c)) {
            self.wrong.push(
                Diagnostic::error(
                    "catalogue-private-use",
                    format!("`{key}` holds the private-use character U+{:04X}", u32::from(c)),
                )
                .with_place(self.source.place(place_of(c, self.source.text(), value.span())))
                .with_help("remove it; U+E000 to U+F8FF mark figures on their way to the page"),
            );
        }
        // `"a.b"` in quotes is the same key as a.b, which TOML does not see.
        if self.seen.insert(key.clone(), ()).is_some() {
            self.wrong.push(duplicate().with_place(self.source.place(name)));
            return;
        }
        self.entries.push(Entry { key, value: text.to_owned(), span: value.span() });
    }
}

fn duplicate() -> Diagnostic {
    Diagnostic::error("catalogue-duplicate-key", "a key stands twice").with_help("keep one of the two")
}

fn is_private(c: char) -> bool {
    ('\u{E000}'..='\u{F8FF}').contains(&c)
}

/// The character itself; the whole value if it is written as an escape.
fn place_of(c: char, text: &str, value: Range<usize>) -> Range<usize> {
    match text[value.clone()].find(c) {
        Some(at) => value.start + at..value.start + at + c.len_utf8(),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_str(text: &str) -> Outcome<Vec<Entry>> {
        read(&Source::new("locales/ko/grpc.toml", text))
    }

    /// Code, line and column of each finding.
    fn found(text: &str) -> Vec<(&'static str, u32, u32)> {
        let wrong = read_str(text).expect_err("a mistake");
        wrong
            .iter()
            .map(|d| {
                let place = d.place().expect("a place");
                (d.code(), place.line().expect("a line"), place.column().expect("a column"))
            })
            .collect()
    }

    #[test]
    fn keys_are_dotted_and_keep_their_order() {
        let text = "b = 'x'\na.c = '''\n* **목록** `{x}`\n'''\n[table.cri.head]\noperation = \"호출\"\n[d]\n";
        let entries = read_str(text).expect("good");
        let keys: Vec<_> = entries.iter().map(|e| (e.key.as_str(), e.value.as_str())).collect();
        assert_eq!(keys, [("b", "x"), ("a.c", "* **목록** `{x}`\n"), ("table.cri.head.operation", "호출")]);
        assert_eq!(&text[entries[0].span.clone()], "'x'");
    }

    #[test]
    fn every_value_is_a_string() {
        let text = "a = 1\nb = ['x']\nc = true\nd = 2026-10-17\ne = 'x'\n";
        let code = "catalogue-not-a-string";
        assert_eq!(found(text), [(code, 1, 5), (code, 2, 5), (code, 3, 5), (code, 4, 5)]);
        assert_eq!(found("[[a]]\nb = 'x'\n")[0].0, code);
    }

    #[test]
    fn a_key_stands_once() {
        assert_eq!(found("a = 'x'\nb = 'x'\na = 'y'\n"), [("catalogue-duplicate-key", 3, 1)]);
        assert_eq!(found("a.b = 'x'\n'a.b' = 'y'\n"), [("catalogue-duplicate-key", 2, 1)]);
    }

    #[test]
    fn marks_of_figures_are_refused() {
        assert_eq!(found("a = '수치\u{E000}x'\n"), [("catalogue-private-use", 1, 8)]);
        assert_eq!(found("a = 'x'\nb = \"\\uF8FF\"\n"), [("catalogue-private-use", 2, 5)]);
        assert!(read_str("a = '\u{D7FF}\u{F900}'").is_ok());
    }

    #[test]
    fn broken_toml_has_a_place_and_every_break_is_told() {
        let mut lines: Vec<_> = found("a = 'x\nb = 'y'\nc = = 'z'\n").iter().map(|d| (d.0, d.1)).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, [("catalogue-toml", 1), ("catalogue-toml", 3)]);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = read_str(&text);
        }

        #[test]
        fn a_literal_string_comes_out_as_it_went_in(value in "[^'\\p{C}\\p{Co}]*") {
            let entries = read_str(&format!("k = '''\n{value}'''")).expect("good");
            proptest::prop_assert_eq!(&entries[0].value, &value);
        }
    }
}
