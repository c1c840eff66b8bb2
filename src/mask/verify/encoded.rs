//! What is written in base64 or in hexadecimal, decoded in every way in which it can be read: at each alignment, in each alphabet.

use std::ops::Range;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter tokens are not decoded.
const SHORTEST: usize = 8;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::RequireNone);
const STANDARD_ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL_ENGINE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

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

/// Whether all of it may be base64.
pub(super) fn is_base64(text: &[u8]) -> bool {
    text.iter().all(|b| MEMBER[usize::from(*b)])
}

/// Calls `visit` with the place of every long token and each way in which it can be read.
pub(super) fn tokens(text: &[u8], visit: &mut dyn FnMut(Range<usize>, &[u8])) {
    let mut at = 0;
    let mut buffer = Vec::new();
    while at < text.len() {
        let length = text[at..].iter().take_while(|b| MEMBER[usize::from(**b)]).count();
        let token = at..at + length;
        at += length.max(1);
        if length < SHORTEST {
            continue;
        }
        hexadecimal(text, &token, &mut buffer, visit);
        // a token of one alphabet may stand between signs of the other
        base64(text, &token, (&STANDARD_ENGINE, *b"-_"), &mut buffer, visit);
        if text[token.clone()].iter().any(|b| matches!(b, b'-' | b'_')) {
            base64(text, &token, (&URL_ENGINE, *b"+/"), &mut buffer, visit);
        }
    }
}

fn hexadecimal(text: &[u8], token: &Range<usize>, buffer: &mut Vec<u8>, visit: &mut dyn FnMut(Range<usize>, &[u8])) {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).unwrap_or_default();
    let mut at = token.start;
    while at < token.end {
        let length = text[at..token.end].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let run = at..at + length;
        at += length.max(1);
        if length < SHORTEST {
            continue;
        }
        // a digit before it may belong to another number
        for skip in 0..2 {
            buffer.clear();
            buffer.extend(
                text[run.start + skip..run.end].chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])),
            );
            visit(run.clone(), buffer);
        }
    }
}

fn base64(
    text: &[u8],
    token: &Range<usize>,
    (engine, foreign): (&GeneralPurpose, [u8; 2]),
    buffer: &mut Vec<u8>,
    visit: &mut dyn FnMut(Range<usize>, &[u8]),
) {
    let mut start = token.start;
    for part in text[token.clone()].split(|b| foreign.contains(b)) {
        let range = start..start + part.len();
        start = range.end + 1;
        if part.len() < SHORTEST {
            continue;
        }
        for skip in 0..4 {
            let body = &part[skip..];
            let body = &body[..body.len() - usize::from(body.len() % 4 == 1)];
            buffer.clear();
            if engine.decode_vec(body, buffer).is_ok() {
                visit(range.clone(), buffer);
            }
        }
    }
}

/// Whether bytes are a text.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let shown = |b: &u8| *b >= 0x80 || b.is_ascii_graphic() || b.is_ascii_whitespace();
    bytes.iter().all(shown) && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_in_every_way() {
        let reads = |text: &str, value: &str| {
            let mut read = false;
            tokens(text.as_bytes(), &mut |_, bytes| read |= bytes.windows(value.len()).any(|w| w == value.as_bytes()));
            read
        };
        use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
        for lead in ["", "a", "ab", "abc"] {
            let text = format!("{lead}worker-a1?>?~");
            assert!(reads(&STANDARD.encode(&text), "worker-a1"));
            assert!(reads(&format!("x-{}-y", STANDARD.encode(&text)), "worker-a1"));
            assert!(reads(&format!("x/{}/y", URL_SAFE_NO_PAD.encode(&text)), "worker-a1"));
        }
        assert!(reads("776F726b65722D6131", "worker-a1") && reads("f776f726b65722d6131", "worker-a1"));
        assert!(!reads("d29y", "wor"));
    }

    #[test]
    fn a_text_has_no_control() {
        assert!(is_text("worker 노드\n".as_bytes()) && !is_text(b"a\x00") && !is_text(b"\xffa"));
    }
}
