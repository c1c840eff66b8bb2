//! The search itself: each piece of a text once, in every spelling; then what reaches over pieces.

use std::collections::BTreeSet;
use std::ops::Range;

use foldhash::fast::FixedState;
use indexmap::IndexSet;

use super::{
    COLON, Candidate, DIGIT, Doubt, HIDING, JOINT, Names, Pieces, Plain, Repeats, Seen, Values, Wide, announced,
    decode, folded, hardware, has_tags, hiding, is_meant, is_plain, is_sign, may_be_plain, parts, secrets, signs,
    tagged, undo, v4, v6, words, wrapped,
};

/// In decoded bytes that are no text, names below this length are chance.
const SHORTEST_IN_BYTES: usize = 6;

/// In a short decoded text, names below this length are chance.
const SHORTEST_IN_TEXT: usize = 4;

/// Decoded bytes below this length are a text by chance.
const CERTAINLY_TEXT: usize = 16;

/// So many layers of escapes are undone.
const LAYERS: usize = 3;

/// How a text is searched.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Whether escapes are undone.
    undo: bool,
    /// How often what is encoded is decoded.
    decode: u8,
    /// Whether shapes count, and not only originals.
    shapes: bool,
    /// Shorter names do not count.
    shortest: usize,
}

impl How {
    /// A text as it stands in a file.
    pub(super) const WHOLE: Self = Self { undo: true, decode: 2, shapes: true, shortest: 0 };
}

/// What a search remembers of what it went through.
#[derive(Default)]
pub(super) struct Memory {
    seen: Seen,
    repeats: Repeats,
}

/// Everything that is searched for.
pub(super) struct Known {
    names: Names,
    values: Values,
    wide: Wide,
    aliases: IndexSet<Box<[u8]>, FixedState>,
    longest_alias: usize,
    allow: BTreeSet<String>,
}

