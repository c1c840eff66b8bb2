//! `logfmt`: log lines of `key=value` pairs, as logrus, slog and go-kit write them.

use serde_json::{Map, Value};

use super::{Fault, Input, Layout, Reader, Record, Want, walk};
use crate::diag::Outcome;

/// The reader of `logfmt`.
#[derive(Debug)]
pub(super) struct Logfmt;

/// The key of the time that `kubectl logs --timestamps` writes before a line.
const STAMP: &str = "@timestamp";

const HELP: &str =
    "this is read as logfmt (key=value key=\"a value\"): check `format`, and take out what is no log line";

impl Reader for Logfmt {
    fn format(&self) -> &'static str {
        "logfmt"
    }

    fn about(&self) -> &'static str {
        "logs of key=value pairs, also as kubectl logs --timestamps prints them"
    }

    fn form(&self) -> &'static str {
        "An array with an object for each line: key → text, in the order of the line; `null` for a key without `=`, \
         `\"\"` for one with nothing behind it. A key may hold blanks when it is quoted, and in a line of logrus (with \
         `level=` and `msg=`), which always writes a value, without quotes too: `connection timeout=30s`. Quotes take Go's escapes \
         (`\\n`, `\\\"`, `\\x1b`, `\\u00e9`). A key that stands twice in a line has an array of its texts. The time \
         that `kubectl logs --timestamps` writes before a line is under `@timestamp`. Empty lines are left \
         out.\n\n```json\n[{\"time\": \"2026-09-29T18:12:33.009150000Z\", \"level\": \"info\", \"msg\": \"Connected\", \
         \"connection timeout\": \"30s\"}]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Lines
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let mut record = Vec::new();
        let wrong = walk(input, "logfmt-line", |line| {
            if !line.trim().is_empty() {
                record.push(Value::Object(pairs(line)?));
            }
            Ok(())
        });
        wrong.or_value(Value::Array(record))
    }
}

fn pairs(line: &str) -> Result<Map<String, Value>, Fault> {
    let mut found = Map::new();
    let mut at = 0;
    let mut with_value = false;
    // logrus writes keys as they are, blanks and all, and never a key without a value.
    let joins = line.contains("level=") && line.contains("msg=");
    let mut alone: Vec<String> = Vec::new();
    if let Some(stamp) = line.split(' ').next().filter(|first| is_time(first)) {
        found.insert(STAMP.into(), stamp.into());
        at = stamp.len();
    }
    loop {
        at += line[at..].len() - line[at..].trim_start_matches([' ', '\t']).len();
        if at == line.len() {
            break;
        }
        let start = at;
        let mut key;
        if line[at..].starts_with('"') {
            (key, at) = quoted(line, at)?;
            if !line[at..].starts_with('=') {
                return Err(Fault { at, message: "expected `=` behind a key in quotes", help: HELP });
            }
        } else {
            let length = line[at..].find([' ', '\t', '=', '"']).unwrap_or(line.len() - at);
            key = line[at..at + length].to_owned();
            at += length;
            if let Some(odd) = key.find(|c: char| !c.is_alphanumeric() && !"_-./@:$%#".contains(c)) {
                return Err(Fault { at: start + odd, message: "expected a key of letters and digits", help: HELP });
            }
            let is_pair = line[at..].starts_with('=');
            if key.is_empty() || line[at..].starts_with('"') || (!is_pair && !is_bare_key(&key)) {
                let message = "expected a key, `=` and its value";
                return Err(Fault { at: start, message, help: HELP });
            }
        }
        if !line[at..].starts_with('=') {
            alone.push(key);
            continue;
        }
        if joins && !line[start..].starts_with('"') {
            alone.push(key);
            key = std::mem::take(&mut alone).join(" ");
        }
        alone.drain(..).for_each(|word| insert(&mut found, word, Value::Null));
        at += 1;
        with_value = true;
        let value;
        if line[at..].starts_with('"') {
            (value, at) = quoted(line, at)?;
        } else {
            let length = line[at..].find([' ', '\t']).unwrap_or(line.len() - at);
            value = line[at..at + length].to_owned();
            at += length;
        }
        if !line[at..].is_empty() && !line[at..].starts_with([' ', '\t']) {
            return Err(Fault { at, message: "expected a blank behind the value", help: HELP });
        }
        insert(&mut found, key, value.into());
    }
    alone.into_iter().for_each(|word| insert(&mut found, word, Value::Null));
    if with_value {
        Ok(found)
    } else {
        Err(Fault { at: 0, message: "expected at least one key=value pair", help: HELP })
    }
}

/// A word alone is a key only if it looks like one: prose and other log formats have numbers and colons there.
fn is_bare_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
        && !text.ends_with('.')
}

/// A time of RFC 3339 in UTC or with an offset, as the kubelet stamps lines.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = |from: usize, pattern: &[u8]| {
        bytes.get(from..from + pattern.len()).is_some_and(|part| {
            part.iter().zip(pattern).all(|(b, p)| if *p == b'0' { b.is_ascii_digit() } else { b == p })
        })
    };
    shape(0, b"0000-00-00T00:00:00") && (text.ends_with('Z') || shape(text.len().saturating_sub(5), b"00:00"))
}

