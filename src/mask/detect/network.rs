//! Shapes of the network: addresses and hardware addresses in every legal spelling. Matched loosely, then validated by `std::net`
//! and by what stands around them, because versions, times, fingerprints and `::` in code look alike.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::{Context, Found, Kind, Signs};

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is constant"));
    };
}

pattern!(QUADS, r"(?-u)[0-9]{1,3}(?:\.[0-9]{1,3}){3,}");
pattern!(JOINED_QUADS, r"(?-u)[0-9]{1,3}(?:[-_][0-9]{1,3}){3}");
pattern!(DASHED_V6, r"(?i-u)([0-9a-f]+(?:-[0-9a-f]*){2,7})\.ipv6-literal\.net");
pattern!(REVERSED_V6, r"(?i-u)((?:[0-9a-f]\.){4,32})ip6\.arpa");
pattern!(BARE_HINT, r"(?i-u)enx|wlx|mac");
pattern!(BARE_MAC, r"(?i-u)(?:en|wl)x([0-9a-f]{12})\b|\bmac(?:addr|address)?\W{0,3}([0-9a-f]{12})\b");

/// Adds every address and hardware address of `text`.
pub(super) fn find(text: &[u8], context: &Context<'_>, found: &mut Vec<Found>) {
    let signs = context.signs;
    let holds = |needle: &[u8]| memmem::find(text, needle).is_some();
    let mut push = |range: Range<usize>, address: IpAddr| {
        found.push(Found { range, kind: Kind::Address, value: address.to_string() });
    };
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let between_digits = |at: &usize| *at > 0 && digit(at - 1) && digit(at + 1);
    if signs.dots >= 3 && signs.digits >= 4 {
        let dots = memchr::memchr_iter(b'.', text).filter(between_digits);
        for run in runs(text, dots, |b| b.is_ascii_digit() || b == b'.') {
            for quads in QUADS.find_iter(&text[run.clone()]) {
                let quads = run.start + quads.start()..run.start + quads.end();
                v4(text, quads, context).into_iter().for_each(|(range, address)| push(range, IpAddr::V4(address)));
            }
        }
        reversed_v6(text, &mut push);
    }
    if signs.joints >= 3 && signs.digits >= 4 {
        let joints = memchr::memchr2_iter(b'-', b'_', text).filter(between_digits);
        for run in runs(text, joints, |b| b.is_ascii_digit() || matches!(b, b'-' | b'_')) {
            for quads in JOINED_QUADS.find_iter(&text[run.clone()]) {
                let quads = run.start + quads.start()..run.start + quads.end();
                if let Some(address) = joined_v4(text, quads.clone(), context) {
                    push(quads, IpAddr::V4(address));
                }
            }
        }
    }
    if signs.joints >= 2 && signs.dots >= 2 && holds(b"6-literal.") {
        for captured in DASHED_V6.captures_iter(text).filter_map(|c| c.get(1)) {
            let spelled = String::from_utf8_lossy(captured.as_bytes()).replace('-', ":");
            if let Some(address) = spelled.parse().ok().and_then(said_v6) {
                push(captured.range(), address);
            }
        }
    }
    if signs.colons >= 2 {
        // a second colon is at most a group of four away
        let again = |at: &usize| memchr::memchr(b':', &text[at + 1..text.len().min(at + 6)]).is_some();
        let colons = memchr::memchr_iter(b':', text).filter(again);
        for run in runs(text, colons, |b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.')) {
            v6(text, run, context).into_iter().for_each(|(range, address)| push(range, address));
        }
    }
    if signs.colons >= 1 && text.len() >= 13 {
        kernel_v4(text, context, &mut push);
    }
    if signs.blanks >= 4 && text.len() >= 44 {
        kernel_v6(text, context, &mut push);
    }
    if text.len() >= 12 {
        macs(text, signs, found);
    }
}

