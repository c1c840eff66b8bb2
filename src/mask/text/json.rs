//! JSON into its strings, each with the key under which it stands, without building a value: a document of any size is rewritten in place.

use std::borrow::Cow;
use std::ops::Range;

/// A piece of JSON that may have to be rewritten.
#[derive(Debug)]
pub(in super::super) struct Token {
    /// With the quotes.
    pub(in super::super) range: Range<usize>,
    /// Whether it is the name of a member.
    pub(in super::super) is_name: bool,
    /// Whether it is a string; a number otherwise.
    pub(in super::super) is_string: bool,
    /// The object or array in which it stands, counted as they begin.
    pub(in super::super) parent: usize,
    /// Whether that is an array.
    pub(in super::super) in_array: bool,
}

/// The tokens of a document, or of several.
#[derive(Debug)]
pub(in super::super) struct JsonText<'t> {
    text: &'t str,
}

/// Where the text is no JSON.
#[derive(Debug)]
pub(in super::super) struct NoJson;

struct Level {
    array: bool,
    number: usize,
    /// The name of the member that is read.
    key: Option<Range<usize>>,
    /// Whether a name is due.
    due: bool,
}

/// Calls `visit` with every string and number, in order, and the range of the name under which it stands (empty if none); the items of an array stand
/// under the name of the array.
pub(in super::super) fn strings(text: &str, visit: &mut impl FnMut(Token, Range<usize>)) -> Result<(), NoJson> {
    let bytes = text.as_bytes();
    let mut levels: Vec<Level> = Vec::new();
    let mut count = 0;
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(b) = bytes.get(at) {
        match b {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b':' | b',' if levels.is_empty() => return Err(NoJson),
            b':' => at += 1,
            b'{' | b'[' => {
                count += 1;
                let array = *b == b'[';
                let key = if array { levels.last().and_then(|l| l.key.clone()) } else { None };
                levels.push(Level { array, number: count, key, due: !array });
                at += 1;
            }
            b'}' | b']' => {
                let level = levels.pop().ok_or(NoJson)?;
                if level.array != (*b == b']') {
                    return Err(NoJson);
                }
                at += 1;
            }
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.due = !level.array;
                }
                at += 1;
            }
            b'"' => {
                let end = string_end(bytes, at).ok_or(NoJson)?;
                let range = at..end;
                at = end;
                let Some(level) = levels.last_mut() else {
                    visit(Token { range, is_name: false, is_string: true, parent: 0, in_array: false }, 0..0);
                    continue;
                };
                let is_name = level.due;
                if is_name {
                    level.due = false;
                    level.key = Some(range.start + 1..range.end - 1);
                }
                let key = if is_name { 0..0 } else { level.key.clone().unwrap_or(0..0) };
                visit(Token { range, is_name, is_string: true, parent: level.number, in_array: level.array }, key);
            }
            _ => {
                let length = bytes[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
                    .count();
                if length == 0 || levels.last().is_some_and(|l| l.due) {
                    return Err(NoJson);
                }
                let range = at..at + length;
                at += length;
                let number = matches!(b, b'-' | b'0'..=b'9');
                if !number && !matches!(&bytes[range.clone()], b"true" | b"false" | b"null") {
                    return Err(NoJson);
                }
                if number {
                    let (parent, in_array) = levels.last().map_or((0, false), |l| (l.number, l.array));
                    let key = levels.last().and_then(|l| l.key.clone()).unwrap_or(0..0);
                    visit(Token { range, is_name: false, is_string: false, parent, in_array }, key);
                }
            }
        }
    }
    if levels.is_empty() { Ok(()) } else { Err(NoJson) }
}

/// Behind the closing quote of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

impl<'t> JsonText<'t> {
    pub(in super::super) fn new(text: &'t str) -> Self {
        Self { text }
    }

    /// The whole text.
    pub(in super::super) fn text(&self) -> &'t str {
        self.text
    }

    /// What the string says between its quotes; nothing if its escapes are broken.
    pub(in super::super) fn decoded(&self, inside: Range<usize>) -> Option<Cow<'t, str>> {
        let raw = &self.text[inside.clone()];
        if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
            return Some(Cow::Borrowed(raw));
        }
        let quoted = self.text.get(inside.start.checked_sub(1)?..inside.end + 1)?;
        serde_json::from_str::<String>(quoted).ok().map(Cow::Owned)
    }
}

/// A string of JSON with its quotes.
pub(in super::super) fn write(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        let json = JsonText::new(text);
        strings(text, &mut |token, key| {
            let inside = if token.is_string { token.range.start + 1..token.range.end - 1 } else { token.range.clone() };
            let sign = if token.is_name {
                ":"
            } else if token.is_string {
                ""
            } else {
                "#"
            };
            all.push(format!("{}={}{sign} {}", &text[key], json.decoded(inside).expect("whole"), token.parent));
        })
        .expect("JSON");
        all
    }

    #[test]
    fn strings_stand_under_their_keys() {
        let text = r#"{"a": "x", "b": [1, "y", {"c": -2.5e3, "d": null}, "z"], "e": {"f": ["\"q\""]}} "s""#;
        assert_eq!(
            told(text),
            [
                "=a: 1",
                "a=x 1",
                "=b: 1",
                "b=1# 2",
                "b=y 2",
                "=c: 3",
                "c=-2.5e3# 3",
                "=d: 3",
                "b=z 2",
                "=e: 1",
                "=f: 4",
                "f=\"q\" 5",
                "=s 0"
            ]
        );
    }

    #[test]
    fn what_is_no_json_is_said() {
        for text in ["{", "}", "[}", "{\"a", "hello world", "\"a\": 1", "{1: 2}", "\"\\"] {
            assert!(strings(text, &mut |_, _| {}).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]{}\":,\\\\a1 é-]*") {
            let json = JsonText::new(&text);
            let _ = strings(&text, &mut |token, _| {
                if token.is_string {
                    json.decoded(token.range.start + 1..token.range.end - 1);
                }
            });
        }
    }
}
