//! The verifier: what is about to be published is searched for every original in every spelling, and for sensitive shapes.
//!
//! Written separately from the sweep and sharing no pattern with it: a plain search for needles, and a scan by hand for shapes.
//! What it reports says kind, file, line and column, never the value.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use memchr::memmem;

use crate::diag::{Diagnostic, Diagnostics, Place};

/// Values below this length are not searched for in encodings: chance would find them.
const SHORTEST_ENCODED: usize = 6;

/// So many findings of one file are told.
const MOST_TOLD: usize = 40;

/// A spelling to search for.
struct Needle {
    kind: &'static str,
    /// Whether it must stand alone to be the original.
    bounded: bool,
}

pub(super) struct Verifier<'a> {
    /// Case makes no difference.
    folded: Option<AhoCorasick>,
    folded_needles: Vec<Needle>,
    /// Base64, in which case does.
    exact: Option<AhoCorasick>,
    exact_needles: Vec<Needle>,
    aliases: &'a [&'a str],
    allow: &'a BTreeSet<String>,
}

impl<'a> Verifier<'a> {
    /// `originals` with the names of their kinds, in any spelling; `allow` in lower case.
    pub(super) fn new(originals: &[(&'static str, &str)], aliases: &'a [&'a str], allow: &'a BTreeSet<String>) -> Self {
        let mut folded: BTreeMap<String, Needle> = BTreeMap::new();
        let mut exact: BTreeMap<String, Needle> = BTreeMap::new();
        for (kind, original) in originals.iter().filter(|(_, o)| o.len() >= 2 && !aliases.contains(o)) {
            let bounded = *kind != "secret" || original.len() < 8;
            let kind = *kind;
            for spelling in plain_spellings(kind, original) {
                folded.entry(spelling.to_lowercase()).or_insert(Needle { kind, bounded });
            }
            if original.len() >= SHORTEST_ENCODED {
                for spelling in escaped(original) {
                    folded.entry(spelling).or_insert(Needle { kind, bounded: false });
                }
                for spelling in [(*original).to_owned(), original.to_uppercase()].iter().flat_map(|o| base64_cores(o)) {
                    exact.entry(spelling).or_insert(Needle { kind, bounded: false });
                }
            }
        }
        Self {
            folded: automaton(folded.keys(), true),
            folded_needles: folded.into_values().collect(),
            exact: automaton(exact.keys(), false),
            exact_needles: exact.into_values().collect(),
            aliases,
            allow,
        }
    }

    /// Everything that must not be in `staged`: path → content.
    pub(super) fn check(&self, staged: &BTreeMap<String, Vec<u8>>) -> Diagnostics {
        let mut leaks = Diagnostics::new();
        for (path, content) in staged {
            for (at, kind) in self.search(path.as_bytes()) {
                // the name is what leaks: what stands before the value is all that may be said
                leaks.push(
                    leak(kind, "the name of a file").with_place(Place::file(format!("{}…", clean_prefix(path, at)))),
                );
            }
            let safe_path = match self.search(path.as_bytes()).first() {
                Some((at, _)) => format!("{}…", clean_prefix(path, *at)),
                None => path.clone(),
            };
            for (at, kind) in self.search(content).into_iter().take(MOST_TOLD) {
                let before = &content[..at];
                let line = memchr::memchr_iter(b'\n', before).count() + 1;
                let start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
                let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
                leaks.push(leak(kind, "a page").with_place(Place::at(safe_path.as_str(), line, column)));
            }
        }
        leaks
    }

    /// Where what stands, sorted.
    fn search(&self, text: &[u8]) -> Vec<(usize, &'static str)> {
        let mut hits = BTreeSet::new();
        let automata = [(&self.folded, &self.folded_needles), (&self.exact, &self.exact_needles)];
        for (automaton, needles) in automata.into_iter().filter_map(|(a, n)| Some((a.as_ref()?, n))) {
            for hit in automaton.find_overlapping_iter(text) {
                let needle = &needles[hit.pattern()];
                let alone = !needle.bounded || alone(text, hit.start(), hit.end());
                if alone
                    && !self.is_alias(text, hit.start(), hit.end())
                    && !self.is_allowed(&text[hit.start()..hit.end()])
                {
                    hits.insert((hit.start(), needle.kind));
                }
            }
        }
        self.shapes(text, &mut hits);
        hits.into_iter().collect()
    }

    /// Whether the hit lies within an alias, as `h17` in `priv-net01.h17`.
    fn is_alias(&self, text: &[u8], start: usize, end: usize) -> bool {
        let from = start.saturating_sub(40);
        let window = &text[from..text.len().min(end + 40)];
        self.aliases.iter().any(|alias| {
            memmem::find_iter(window, alias)
                .any(|at| from + at <= start && from + at + alias.len() >= end && alias.len() > end - start)
        })
    }

    fn is_allowed(&self, value: &[u8]) -> bool {
        !self.allow.is_empty() && self.allow.contains(&String::from_utf8_lossy(value).to_ascii_lowercase())
    }

    /// Sensitive shapes, whatever they say.
    fn shapes(&self, text: &[u8], hits: &mut BTreeSet<(usize, &'static str)>) {
        let mut add = |at: usize, kind: &'static str, value: &[u8]| {
            if !self.is_allowed(value) {
                hits.insert((at, kind));
            }
        };
        // runs of hexadecimal digits and the signs between them
        let mut at = 0;
        while at < text.len() {
            if !RUN[usize::from(text[at])] {
                at += 1;
                continue;
            }
            let start = at;
            let (mut dots, mut colons, mut dashes) = (0, 0, 0);
            while at < text.len() && RUN[usize::from(text[at])] {
                match text[at] {
                    b'.' => dots += 1,
                    b':' => colons += 1,
                    b'-' => dashes += 1,
                    _ => {}
                }
                at += 1;
            }
            if dots >= 3 {
                dotted(text, start, at, &mut add);
            }
            if colons >= 2 {
                coloned(text, start, at, &mut add);
            }
            if dashes >= 4 {
                dashed(text, start, at, &mut add);
            }
        }
        for at in memchr::memchr_iter(b'@', text) {
            if let Some((start, end)) = mail(text, at) {
                add(start, "mail", &text[start..end]);
            }
        }
        for at in memmem::find_iter(text, "eyJ") {
            let token = |from: usize| {
                text[from..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count()
            };
            let head = token(at);
            if head >= 9 && text.get(at + head) == Some(&b'.') && token(at + head + 1) >= 6 {
                add(at, "secret", &text[at..at + head]);
            }
        }
        for at in memmem::find_iter(text, "-----BEGIN ") {
            let head = &text[at..text.len().min(at + 60)];
            if memmem::find(head, b"KEY-----").is_some() || memmem::find(head, b"CERTIFICATE-----").is_some() {
                add(at, "secret", head);
            }
        }
        for at in memmem::find_iter(text, "AKIA").chain(memmem::find_iter(text, "ASIA")) {
            if text[at..].iter().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count() == 20
                && !word(text, at)
            {
                add(at, "secret", &text[at..at + 20]);
            }
        }
    }
}

fn leak(kind: &str, what: &str) -> Diagnostic {
    Diagnostic::leak("leak", format!("{what} holds a value that must be masked ({kind})"))
        .with_help("nothing was written; if the value is harmless, name it in factpress.toml under [mask] allow")
}

fn clean_prefix(path: &str, mut at: usize) -> &str {
    while !path.is_char_boundary(at) {
        at -= 1;
    }
    &path[..at]
}

fn automaton<'a>(needles: impl Iterator<Item = &'a String>, folded: bool) -> Option<AhoCorasick> {
    let needles: Vec<&String> = needles.collect();
    let built =
        AhoCorasickBuilder::new().match_kind(MatchKind::Standard).ascii_case_insensitive(folded).build(&needles);
    // an automaton that cannot be built must not pass everything
    (!needles.is_empty()).then(|| built.expect("the needles come from captures that fit in memory"))
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
            all.push(format!("{:08X}", u32::from(v4).swap_bytes()));
            all.push(format!("::ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"));
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
    all.sort();
    all.dedup();
    all
}

/// With its signs, or all of it, escaped as URLs, JSON and HTML do, and in hexadecimal. Lower case.
fn escaped(original: &str) -> Vec<String> {
    let write = |whole: bool, form: &dyn Fn(u8) -> String| -> String {
        original
            .bytes()
            .map(|b| {
                if whole || !b.is_ascii_alphanumeric() {
                    form(b)
                } else {
                    char::from(b).to_ascii_lowercase().to_string()
                }
            })
            .collect()
    };
    let mut all = Vec::new();
    for whole in [false, true] {
        all.push(write(whole, &|b| format!("%{b:02x}")));
        all.push(write(whole, &|b| format!("\\u{b:04x}")));
        all.push(write(whole, &|b| format!("&#{b};")));
        all.push(write(whole, &|b| format!("&#x{b:x};")));
    }
    all.push(write(false, &|b| match b {
        b'"' => "&quot;".to_owned(),
        b'&' => "&amp;".to_owned(),
        b'<' => "&lt;".to_owned(),
        b'>' => "&gt;".to_owned(),
        b => char::from(b).to_string(),
    }));
    let hex: String = original.to_lowercase().bytes().map(|b| format!("{b:02x}")).collect();
    all.push(hex);
    // what has no sign is its own escape, and was searched for already
    all.retain(|spelling| *spelling != original.to_lowercase());
    all
}

/// What of its base64 does not depend on what stands around it, at each of the three alignments, in both alphabets.
fn base64_cores(original: &str) -> Vec<String> {
    let mut all = Vec::new();
    for lead in 0..3 {
        let mut bytes = vec![0; lead];
        bytes.extend_from_slice(original.as_bytes());
        let whole = bytes.len() * 8 / 6;
        let first = [0, 2, 3][lead];
        for text in [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)] {
            all.push(text[first..whole].to_owned());
        }
    }
    all
}

/// A byte that may belong to an address, a hardware address or a UUID.
static RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = b.is_ascii_hexdigit() || matches!(b, b'.' | b':' | b'-');
        i += 1;
    }
    table
};

