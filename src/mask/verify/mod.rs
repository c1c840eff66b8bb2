//! The verifier: what is about to be published is searched for every original in every spelling, and for sensitive shapes.
//!
//! Written separately from the sweep and sharing no pattern with it. A text falls into pieces; each piece is searched once, and again with its
//! escapes undone and with what is encoded in it decoded. Numbers are parsed in every notation and looked up by value. What is reported says kind,
//! file, line and column, never the value.

mod context;
mod encoded;
mod hardware;
mod joints;
mod names;
mod pieces;
mod repeats;
mod said;
mod search;
mod secrets;
mod seen;
mod undo;
mod v4;
mod v6;
mod values;
mod wide;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;

use crate::diag::{Diagnostic, Diagnostics, Place};

use context::is_meant;
use encoded::{decode, is_base64};
use joints::{folded, has_tags, hiding, tagged, wrapped};
use names::{Names, is_free};
use pieces::{COLON, DIGIT, HIDING, JOINT, Pieces, is_plain, is_sign, may_be_plain, parts, sequence, signs};
use repeats::Repeats;
use said::{announced, is_placeholder, words};
use search::{How, Known, Memory};
use seen::Seen;
use undo::{Plain, undo};
use v6::is_somewhere;
use values::Values;
use wide::Wide;

/// So many findings of one file or block are told.
const MOST_TOLD: usize = 40;

/// Fewer bytes than this are searched before a thread has started.
const WORTH_A_THREAD: usize = 256 * 1024;

/// So far around the line end at which a file is divided between threads a value may reach.
const SEAM: usize = 4096;

/// What looks like something sensitive.
#[derive(Clone, Debug)]
struct Candidate {
    range: Range<usize>,
    kind: &'static str,
    doubt: Doubt,
}

impl Candidate {
    fn sure(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, doubt: Doubt::None }
    }
}

/// What of its neighbours decides whether something is what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    None,
    /// Four numbers may be a version.
    Version,
    /// An address as the kernel prints it has another beside it.
    OneOfTwo,
    /// An address as the kernel prints it for an interface.
    Interface,
    /// The name of a password, a name of a token, a scheme of authentication, the head of a key: what follows is the secret.
    Password,
    Token,
    Scheme,
    Key,
}