/// The runs of bytes of a set around the given places.
fn runs(text: &[u8], places: impl Iterator<Item = usize>, set: fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut past = 0;
    places.filter_map(move |at| {
        if at < past {
            return None;
        }
        let start = at - text[past..at].iter().rev().take_while(|b| set(**b)).count();
        past = at + text[at..].iter().take_while(|b| set(**b)).count();
        Some(start..past)
    })
}

/// Whether a key or the end of a text says that a version follows.
pub(super) fn is_version(before: &[u8]) -> bool {
    let end = before.iter().rposition(|b| !b" \t:=\"'(".contains(b)).map_or(0, |i| i + 1);
    let words: [&[u8]; 7] = [b"version", b"release", b"build", b"revision", b"tag", b"image", b"kernel"];
    words.iter().any(|word| end >= word.len() && before[end - word.len()..end].eq_ignore_ascii_case(word))
}

fn octets(quads: &[u8], separators: &[u8]) -> Option<Vec<u8>> {
    let groups = quads.split(|b| separators.contains(b));
    groups.map(|group| std::str::from_utf8(group).ok()?.parse::<u8>().ok()).collect()
}

fn v4(text: &[u8], run: Range<usize>, context: &Context<'_>) -> Option<(Range<usize>, Ipv4Addr)> {
    let before = &text[..run.start];
    let after = &text[run.end..];
    let cut = |side: Option<&u8>| side.is_some_and(u8::is_ascii_digit);
    let continued = before.last() == Some(&b'.') && cut(before.iter().rev().nth(1));
    let long = cut(after.first());
    if cut(before.last()) || continued {
        return None;
    }
    let groups: Vec<&[u8]> = text[run.clone()].split(|b| *b == b'.').collect();
    let first_four = run.start..run.start + groups.iter().take(4).map(|g| g.len() + 1).sum::<usize>() - 1;
    let [a, b, c, d] = octets(&text[first_four.clone()], b".")?[..] else { return None };
    let address = Ipv4Addr::new(a, b, c, d);
    let known = context.known.contains(&IpAddr::V4(address));
    let dumped = before.ends_with(b"IP ") || before.ends_with(b" > ");
    match groups.len() {
        4 if long => None,
        4 => {
            let address = if starts(after, b".in-addr.arpa") { Ipv4Addr::new(d, c, b, a) } else { address };
            let plain = ordinary_v4(address) && !whole_range(address, after);
            (plain && (known || !(oid([a, b, c], before) || context.version || version(a, before, after))))
                .then_some((run, address))
        }
        // an address with its port behind a dot, as packet dumps write it; else a build number or an OID
        5 if known || (dumped && ordinary_v4(address)) => Some((first_four, address)),
        _ => None,
    }
}

/// Not loopback, unspecified, a netmask, reserved, or the local multicast block.
fn ordinary_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0 || a == 127 || a >= 240 || [a, b, c] == [224, 0, 0])
}

/// The whole of a range that every network has, e.g. `10.0.0.0/8`.
fn whole_range(address: Ipv4Addr, after: &[u8]) -> bool {
    const RANGES: [([u8; 4], &[u8]); 6] = [
        ([10, 0, 0, 0], b"/8"),
        ([172, 16, 0, 0], b"/12"),
        ([192, 168, 0, 0], b"/16"),
        ([169, 254, 0, 0], b"/16"),
        ([100, 64, 0, 0], b"/10"),
        ([224, 0, 0, 0], b"/4"),
    ];
    let ends = |length: usize| !after.get(length).is_some_and(u8::is_ascii_digit);
    RANGES.iter().any(|(base, prefix)| address.octets() == *base && after.starts_with(prefix) && ends(prefix.len()))
}

/// An object identifier of certificates and management: by its arc, or because it is said to be one.
fn oid(arc: [u8; 3], before: &[u8]) -> bool {
    let said = before.len() >= 4 && before[before.len() - 4..].eq_ignore_ascii_case(b"oid ");
    matches!(arc, [2, 5, 4 | 29] | [1, 3, 6]) || said
}

