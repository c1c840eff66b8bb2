//! The dictionary of known names: all of them in one pass over a text.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, Input, MatchKind};

use super::{Entry, Found, Kind};

/// Every spelling of every known name, found in one pass: ASCII case and `-`, `_`, `.` make no difference.
pub(super) struct Dictionary {
    automaton: AhoCorasick,
    entries: Vec<Entry>,
    /// Normalised spelling → entry, for names that a column cut off.
    sorted: BTreeMap<Vec<u8>, usize>,
}

/// A cut name must show this much of itself.
const SHORTEST_CUT: usize = 4;

impl Dictionary {
    /// `entries` in any order; of two with the same spelling the one of the lower kind counts.
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| {
            (normal(a.spelling.as_bytes()), a.kind, &a.value).cmp(&(normal(b.spelling.as_bytes()), b.kind, &b.value))
        });
        entries.dedup_by(|b, a| normal(a.spelling.as_bytes()) == normal(b.spelling.as_bytes()));
        let patterns: Vec<Vec<u8>> = entries.iter().map(|e| normal(e.spelling.as_bytes())).collect();
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&patterns)
            .expect("the names come from captures that fit in memory");
        let sorted = patterns.into_iter().enumerate().map(|(i, pattern)| (pattern, i)).collect();
        Self { automaton, entries, sorted }
    }

    /// Adds every known name of `text` that stands by itself or between `-`, `_`, `.` and the like.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Found>) {
        if self.entries.is_empty() {
            return;
        }
        let folded = normal(text);
        let mut at = 0;
        while let Some(hit) = self.automaton.find(Input::new(&folded).span(at..folded.len())) {
            // another name may begin within this one
            at = hit.start() + 1;
            let longest = (hit.range(), &self.entries[hit.pattern()]);
            if let Some((range, entry)) = stands(text, longest).or_else(|| self.shorter(text, &folded, hit.range())) {
                found.push(match entry.kind {
                    Kind::Domain => self.in_domain(text, range, entry),
                    kind => Found { range, kind, value: entry.value.clone() },
                });
            }
        }
        self.find_cut(text, &folded, found);
    }

    /// The longest name that stands where a longer one begins that does not.
    fn shorter(&self, text: &[u8], folded: &[u8], longest: Range<usize>) -> Option<(Range<usize>, &Entry)> {
        let ranges = (longest.start + 1..longest.end).rev().map(|end| longest.start..end);
        let names = ranges.filter_map(|range| Some((range.clone(), &self.entries[*self.sorted.get(&folded[range])?])));
        names.into_iter().find_map(|name| stands(text, name))
    }

    /// A domain with the labels before it: a host of that domain, or a node of which only the short name was known.
    fn in_domain(&self, text: &[u8], domain: Range<usize>, entry: &Entry) -> Found {
        let start = host_start(text, domain.start);
        let range = start..domain.end;
        if start == domain.start {
            return Found { range, kind: Kind::Domain, value: entry.value.clone() };
        }
        let labels = &text[start..domain.start];
        let first = labels.split(|b| *b == b'.').next().unwrap_or_default();
        match self.sorted.get(&normal(first)).map(|i| &self.entries[*i]).filter(|e| e.kind == Kind::Node) {
            Some(node) => Found { range, kind: Kind::Node, value: node.value.clone() },
            None => Found { range, kind: Kind::Host, value: lower(labels) + &entry.value },
        }
    }

    /// Names of which `ps` or a table shows the beginning and a `+` or an ellipsis.
    fn find_cut(&self, text: &[u8], folded: &[u8], found: &mut Vec<Found>) {
        let marks = memchr::memchr2_iter(b'+', 0xe2, text);
        for end in marks.filter(|at| text[*at] == b'+' || text[*at..].starts_with("…".as_bytes())) {
            let length = text[..end].iter().rev().take_while(|b| is_name(**b)).count();
            let cut = &folded[end - length..end];
            if length < SHORTEST_CUT {
                continue;
            }
            let mut whole =
                self.sorted.range(cut.to_vec()..).take_while(|(name, _)| name.starts_with(cut)).map(|(_, i)| *i);
            let Some(first) = whole.next() else { continue };
            let (kind, value) = (self.entries[first].kind, &self.entries[first].value);
            let unique = whole.all(|i| self.entries[i].value == *value);
            // of several it is none: it is a name of its own
            let value = if unique { value.clone() } else { lower(&text[end - length..end]) + "+" };
            let mark = if text[end] == b'+' { 1 } else { 0 };
            found.push(Found { range: end - length..end + mark, kind, value });
        }
    }
}

fn lower(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_ascii_lowercase()
}

/// Lower case, and one separator.
fn normal(text: &[u8]) -> Vec<u8> {
    text.iter().map(|b| if matches!(b, b'_' | b'.') { b'-' } else { b.to_ascii_lowercase() }).collect()
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
}

/// A name, if it stands by itself. Neighbours are judged as ASCII: it may stand directly beside Hangul, kana or Han. A long secret is one
/// wherever it stands.
fn stands<'e>(text: &[u8], (range, entry): (Range<usize>, &'e Entry)) -> Option<(Range<usize>, &'e Entry)> {
    let inside = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let alone = !inside(text[..range.start].last()) && !inside(text.get(range.end));
    (alone || (entry.kind == Kind::Secret && range.len() >= 8)).then_some((range, entry))
}

/// Where the labels before a domain begin: `api.` of `api.corp.example`.
fn host_start(text: &[u8], domain: usize) -> usize {
    let mut start = domain;
    while start > 0 && text[start - 1] == b'.' {
        let label = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'-' | b'_');
        let length = text[..start - 1].iter().rev().take_while(label).count();
        if length == 0 {
            break;
        }
        start -= length + 1;
    }
    start
}
