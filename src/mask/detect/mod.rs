//! Finding what is sensitive in a text: known names and sensitive shapes, in every view in which a spelling may hide.

mod dictionary;
mod network;
mod shapes;
mod view;

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::{Entry, Found, Kind, basic, is_secret_name};

use dictionary::Dictionary;

/// In decoded bytes that are no text, names below this length are chance.
const SHORTEST_IN_BYTES: usize = 6;

/// What decides, besides the text itself, whether a shape is sensitive, and which shapes it can have at all.
#[derive(Clone, Copy)]
struct Context<'a> {
    signs: Signs,
    /// Whether the key says that the text is a password or a token.
    secret: bool,
    /// Whether the key says that the text may be a Basic credential.
    auth: bool,
    /// Whether the key says that the text is a version.
    version: bool,
    /// Addresses that are certain to be addresses.
    known: &'a BTreeSet<IpAddr>,
}

/// How many of each sign a text has: most texts have too few for most shapes.
#[derive(Clone, Copy, Default)]
struct Signs {
    dots: usize,
    colons: usize,
    /// `-` and `_`
    joints: usize,
    ats: usize,
    equals: usize,
    blanks: usize,
    digits: usize,
    capitals: usize,
    percents: usize,
}

impl Signs {
    fn of(text: &[u8]) -> Self {
        let mut signs = Self::default();
        for byte in text {
            let count = match byte {
                b'.' => &mut signs.dots,
                b':' => &mut signs.colons,
                b'-' | b'_' => &mut signs.joints,
                b'@' => &mut signs.ats,
                b'=' => &mut signs.equals,
                b' ' | b'\t' | b'\n' => &mut signs.blanks,
                b'%' => &mut signs.percents,
                b'0'..=b'9' => &mut signs.digits,
                b'A'..=b'Z' => &mut signs.capitals,
                _ => continue,
            };
            *count += 1;
        }
        signs
    }

    /// Whether a text may have any sensitive shape.
    fn any(&self) -> bool {
        let joined = self.colons + self.joints + self.ats + self.equals + self.blanks + self.percents > 0;
        joined || self.dots >= 2 || self.digits >= 8
    }
}

/// Finds what is sensitive in a text.
pub(super) struct Detector {
    dictionary: Dictionary,
    known: BTreeSet<IpAddr>,
    /// Lower case.
    allow: BTreeSet<String>,
}

impl Detector {
    /// `entries` are the known names in every spelling, `known` the addresses that are certain to be addresses.
    pub(super) fn new(entries: Vec<Entry>, known: impl Iterator<Item = IpAddr>, allow: &[String]) -> Self {
        Self {
            dictionary: Dictionary::new(entries),
            known: known.collect(),
            allow: allow.iter().map(|a| a.to_ascii_lowercase()).collect(),
        }
    }

    /// What is harmless by decision, in lower case.
    pub(super) fn allow(&self) -> &BTreeSet<String> {
        &self.allow
    }

    /// Everything sensitive in a text that stands under `key`, with ranges of `text` that may overlap.
    pub(super) fn find(&self, text: &str, key: &str) -> Vec<Found> {
        // most texts of a capture are numbers
        if text.bytes().all(|b| b.is_ascii_digit()) && !is_secret_name(key) {
            return Vec::new();
        }
        self.seek(text, |view, found| {
            self.dictionary.find(view, found);
            self.shapes(view, key, found);
        })
    }

    /// The text with its escapes undone, in each way that differs.
    pub(super) fn plain_views(&self, text: &str) -> Vec<String> {
        view::views(text).skip(1).map(|view| String::from_utf8_lossy(view.bytes()).into_owned()).collect()
    }

    /// Only names, with ranges of `text` that may overlap.
    pub(super) fn names(&self, text: &str) -> Vec<Found> {
        self.seek(text, |view, found| self.dictionary.find(view, found))
    }

    fn seek(&self, text: &str, look: impl Fn(&[u8], &mut Vec<Found>)) -> Vec<Found> {
        let mut all = Vec::new();
        if text.len() < 2 {
            return all;
        }
        for view in view::views(text) {
            let from = all.len();
            look(view.bytes(), &mut all);
            for found in &mut all[from..] {
                found.range = view.original(&found.range);
            }
        }
        for token in view::encoded(text) {
            let mut inside = Vec::new();
            if token.is_text {
                look(&token.decoded, &mut inside);
            } else {
                self.dictionary.find(&token.decoded, &mut inside);
                inside.retain(|f| f.range.len() >= SHORTEST_IN_BYTES);
            }
            // a value by itself keeps its alias; a text that holds one is hidden whole
            let whole = inside.iter().position(|f| f.range == (0..token.decoded.len()));
            all.extend(match whole {
                Some(at) => Some(Found { range: token.range, ..inside.swap_remove(at) }),
                None if inside.is_empty() => None,
                None => {
                    Some(Found { kind: Kind::Secret, value: text[token.range.clone()].to_owned(), range: token.range })
                }
            });
        }
        if !self.allow.is_empty() {
            let allowed = |text: &str| self.allow.contains(&text.to_ascii_lowercase());
            all.retain(|f| !allowed(&f.value) && !allowed(&text[f.range.clone()]));
        }
        all
    }

    fn shapes(&self, text: &[u8], key: &str, all: &mut Vec<Found>) {
        let context = Context {
            signs: Signs::of(text),
            secret: is_secret_name(key),
            auth: key.eq_ignore_ascii_case("auth"),
            version: network::is_version(key.as_bytes()),
            known: &self.known,
        };
        // a number or a plain word has no shape
        if context.secret || context.auth || context.signs.any() {
            network::find(text, &context, all);
            shapes::find(text, &context, all);
        }
    }
}