/// Whether the byte before `at` belongs to a word.
fn word(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1].is_ascii_alphanumeric()
}

fn alone(text: &[u8], start: usize, end: usize) -> bool {
    let continues = text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    !word(text, start) && !continues
}

/// The pieces of a run that hold only the bytes of `set`, with their places.
fn pieces<'t>(
    text: &'t [u8],
    start: usize,
    end: usize,
    set: fn(u8) -> bool,
) -> impl Iterator<Item = (usize, &'t [u8])> {
    let mut at = start;
    std::iter::from_fn(move || {
        while at < end && !set(text[at]) {
            at += 1;
        }
        let first = at;
        while at < end && set(text[at]) {
            at += 1;
        }
        (first < at).then(|| (first, &text[first..at]))
    })
}

fn dotted(text: &[u8], start: usize, end: usize, add: &mut impl FnMut(usize, &'static str, &[u8])) {
    for (at, piece) in pieces(text, start, end, |b| b.is_ascii_digit() || b == b'.') {
        let piece = piece.strip_suffix(b".").unwrap_or(piece);
        let Some(address) = std::str::from_utf8(piece).ok().and_then(|p| p.parse::<Ipv4Addr>().ok()) else { continue };
        let octets = address.octets();
        let harmless = octets[0] == 0 || octets[0] == 127 || octets[0] >= 240 || octets[..3] == [224, 0, 0];
        let after = &text[at + piece.len()..];
        let generic =
            octets[2..] == [0, 0] && after.first() == Some(&b'/') && (address.is_private() || address.is_link_local());
        let oid = matches!(octets[..3], [2, 5, 4 | 29] | [1, 3, 6])
            || text[at.saturating_sub(4)..at].eq_ignore_ascii_case(b"oid ");
        if !harmless && !generic && !oid && !reads_as_version(text, at, after) {
            add(at, "address", piece);
        }
    }
}

/// `v1.2.3.4`, `name-1.2.3.4-5`, `1.2.3.4-beta`, `registry/image:1.2.3.4`, `version 1.2.3.4`
fn reads_as_version(text: &[u8], at: usize, after: &[u8]) -> bool {
    let before = &text[at.saturating_sub(80)..at];
    let suffixed = matches!(after, [b'-' | b'+' | b'~', b, ..] if b.is_ascii_alphanumeric());
    match before {
        [.., b, b'v' | b'V'] if !b.is_ascii_alphanumeric() => return true,
        [b'v' | b'V'] => return true,
        [.., b'-'] if suffixed => return true,
        [.., b':'] => {
            let token = before
                .rsplit(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'>' | b'`' | b'='))
                .next()
                .unwrap_or_default();
            if token.contains(&b'/') && memmem::find(token, b"://").is_none() {
                return true;
            }
        }
        _ => {}
    }
    let one_digit = text.get(at + 1) == Some(&b'.');
    let said = String::from_utf8_lossy(before).to_ascii_lowercase();
    let said = said.trim_end_matches([' ', '\t', ':', '=', '"', '\'', '(']);
    (suffixed && one_digit)
        || ["version", "release", "build", "revision", "tag", "image"].iter().any(|word| said.ends_with(word))
}

