//! What is written in base64 or in hexadecimal, decoded in every way in which it can be read: at each alignment, in both alphabets at once.
//! What is a text in it is searched; the rest is chance.

use std::ops::Range;

/// Shorter tokens are not decoded.
const SHORTEST: usize = 8;

/// Shorter texts within other bytes are chance.
const SHORTEST_TEXT: usize = 6;

const NONE: u8 = 0xff;

/// What each sign of base64 stands for, in both alphabets.
static SEXTETS: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut i = 0;
    while i < 26 {
        table[b'A' as usize + i] = i as u8;
        table[b'a' as usize + i] = 26 + i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 10 {
        table[b'0' as usize + i] = 52 + i as u8;
        i += 1;
    }
    table[b'+' as usize] = 62;
    table[b'-' as usize] = 62;
    table[b'/' as usize] = 63;
    table[b'_' as usize] = 63;
    table
};

/// A text that was encoded.
pub(super) struct Decoded<'d> {
    /// Where it is encoded.
    pub(super) token: Range<usize>,
    pub(super) text: &'d [u8],
    /// Whether the token holds nothing else.
    pub(super) whole: bool,
}

/// Whether all of it may be base64.
pub(super) fn is_base64(text: &[u8]) -> bool {
    text.iter().all(|b| SEXTETS[usize::from(*b)] != NONE)
}

/// Visits every text that is encoded in `text`.
pub(super) fn decode(text: &[u8], visit: &mut dyn FnMut(Decoded<'_>)) {
    let mut at = 0;
    let (mut sextets, mut bytes) = (Vec::new(), Vec::new());
    while at + SHORTEST <= text.len() {
        // from the end, so that what has short words is passed over
        if let Some(gap) = text[at..at + SHORTEST].iter().rposition(|b| SEXTETS[usize::from(*b)] == NONE) {
            at += gap + 1;
            continue;
        }
        sextets.clear();
        sextets.extend(text[at..].iter().map(|b| SEXTETS[usize::from(*b)]).take_while(|sextet| *sextet != NONE));
        let token = at..at + sextets.len();
        at = token.end;
        for skip in 0..4 {
            bytes.clear();
            for four in sextets[skip..].chunks(4) {
                match *four {
                    [a, b, c, d] => bytes.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]),
                    [a, b, c] => bytes.extend([a << 2 | b >> 4, b << 4 | c >> 2]),
                    [a, b] => bytes.push(a << 2 | b >> 4),
                    _ => {}
                }
            }
            texts(&token, &bytes, visit);
        }
        hexadecimal(text, &token, &mut bytes, visit);
    }
}

fn hexadecimal(text: &[u8], token: &Range<usize>, bytes: &mut Vec<u8>, visit: &mut dyn FnMut(Decoded<'_>)) {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).unwrap_or_default();
    let mut at = token.start;
    while at + SHORTEST <= token.end {
        if let Some(gap) = text[at..at + SHORTEST].iter().rposition(|b| !b.is_ascii_hexdigit()) {
            at += gap + 1;
            continue;
        }
        let length = text[at..token.end].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let run = at..at + length;
        at = run.end;
        // a digit before it may belong to another number
        for skip in 0..2 {
            bytes.clear();
            bytes.extend(
                text[run.start + skip..run.end].chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])),
            );
            texts(&run, bytes, visit);
        }
    }
}

/// Visits the texts in decoded bytes.
fn texts(token: &Range<usize>, bytes: &[u8], visit: &mut dyn FnMut(Decoded<'_>)) {
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while let Some(length) = shown(bytes, at) {
            at += length;
        }
        // the last byte may be the rest of what filled it up
        let whole = start == 0 && at + 1 >= bytes.len();
        if at >= start + SHORTEST_TEXT || (whole && at > start) {
            visit(Decoded { token: token.clone(), text: &bytes[start..at], whole });
        }
        at += 1;
    }
}

/// The length of the character that stands here, if it is one that is shown, or a blank.
fn shown(bytes: &[u8], at: usize) -> Option<usize> {
    let length = match bytes.get(at)? {
        b' '..=b'~' | b'\t' | b'\n' | b'\r' => return Some(1),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    std::str::from_utf8(bytes.get(at..at + length)?).ok().map(str::len)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    use super::*;

    fn texts_of(text: &str) -> Vec<(String, bool)> {
        let mut all = Vec::new();
        decode(text.as_bytes(), &mut |decoded| {
            all.push((String::from_utf8_lossy(decoded.text).into_owned(), decoded.whole));
        });
        all
    }

    #[test]
    fn tokens_are_read_in_every_way() {
        let reads = |text: &str| texts_of(text).iter().any(|(text, _)| text.contains("노드 worker-a1?>?~"));
        for lead in ["", "a", "ab", "abc"] {
            let text = format!("{lead}노드 worker-a1?>?~");
            assert!(reads(&STANDARD.encode(&text)));
            assert!(reads(&format!("xx-{}-y", STANDARD.encode(&text))));
            assert!(reads(&format!("x/{}/y", URL_SAFE_NO_PAD.encode(&text))));
            assert!(reads(&STANDARD.encode([&[0xff, 0, 1], text.as_bytes(), &[0]].concat())));
        }
        let hex: String = "노드 worker-a1?>?~".bytes().map(|b| format!("{b:02X}")).collect();
        assert!(reads(&hex) && reads(&format!("f{hex}")) && reads(&format!("x{hex}")));
        let whole = |text: &str| texts_of(text).contains(&("wor,ker".to_owned(), true));
        assert!(whole("d29yLGtlcg==") && whole("776f722c6b6572") && !whole("776f722c6b6572ffffff"));
        assert_eq!(texts_of("d29y"), []);
    }

    proptest::proptest! {
        #[test]
        fn a_decoder_of_others_reads_the_same(bytes in proptest::collection::vec(32..127u8, 9..40)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for encoded in [STANDARD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
                proptest::prop_assert!(texts_of(&encoded).contains(&(text.clone(), true)), "{encoded}");
            }
        }
    }
}
