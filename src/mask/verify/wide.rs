//! The originals that reach over several pieces: with blanks, quotes, commas or letters beyond ASCII in them.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, Input, MatchKind};

use super::is_free;

struct Needle {
    /// What follows the first blank; any blanks stand for each one.
    rest: Vec<u8>,
    kind: &'static str,
    /// Whether it must stand alone to be the original.
    bounded: bool,
}

/// All of them.
pub(super) struct Wide {
    automaton: Option<AhoCorasick>,
    needles: Vec<Needle>,
}

impl Wide {
    pub(super) fn new(names: &[(&'static str, &str)]) -> Self {
        let mut firsts = Vec::new();
        let mut needles = Vec::new();
        for (kind, name) in names {
            let lower = name.to_lowercase();
            let both = [lower.as_str(), name];
            let spellings = if lower.eq_ignore_ascii_case(name) { &both[..1] } else { &both[..] };
            for spelling in spellings {
                let spelling = spelling.trim();
                let (first, rest) = spelling.split_at(spelling.find(char::is_whitespace).unwrap_or(spelling.len()));
                firsts.push(first.to_owned());
                needles.push(Needle { rest: rest.into(), kind, bounded: !is_free(kind, name) });
            }
        }
        let mut builder = AhoCorasickBuilder::new();
        let builder = builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        let automaton = (!firsts.is_empty()).then(|| builder.build(&firsts).expect("the names come from captures"));
        Self { automaton, needles }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Visits every one that stands in a text.
    pub(super) fn find(&self, text: &[u8], visit: &mut dyn FnMut(Range<usize>, &'static str)) {
        let Some(automaton) = &self.automaton else { return };
        for hit in automaton.find_overlapping_iter(Input::new(text)) {
            let needle = &self.needles[hit.pattern()];
            let Some(length) = same(&needle.rest, &text[hit.end()..]) else { continue };
            let range = hit.start()..hit.end() + length;
            let inside = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            if !needle.bounded || !(inside(text[..range.start].last()) || inside(text.get(range.end))) {
                visit(range, needle.kind);
            }
        }
    }
}

/// The length of what begins a text as `rest` says.
fn same(rest: &[u8], text: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut left = rest;
    while let Some(first) = left.first() {
        if first.is_ascii_whitespace() {
            let blanks = text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            left = left.trim_ascii_start();
            at += blanks;
            if blanks == 0 {
                return None;
            }
        } else {
            text.get(at).filter(|b| b.eq_ignore_ascii_case(first))?;
            left = &left[1..];
            at += 1;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_other_letters_are_no_end() {
        let wide =
            Wide::new(&[("word", "Blue Falcon"), ("word", "팔콘"), ("secret", "p,a\"ss 1x"), ("word", "ÉCLAIR")]);
        let all = |text: &str| {
            let mut all = Vec::new();
            wide.find(text.as_bytes(), &mut |range, kind| all.push((range.start, kind)));
            all
        };
        assert_eq!(all("a blue  falcon, xblue falcon blue falcons"), [(2, "word")]);
        assert_eq!(all("BLUE\n   FALCON"), [(0, "word")]);
        assert_eq!(all("이 팔콘이"), [(4, "word")]);
        assert_eq!(all("xP,A\"SS 1X"), [(1, "secret")]);
        assert_eq!(all("éclair ÉCLAIR"), [(0, "word"), (8, "word")]);
    }
}