/// What must not be published. Searches any number of texts, on any number of threads.
pub struct Verifier {
    known: Known,
    /// What searches that are over know of what is harmless.
    memories: Mutex<Vec<Memory>>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the originals
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

impl Verifier {
    /// `originals` with the names of their kinds, in any spelling; `allow` in lower case.
    pub(super) fn new(originals: &[(&'static str, &str)], aliases: &[&str], allow: &BTreeSet<String>) -> Self {
        Self { known: Known::new(originals, aliases, allow), memories: Mutex::default() }
    }

    /// Everything that must not be in `staged`: path → content.
    pub(super) fn check(&self, staged: &BTreeMap<String, Vec<u8>>) -> Diagnostics {
        let files: Vec<(&str, &[u8])> =
            staged.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        let total: usize = files.iter().map(|(_, content)| content.len()).sum();
        let with = |path: &str, found: &dyn Fn(&str) -> Vec<Diagnostic>| {
            let mut leaks = self.name(path);
            leaks.extend(found(&self.said(path)));
            leaks
        };
        if total < WORTH_A_THREAD {
            return files.iter().flat_map(|(path, content)| with(path, &|said| self.block(said, 1, content))).collect();
        }
        let found = self.on_two_threads(&files, total);
        let each = files.iter().zip(&found);
        each.flat_map(|((path, content), hits)| with(path, &|said| told(said, (1, content), hits))).collect()
    }

    /// The findings of each file; one thread has the first half of the bytes.
    fn on_two_threads(&self, files: &[(&str, &[u8])], total: usize) -> Vec<Hits> {
        let mut before = 0;
        let middle = files.iter().position(|(_, content)| {
            before += content.len();
            before * 2 > total
        });
        let middle = middle.unwrap_or_default();
        let content = files[middle].1;
        let cut = total / 2 - (before - content.len());
        let cut = memchr::memchr(b'\n', &content[cut..]).map_or(content.len(), |i| cut + i + 1);
        let (mut found, (mut rest, more)) = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let rest = self.search(&content[cut..]);
                (rest, files[middle + 1..].iter().map(|(_, content)| self.search(content)).collect::<Vec<_>>())
            });
            let mut found: Vec<Hits> = files[..middle].iter().map(|(_, content)| self.search(content)).collect();
            found.push(self.search(&content[..cut]));
            (found, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        // what reaches over the cut
        if cut < content.len() {
            let from = cut.saturating_sub(SEAM);
            let from = memchr::memchr(b'\n', &content[from..cut]).map_or(from, |i| from + i + 1);
            let to = content.len().min(cut + SEAM);
            let to = memchr::memrchr(b'\n', &content[cut..to]).map_or(to, |i| cut + i + 1);
            shift(&mut rest, cut);
            let mut seam = self.search(&content[from..to]);
            shift(&mut seam, from);
            if let Some(first) = found.last_mut() {
                first.extend(rest);
                first.extend(seam);
                tidy(first);
            }
        }
        found.extend(more);
        found
    }

    /// What may be said of a path: what stands before the first value in it.
    pub(super) fn said(&self, path: &str) -> String {
        match self.search(path.as_bytes()).first() {
            Some((range, _)) => format!("{}…", before(path, range.start)),
            None => path.to_owned(),
        }
    }

    /// What must not be in the name of a file.
    pub fn name(&self, path: &str) -> Vec<Diagnostic> {
        let hits = self.search(path.as_bytes());
        if hits.is_empty() {
            return Vec::new();
        }
        let said = self.said(path);
        let named =
            |(_, kind): (Range<usize>, &str)| leak(kind, "the name of a file").with_place(Place::file(said.as_str()));
        hits.into_iter().take(MOST_TOLD).map(named).collect()
    }

    /// What must not be in whole lines of a file, of which the first has the number `first_line`. `said` is what may be said of its path.
    pub fn block(&self, said: &str, first_line: usize, block: &[u8]) -> Vec<Diagnostic> {
        told(said, (first_line, block), &self.search(block))
    }

    fn search(&self, text: &[u8]) -> Hits {
        let mut memory = self.memories.lock().ok().and_then(|mut all| all.pop()).unwrap_or_default();
        let mut found = Vec::new();
        self.known.text(text, How::WHOLE, Some(&mut memory), &mut found);
        if let Ok(mut all) = self.memories.lock() {
            all.push(memory);
        }
        let mut hits = found.into_iter().map(|found| (found.range, found.kind)).collect();
        tidy(&mut hits);
        hits
    }
}

/// Places and kinds.
type Hits = Vec<(Range<usize>, &'static str)>;

/// Sorts findings; of two that overlap, the one that begins first stays, or the longer one.
fn tidy(hits: &mut Hits) {
    hits.sort_by_key(|(range, kind)| (range.start, std::cmp::Reverse(range.end), *kind));
    let mut past = 0;
    hits.retain(|(range, _)| {
        let new = range.start >= past;
        past = past.max(range.end.max(range.start + 1));
        new
    });
}

fn shift(hits: &mut Hits, by: usize) {
    hits.iter_mut().for_each(|(range, _)| *range = range.start + by..range.end + by);
}

/// Findings with their lines and columns.
fn told(said: &str, (first_line, text): (usize, &[u8]), hits: &Hits) -> Vec<Diagnostic> {
    let (mut line, mut start, mut at) = (first_line, 0, 0);
    let place = |(range, kind): &(Range<usize>, &str)| {
        let between = &text[at..range.start];
        line += memchr::memchr_iter(b'\n', between).count();
        start = memchr::memrchr(b'\n', between).map_or(start, |i| at + i + 1);
        at = range.start;
        let column = String::from_utf8_lossy(&text[start..at]).chars().count() + 1;
        leak(kind, "a page").with_place(Place::at(said, line, column))
    };
    hits.iter().take(MOST_TOLD).map(place).collect()
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