/// Whether four numbers are a version by what stands around them.
fn version(first: u8, before: &[u8], after: &[u8]) -> bool {
    let back = |n: usize| before.iter().rev().nth(n).copied().unwrap_or(b' ');
    let next = |n: usize| after.get(n).copied().unwrap_or(b' ');
    let prefixed = matches!(back(0), b'v' | b'V') && !back(1).is_ascii_alphanumeric();
    let tagged = back(0) == b':' && {
        let start = before.iter().rposition(|b| b.is_ascii_whitespace() || b"\"'=,([".contains(b)).map_or(0, |i| i + 1);
        let token = &before[start..before.len() - 1];
        token.contains(&b'/') && !token.windows(3).any(|w| w == b"://")
    };
    let suffixed = matches!(next(0), b'-' | b'+' | b'~')
        && next(1).is_ascii_alphanumeric()
        && QUADS.find(&after[1..]).is_none_or(|m| m.start() > 0);
    // an address begins so rarely, a version nearly always
    let glued = first < 10 && back(0).is_ascii_alphabetic();
    let packaged =
        suffixed && (first < 10 || (back(0) == b'-' && back(1).is_ascii_alphanumeric() && next(1).is_ascii_digit()));
    prefixed || tagged || glued || packaged || is_version(before)
}

fn joined_v4(text: &[u8], run: Range<usize>, context: &Context<'_>) -> Option<Ipv4Addr> {
    let before = &text[..run.start];
    let after = &text[run.end..];
    let separator = |b: &u8| matches!(b, b'-' | b'_');
    let continues = |first: Option<&u8>, second: Option<&u8>| {
        first.is_some_and(u8::is_ascii_digit)
            || (first.is_some_and(separator) && second.is_some_and(u8::is_ascii_digit))
    };
    if continues(before.last(), before.iter().rev().nth(1)) || continues(after.first(), after.get(1)) {
        return None;
    }
    let [a, b, c, d] = octets(&text[run], b"-_")?[..] else { return None };
    let address = Ipv4Addr::new(a, b, c, d);
    let named = before.last().is_some_and(separator) && {
        let word = &before[..before.len() - 1];
        let prefixes: [&[u8]; 5] = [b"ip", b"dhcp", b"host", b"node", b"addr"];
        prefixes.iter().any(|p| word.len() >= p.len() && word[word.len() - p.len()..].eq_ignore_ascii_case(p))
    };
    let domain = after.first() == Some(&b'.') && after.get(1).is_some_and(u8::is_ascii_alphabetic);
    let meant = named || domain || context.known.contains(&IpAddr::V4(address));
    (meant && ordinary_v4(address)).then_some(address)
}

fn v6(text: &[u8], run: Range<usize>, context: &Context<'_>) -> Option<(Range<usize>, IpAddr)> {
    let inside = run.clone().filter(|i| matches!(text[*i], b':' | b'.')).map(|i| i + 1);
    for start in std::iter::once(run.start).chain(inside.take(16)) {
        // the whole, then without what follows the last separator: a full stop, a colon, a port
        let mut end = run.end;
        for _ in 0..12 {
            if end < start + 2 {
                break;
            }
            let spelled = std::str::from_utf8(&text[start..end]).ok()?;
            let glued =
                (start == run.start && is_word(text[..start].last())) || (end == run.end && is_word(text.get(end)));
            let groups = spelled.split(':').filter(|g| !g.is_empty()).count();
            if let Some(address) = spelled.parse().ok().filter(|_| !glued || groups >= 3) {
                if whole_range_v6(address, &text[end..]) {
                    return None;
                }
                if let Some(address) = notable_v6(address, context) {
                    return Some((start..end, address));
                }
            }
            let last = text[start..end].iter().rposition(|b| matches!(b, b':' | b'.')).map_or(start, |i| start + i);
            end = if last + 1 == end || spelled.ends_with("::") { end - 1 } else { after_double(text, start, last) };
        }
    }
    None
}

/// Keeps the second colon of `::` when what follows it is left off.
fn after_double(text: &[u8], start: usize, last: usize) -> usize {
    if last > start && text[last] == b':' && text[last - 1] == b':' { last + 1 } else { last }
}

