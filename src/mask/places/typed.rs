//! Names that are common words, where one of their kind is due, and nowhere else.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use serde_json::Value;

use super::{Found, Kind, Place, Scanner, host_name, is_of_node, is_of_user, json_strings, record, split, text};

/// Nodes and users called by a common word or a letter.
#[derive(Default)]
pub(in super::super) struct TypedWords {
    /// In lower case, each with the value that it stands for.
    words: BTreeMap<(Kind, String), String>,
    finder: Option<AhoCorasick>,
}

impl TypedWords {
    pub(in super::super) fn new(words: BTreeMap<(Kind, String), String>) -> Self {
        let finder = (!words.is_empty()).then(|| {
            let mut builder = AhoCorasickBuilder::new();
            let names = words.keys().map(|(_, name)| name);
            builder.ascii_case_insensitive(true).build(names).expect("the names are few")
        });
        Self { words, finder }
    }

    fn may_have(&self, text: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.is_match(text))
    }

    /// Whether a piece of a line is such a word.
    pub(in super::super) fn has(&self, piece: &str) -> bool {
        let is = |kind| self.words.contains_key(&(kind, host_name(piece)));
        !self.words.is_empty() && (is(Kind::Node) || is(Kind::User))
    }

    /// Whether one may be due under this key.
    pub(in super::super) fn may_stand_under(&self, key: &str) -> bool {
        !self.words.is_empty() && (is_of_node(key) || is_of_user(key))
    }

    /// What a value is at this place, and how much of it.
    fn meant(&self, place: Place, value: &str) -> Option<Found> {
        let kind = match place {
            Place::Node | Place::ControlPlane | Place::Computer | Place::Host => Kind::Node,
            Place::User => Kind::User,
            _ => return None,
        };
        let name = host_name(value);
        let start = value.len() - value.trim_start().len();
        let range = start..start + name.len();
        self.words.get(&(kind, name)).map(|meant| Found { range, kind, value: meant.clone() })
    }

    /// Every such word that stands in a typed place of a text, which itself stands under a key.
    pub(in super::super) fn find(&self, whole: &str, key: &str) -> Vec<Found> {
        let mut all = Vec::new();
        if !self.may_have(whole) {
            return all;
        }
        let by_key = [(is_of_node(key), Place::Node), (is_of_user(key), Place::User)];
        all.extend(by_key.iter().filter(|(is, _)| *is).find_map(|(_, place)| self.meant(*place, whole)));
        text(whole, &mut |place, value| all.extend(self.within(whole, place, value)));
        self.logins(whole, &mut all);
        all
    }

    /// Every such word of which the lines of a text say what it is, each by its place or by lines above it.
    pub(in super::super) fn in_lines(&self, whole: &str) -> Vec<Found> {
        let mut all = Vec::new();
        if self.may_have(whole) {
            let mut scanner = Scanner::default();
            for line in whole.lines() {
                scanner.line(line, &mut |place, value| all.extend(self.within(whole, place, value)));
            }
            all.sort_by_key(|found| found.range.start);
            all.dedup_by_key(|found| found.range.start);
        }
        all
    }

    /// Every such word of which the structure of a JSON document says what it is: start of its string → where in the document.
    pub(in super::super) fn in_json(&self, whole: &str) -> BTreeMap<usize, Found> {
        let mut all = BTreeMap::new();
        if !self.may_have(whole) {
            return all;
        }
        let Ok(document) = serde_json::from_str::<Value>(whole) else { return all };
        let mut told: Vec<(Range<usize>, Found)> = Vec::new();
        record(&document, "json", &mut |place, value| {
            if let Some(found) = self.meant(place, value) {
                told.push((bytes_of(value), found));
            }
        });
        let mut values = Vec::new();
        strings(&document, &mut values);
        let mut tokens = Vec::new();
        let read = json_strings(whole, &mut |token, _| {
            if token.is_string && !token.is_name {
                tokens.push(token.range.start + 1..token.range.end - 1);
            }
        });
        // of two members with one name the document keeps one
        if read.is_err() || values.len() != tokens.len() {
            return all;
        }
        for (value, token) in values.into_iter().zip(tokens) {
            let within = |(part, found): &(Range<usize>, Found)| {
                let start = token.start + inside(part, &bytes_of(value))?.start + found.range.start;
                Some(Found { range: start..start + found.range.len(), ..found.clone() })
            };
            // an escape moves what follows
            if whole[token.clone()] == *value
                && let Some(found) = told.iter().find_map(within)
            {
                all.insert(token.start, found);
            }
        }
        all
    }

    /// The first such word of a text that stands by itself where nothing says what it is.
    pub(in super::super) fn untyped(&self, whole: &str) -> Option<usize> {
        if !self.may_have(whole) {
            return None;
        }
        let mut typed = self.find(whole, "");
        typed.extend(self.in_lines(whole));
        let mut first = None;
        split(whole.as_bytes(), &mut |piece| {
            let is_typed = || typed.iter().any(|found| found.range.start == piece.start);
            if first.is_none() && self.has(&whole[piece.clone()]) && !is_typed() {
                first = Some(piece.start);
            }
        });
        first
    }

    fn within(&self, whole: &str, place: Place, value: &str) -> Option<Found> {
        let found = self.meant(place, value)?;
        let start = inside(&bytes_of(value), &bytes_of(whole))?.start + found.range.start;
        Some(Found { range: start..start + found.range.len(), ..found })
    }

    /// `user@host`
    fn logins(&self, whole: &str, all: &mut Vec<Found>) {
        for at in memchr::memchr_iter(b'@', whole.as_bytes()) {
            let name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            let length = whole.as_bytes()[..at].iter().rev().take_while(|b| name(b)).count();
            if whole.as_bytes().get(at + 1).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'[') {
                all.extend(self.within(whole, Place::User, &whole[at - length..at]));
            }
        }
    }
}

/// Where a text lies in memory, to tell a part of another from its like.
fn bytes_of(text: &str) -> Range<usize> {
    let start = text.as_ptr().addr();
    start..start + text.len()
}

/// Where in `whole` a part lies, if it is one.
fn inside(part: &Range<usize>, whole: &Range<usize>) -> Option<Range<usize>> {
    (part.start >= whole.start && part.end <= whole.end).then(|| part.start - whole.start..part.end - whole.start)
}

/// Every string of a document that is a value, in its order.
fn strings<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(members) => members.values().for_each(|member| strings(member, all)),
        _ => {}
    }
}