fn coloned(text: &[u8], start: usize, end: usize, add: &mut impl FnMut(usize, &'static str, &[u8])) {
    for (at, piece) in pieces(text, start, end, |b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.')) {
        let groups: Vec<&[u8]> = piece.split(|b| *b == b':').collect();
        let pairs = groups.len() == 6 && groups.iter().all(|g| g.len() == 2);
        if pairs && piece.iter().any(u8::is_ascii_alphabetic) && !matches!(piece, b"ff:ff:ff:ff:ff:ff") {
            add(at, "mac", piece);
        }
        if word(text, at) && groups.len() < 4 {
            continue;
        }
        let whole = String::from_utf8_lossy(piece);
        let trimmed = [
            whole.as_ref(),
            whole.trim_end_matches(['.', ':']),
            whole.rsplit_once(['.', ':']).map_or("", |(address, _)| address),
        ];
        let parsed = trimmed.iter().find_map(|spelled| spelled.parse::<Ipv6Addr>().ok());
        let routed = |address: &Ipv6Addr| match address.to_ipv4_mapped() {
            Some(v4) => !v4.is_loopback() && !v4.is_unspecified(),
            None => matches!(address.segments()[0], 0x2000..0x4000 | 0xfc00..0xfe00 | 0xfe80..0xff00),
        };
        if parsed.as_ref().is_some_and(routed) {
            add(at, "address", piece);
        }
    }
}

fn dashed(text: &[u8], start: usize, end: usize, add: &mut impl FnMut(usize, &'static str, &[u8])) {
    for (at, piece) in pieces(text, start, end, |b| b.is_ascii_hexdigit() || b == b'-') {
        let lengths: Vec<usize> = piece.split(|b| *b == b'-').map(<[u8]>::len).collect();
        let uuid = lengths.windows(5).any(|five| five == [8, 4, 4, 4, 12]);
        if uuid && piece.iter().any(|b| !matches!(b, b'0' | b'-')) {
            add(at, "uid", piece);
        }
    }
}

/// Start and end of the mail address whose `@` stands at `at`.
fn mail(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let local = |b: &&u8| b.is_ascii_alphanumeric() || b"._%+-".contains(b);
    let start = at - text[..at].iter().rev().take_while(local).count();
    let host = |b: &&u8| b.is_ascii_alphanumeric() || b".-".contains(b);
    let domain = &text[at + 1..at + 1 + text[at + 1..].iter().take_while(host).count()];
    let domain = domain.strip_suffix(b".").unwrap_or(domain);
    let dot = memchr::memrchr(b'.', domain)?;
    let top = &domain[dot + 1..];
    let unit: [&[u8]; 7] = [b"service", b"socket", b"target", b"slice", b"scope", b"timer", b"mount"];
    let real = dot > 0 && top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic) && !unit.contains(&top);
    (start < at && real && &text[start..at] != b"git").then_some((start, at + 1 + domain.len()))
}
