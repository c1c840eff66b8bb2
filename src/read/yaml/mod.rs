//! `yaml`: YAML 1.2 with the core schema, as an array of documents.

mod scalar;

use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use serde_json::{Map, Value};

use super::{Input, Layout, Reader, Record, Want};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// The reader of `yaml`.
#[derive(Debug)]
pub(super) struct Yaml;

/// How deep a document may nest; JSON readers stop at the same depth.
const DEEPEST: usize = 128;

/// How much anchors and aliases may copy, in bytes: a few lines of aliases could ask for more than there is memory.
const MOST_COPIED: usize = 8 << 20;

impl Reader for Yaml {
    fn format(&self) -> &'static str {
        "yaml"
    }

    fn about(&self) -> &'static str {
        "kubectl get -o yaml, configuration files; several documents with --- between them"
    }

    fn form(&self) -> &'static str {
        "Always an array of documents, also for one. Scalars follow the core schema of YAML 1.2: `yes` and `0644` are \
         text and the number 644, numbers keep their digits, `.inf`, `-.inf` and `.nan` become `\"+Inf\"`, `\"-Inf\"` \
         and `\"NaN\"`. Keys are text as written. Aliases are replaced by what they stand for; `<<` is a key like any \
         other. A key that stands twice, a list or a mapping as a key, and a document that is only a bare word are \
         mistakes. YAML kept in a string stays a string: the jq function `inner(\"key\")` reads it.\n\n```json\n\
         [{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"data\": {\"relay\": \"receivers: {}\\n\"}}]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Text
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let path = input.path();
        let text = input.text()?;
        let documents = Documents::read(path, &text)?;
        // Almost any text is YAML of one bare scalar: as a capture it is a mistake.
        match documents.bare {
            Some(mark) => Err(Diagnostics::from(
                Diagnostic::error("yaml", "expected a mapping or a list, not a bare word")
                    .with_place(place(path, mark))
                    .with_help("check `format`: `lines` reads any text"),
            )),
            None => Ok(Value::Array(documents.done)),
        }
    }
}

/// Every document of a YAML text, in order. `path` is what diagnostics call it; lines and columns are those of `text`.
///
/// An error is bad syntax, a key that stands twice, a key that is no scalar, more than 128 levels, or aliases that
/// copy more than 8 MiB.
pub fn parse(path: &str, text: &str) -> Outcome<Vec<Value>> {
    Documents::read(path, text).map(|documents| documents.done)
}

/// A list or a mapping whose end has not been met.
#[derive(Debug)]
struct Open {
    anchor: usize,
    value: Value,
    /// The key whose value comes next.
    key: Option<String>,
}

#[derive(Debug, Default)]
struct Documents {
    done: Vec<Value>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Value>,
    copied: usize,
    /// Where a document is nothing but a bare word.
    bare: Option<Marker>,
    wrong: Vec<(Marker, &'static str, &'static str)>,
}

type Step = Result<(), (&'static str, &'static str)>;

impl Documents {
    fn read(path: &str, text: &str) -> Outcome<Self> {
        let mut documents = Self::default();
        let mut parser = Parser::new_from_str(text);
        while let Some(next) = parser.next_event() {
            match next {
                Ok((event, span)) => {
                    if let Err((message, help)) = documents.take(event, span.start) {
                        documents.wrong.push((span.start, message, help));
                        break;
                    }
                }
                Err(error) => {
                    let mut found: Diagnostics = documents.wrong.iter().map(|w| diagnostic(path, *w)).collect();
                    found.push(syntax(path, error.marker(), error.info()));
                    return Err(found);
                }
            }
        }
        let found: Diagnostics = documents.wrong.iter().map(|w| diagnostic(path, *w)).collect();
        found.or_value(documents)
    }