/// Nothing is lost when a key stands twice: its values become an array.
fn insert(found: &mut Map<String, Value>, key: String, value: Value) {
    match found.get_mut(&key) {
        None => {
            found.insert(key, value);
        }
        Some(Value::Array(all)) => all.push(value),
        Some(one) => *one = Value::Array(vec![one.take(), value]),
    }
}

/// The text in quotes that begin at `at`, and where they end.
fn quoted(line: &str, at: usize) -> Result<(String, usize), Fault> {
    let mut text = String::new();
    // Go writes bytes that are no UTF-8 as \xNN, one after the other.
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = line[at + 1..].char_indices();
    while let Some((offset, c)) = rest.next() {
        let place = at + 1 + offset;
        let escape = if c == '\\' { Some(rest.next().map_or('\0', |(_, c)| c)) } else { None };
        if escape != Some('x') && !bytes.is_empty() {
            text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut bytes)));
        }
        let mut hex = |digits: usize| {
            let number: String = rest.by_ref().take(digits).map(|(_, c)| c).collect();
            let fault = Fault { at: place, message: "expected hexadecimal digits in an escape", help: HELP };
            if number.len() != digits || !number.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(fault);
            }
            u32::from_str_radix(&number, 16).map_err(|_| fault)
        };
        match (c, escape) {
            ('"', _) => return Ok((text, place + 1)),
            (_, None) => text.push(c),
            (_, Some('n')) => text.push('\n'),
            (_, Some('t')) => text.push('\t'),
            (_, Some('r')) => text.push('\r'),
            (_, Some('a')) => text.push('\u{7}'),
            (_, Some('b')) => text.push('\u{8}'),
            (_, Some('f')) => text.push('\u{c}'),
            (_, Some('v')) => text.push('\u{b}'),
            (_, Some(same @ ('"' | '\\' | '/' | '\''))) => text.push(same),
            (_, Some('x')) => bytes.push(u8::try_from(hex(2)?).unwrap_or_default()),
            (_, Some(kind @ ('u' | 'U'))) => {
                let mut code = hex(if kind == 'u' { 4 } else { 8 })?;
                if (0xd800..0xdc00).contains(&code) && line[place + 6..].starts_with("\\u") {
                    let low = line.get(place + 8..place + 12).and_then(|d| u32::from_str_radix(d, 16).ok());
                    if let Some(low) = low.filter(|l| (0xdc00..0xe000).contains(l)) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        rest.by_ref().take(6).for_each(drop);
                    }
                }
                text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            (_, Some(_)) => {
                return Err(Fault { at: place, message: "expected an escape such as \\n or \\\"", help: HELP });
            }
        }
    }
    Err(Fault { at, message: "expected the quotes that begin here to end", help: HELP })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        Logfmt.read(Input::new("x.log", text.as_bytes()), &Want::default())
    }

    fn one(line: &str) -> Value {
        read(line).expect(line)[0].take()
    }

    #[test]
    fn pairs_of_every_kind() {
        assert_eq!(
            one(r#"level=warn "connection timeout"=30s error="a = \"b\"\n" debug empty= q="" url=http://x/?a=b"#),
            json!({"level": "warn", "connection timeout": "30s", "error": "a = \"b\"\n", "debug": null, "empty": "",
                "q": "", "url": "http://x/?a=b"})
        );
        assert_eq!(one("a=1 b a=2 a"), json!({"a": ["1", "2", null], "b": null}));
        assert_eq!(one(r#"a="\u00e9\x1b\xc3\xa9\U0001F600\ud83d\ude00\xff.""#), json!({"a": "é\u{1b}é😀😀\u{fffd}."}));
        assert_eq!(
            one("2023-07-04T17:58:28.795760597Z level=debug 키=값"),
            json!({"@timestamp": "2023-07-04T17:58:28.795760597Z", "level": "debug", "키": "값"})
        );
    }

    #[test]
    fn a_key_of_logrus_holds_blanks_without_quotes() {
        assert_eq!(
            one(
                r#"time=1 level=info msg="peer change" change notification="type:PEER_ADDED" connection timeout=30s end"#
            ),
            json!({"time": "1", "level": "info", "msg": "peer change", "change notification": "type:PEER_ADDED",
                "connection timeout": "30s", "end": null})
        );
    }

    #[test]
    fn other_lines_are_refused_at_their_place() {
        for (line, column) in [
            ("hello world", 1),
            ("I0127 14:37:20.810163       1 serving.go:331] Generated a=b", 7),
            (r#"{"level":"warn"}"#, 1),
            (r#"a="b"#, 3),
            (r#"a="b"c"#, 6),
            (r#"a="\q""#, 4),
            (r#"a="\u12"#, 4),
            (r#"x"y"=1"#, 1),
            (r#""x" a=1"#, 4),
            ("=1", 1),
            ("Feb  7 12:53:39.168: x a=1", 6),
        ] {
            let wrong = read(line).expect_err(line);
            let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
            assert_eq!((place.line(), place.column()), (Some(1), Some(column)), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn anything_like_a_pair_is_read_or_refused(text in "(a|=|\"|\\\\|x|u|d8|0|é|\\\\u| |\n){0,40}") {
            let _ = read(&text);
        }

        #[test]
        fn what_was_written_is_read_back(key in "[a-y]{1,5}", value in "\\PC{0,20}") {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            prop_assert_eq!(one(&format!("{key}=\"{escaped}\" z\n")), json!({key: value, "z": null}));
        }
    }
}
