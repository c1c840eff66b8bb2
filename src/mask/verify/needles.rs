//! The originals as needles: every plain spelling, searched for whatever the case, in one pass that looks at two bytes at a time.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// So many bytes are hashed; a shorter needle is searched for by itself.
const GRAM: usize = 3;

struct Needle {
    /// In lower case.
    spelling: Vec<u8>,
    kind: &'static str,
    /// Whether it must stand alone to be the original.
    bounded: bool,
}

/// All needles, by the hash of their first bytes.
pub(super) struct Needles {
    short: Vec<Needle>,
    /// Longer ones, by hash, the longest first.
    long: Vec<(u16, Needle)>,
    /// One bit for each pair of bytes with which a long needle begins, in any case.
    pairs: Box<[u64; 1024]>,
}

impl Needles {
    /// `originals` with the names of their kinds.
    pub(super) fn new<'a>(originals: impl Iterator<Item = &'a (&'static str, &'a str)>) -> Self {
        let mut spellings: BTreeMap<Vec<u8>, Needle> = BTreeMap::new();
        for (kind, original) in originals {
            let bounded = *kind != "secret" || original.len() < 8;
            for spelling in plain_spellings(kind, original) {
                let spelling = spelling.to_ascii_lowercase().into_bytes();
                spellings.entry(spelling.clone()).or_insert(Needle { spelling, kind, bounded });
            }
        }
        let (short, long): (Vec<_>, Vec<_>) = spellings.into_values().partition(|n| n.spelling.len() < GRAM);
        let mut long: Vec<(u16, Needle)> = long.into_iter().map(|n| (hash(&n.spelling), n)).collect();
        long.sort_by(|(a, n), (b, m)| (a, m.spelling.len(), &n.spelling).cmp(&(b, n.spelling.len(), &m.spelling)));
        let mut pairs = Box::new([0; 1024]);
        for (_, needle) in &long {
            let cases = |b: u8| [b, b.to_ascii_uppercase()];
            for first in cases(needle.spelling[0]) {
                for second in cases(needle.spelling[1]) {
                    let pair = u16::from_le_bytes([first, second]);
                    pairs[usize::from(pair / 64)] |= 1 << (pair % 64);
                }
            }
        }
        Self { short, long, pairs }
    }

    /// Calls `hit` with place, length and kind of every needle that stands where it is the original; of nested ones with the longest.
    pub(super) fn search(&self, text: &[u8], hit: &mut impl FnMut(usize, usize, &'static str)) {
        for needle in &self.short {
            let places = text
                .windows(needle.spelling.len())
                .enumerate()
                .filter(|(_, w)| w.eq_ignore_ascii_case(&needle.spelling));
            for (at, _) in places.filter(|(at, _)| alone(text, *at, at + needle.spelling.len())) {
                hit(at, needle.spelling.len(), needle.kind);
            }
        }
        let mut free = 0;
        for (at, gram) in text.windows(GRAM).enumerate() {
            let pair = u16::from_le_bytes([gram[0], gram[1]]);
            if self.pairs[usize::from(pair / 64)] >> (pair % 64) & 1 == 0 || at < free {
                continue;
            }
            if let Some(needle) = self.at(text, at, hash(gram)) {
                hit(at, needle.spelling.len(), needle.kind);
                free = at + needle.spelling.len();
            }
        }
    }

    /// The longest needle that stands at a place.
    fn at(&self, text: &[u8], at: usize, hash: u16) -> Option<&Needle> {
        let first = self.long.partition_point(|(h, _)| *h < hash);
        let same = self.long[first..].iter().take_while(|(h, _)| *h == hash).map(|(_, needle)| needle);
        let stands = |n: &&Needle| {
            let end = at + n.spelling.len();
            text.get(at..end).is_some_and(|t| t.eq_ignore_ascii_case(&n.spelling))
                && (!n.bounded || alone(text, at, end))
        };
        same.into_iter().find(stands)
    }
}

/// Of the first bytes in lower case.
fn hash(spelling: &[u8]) -> u16 {
    let key = spelling[..GRAM].iter().fold(0, |key, byte| key << 8 | u32::from(byte.to_ascii_lowercase()));
    let [high, low, ..] = key.wrapping_mul(0x9e37_79b1).to_be_bytes();
    u16::from_be_bytes([high, low])
}

/// Neither neighbour is an ASCII letter or digit.
fn alone(text: &[u8], start: usize, end: usize) -> bool {
    let word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    !word(text[..start].last()) && !word(text.get(end))
}

/// As it is written in a text, with its separators exchanged, and for addresses in every notation.
fn plain_spellings(kind: &str, original: &str) -> Vec<String> {
    let mut all = vec![original.to_owned()];
    match original.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => {
            let [a, b, c, d] = v4.octets();
            all.push(format!("{a}-{b}-{c}-{d}"));
            all.push(format!("{a}_{b}_{c}_{d}"));
            all.push(format!("{d}.{c}.{b}.{a}.in-addr.arpa"));
            all.push(format!("{:08x}", u32::from(v4).swap_bytes()));
            all.push(format!("{a:02x}{b:02x}:{c:02x}{d:02x}"));
        }
        Ok(IpAddr::V6(v6)) => {
            let segments = v6.segments();
            let join = |separator: &str, wide: bool| {
                let all = segments.iter().map(|s| if wide { format!("{s:04x}") } else { format!("{s:x}") });
                all.collect::<Vec<_>>().join(separator)
            };
            all.extend([join(":", true), join(":", false), join("", true), original.replace(':', "-")]);
        }
        Err(_) if matches!(kind, "node" | "host" | "domain" | "cluster" | "pod" | "user" | "word" | "uid") => {
            all.push(original.replace('-', "_"));
            all.push(original.replace('.', "_"));
            all.push(original.replace('.', "-"));
            all.push(original.replace(['-', '.'], "_"));
        }
        Err(_) => {}
    }
    all
}
