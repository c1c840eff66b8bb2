//! Numbers in hexadecimal: hardware addresses, UUIDs, and addresses as the kernel prints them.

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use super::{Candidate, Doubt, Values, is_somewhere};

/// Adds what is one of `values`, and with `shapes` what certainly is a hardware address or a UUID.
pub(super) fn find(text: &[u8], values: &Values, shapes: bool, out: &mut Vec<Candidate>) {
    // runs of digits, those with one sign between them together
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut sign = 0;
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(u8::is_ascii_hexdigit).map(|i| at + i) {
        at = start + text[start..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let before = start.checked_sub(1).map_or(0, |i| text[i]);
        let joined = groups.last().is_some_and(|last| last.end + 1 == start) && b":-_.".contains(&before);
        if !(joined && (groups.len() == 1 || before == sign)) {
            grouped(text, (sign, &groups), (values, shapes), out);
            // the last one may belong to those behind it
            groups.drain(..groups.len() - usize::from(joined));
        }
        sign = before;
        groups.push(start..at);
        digits(text, start..at, (values, shapes), out);
    }
    grouped(text, (sign, &groups), (values, shapes), out);
}

fn number(digits: &[u8]) -> Option<u128> {
    u128::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Digits without any sign.
fn digits(text: &[u8], run: Range<usize>, (values, shapes): (&Values, bool), out: &mut Vec<Candidate>) {
    let length = run.len();
    if !matches!(length, 8 | 12 | 32 | 33) {
        return;
    }
    let Some(bits) = number(&text[run.clone()][length.saturating_sub(32)..]) else { return };
    let found = match length {
        8 => kernel_v4(text, run, bits as u32, (values, shapes)),
        12 => hardware(text, &run, bits as u64, (values, shapes)),
        32 => sixteen(text, &run, bits, (values, shapes)),
        // `pod` and a UUID: its last letter is a digit too
        _ => values.has_id(bits).then(|| Candidate::sure(run, "uid")),
    };
    out.extend(found);
}

fn word(b: Option<&u8>) -> bool {
    b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// `391E140A:1F90` of `/proc/net/tcp`, `391E140A` of `/proc/net/route`, `0x0a141e39`
fn kernel_v4(text: &[u8], run: Range<usize>, bits: u32, (values, shapes): (&Values, bool)) -> Option<Candidate> {
    let digits = &text[run.clone()];
    let before = &text[..run.start];
    let (forward, backward) = (bits.to_be_bytes(), bits.swap_bytes().to_be_bytes());
    let port = text.get(run.end) == Some(&b':')
        && text.get(run.end + 1..run.end + 5).is_some_and(|port| port.iter().all(u8::is_ascii_hexdigit))
        && !word(text.get(run.end + 5));
    let known = if before.ends_with(b"0x") || before.ends_with(b"0X") {
        values.has_v4(forward) || values.has_v4(backward)
    } else if word(before.last()) {
        false
    } else if port {
        values.has_v4(backward)
    } else {
        // the kernel writes capitals; a number without a letter may be anything
        let kernel = digits.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        kernel && digits.iter().any(u8::is_ascii_uppercase) && !word(text.get(run.end)) && values.has_v4(backward)
    };
    let upper = !digits.iter().any(u8::is_ascii_lowercase);
    let somewhere = !matches!(backward[0], 0 | 127 | 224..);
    let doubt = if known { Doubt::None } else { Doubt::OneOfTwo };
    (known || (shapes && port && upper && somewhere && !word(before.last()))).then_some(Candidate {
        range: run,
        kind: "address",
        doubt,
    })
}

/// `0242ac110005`, as a shape where it is called so
fn hardware(text: &[u8], run: &Range<usize>, bits: u64, (values, shapes): (&Values, bool)) -> Option<Candidate> {
    let before = &text[..run.start];
    let named = before.len() >= 3
        && matches!(before[before.len() - 3..].to_ascii_lowercase()[..], [b'e', b'n', b'x'] | [b'w', b'l', b'x'])
        && !word(text.get(run.end));
    let shape = shapes && named && is_telling(bits);
    (values.has_mac(bits) || shape).then(|| Candidate::sure(run.clone(), "mac"))
}

/// Neither nothing nor everybody.
fn is_telling(bits: u64) -> bool {
    bits != 0 && bits != 0xffff_ffff_ffff
}

/// An address, a UUID, or an address in four words, each from its end as in `/proc/net/tcp6`.
fn sixteen(text: &[u8], run: &Range<usize>, bits: u128, (values, shapes): (&Values, bool)) -> Option<Candidate> {
    let words = bits.to_be_bytes();
    let mut turned = [0; 16];
    for (to, from) in turned.chunks_exact_mut(4).zip(words.chunks_exact(4)) {
        to.copy_from_slice(from);
        to.reverse();
    }
    let as_v6 = |bits: u128| Ipv6Addr::from(bits);
    if values.has_id(bits) {
        return Some(Candidate::sure(run.clone(), "uid"));
    }
    if values.has_v6(bits) || values.has(IpAddr::V6(turned.into())) {
        return Some(Candidate::sure(run.clone(), "address"));
    }
    let alone = !word(text[..run.start].last()) && !word(text.get(run.end));
    (shapes && alone && is_somewhere(as_v6(bits))).then(|| Candidate {
        range: run.clone(),
        kind: "address",
        doubt: Doubt::Interface,
    })
}

/// Groups of digits with one sign between them: pairs, fours, a UUID.
fn grouped(
    text: &[u8],
    (sign, groups): (u8, &[Range<usize>]),
    (values, shapes): (&Values, bool),
    out: &mut Vec<Candidate>,
) {
    if groups.len() >= 3 {
        pairs(text, groups, (values, shapes && sign != b'.'), out);
        fours(text, (sign, groups), (values, shapes), out);
        uuid(text, (sign, groups), (values, shapes), out);
    }
}

/// The digits of groups as one number.
fn joined(text: &[u8], groups: &[Range<usize>], width: u32) -> Option<u64> {
    groups.iter().try_fold(0u64, |bits, group| {
        let group = number(&text[group.clone()]).and_then(|group| u64::try_from(group).ok())?;
        Some(bits << (4 * width) | group)
    })
}

fn pairs(text: &[u8], groups: &[Range<usize>], (values, shapes): (&Values, bool), out: &mut Vec<Candidate>) {
    for six in groups.windows(6).filter(|six| six.iter().all(|group| group.len() <= 2)) {
        if joined(text, six, 2).is_some_and(|bits| values.has_mac(bits)) {
            out.push(Candidate::sure(six[0].start..six[5].end, "mac"));
            return;
        }
    }
    // more than six pairs are a fingerprint
    if !shapes || groups.len() != 6 || groups.iter().any(|group| group.len() != 2) {
        return;
    }
    let range = groups[0].start..groups[5].end;
    let beside = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let goes_on = beside(text[..range.start].last()) || beside(text.get(range.end));
    let goes_on = goes_on || (text[range.end..].first() == Some(&b':') && text.get(range.end + 1) == Some(&b':'));
    let letter = text[range.clone()].iter().any(u8::is_ascii_alphabetic);
    let digit = text[range.clone()].iter().any(u8::is_ascii_digit);
    if !goes_on && letter && digit && joined(text, groups, 2).is_some_and(is_telling) {
        out.push(Candidate::sure(range, "mac"));
    }
}

/// `0242.ac11.0004`
fn fours(
    text: &[u8],
    (sign, groups): (u8, &[Range<usize>]),
    (values, shapes): (&Values, bool),
    out: &mut Vec<Candidate>,
) {
    if groups.len() != 3 || groups.iter().any(|group| group.len() != 4) {
        return;
    }
    let Some(bits) = joined(text, groups, 4) else { return };
    let range = groups[0].start..groups[2].end;
    let beside = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == sign);
    let free = !beside(text[..range.start].last()) && !beside(text.get(range.end));
    let any = |is: fn(&u8) -> bool| text[range.clone()].iter().any(is);
    let shape = shapes && sign == b'.' && free && any(u8::is_ascii_digit) && any(u8::is_ascii_alphabetic);
    if values.has_mac(bits) || (shape && is_telling(bits)) {
        out.push(Candidate::sure(range, "mac"));
    }
}

/// Not a part of more digits, but for `pod` before it; not nil.
fn uuid(
    text: &[u8],
    (sign, groups): (u8, &[Range<usize>]),
    (values, shapes): (&Values, bool),
    out: &mut Vec<Candidate>,
) {
    for five in groups.windows(5) {
        let form = five[0].len() >= 8 && five[4].len() >= 12 && five[1..4].iter().all(|group| group.len() == 4);
        if !form || sign == b':' {
            continue;
        }
        let (start, end) = (five[0].end - 8, five[4].start + 12);
        let digits: Vec<u8> = text[start..end].iter().copied().filter(u8::is_ascii_hexdigit).collect();
        let Some(bits) = number(&digits) else { continue };
        let before = &text[..start];
        let free = five[4].len() == 12 && (five[0].len() == 8 || before.ends_with(b"pod"));
        if values.has_id(bits) || (shapes && sign != b'.' && free && bits != 0) {
            out.push(Candidate::sure(start..end, "uid"));
        }
    }
}
