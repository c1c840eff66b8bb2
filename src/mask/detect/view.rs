//! Views of a text in which a hidden spelling is plain, each with the way back to the original bytes.
//!
//! One view undoes percent, JSON, HTML and ANSI escapes, zero-width and full-width characters and YAML line folding; tokens that
//! may be base64 or hex are decoded. Detectors look at the views; what they find is replaced in the original.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use unicode_normalization::UnicodeNormalization;

/// A view of a text.
#[derive(Debug)]
pub(super) struct View<'a> {
    bytes: Cow<'a, [u8]>,
    /// For each byte of the view the range of the original that it stands for; none where the view is the original.
    origin: Option<Vec<(u32, u32)>>,
}

impl View<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The range of the original that a non-empty range of the view stands for.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        match &self.origin {
            Some(origin) if !range.is_empty() => origin[range.start].0 as usize..origin[range.end - 1].1 as usize,
            _ => range.clone(),
        }
    }
}

/// The text itself, and, where it holds anything escaped, the text with that undone.
pub(super) fn views(text: &str) -> impl Iterator<Item = View<'_>> {
    let plain = View { bytes: Cow::Borrowed(text.as_bytes()), origin: None };
    let fits = u32::try_from(text.len()).is_ok();
    let hides = |b: u8| matches!(b, b'\\' | b'%' | b'&' | 0x1b) || b >= 0x80;
    let undone = (fits && text.bytes().any(hides)).then(|| undo(text)).flatten();
    std::iter::once(plain).chain(undone)
}

/// Every escape undone once; nothing if there is none.
fn undo(text: &str) -> Option<View<'static>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut origin = Vec::with_capacity(text.len());
    let mut changed = false;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (taken, plain) = match unescape(rest) {
            Some((taken, plain)) => (taken, Some(plain)),
            None => (c.len_utf8(), plain_form(c)),
        };
        match plain {
            Some(plain) => {
                changed = true;
                let mut utf8 = [0; 4];
                for c in plain.chars() {
                    let piece = c.encode_utf8(&mut utf8).as_bytes();
                    bytes.extend_from_slice(piece);
                    origin.extend(std::iter::repeat_n((position(at), position(at + taken)), piece.len()));
                }
            }
            None => {
                bytes.extend_from_slice(&rest.as_bytes()[..taken]);
                origin.extend((at..at + taken).map(|i| (position(i), position(i + 1))));
            }
        }
        at += taken;
    }
    changed.then_some(View { bytes: Cow::Owned(bytes), origin: Some(origin) })
}

/// `views` undoes no text whose length does not fit.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// If an escape stands at the start: its length, and what it means.
fn unescape(rest: &str) -> Option<(usize, Cow<'static, str>)> {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'\\' => backslash(rest),
        b'%' => {
            let byte = u8::try_from(hex(bytes.get(1..3)?)?).ok()?;
            let printable = byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t');
            printable.then(|| (3, Cow::Owned(char::from(byte).to_string())))
        }
        b'&' => {
            let end = bytes.iter().take(12).position(|b| *b == b';')?;
            let name = &rest[1..end];
            let plain = match name.strip_prefix('#') {
                Some(number) => {
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
                None => match name {
                    "amp" => '&',
                    "quot" => '"',
                    "apos" => '\'',
                    "lt" => '<',
                    "gt" => '>',
                    "period" => '.',
                    "colon" => ':',
                    "hyphen" | "dash" => '-',
                    "commat" => '@',
                    "lowbar" => '_',
                    _ => return None,
                },
            };
            Some((end + 1, Cow::Owned(plain.to_string())))
        }
        // colour and other control sequences
        0x1b if bytes.get(1) == Some(&b'[') => {
            let end = bytes.iter().skip(2).position(|b| (0x40..0x7f).contains(b))?;
            Some((end + 3, Cow::Borrowed("")))
        }
        _ => None,
    }
}

