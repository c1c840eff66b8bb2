//! The verifier's own decoding: the neighbourhoods of escapes with the escapes undone, and tokens decoded from base64 and hex.

use std::ops::Range;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// How far from an escape a value that it is part of may reach.
const REACH: usize = 128;

/// A part of a text in which escapes are undone.
pub(super) struct Region {
    pub(super) bytes: Vec<u8>,
    /// Where each byte comes from.
    origin: Vec<usize>,
}

impl Region {
    pub(super) fn place(&self, at: usize) -> usize {
        self.origin.get(at).or(self.origin.last()).copied().unwrap_or_default()
    }
}

/// The neighbourhood of every percent, JSON and HTML escape, invisible and full-width character, undone.
pub(super) fn regions(text: &[u8]) -> Vec<Region> {
    let mut starts: Vec<usize> =
        memchr::memchr3_iter(b'%', b'\\', b'&', text).filter(|at| undone(&text[*at..]).is_some()).collect();
    let unusual = |at: &usize| undone(&text[*at..]).is_some();
    starts.extend(memchr::memchr3_iter(0xe2, 0xef, 0xc2, text).filter(unusual));
    starts.extend(memchr::memchr_iter(0x1b, text).filter(unusual));
    starts.sort_unstable();
    let mut spans: Vec<Range<usize>> = Vec::new();
    for at in starts {
        let end = text.len().min(at + REACH);
        match spans.last_mut() {
            Some(last) if at.saturating_sub(REACH) <= last.end => last.end = end,
            _ => spans.push(at.saturating_sub(REACH)..end),
        }
    }
    spans.into_iter().map(|span| region(text, span)).collect()
}

fn region(text: &[u8], span: Range<usize>) -> Region {
    let mut region = Region { bytes: Vec::with_capacity(span.len()), origin: Vec::with_capacity(span.len()) };
    let mut at = span.start;
    while at < span.end {
        let (length, byte) = undone(&text[at..]).unwrap_or((1, Some(text[at])));
        if let Some(byte) = byte {
            region.bytes.push(byte);
            region.origin.push(at);
        }
        at += length;
    }
    region
}

/// Length and meaning of the escape that stands first; no byte for what cannot be seen.
fn undone(text: &[u8]) -> Option<(usize, Option<u8>)> {
    let number = |digits: Option<&[u8]>, radix: u32| {
        let digits = std::str::from_utf8(digits?).ok().filter(|d| d.bytes().all(|b| b.is_ascii_alphanumeric()))?;
        u8::try_from(u32::from_str_radix(digits, radix).ok()?).ok().filter(u8::is_ascii)
    };
    match text {
        [b'%', ..] => Some((3, Some(number(text.get(1..3), 16).filter(u8::is_ascii_graphic)?))),
        [b'\\', b'u', ..] => Some((6, Some(number(text.get(2..6), 16)?))),
        [b'\\', b'x', ..] => Some((4, Some(number(text.get(2..4), 16)?))),
        [b'\\', b'n' | b't' | b'r', ..] => Some((2, Some(b' '))),
        [b'\\', b @ (b'"' | b'\'' | b'/' | b'\\'), ..] => Some((2, Some(*b))),
        [b'&', b'#', b'x' | b'X', rest @ ..] => {
            let end = rest.iter().take(6).position(|b| *b == b';')?;
            Some((end + 4, Some(number(rest.get(..end), 16)?)))
        }
        [b'&', b'#', rest @ ..] => {
            let end = rest.iter().take(6).position(|b| *b == b';')?;
            Some((end + 3, Some(number(rest.get(..end), 10)?)))
        }
        [b'&', rest @ ..] => {
            let end = rest.iter().take(8).position(|b| *b == b';')?;
            let byte = match &rest[..end] {
                b"amp" => b'&',
                b"quot" => b'"',
                b"apos" => b'\'',
                b"lt" => b'<',
                b"gt" => b'>',
                b"period" => b'.',
                b"colon" => b':',
                b"hyphen" | b"dash" => b'-',
                b"commat" => b'@',
                b"lowbar" => b'_',
                _ => return None,
            };
            Some((end + 2, Some(byte)))
        }
        // U+00AD, U+200B to U+200F, U+2060, U+FEFF
        [0xc2, 0xad, ..] => Some((2, None)),
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => Some((3, None)),
        // the hyphens from U+2010 on
        [0xe2, 0x80, 0x90..=0x95, ..] => Some((3, Some(b'-'))),
        // U+FF01 to U+FF5E are ASCII in full width
        [0xef, 0xbc, low @ 0x81..=0xbf, ..] => Some((3, Some(low - 0x60)))
            .filter(|(_, b)| b.is_some_and(|b| b.is_ascii_alphanumeric() || b"-._@".contains(&b))),
        [0xef, 0xbd, low @ 0x80..=0x9e, ..] => {
            Some((3, Some(low - 0x20))).filter(|(_, b)| b.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_'))
        }
        [0x1b, b'[', rest @ ..] => Some((rest.iter().take(16).position(|b| (0x40..0x7f).contains(b))? + 3, None)),
        _ => None,
    }
}

/// The bytes of base64 in both alphabets.
static MEMBER: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 128 {
        let b = i as u8;
        table[i] = b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
        i += 1;
    }
    table
};

/// Shorter tokens are not decoded.
const SHORTEST_TOKEN: usize = 8;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::RequireNone);
const STANDARD_ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL_ENGINE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Calls `visit` with the place of every long token and each way in which it can be decoded.
pub(super) fn tokens(text: &[u8], visit: &mut impl FnMut(usize, &[u8])) {
    let member = |b: u8| MEMBER[usize::from(b)];
    let mut at = 0;
    let mut buffer = Vec::new();
    while at + SHORTEST_TOKEN <= text.len() {
        // from the end, so that most of a text is never looked at
        if let Some(gap) = text[at..at + SHORTEST_TOKEN].iter().rposition(|b| !member(*b)) {
            at += gap + 1;
            continue;
        }
        let length = text[at..].iter().take_while(|b| member(**b)).count();
        let token = &text[at..at + length];
        if token.iter().all(u8::is_ascii_hexdigit) {
            buffer.clear();
            let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).unwrap_or_default();
            buffer.extend(token.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])));
            visit(at, &buffer);
        }
        if token.iter().any(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) {
            // a token of one alphabet may stand between signs of the other
            let mut pieces = |engine: &GeneralPurpose, foreign: [u8; 2]| {
                let pieces = token.split(|b| foreign.contains(b)).filter(|piece| piece.len() >= SHORTEST_TOKEN);
                pieces.for_each(|piece| decode(piece, engine, &mut buffer, &mut |bytes| visit(at, bytes)));
            };
            pieces(&STANDARD_ENGINE, *b"-_");
            if token.iter().any(|b| matches!(b, b'-' | b'_')) {
                pieces(&URL_ENGINE, *b"+/");
            }
        }
        at += length;
    }
}

fn decode(token: &[u8], engine: &GeneralPurpose, buffer: &mut Vec<u8>, visit: &mut impl FnMut(&[u8])) {
    for skip in 0..4 {
        let body = &token[skip..];
        let body = &body[..body.len() - usize::from(body.len() % 4 == 1)];
        buffer.clear();
        if engine.decode_vec(body, buffer).is_ok() {
            visit(buffer);
        }
    }
}
