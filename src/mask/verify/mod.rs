//! The verifier: what is about to be published is searched for every original in every spelling, and for sensitive shapes.
//!
//! Written separately from the sweep and sharing no pattern with it: a plain search for needles, a scan by hand for shapes, a decoding of
//! its own. What it reports says kind, file, line and column, never the value.

mod decoded;
mod needles;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use crate::diag::{Diagnostic, Diagnostics, Place};

use needles::Needles;

/// So many findings of one file are told.
const MOST_TOLD: usize = 40;

/// In decoded bytes that are no text, names below this length are chance.
const SHORTEST_IN_BYTES: usize = 6;

/// What must not be published.
pub(super) struct Verifier<'a> {
    needles: Needles,
    aliases: &'a [&'a str],
    allow: &'a BTreeSet<String>,
}

/// Places and kinds, sorted.
type Hits = BTreeSet<(usize, &'static str)>;

impl<'a> Verifier<'a> {
    /// `originals` with the names of their kinds, in any spelling; `allow` in lower case.
    pub(super) fn new(originals: &[(&'static str, &str)], aliases: &'a [&'a str], allow: &'a BTreeSet<String>) -> Self {
        let kept: BTreeSet<&str> = aliases.iter().copied().collect();
        let searched = originals.iter().filter(|(_, o)| o.len() >= 2 && !kept.contains(o));
        Self { needles: Needles::new(searched), aliases, allow }
    }

    /// Everything that must not be in `staged`: path → content.
    pub(super) fn check(&self, staged: &BTreeMap<String, Vec<u8>>) -> Diagnostics {
        let mut leaks = Diagnostics::new();
        for (path, content) in staged {
            let in_name = self.search(path.as_bytes());
            // the name is what leaks: what stands before the value is all that may be said
            let said = match in_name.first() {
                Some((at, _)) => format!("{}…", before(path, *at)),
                None => path.clone(),
            };
            leaks.extend(
                in_name
                    .iter()
                    .map(|(_, kind)| leak(kind, "the name of a file").with_place(Place::file(said.as_str())))
                    .collect(),
            );
            for (at, kind) in self.search(content).into_iter().take(MOST_TOLD) {
                let above = &content[..at];
                let line = memchr::memchr_iter(b'\n', above).count() + 1;
                let start = memchr::memrchr(b'\n', above).map_or(0, |i| i + 1);
                let column = String::from_utf8_lossy(&above[start..]).chars().count() + 1;
                leaks.push(leak(kind, "a page").with_place(Place::at(said.as_str(), line, column)));
            }
        }
        leaks
    }

    fn search(&self, text: &[u8]) -> Hits {
        let mut hits = Hits::new();
        self.look(text, 0, &mut |at, kind| drop(hits.insert((at, kind))));
        for region in decoded::regions(text) {
            self.look(&region.bytes, 0, &mut |at, kind| drop(hits.insert((region.place(at), kind))));
        }
        decoded::tokens(text, &mut |at, bytes| {
            // random bytes hold short names by chance
            let is_text = bytes.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
            let shortest = if is_text { 0 } else { SHORTEST_IN_BYTES };
            self.look(bytes, shortest, &mut |_, kind| drop(hits.insert((at, kind))));
        });
        hits
    }

    /// Tells place and kind of what stands in `text`; of names, of those that are not shorter than `shortest`.
    fn look(&self, text: &[u8], shortest: usize, hit: &mut impl FnMut(usize, &'static str)) {
        self.needles.search(text, &mut |at, length, kind| {
            let found = &text[at..at + length];
            if length >= shortest && !self.is_alias(text, at, at + length) && !self.is_allowed(found) {
                hit(at, kind);
            }
        });
        shapes::scan(text, &mut |at, kind, value| {
            if !self.is_allowed(value) {
                hit(at, kind);
            }
        });
    }

    /// Whether the hit lies within an alias, as `h17` in `priv-net01.h17`.
    fn is_alias(&self, text: &[u8], start: usize, end: usize) -> bool {
        let from = start.saturating_sub(40);
        let window = &text[from..text.len().min(end + 40)];
        let around = |at: usize, length: usize| from + at <= start && from + at + length >= end && length > end - start;
        self.aliases.iter().any(|alias| memmem::find_iter(window, alias).any(|at| around(at, alias.len())))
    }

    fn is_allowed(&self, value: &[u8]) -> bool {
        !self.allow.is_empty() && self.allow.contains(&String::from_utf8_lossy(value).to_ascii_lowercase())
    }
}

fn leak(kind: &str, what: &str) -> Diagnostic {
    Diagnostic::leak("leak", format!("{what} holds a value that must be masked ({kind})"))
        .with_help("nothing was written; if the value is harmless, name it in factpress.toml under [mask] allow")
}

fn before(path: &str, mut at: usize) -> &str {
    while !path.is_char_boundary(at) {
        at -= 1;
    }
    &path[..at]
}