fn backslash(rest: &str) -> Option<(usize, Cow<'static, str>)> {
    let bytes = rest.as_bytes();
    let code = |digits: Range<usize>| {
        let length = digits.end;
        let c = char::from_u32(hex(bytes.get(digits)?)?)?;
        Some((length, Cow::Owned(c.to_string())))
    };
    match bytes.get(1)? {
        b'u' if bytes.get(2) == Some(&b'{') => {
            let end = bytes.iter().take(12).position(|b| *b == b'}')?;
            let c = char::from_u32(hex(&bytes[3..end])?)?;
            Some((end + 1, Cow::Owned(c.to_string())))
        }
        b'u' => code(2..6),
        b'x' => code(2..4),
        b'n' | b'r' => Some((2, Cow::Borrowed("\n"))),
        b't' => Some((2, Cow::Borrowed("\t"))),
        b'"' => Some((2, Cow::Borrowed("\""))),
        b'\'' => Some((2, Cow::Borrowed("'"))),
        b'/' => Some((2, Cow::Borrowed("/"))),
        b'\\' => Some((2, Cow::Borrowed("\\"))),
        // a line folded in double-quoted YAML
        b'\n' | b'\r' => {
            let blank = bytes.iter().skip(1).take_while(|b| b.is_ascii_whitespace()).count();
            Some((1 + blank, Cow::Borrowed("")))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

/// What an unusual character is a form of, where that is ASCII; nothing for one that cannot be seen.
fn plain_form(c: char) -> Option<Cow<'static, str>> {
    match c {
        '\0'..='\u{7f}' => None,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => Some(Cow::Borrowed("")),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => Some(Cow::Borrowed("-")),
        '\u{3002}' => None,
        // Hangul syllables and common Han have no compatibility form
        '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => None,
        _ => {
            let plain: String = std::iter::once(c).nfkc().collect();
            plain.is_ascii().then_some(Cow::Owned(plain))
        }
    }
}

/// A token of the text, decoded.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) range: Range<usize>,
    pub(super) decoded: Vec<u8>,
    /// Whether it is text. Random bytes hold a short name by chance.
    pub(super) is_text: bool,
}

/// Shorter tokens hide nothing that could be told from chance.
const SHORTEST_TOKEN: usize = 8;

/// Long tokens decoded from hex and from base64, at every alignment.
pub(super) fn encoded(text: &str) -> Vec<Encoded> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at + SHORTEST_TOKEN <= bytes.len() {
        // looking back from where a token would have to reach passes over most of a text
        if let Some(gap) = bytes[at..at + SHORTEST_TOKEN].iter().rposition(|b| !is_base64(*b)) {
            at += gap + 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| is_base64(**b)).count();
        let padding = bytes[at + length..].iter().take(2).take_while(|b| **b == b'=').count();
        let range = at..at + length + padding;
        decode(&bytes[at..at + length], &mut |decoded| {
            let is_text = decoded.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
            found.push(Encoded { range: range.clone(), decoded, is_text });
        });
        at = range.end;
    }
    found
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

fn decode(token: &[u8], push: &mut impl FnMut(Vec<u8>)) {
    if token.iter().all(u8::is_ascii_hexdigit) {
        push(token.chunks_exact(2).filter_map(|pair| u8::try_from(hex(pair)?).ok()).collect());
    }
    // ordinary words have neither
    if !token.iter().any(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) {
        return;
    }
    // a token of one alphabet may stand between signs of the other
    let mut pieces = |engine: &GeneralPurpose, foreign: [u8; 2]| {
        for piece in token.split(|b| foreign.contains(b)).filter(|piece| piece.len() >= SHORTEST_TOKEN) {
            for skip in 0..4 {
                let piece = &piece[skip..];
                let piece = &piece[..piece.len() - usize::from(piece.len() % 4 == 1)];
                engine.decode(piece).into_iter().for_each(&mut *push);
            }
        }
    };
    pieces(&PLAIN, *b"-_");
    if token.iter().any(|b| matches!(b, b'-' | b'_')) {
        pieces(&URL, *b"+/");
    }
}

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::RequireNone);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(text: &str) -> String {
        let view = views(text).last().expect("the text itself is a view");
        String::from_utf8(view.bytes().to_vec()).expect("views are UTF-8")
    }

    #[test]
    fn undoes_what_hides_a_name() {
        for hidden in [
            "worker%2Da1",
            "worker\\u002da1",
            "worker&#45;a1",
            "worker&#x2d;a1",
            "worker\u{1b}[0m-a1",
            "worker\u{200b}-a1",
            "ｗｏｒｋｅｒ-ａ１",
            "worker-\\\n  a1",
            "worker\u{2011}a1",
            "w\\x6frker-a1",
        ] {
            assert_eq!(undone(hidden), "worker-a1", "{hidden}");
        }
        for plain in ["노드 上海 ノード", "50% of C:\\dir", "a & b", "%zz \\q"] {
            assert_eq!(undone(plain), plain);
        }
    }

    #[test]
    fn leads_back_to_the_original() {
        let text = "가 worker%2Da1 나";
        let view = views(text).last().expect("the text itself is a view");
        let at = view.bytes().windows(9).position(|w| w == b"worker-a1").expect("it is there");
        assert_eq!(&text[view.original(&(at..at + 9))], "worker%2Da1");
        assert_eq!(&text[view.original(&(at + 6..at + 7))], "%2D");
    }

    #[test]
    fn decodes_at_every_alignment() {
        use base64::engine::general_purpose::STANDARD as B64;
        for prefix in ["", "x", "xy"] {
            let token = B64.encode(format!("{prefix}server: worker-a1.example"));
            let all = encoded(&token);
            assert!(all.iter().any(|e| String::from_utf8_lossy(&e.decoded).contains("worker-a1")), "{token}");
            let cut = &token[1..];
            let all = encoded(cut);
            assert!(all.iter().any(|e| String::from_utf8_lossy(&e.decoded).contains("worker-a1")), "{cut}");
        }
        assert_eq!(encoded("776f726b65722d6131")[0].decoded, b"worker-a1");
        assert!(encoded("hubble-metrics-server otelcol_receiver_accepted_spans").iter().all(|e| !e.is_text));
    }
}
