//! JSON lines: one document a line, as log files and `hubble observe -o json` have them.
//!
//! Where a part needs only some of the lines, a line is first searched for the bytes of the wanted texts, then walked
//! without keeping anything; only what passes both is parsed. A line that fails the first test is not even checked to
//! be JSON.

use std::collections::BTreeMap;
use std::fmt;

use memchr::memmem::Finder;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Findings, Input, Layout, Reader, Record, Want, json_flaw};
use crate::diag::Outcome;

const HELP: &str = "each line is one JSON document; a document over several lines has the format `json`";

/// Format `jsonl`.
#[derive(Debug)]
pub(super) struct Jsonl;

impl Reader for Jsonl {
    fn format(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "one JSON document a line: structured logs, hubble observe -o jsonpb"
    }

    fn form(&self) -> &'static str {
        r#"The documents, in order; blank lines are left out. Numbers keep their text, keys their order.

```json
[{"level": "info", "ts": "2026-10-17T03:00:07Z"}, {"level": "warn"}]
```

`where` names fields by dotted paths (`flow.verdict`), each with its value as text; a line that has other values is left
out, and need not be right otherwise."#
    }

    fn layout(&self) -> Layout {
        Layout::JsonLines
    }

    fn read(&self, input: Input<'_>, want: &Want) -> Outcome<Record> {
        let path = input.path();
        let test = Test::new(&want.fields);
        let mut lines = input.lines();
        let mut findings = Findings::default();
        let mut documents = Vec::new();
        while let Some(next) = lines.next() {
            let (number, line) = match next {
                Ok(next) => next,
                Err(last) => return Err(findings.end(last)),
            };
            let document = match test.keeps(line) {
                Ok(false) => continue,
                Ok(true) => serde_json::from_str::<Value>(line),
                Err(error) => Err(error),
            };
            match document {
                Ok(document) => documents.push(document),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(error) => findings.push(json_flaw(path, (line, 0, number), &error, HELP)),
            }
        }
        findings.or_value(path, Value::Array(documents))
    }
}

/// Whether a line has the wanted fields.
struct Test<'w> {
    fields: Vec<Field<'w>>,
    texts: Vec<Finder<'w>>,
}

/// What is left of a dotted path, the wanted text, and which of the wanted fields it is.
#[derive(Clone, Copy)]
struct Field<'w> {
    path: &'w str,
    text: &'w str,
    index: usize,
}

impl<'w> Test<'w> {
    fn new(fields: &'w BTreeMap<String, String>) -> Self {
        let fields: Vec<_> =
            fields.iter().enumerate().map(|(index, (path, text))| Field { path, text, index }).collect();
        // The rarest text is not known; the longest is the best guess.
        let mut texts: Vec<_> = fields.iter().map(|field| field.text).filter(|text| !text.is_empty()).collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self { texts: texts.into_iter().map(Finder::new).collect(), fields }
    }

    fn keeps(&self, line: &str) -> serde_json::Result<bool> {
        if self.fields.is_empty() {
            return Ok(true);
        }
        // Text without any escape stands in a line as it is.
        if self.texts.iter().any(|text| text.find(line.as_bytes()).is_none()) && !line.contains('\\') {
            return Ok(false);
        }
        let mut met = vec![false; self.fields.len()];
        let mut deserializer = serde_json::Deserializer::from_str(line);
        match (Walk { fields: &self.fields, met: &mut met }).deserialize(&mut deserializer) {
            Ok(()) => Ok(met.iter().all(|met| *met)),
            Err(error) if error.is_data() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Walks one object, and into those of its members that a path names; fails as soon as a field has another value.
struct Walk<'a, 'w> {
    fields: &'a [Field<'w>],
    met: &'a mut [bool],
}

impl<'de> DeserializeSeed<'de> for Walk<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(On { leaf, below }) = map.next_key_seed(Key { fields: self.fields })? {
            if let Some(field) = leaf {
                if !is(map.next_value::<&RawValue>()?.get(), field.text) {
                    return Err(A::Error::custom("another value"));
                }
                self.met[field.index] = true;
            } else if below.is_empty() {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value_seed(Walk { fields: &below, met: self.met })?;
            }
        }
        Ok(())
    }
}