impl Known {
    pub(super) fn new(originals: &[(&'static str, &str)], aliases: &[&str], allow: &BTreeSet<String>) -> Self {
        let aliases: IndexSet<Box<[u8]>, FixedState> = aliases.iter().map(|alias| alias.as_bytes().into()).collect();
        let mut values = Values::default();
        let (mut names, mut wide) = (Vec::new(), Vec::new());
        for (kind, original) in originals {
            if original.len() < 2 || aliases.contains(original.as_bytes()) || values.take(kind, original) {
                continue;
            }
            let name = trimmed(kind, original);
            if is_in_pieces(kind, name) { names.push((*kind, name)) } else { wide.push((*kind, *original)) }
        }
        values.sort();
        let longest_alias = aliases.iter().map(|alias| alias.len()).max().unwrap_or_default();
        let (names, wide) = (Names::new(&names), Wide::new(&wide));
        Self { names, values, wide, aliases, longest_alias, allow: allow.clone() }
    }

    /// Adds everything in a text that must not be there. `memory` knows what is harmless wherever it stands.
    pub(super) fn text(&self, text: &[u8], how: How, memory: Option<&mut Memory>, out: &mut Vec<Candidate>) {
        let mut pieces = Pieces::new(text);
        // a sequence of a terminal may hold any sign
        let (mut seen, mut repeats) = match memory {
            Some(Memory { seen, repeats }) => (Some(seen), Some(repeats)),
            None => (None, None),
        };
        repeats = repeats.filter(|_| memchr::memchr(0x1b, text).is_none());
        if let Some(repeats) = &mut repeats {
            repeats.begin();
        }
        while let Some(start) = pieces.begin() {
            if let Some(repeats) = &mut repeats {
                pieces.at = repeats.new_from(text, start, is_sign);
                if pieces.at > start {
                    continue;
                }
            }
            let range = pieces.take();
            let piece = &text[range.clone()];
            if piece.len() < 2 || is_plain(piece) {
                continue;
            }
            let known = seen.as_deref().map(|seen| seen.has(piece));
            if let Some((true, _)) = known {
                continue;
            }
            let before = out.len();
            self.piece(piece, how, out);
            if out.len() > before {
                settle(text, (range.start, before), out);
                if let Some(repeats) = &mut repeats {
                    repeats.break_at(pieces.at);
                }
            } else if let (Some(seen), Some((_, hash))) = (&mut seen, known) {
                seen.add(piece, hash);
            }
        }
        let mut joined = |parts: &[Range<usize>], how: How| {
            let whole = Plain::joined(text, parts);
            self.inner(&whole, how, out);
        };
        folded(text, &mut |parts| joined(parts, How { undo: true, ..how }));
        if how.decode > 0 {
            wrapped(text, &mut |parts| joined(parts, how));
        }
        if has_tags(text) {
            tagged(text, &mut |parts| joined(parts, How { shapes: false, ..how }));
        }
        self.wide(text, how, out);
    }

    /// What reaches over several pieces, also in the lines in which something may hide.
    fn wide(&self, text: &[u8], how: How, out: &mut Vec<Candidate>) {
        if self.wide.is_empty() {
            return;
        }
        self.wide.find(text, &mut |range, kind| self.add(text, Candidate::sure(range, kind), out));
        for line in hiding(text).filter(|_| how.undo) {
            let mut layers: Vec<Plain> = Vec::new();
            while layers.len() < LAYERS {
                let Some(plain) = undo(layers.last().map_or(&text[line.clone()], |last| &last.bytes)) else { break };
                layers.push(plain);
                let Some(last) = layers.last() else { break };
                self.wide.find(&last.bytes, &mut |range, kind| {
                    let place = |at: usize| line.start + layers.iter().rev().fold(at, |at, layer| layer.place(at));
                    let found = Candidate::sure(place(range.start)..place(range.end), kind);
                    if !self.is_alias(&last.bytes, &range) && !self.is_allowed(&last.bytes[range]) {
                        out.push(found);
                    }
                });
            }
        }
    }

    /// Adds everything in a piece, each with what must be known of its neighbours.
    fn piece(&self, piece: &[u8], how: How, out: &mut Vec<Candidate>) {
        self.names.find(piece, &mut |(range, kind)| {
            let before = out.len();
            if range.len() >= how.shortest {
                self.add(piece, Candidate::sure(range, kind), out);
            }
            out.len() > before
        });
        let signs = signs(piece);
        let hidden = how.undo && signs & HIDING != 0;
        let shapes = how.shapes && !hidden;
        let mut found = Vec::new();
        if signs & DIGIT != 0 && signs & JOINT != 0 {
            v4::find(piece, &self.values, shapes, &mut found);
        }
        if signs & (JOINT | COLON) != 0 {
            v6::find(piece, &self.values, shapes, &mut found);
        }
        if signs & (DIGIT | JOINT | COLON) != 0 {
            hardware::find(piece, &self.values, shapes, &mut found);
        }
        if shapes {
            secrets::find(piece, &mut found);
        }
        if how.shapes {
            words(piece, &mut found);
        }
        found.into_iter().for_each(|candidate| self.add(piece, candidate, out));
        if hidden {
            self.layers(piece, how, out);
        }
        if how.decode > 0 {
            self.decoded(piece, how, out);
        }
    }

    /// Searches a piece with its escapes undone, layer by layer. Only under the last one shapes are what they look like.
    fn layers(&self, piece: &[u8], how: How, out: &mut Vec<Candidate>) {
        let mut layers: Vec<Plain> = Vec::new();
        while layers.len() < LAYERS
            && let Some(plain) = undo(layers.last().map_or(piece, |last| &last.bytes))
        {
            layers.push(plain);
        }
        let raw = layers.is_empty().then(|| Plain::joined(piece, std::slice::from_ref(&(0..piece.len()))));
        let count = layers.len();
        for (number, layer) in layers.iter().chain(&raw).enumerate() {
            let last = number + 1 >= count;
            let before = out.len();
            self.text(&layer.bytes, How { undo: false, shapes: how.shapes && last, ..how }, None, out);
            for candidate in &mut out[before..] {
                let outer = layers[..number.min(count)].iter().rev();
                let place = |at: usize| outer.clone().fold(layer.place(at), |at, layer| layer.place(at));
                candidate.range = place(candidate.range.start)..place(candidate.range.end);
            }
        }
    }

    fn inner(&self, plain: &Plain, how: How, out: &mut Vec<Candidate>) {
        let before = out.len();
        self.text(&plain.bytes, how, None, out);
        for candidate in &mut out[before..] {
            candidate.range = plain.place(candidate.range.start)..plain.place(candidate.range.end);
        }
    }

    /// Searches what is encoded in a piece.
    fn decoded(&self, piece: &[u8], how: How, out: &mut Vec<Candidate>) {
        decode(piece, &mut |decoded| {
            let certain = decoded.text.len() >= CERTAINLY_TEXT;
            let shortest = match (certain, decoded.whole) {
                (true, _) => 0,
                (false, true) => SHORTEST_IN_TEXT,
                (false, false) => SHORTEST_IN_BYTES,
            };
            let inner = How { undo: true, decode: how.decode - 1, shapes: how.shapes && certain, shortest };
            let before = out.len();
            self.text(decoded.text, inner, None, out);
            for candidate in &mut out[before..] {
                candidate.range = decoded.token.clone();
            }
        });
    }

    fn add(&self, text: &[u8], candidate: Candidate, out: &mut Vec<Candidate>) {
        let announces = !matches!(candidate.doubt, Doubt::None | Doubt::Version | Doubt::OneOfTwo | Doubt::Interface);
        let range = &candidate.range;
        if announces || !(self.is_allowed(&text[range.clone()]) || self.is_alias(text, range)) {
            out.push(candidate);
        }
    }

    /// Whether what was found lies within an alias, as `h17` in `priv-net01.h17`.
    fn is_alias(&self, text: &[u8], found: &Range<usize>) -> bool {
        let longest = self.longest_alias;
        (found.end.saturating_sub(longest)..=found.start).any(|start| {
            (found.end..=text.len().min(start + longest))
                .any(|end| end - start > found.len() && self.aliases.contains(&text[start..end]))
        })
    }

    fn is_allowed(&self, value: &[u8]) -> bool {
        !self.allow.is_empty() && self.allow.contains(&String::from_utf8_lossy(value).to_ascii_lowercase())
    }
}

/// Keeps of the candidates of a piece those that are what they look like, where they stand.
fn settle(text: &[u8], (start, before): (usize, usize), out: &mut Vec<Candidate>) {
    for mut candidate in out.split_off(before) {
        candidate.range = candidate.range.start + start..candidate.range.end + start;
        if is_meant(text, &candidate) {
            out.extend(announced(text, candidate));
        }
    }
}

/// A secret without the signs that only fill up its length.
fn trimmed<'o>(kind: &str, original: &'o str) -> &'o str {
    let stem = original.trim_end_matches('=');
    if kind == "secret" && stem.len() >= 8 { stem } else { original }
}

/// Whether each spelling of a name lies within one piece and is found where words begin.
fn is_in_pieces(kind: &str, name: &str) -> bool {
    let bytes = name.as_bytes();
    let stem = name.trim_end_matches('+').as_bytes();
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let within = !bytes.iter().any(|b| parts(*b)) && !may_be_plain(bytes) && name.len() <= usize::from(u16::MAX);
    within && (super::is_free(kind, name) || (edge(stem.first()) && edge(stem.last())))
}