/// An address that is said to be one.
fn said_v6(address: Ipv6Addr) -> Option<IpAddr> {
    (!address.is_loopback() && !address.is_unspecified()).then_some(IpAddr::V6(address))
}

/// The whole of a range that every network has, e.g. `fe80::/10`.
fn whole_range_v6(address: Ipv6Addr, after: &[u8]) -> bool {
    const RANGES: [(u16, u16, &[u8]); 7] = [
        (0xfc00, 0, b"/7"),
        (0xfd00, 0, b"/8"),
        (0xfe80, 0, b"/10"),
        (0xff00, 0, b"/8"),
        (0x2000, 0, b"/3"),
        (0x2001, 0xdb8, b"/32"),
        (0x64, 0xff9b, b"/96"),
    ];
    let ends = |length: usize| !after.get(length).is_some_and(u8::is_ascii_digit);
    let [first, second, rest @ ..] = address.segments();
    let base = |range: &&(u16, u16, &[u8])| (first, second) == (range.0, range.1) && rest.iter().all(|s| *s == 0);
    RANGES.iter().find(base).is_some_and(|(_, _, prefix)| after.starts_with(prefix) && ends(prefix.len()))
}

/// The address, as IPv4 where it is one in disguise; nothing for loopback, unspecified, and for ranges in which only code has `::`.
fn notable_v6(address: Ipv6Addr, context: &Context<'_>) -> Option<IpAddr> {
    if let Some(v4) = address.to_ipv4_mapped() {
        return ordinary_v4(v4).then_some(IpAddr::V4(v4));
    }
    let first = address.segments()[0];
    let routed = (0x2000..0x4000).contains(&first) || first == 0x64;
    let local = (0xfc00..0xfe00).contains(&first) || (0xfe80..0xff00).contains(&first);
    // ff02::1 and the like are the same everywhere
    let multicast = first >= 0xff00 && address.segments()[1..6].iter().any(|s| *s != 0);
    let whole = IpAddr::V6(address);
    (routed || local || multicast || context.known.contains(&whole)).then_some(whole)
}

/// `/proc/net/tcp`: an address in hexadecimal, its bytes from the last to the first, before a port.
fn kernel_v4(text: &[u8], context: &Context<'_>, push: &mut impl FnMut(Range<usize>, IpAddr)) {
    let upper = |b: &u8| b.is_ascii_digit() || (b'A'..=b'F').contains(b);
    let places = memchr::memchr_iter(b':', text).filter(|at| *at >= 8 && text.len() >= at + 5);
    let written = places.filter(|at| text[at - 8..*at].iter().all(upper) && text[at + 1..at + 5].iter().all(upper));
    let free = |at: &usize| !is_word(text[..at - 8].last()) && !is_word(text.get(at + 5));
    let all: Vec<usize> = written.filter(free).collect();
    for at in &all {
        let range = at - 8..*at;
        let Some(number) = hexadecimal(&text[range.clone()]).and_then(|n| u32::try_from(n).ok()) else { continue };
        let address = Ipv4Addr::from(number.to_le_bytes());
        // a line has a local and a remote one
        if ordinary_v4(address) && (all.len() >= 2 || context.known.contains(&IpAddr::V4(address))) {
            push(range, IpAddr::V4(address));
        }
    }
}

/// `/proc/net/if_inet6`: 32 digits before four numbers of two digits.
fn kernel_v6(text: &[u8], context: &Context<'_>, push: &mut impl FnMut(Range<usize>, IpAddr)) {
    let fields = |at: &usize| *at >= 32 && [3, 6, 9].iter().all(|n| text.get(at + n) == Some(&b' '));
    for at in memchr::memchr_iter(b' ', text).filter(fields) {
        let range = at - 32..at;
        let digits = &text[range.clone()];
        if digits.iter().all(u8::is_ascii_hexdigit)
            && !is_word(text[..range.start].last())
            && let Some(address) = hexadecimal(digits).map(Ipv6Addr::from).and_then(|a| notable_v6(a, context))
        {
            push(range, address);
        }
    }
}

