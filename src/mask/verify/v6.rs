//! IPv6 in a text: whatever is parsed as an address, with the parts around it that are none left off; with dashes, and as names of reversed zones.

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use super::{Candidate, Values};

/// No notation of an address is longer.
const LONGEST: usize = 45;

/// Adds the addresses of `values`, and with `shapes` what is certainly an address.
pub(super) fn find(text: &[u8], values: &Values, shapes: bool, out: &mut Vec<Candidate>) {
    let colons = memchr::memchr_iter(b':', text).take(2).count();
    if colons == 2 {
        for run in runs(text, |b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.')) {
            coloned(text, run, (values, shapes), out);
        }
    }
    let literal = shapes && places(text, b"ipv6-literal", 3).next().is_some();
    for sign in *b"-_" {
        if (literal || !values.none_v6()) && memchr::memchr_iter(sign, text).take(2).count() == 2 {
            for run in runs(text, move |b| b.is_ascii_hexdigit() || b == sign) {
                dashed(text, (run, sign), (values, literal), out);
            }
        }
    }
    for end in places(text, b"ip6.arpa", 2) {
        zone(text, end, (values, shapes), out);
    }
}

/// Where a word stands, in any case; at `digit` it has a 6.
fn places<'t>(text: &'t [u8], word: &'t [u8], digit: usize) -> impl Iterator<Item = usize> + 't {
    let starts = memchr::memchr_iter(b'6', text).filter_map(move |at| at.checked_sub(digit));
    starts.filter(|at| text.get(*at..at + word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word)))
}

/// The longest runs of bytes of a set.
fn runs(text: &[u8], set: impl Fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].iter().position(|b| set(*b))?;
        let start = at;
        at += text[at..].iter().take_while(|b| set(**b)).count();
        Some(start..at)
    })
}

fn parse(spelled: &[u8], sign: u8) -> Option<Ipv6Addr> {
    if sign == b':' {
        return std::str::from_utf8(spelled).ok()?.parse().ok();
    }
    let coloned: Vec<u8> = spelled.iter().map(|b| if *b == sign { b':' } else { *b }).collect();
    std::str::from_utf8(&coloned).ok()?.parse().ok()
}

/// The first part of a run, between signs, that is one of `values`.
fn known(text: &[u8], (run, sign): (Range<usize>, u8), values: &Values) -> Option<Range<usize>> {
    let is_sign = |at: &usize| text[*at] == sign || text[*at] == b'.';
    let signs: Vec<usize> = run.clone().filter(is_sign).collect();
    // an address may begin and end with two signs
    let starts = std::iter::once(run.start).chain(signs.iter().map(|at| at + 1)).chain(signs.iter().copied());
    let mut ends: Vec<usize> = signs.iter().copied().chain(signs.iter().map(|at| at + 1)).chain([run.end]).collect();
    ends.sort_unstable_by(|a, b| b.cmp(a));
    let mut parts = starts.flat_map(|start| {
        let ends = ends.iter().copied().filter(move |end| *end >= start + 2 && *end <= start + LONGEST);
        ends.map(move |end| start..end)
    });
    parts.find(|part| {
        let spelled = &text[part.clone()];
        memchr::memchr_iter(sign, spelled).take(2).count() == 2
            && parse(spelled, sign).is_some_and(|address| values.has(IpAddr::V6(address)))
    })
}

fn coloned(text: &[u8], run: Range<usize>, (values, shapes): (&Values, bool), out: &mut Vec<Candidate>) {
    if run.len() < 3 || memchr::memchr_iter(b':', &text[run.clone()]).take(2).count() < 2 {
        return;
    }
    if let Some(part) = known(text, (run.clone(), b':'), values) {
        out.push(Candidate::sure(part, "address"));
        return;
    }
    if !shapes {
        return;
    }
    // the whole, then without what follows it: a full stop, a colon, a port
    let whole = &text[run.clone()];
    let last = whole.iter().rposition(|b| matches!(b, b':' | b'.')).unwrap_or_default();
    let trimmed = whole.len() - whole.iter().rev().take_while(|b| matches!(b, b':' | b'.')).count();
    let mut ends = [whole.len(), trimmed, last].into_iter();
    let Some((end, address)) = ends.find_map(|end| Some((end, parse(&whole[..end], b':')?))) else { return };
    let spelled = &whole[..end];
    let groups = spelled.split(|b| *b == b':').filter(|group| !group.is_empty()).count();
    // `feed::` is a word, and so is what goes on behind it
    let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let glued = word(text[..run.start].last()) || (end == whole.len() && word(text.get(run.end)));
    let certain = if glued { groups >= 4 } else { groups >= 3 || spelled.iter().any(u8::is_ascii_digit) };
    if certain && is_somewhere(address) && !range_of_all(&text[run.start..]) {
        out.push(Candidate::sure(run.start..run.start + end, "address"));
    }
}

/// Routed, of a site or of a link; IPv4 within it is seen as such.
pub(super) fn is_somewhere(address: Ipv6Addr) -> bool {
    matches!(address.segments()[0], 0x2000..0x4000 | 0xfc00..0xfe00 | 0xfe80..0xfec0)
        || address.to_ipv4_mapped().is_some_and(|v4| !v4.is_loopback() && !v4.is_unspecified())
}

/// Ranges that are in every book.
fn range_of_all(text: &[u8]) -> bool {
    const BOOK: [&[u8]; 7] =
        [b"fc00::/7", b"fd00::/8", b"fe80::/10", b"fe80::/64", b"2000::/3", b"2001:db8::/32", b"3fff::/20"];
    BOOK.iter().any(|range| text.len() >= range.len() && text[..range.len()].eq_ignore_ascii_case(range))
}

/// `2001-db8--1d`, also before `.ipv6-literal.net`
fn dashed(text: &[u8], (run, sign): (Range<usize>, u8), (values, literal): (&Values, bool), out: &mut Vec<Candidate>) {
    let spelled = &text[run.clone()];
    let signs = memchr::memchr_iter(sign, spelled).count();
    if signs < 2 || !(signs >= 7 || spelled.windows(2).any(|w| w == [sign, sign])) {
        return;
    }
    if let Some(part) = known(text, (run.clone(), sign), values) {
        out.push(Candidate::sure(part, "address"));
        return;
    }
    let said = literal && text[run.end..].get(..13).is_some_and(|after| after.eq_ignore_ascii_case(b".ipv6-literal"));
    if said && parse(spelled, sign).is_some_and(|a| !a.is_loopback() && !a.is_unspecified()) {
        out.push(Candidate::sure(run, "address"));
    }
}

/// `f.1.0.0.….ip6.arpa`, whole or the zone of a net
fn zone(text: &[u8], end: usize, (values, shapes): (&Values, bool), out: &mut Vec<Candidate>) {
    let mut start = end;
    let (mut bits, mut nibbles) = (0u128, 0);
    while start >= 2 && text[start - 1] == b'.' && nibbles < 32 {
        let Some(digit) = char::from(text[start - 2]).to_digit(16) else { break };
        bits = bits << 4 | u128::from(digit);
        nibbles += 1;
        start -= 2;
    }
    let known = nibbles >= 8 && values.has_nibbles(bits, nibbles);
    let address = || Ipv6Addr::from(bits << (4 * (32 - nibbles)));
    // a zone of a net that is so small is somebody's
    if known || (shapes && nibbles >= 16 && is_somewhere(address())) {
        out.push(Candidate::sure(start..end - 1, "address"));
    }
}
