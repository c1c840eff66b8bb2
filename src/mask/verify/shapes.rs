//! The verifier's own scan for sensitive shapes, by hand: addresses, hardware addresses, UUIDs, mail addresses, tokens, keys.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use memchr::memmem;

/// Calls `add` with the place, the kind and the bytes of every sensitive shape.
pub(super) fn scan(text: &[u8], add: &mut impl FnMut(usize, &'static str, &[u8])) {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    // the sign between its digits, and then the run around it
    let mut past = 0;
    for at in memchr::memchr_iter(b'.', text) {
        if at >= past && at > 0 && digit(at - 1) && digit(at + 1) {
            let run = around(text, past..at, |b| b.is_ascii_digit() || b == b'.');
            past = run.end;
            dotted(text, run, add);
        }
    }
    let mut past = 0;
    for at in memchr::memchr_iter(b':', text) {
        // a second colon is at most a group of four away
        if at >= past && memchr::memchr(b':', &text[at + 1..text.len().min(at + 6)]).is_some() {
            let run = around(text, past..at, |b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
            past = run.end.max(at + 1);
            coloned(text, run, add);
        }
    }
    for at in memchr::memchr_iter(b'-', text) {
        // the first of the four of a UUID
        if at >= 8 && [5, 10, 15].iter().all(|n| text.get(at + n) == Some(&b'-')) && at + 28 <= text.len() {
            let uuid = &text[at - 8..at + 28];
            let hex = uuid.iter().filter(|b| b.is_ascii_hexdigit()).count() == 32;
            if hex && uuid.iter().any(|b| !matches!(b, b'0' | b'-')) {
                add(at - 8, "uid", uuid);
            }
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

/// Whether the byte before `at` belongs to a word.
fn word(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1].is_ascii_alphanumeric()
}

/// The run of bytes of a set that ends at or after `within.end`, and begins in `within`.
fn around(text: &[u8], within: Range<usize>, set: fn(u8) -> bool) -> Range<usize> {
    let start = within.end - text[within.clone()].iter().rev().take_while(|b| set(**b)).count();
    let end = within.end + text[within.end..].iter().take_while(|b| set(**b)).count();
    start..end
}

fn dotted(text: &[u8], run: Range<usize>, add: &mut impl FnMut(usize, &'static str, &[u8])) {
    let at = run.start + text[run.clone()].iter().take_while(|b| **b == b'.').count();
    let piece = &text[at..run.end];
    let piece = piece.strip_suffix(b".").unwrap_or(piece);
    let Some(address) = std::str::from_utf8(piece).ok().and_then(|p| p.parse::<Ipv4Addr>().ok()) else { return };
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
    let glued = before.last().is_some_and(u8::is_ascii_alphabetic);
    (one_digit && (suffixed || glued))
        || ["version", "release", "build", "revision", "tag", "image", "kernel"].iter().any(|word| said.ends_with(word))
}

/// Ranges that are in every book.
const BOOK: [&[u8]; 6] = [b"fc00::/7", b"fd00::/8", b"fe80::/10", b"ff00::/8", b"2000::/3", b"2001:db8::/32"];

fn coloned(text: &[u8], run: Range<usize>, add: &mut impl FnMut(usize, &'static str, &[u8])) {
    let (at, piece) = (run.start, &text[run]);
    let groups: Vec<&[u8]> = piece.split(|b| *b == b':').collect();
    let pairs = groups.len() == 6 && groups.iter().all(|g| g.len() == 2);
    if pairs && piece.iter().any(u8::is_ascii_alphabetic) && !matches!(piece, b"ff:ff:ff:ff:ff:ff") {
        add(at, "mac", piece);
    }
    if word(text, at) && groups.len() < 4 {
        return;
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
    let generic = BOOK.iter().any(|range| text[at..].starts_with(range));
    if !generic && parsed.as_ref().is_some_and(routed) {
        add(at, "address", piece);
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