fn reversed_v6(text: &[u8], push: &mut impl FnMut(Range<usize>, IpAddr)) {
    if !text.windows(3).any(|w| w.eq_ignore_ascii_case(b"ip6")) {
        return;
    }
    for name in REVERSED_V6.captures_iter(text).filter_map(|c| c.get(1)) {
        let mut digits: Vec<u8> = name.as_bytes().iter().copied().filter(|b| *b != b'.').rev().collect();
        digits.resize(32, b'0');
        if let Some(address) = hexadecimal(&digits).map(Ipv6Addr::from).and_then(said_v6) {
            push(name.start()..name.end() - 1, address);
        }
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u128> {
    u128::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_word(b: Option<&u8>) -> bool {
    b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn macs(text: &[u8], signs: Signs, found: &mut Vec<Found>) {
    let mut push = |range: Range<usize>| {
        let digits = text[range.clone()].iter().filter(|b| b.is_ascii_hexdigit());
        let value: String = digits.map(|b| char::from(b.to_ascii_lowercase())).collect();
        if value != "000000000000" && value != "ffffffffffff" {
            found.push(Found { range, kind: Kind::Mac, value });
        }
    };
    let said = |start: usize| {
        let from = start.saturating_sub(12);
        let near = String::from_utf8_lossy(&text[from..start]).to_ascii_lowercase();
        ["mac", "ether", "lladdr", "hwaddr", "dev_"].iter().any(|word| near.contains(word))
    };
    let alone = |range: &Range<usize>| {
        let edge = |near: Option<&u8>, beyond: Option<&u8>, separator: u8| match near {
            Some(b) if b.is_ascii_alphanumeric() => false,
            // another pair: a fingerprint, a GUID
            Some(b) if *b == separator => !beyond.is_some_and(u8::is_ascii_hexdigit) || separator == b'_',
            _ => true,
        };
        let separator = text[range.start + 2];
        let before = &text[..range.start];
        edge(before.last(), before.iter().rev().nth(1), separator)
            && edge(text.get(range.end), text.get(range.end + 1), separator)
    };
    let named = |range: &Range<usize>| text[range.clone()].iter().any(u8::is_ascii_alphabetic) || said(range.start);
    if signs.colons >= 5 || signs.joints >= 5 {
        // the first of five signs, each with a pair before and after it
        let all = memchr::memchr3_iter(b':', b'-', b'_', text).filter(|at| {
            let signs = [3, 6, 9, 12].iter().all(|n| text.get(at + n) == Some(&text[*at]));
            let pairs = |at: usize| text.get(at..at + 2).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit));
            signs && *at >= 2 && pairs(at - 2) && [1, 4, 7, 10, 13].iter().all(|n| pairs(at + n))
        });
        all.map(|at| at - 2..at + 15).filter(|r| alone(r) && named(r)).for_each(&mut push);
    }
    if signs.digits >= 1 && BARE_HINT.is_match(text) {
        let bare = BARE_MAC.captures_iter(text).filter_map(|c| c.get(1).or_else(|| c.get(2)));
        bare.for_each(|m| push(m.range()));
    }
    if signs.dots >= 2 && signs.digits >= 1 {
        let free = |r: &Range<usize>| {
            let edge = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric());
            edge(text[..r.start].last()) && edge(text.get(r.end)) && text[..r.start].last() != Some(&b'.')
        };
        let fours = |at: usize| text.get(at..at + 4).is_some_and(|four| four.iter().all(u8::is_ascii_hexdigit));
        let first = memchr::memchr_iter(b'.', text).filter(|at| *at >= 4 && text.get(at + 5) == Some(&b'.'));
        let dotted = first.filter(|at| fours(at - 4) && fours(at + 1) && fours(at + 6)).map(|at| at - 4..at + 10);
        dotted.filter(|r| free(r) && named(r)).for_each(&mut push);
    }
}

fn starts(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}