    fn take(&mut self, event: Event<'_>, mark: Marker) -> Step {
        match event {
            Event::DocumentStart(_) => self.anchors.clear(),
            Event::MappingStart(anchor, _) => return self.begin(anchor, Value::Object(Map::new())),
            Event::SequenceStart(anchor, _) => return self.begin(anchor, Value::Array(Vec::new())),
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(Open { anchor, value, .. }) = self.open.pop() {
                    return self.put(anchor, value);
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() {
                    if anchor != 0 {
                        self.keep(anchor, &Value::from(text.as_ref()))?;
                    }
                    self.name(text.into_owned(), mark);
                    return Ok(());
                }
                let value = scalar::resolve(text, style == ScalarStyle::Plain, tag.as_deref())
                    .map_err(|message| (message, "mend the value, or take its tag away"))?;
                if self.open.is_empty() && style == ScalarStyle::Plain && value.is_string() {
                    self.bare.get_or_insert(mark);
                }
                return self.put(anchor, value);
            }
            Event::Alias(anchor) => {
                let help = "write the value out; an alias may not stand inside what it names";
                let value =
                    self.anchors.get(&anchor).ok_or(("expected an anchor that is complete before its alias", help))?;
                if self.awaits_key() {
                    let Some(name) = value.as_str().map(str::to_owned) else { return Err(NOT_A_KEY) };
                    self.name(name, mark);
                    return Ok(());
                }
                self.copied += weight(value);
                if self.copied > MOST_COPIED || self.open.len() + depth(value) > DEEPEST {
                    return Err(("expected aliases that stand for less", "write the values out, or capture less"));
                }
                let value = value.clone();
                return self.put(0, value);
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.value.is_object() && open.key.is_none())
    }

    fn begin(&mut self, anchor: usize, value: Value) -> Step {
        if self.awaits_key() {
            return Err(NOT_A_KEY);
        }
        if self.open.len() == DEEPEST {
            return Err(("expected at most 128 levels of lists and mappings", "this is no capture: check `format`"));
        }
        self.open.push(Open { anchor, value, key: None });
        Ok(())
    }

    /// The key of the next value; a second one of the same name is reported, and reading goes on.
    fn name(&mut self, key: String, mark: Marker) {
        let Some(open) = self.open.last_mut() else { return };
        if open.value.get(&key).is_some() {
            self.wrong.push((mark, "expected a key that its mapping does not have yet", "keep one of the two"));
        }
        open.key = Some(key);
    }

    /// A value that is complete goes where it belongs.
    fn put(&mut self, anchor: usize, value: Value) -> Step {
        if anchor != 0 {
            self.keep(anchor, &value)?;
        }
        match self.open.last_mut() {
            None => self.done.push(value),
            Some(open) => match (&mut open.value, open.key.take()) {
                (Value::Object(map), Some(key)) => {
                    map.insert(key, value);
                }
                (Value::Array(items), _) => items.push(value),
                _ => {}
            },
        }
        Ok(())
    }

    fn keep(&mut self, anchor: usize, value: &Value) -> Step {
        self.copied += weight(value);
        if self.copied > MOST_COPIED {
            return Err(("expected anchors that stand for less", "write the values out, or capture less"));
        }
        self.anchors.insert(anchor, value.clone());
        Ok(())
    }
}

const NOT_A_KEY: (&str, &str) = ("expected a key that is text", "a list or a mapping cannot be a key here");

/// About how many bytes a copy takes.
fn weight(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::Array(items) => own + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => own + map.iter().map(|(k, v)| 2 * own + k.len() + weight(v)).sum::<usize>(),
        Value::String(text) => own + text.len(),
        _ => own,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn place(path: &str, mark: Marker) -> Place {
    Place::at(path, mark.line(), mark.col() + 1)
}

fn diagnostic(path: &str, (mark, message, help): (Marker, &'static str, &'static str)) -> Diagnostic {
    Diagnostic::error("yaml", message).with_place(place(path, mark)).with_help(help)
}

/// What the parser says is fixed text, but for one message that quotes a character of the capture.
fn syntax(path: &str, mark: &Marker, info: &str) -> Diagnostic {
    let info = if info.starts_with("unexpected character") { "unexpected character" } else { info };
    let help = if info.contains("tab") {
        "indent with blanks: YAML takes no tabs there"
    } else {
        "check `format`, the indentation and the quotes, and take out what is no YAML"
    };
    Diagnostic::error("yaml", format!("the YAML cannot be read: {info}")).with_place(place(path, *mark)).with_help(help)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        Yaml.read(Input::new("x.yaml", text.as_bytes()), &Want::default())
    }

    fn places(text: &str) -> Vec<(u32, u32)> {
        let wrong = read(text).expect_err(text);
        wrong.iter().filter_map(|d| Some((d.place()?.line()?, d.place()?.column()?))).collect()
    }

    #[test]
    fn documents_anchors_and_aliases() {
        let text = "a: &x {b: [1, two]}\nc: *x\n&k key: *k\n---\n- 18446744073709551617\n---\n# nothing\n...\n";
        let expected = json!([{"a": {"b": [1, "two"]}, "c": {"b": [1, "two"]}, "key": "key"}, [null], null]);
        let mut record = read(text).expect("three documents");
        assert_eq!(record[1][0].to_string(), "18446744073709551617");
        record[1][0] = Value::Null;
        assert_eq!(record, expected);
        assert_eq!(read("").expect("nothing"), json!([]));
    }

    #[test]
    fn block_scalars_are_read_again() {
        let outer = read("data:\n  relay: |\n    a:\n      - b\n").expect("outer");
        let inner = parse("x", outer[0]["data"]["relay"].as_str().expect("text")).expect("inner");
        assert_eq!(inner, [json!({"a": ["b"]})]);
        assert_eq!(parse("x", "word").expect("a scalar is a document"), [json!("word")]);
    }

    #[test]
    fn mistakes_are_reported_at_their_place() {
        assert_eq!(places("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n"), [(3, 1), (4, 11)], "all at once");
        assert_eq!(places("a:\n\tb: 1\n"), [(2, 2)], "behind the tab");
        assert_eq!(places("a: [1, 2\n"), [(2, 1)]);
        assert_eq!(places("? [a]\n: 1\n"), [(1, 3)]);
        assert_eq!(places("a: &x [*x]\n"), [(1, 8)]);
        assert_eq!(places("a: &x 1\n---\nb: *x\n"), [(3, 4)], "anchors end with their document");
        assert_eq!(places("a: !!int word\n"), [(1, 4)], "where the tag begins");
        assert_eq!(places("just some words\n"), [(1, 1)]);
        assert_eq!(places("a: b: c\n"), [(1, 5)]);
    }

    #[test]
    fn deep_and_wide_documents_are_refused() {
        for deep in [format!("{}{}", "[".repeat(200), "]".repeat(200)), "- ".repeat(100_000), "a: {b: ".repeat(5_000)] {
            assert!(read(&deep).is_err());
        }
        let mut bomb = String::from("a0: &a0 [xxxxxxxxxx, xxxxxxxxxx]\n");
        for i in 1..40 {
            bomb += &format!("a{i}: &a{i} [*a{}, *a{}]\n", i - 1, i - 1);
        }
        assert!(read(&bomb).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn anything_like_yaml_is_read_or_refused(text in "(a|1|: |- |\n| |  |\\[|\\]|\\{|\\}|,|\"|'|&a |\\*a|!!int |---|\\? |\\||>|#|\t|%|\\.\\.\\.|é){0,40}") {
            let _ = read(&text);
        }

        #[test]
        fn json_is_yaml(text in "[ -~]{0,20}", number in any::<i64>(), flag in any::<bool>()) {
            let value = json!({"text": text, "list": [number, flag, null, {"a": number.to_string()}]});
            prop_assert_eq!(read(&value.to_string()).expect("JSON"), json!([value]));
        }
    }
}
