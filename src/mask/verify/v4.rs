//! IPv4 in a text: four numbers with dots, dashes or underscores between them, also with zeros before them and as names of reversed zones.

use std::net::Ipv4Addr;
use std::ops::Range;

use super::{Candidate, Doubt, Values};

/// Adds the addresses of `values`, and with `shapes` what is certainly an address.
pub(super) fn find(text: &[u8], values: &Values, shapes: bool, out: &mut Vec<Candidate>) {
    for sign in *b".-_" {
        if memchr::memchr(sign, text).is_some() {
            runs(text, sign, &mut |groups| run(text, (sign, groups), (values, shapes), out));
        }
    }
}

/// Numbers with one sign between them, as many as there are.
fn runs(text: &[u8], sign: u8, visit: &mut impl FnMut(&[Range<usize>])) {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let mut groups = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        groups.clear();
        loop {
            let start = at;
            while digit(at) {
                at += 1;
            }
            groups.push(start..at);
            if text.get(at) != Some(&sign) || !digit(at + 1) {
                break;
            }
            at += 1;
        }
        if groups.len() >= 2 {
            visit(&groups);
        }
    }
}

fn octet(digits: &[u8]) -> Option<u8> {
    std::str::from_utf8(digits).ok().filter(|d| d.len() <= 3)?.parse().ok()
}

fn run(
    text: &[u8],
    (sign, groups): (u8, &[Range<usize>]),
    (values, shapes): (&Values, bool),
    out: &mut Vec<Candidate>,
) {
    let octets = |groups: &[Range<usize>]| -> Option<[u8; 4]> {
        let [a, b, c, d] = groups else { return None };
        Some([octet(&text[a.clone()])?, octet(&text[b.clone()])?, octet(&text[c.clone()])?, octet(&text[d.clone()])?])
    };
    let (count, end) = (groups.len(), groups[groups.len() - 1].end);
    if reversed(&text[end..]) {
        return zone(text, groups, (values, shapes), out);
    }
    // a year makes the rest a date
    let date = sign != b'.' && groups.iter().any(|group| group.len() > 3);
    for first in 0..(count + 1).saturating_sub(4) {
        let four = &groups[first..first + 4];
        let outer = first == 0 || first + 4 == count;
        let apart = if sign == b'.' { count <= 5 || outer } else { count <= 5 && outer && !date };
        if apart && octets(four).is_some_and(|octets| values.has_v4(octets)) {
            out.push(Candidate::sure(four[0].start..four[3].end, "address"));
            return;
        }
    }
    if !shapes || count != 4 {
        return;
    }
    let Some(octets) = octets(groups).filter(|octets| ordinary(*octets)) else { return };
    let range = groups[0].start..end;
    let after = &text[end..];
    if sign == b'.' {
        let padded = groups.iter().any(|group| group.len() > 1 && text[group.start] == b'0');
        if !padded && !range_of_all(octets, after) && !oid(octets) {
            out.push(Candidate { range, kind: "address", doubt: Doubt::Version });
        }
    } else if named(&text[..range.start], after) {
        out.push(Candidate::sure(range, "address"));
    }
}

/// Neither this network, loopback, a netmask, reserved, nor the local multicast block.
fn ordinary([a, b, c, _]: [u8; 4]) -> bool {
    !(a == 0 || a == 127 || a >= 240 || [a, b, c] == [224, 0, 0])
}

/// The beginning of a net that everybody has: `10.244.0.0/16`.
fn range_of_all(octets: [u8; 4], after: &[u8]) -> bool {
    let [a, b, c, d] = octets;
    let address = Ipv4Addr::from(octets);
    let shared = address.is_private() || address.is_link_local() || (a == 100 && (64..128).contains(&b)) || a == 224;
    [c, d] == [0, 0] && after.first() == Some(&b'/') && shared
}

/// An object identifier of certificates and of management.
fn oid([a, b, c, _]: [u8; 4]) -> bool {
    matches!([a, b, c], [2, 5, 4 | 29] | [1, 3, 6])
}

/// As clouds call machines, and clusters call pods: `ip-10-1-2-3`, `10-1-2-3.default.pod.cluster.local`.
fn named(before: &[u8], after: &[u8]) -> bool {
    let machine = before.len() >= 3
        && before[before.len() - 3..before.len() - 1].eq_ignore_ascii_case(b"ip")
        && matches!(before.last(), Some(b'-' | b'_'))
        && !before.iter().rev().nth(3).is_some_and(u8::is_ascii_alphanumeric);
    let mut labels = after.split(|b| *b == b'.').skip(1);
    machine || (after.first() == Some(&b'.') && labels.nth(1).is_some_and(|label| label.eq_ignore_ascii_case(b"pod")))
}

/// `.in-addr.arpa`
fn reversed(after: &[u8]) -> bool {
    let zone = after.get(1..13).is_some_and(|zone| zone.eq_ignore_ascii_case(b"in-addr.arpa"));
    zone || after.get(1..13).is_some_and(|zone| zone.eq_ignore_ascii_case(b"in_addr_arpa"))
}

/// An address from its end, or the net of one.
fn zone(text: &[u8], groups: &[Range<usize>], (values, shapes): (&Values, bool), out: &mut Vec<Candidate>) {
    let groups = &groups[groups.len().saturating_sub(4)..];
    let octets: Option<Vec<u8>> = groups.iter().rev().map(|group| octet(&text[group.clone()])).collect();
    let Some(octets) = octets else { return };
    let found = match octets[..] {
        [a, b, c, d] => values.has_v4([a, b, c, d]) || (shapes && ordinary([a, b, c, d])),
        // these are in the configuration of every resolver
        [172 | 192 | 169 | 100, _] => false,
        _ => values.has_net(&octets),
    };
    if found {
        out.push(Candidate::sure(groups[0].start..groups[groups.len() - 1].end, "address"));
    }
}
