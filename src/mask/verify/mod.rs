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

/// Fewer bytes than this are searched before a thread has started.
const WORTH_A_THREAD: usize = 256 * 1024;

/// In decoded bytes that are no text, names below this length are chance.
const SHORTEST_IN_BYTES: usize = 6;

/// What must not be published.
pub struct Verifier<'a> {
    needles: Needles,
    aliases: Vec<&'a str>,
    allow: &'a BTreeSet<String>,
}

impl std::fmt::Debug for Verifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the originals
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

/// Places and kinds, sorted.
type Hits = BTreeSet<(usize, &'static str)>;

impl<'a> Verifier<'a> {
    /// `originals` with the names of their kinds, in any spelling; `allow` in lower case.
    pub(super) fn new(originals: &[(&'static str, &str)], aliases: Vec<&'a str>, allow: &'a BTreeSet<String>) -> Self {
        let kept: BTreeSet<&str> = aliases.iter().copied().collect();
        let searched = originals.iter().filter(|(_, o)| o.len() >= 2 && !kept.contains(o));
        Self { needles: Needles::new(searched), aliases, allow }
    }

    /// Everything that must not be in `staged`: path → content.
    pub(super) fn check(&self, staged: &BTreeMap<String, Vec<u8>>) -> Diagnostics {
        let files: Vec<(&str, &[u8])> =
            staged.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        let total: usize = files.iter().map(|(_, content)| content.len()).sum();
        if total < WORTH_A_THREAD {
            return self.check_all(&files);
        }
        // one thread has the first half of the bytes; the findings stay in the order of the files
        let mut before = 0;
        let first = files.iter().position(|(_, content)| {
            before += content.len();
            before * 2 > total
        });
        let (first, second) = files.split_at(first.unwrap_or_default());
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.check_all(second));
            let mut leaks = self.check_all(first);
            leaks.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            leaks
        })
    }

    fn check_all(&self, files: &[(&str, &[u8])]) -> Diagnostics {
        files.iter().flat_map(|(path, content)| self.check_one(path, content)).collect()
    }

    fn check_one(&self, path: &str, content: &[u8]) -> Vec<Diagnostic> {
        let mut leaks = self.name(path);
        leaks.extend(self.block(path, 1, content));
        leaks
    }

    /// Everything that must not be in the name of a file.
    pub fn name(&self, path: &str) -> Vec<Diagnostic> {
        let said = self.said(path);
        let found = self.search(path.as_bytes());
        found.iter().map(|(_, kind)| leak(kind, "the name of a file").with_place(Place::file(said.as_str()))).collect()
    }

    /// Everything that must not be in lines of a file, of which the first has the number `first`.
    pub fn block(&self, path: &str, first: usize, content: &[u8]) -> Vec<Diagnostic> {
        let found = self.search(content);
        if found.is_empty() {
            return Vec::new();
        }
        let said = self.said(path);
        let told = found.into_iter().take(MOST_TOLD).map(|(at, kind)| {
            let above = &content[..at];
            let line = memchr::memchr_iter(b'\n', above).count() + first;
            let start = memchr::memrchr(b'\n', above).map_or(0, |i| i + 1);
            let column = String::from_utf8_lossy(&above[start..]).chars().count() + 1;
            leak(kind, "a page").with_place(Place::at(said.as_str(), line, column))
        });
        told.collect()
    }

    /// Where a name leaks, what stands before the value is all that may be said of it.
    fn said(&self, path: &str) -> String {
        match self.search(path.as_bytes()).first() {
            Some((at, _)) => format!("{}…", before(path, *at)),
            None => path.to_owned(),
        }
    }

    fn search(&self, text: &[u8]) -> Hits {
        let mut hits = Hits::new();
        let mut hit = |at: usize, kind: &'static str| {
            hits.insert((at, kind));
        };
        self.names(text, 0, &mut hit);
        self.shapes(text, &mut hit);
        for region in decoded::regions(text) {
            self.names(&region.bytes, 0, &mut |at, kind| hit(region.place(at), kind));
            self.shapes(&region.bytes, &mut |at, kind| hit(region.place(at), kind));
        }
        decoded::tokens(text, &mut |at, bytes| {
            if bytes.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) {
                self.names(bytes, 0, &mut |_, kind| hit(at, kind));
                self.shapes(bytes, &mut |_, kind| hit(at, kind));
            } else {
                // random bytes hold short names by chance
                self.names(bytes, SHORTEST_IN_BYTES, &mut |_, kind| hit(at, kind));
            }
        });
        hits
    }

    /// Tells place and kind of every name in `text` that is not shorter than `shortest`.
    fn names(&self, text: &[u8], shortest: usize, hit: &mut impl FnMut(usize, &'static str)) {
        self.needles.search(text, &mut |at, length, kind| {
            let found = &text[at..at + length];
            if length >= shortest && !self.is_alias(text, at, at + length) && !self.is_allowed(found) {
                hit(at, kind);
            }
        });
    }

    fn shapes(&self, text: &[u8], hit: &mut impl FnMut(usize, &'static str)) {
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