/// Which of the fields lie on or below a key. A key may have dots of its own.
struct Key<'a, 'w> {
    fields: &'a [Field<'w>],
}

/// The field that a key names, and those below it.
struct On<'w> {
    leaf: Option<Field<'w>>,
    below: Vec<Field<'w>>,
}

impl<'de, 'w> DeserializeSeed<'de> for Key<'_, 'w> {
    type Value = On<'w>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<On<'w>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'w> Visitor<'_> for Key<'_, 'w> {
    type Value = On<'w>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<On<'w>, E> {
        let mut on = On { leaf: None, below: Vec::new() };
        for field in self.fields {
            match field.path.strip_prefix(key) {
                Some("") => on.leaf = Some(*field),
                Some(rest) => on.below.extend(rest.strip_prefix('.').map(|path| Field { path, ..*field })),
                None => {}
            }
        }
        Ok(on)
    }
}

/// Whether a JSON value is written with this text: the content of a string, else the value's own text.
fn is(raw: &str, text: &str) -> bool {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        None => raw == text,
        Some(inner) if !inner.contains('\\') => inner == text,
        Some(_) => serde_json::from_str::<String>(raw).is_ok_and(|inner| inner == text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Colour;
    use proptest::prelude::*;

    fn read(text: &str, fields: &[(&str, &str)]) -> Outcome<Record> {
        let fields = fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Jsonl.read(Input::new("f", text.as_bytes()), &Want { series: Vec::new(), fields })
    }

    const LINES: &str = r#"{"flow":{"verdict":"DROPPED","port":53},"node.name":"a"}
{"flow":{"verdict":"FORWARDED","port":53}}

{"flow":{"verdict":"DR\u004fPPED","port":80,"ok":true}}
{"flow":["DROPPED"]}
{"other":{"verdict":"DROPPED"}}
[1]
"#;

    #[test]
    fn only_wanted_lines_are_kept() {
        for (fields, count) in [
            (&[][..], 6),
            (&[("flow.verdict", "DROPPED")][..], 2),
            (&[("flow.verdict", "DROPPED"), ("flow.port", "53")][..], 1),
            (&[("flow.port", "53")][..], 2),
            (&[("flow.ok", "true")][..], 1),
            (&[("node.name", "a")][..], 1),
            (&[("flow.verdict", "")][..], 0),
            (&[("flow", "DROPPED")][..], 0),
        ] {
            let record = read(LINES, fields).expect("they are right");
            assert_eq!(record.as_array().expect("a list").len(), count, "{fields:?}");
        }
    }

    #[test]
    fn every_wrong_line_is_told_up_to_a_limit() {
        let found = read("{}\n{\"a\":}\n{\"b\"\n", &[]).expect_err("they are wrong").to_text(Colour::Never);
        assert!(found.contains("f:2:6") && found.contains("f:3:5"), "{found}");
        assert_eq!(read(&"x\n".repeat(500), &[]).expect_err("they are wrong").len(), 21);
    }

    #[test]
    fn a_broken_line_that_could_be_wanted_is_told() {
        assert!(read("{\"a\":\"x\",", &[("a", "x")]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}\",:\\\\a1\n .]{0,60}") {
            let _ = read(&text, &[]);
            let _ = read(&text, &[("a", "1"), ("a.a", "")]);
        }

        /// Skipping finds the same lines as keeping all and looking at each.
        #[test]
        fn skipping_does_not_change_what_is_found(rows in proptest::collection::vec(("[ab\\\\\"é]{0,2}", 0u8..3), 0..20)) {
            let lines: Vec<Value> = rows.iter().map(|(t, n)| serde_json::json!({"x": {"t": t, "n": n}})).collect();
            let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
            let expected: Vec<_> = lines.iter().filter(|l| l["x"]["t"] == "a" && l["x"]["n"] == 1).cloned().collect();
            prop_assert_eq!(read(&text, &[("x.t", "a"), ("x.n", "1")]).expect("right"), Value::Array(expected));
        }
    }
}
