//! A text falls into pieces, each of which is searched once: what stands between blanks, quotes, brackets, commas, `=`, and the letters of
//! Korean, Japanese and Chinese. Every spelling of a name that has none of these signs lies within one piece.

use std::ops::Range;

const INSIDE: u8 = 0;
const APART: u8 = 1;
/// The sign with which the sequences of a terminal begin.
const ESCAPE: u8 = 2;
/// The first byte of a character that may be one or the other.
const WIDE: u8 = 3;

static CLASS: [u8; 256] = {
    let mut table = [INSIDE; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = match b {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b',' | b'=' | b'?' | b'|' => APART,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' => APART,
            0x1b => ESCAPE,
            0xe3..=0xed => WIDE,
            _ => INSIDE,
        };
        i += 1;
    }
    table
};

/// Whether a name that has this byte reaches over several pieces. A colon may be followed by a port, which is no part of a piece.
pub(super) fn parts(b: u8) -> bool {
    CLASS[usize::from(b)] != INSIDE || b == b':'
}

/// Whether pieces always end at this byte, wherever it stands but in a sequence of a terminal.
pub(super) fn is_sign(b: u8) -> bool {
    CLASS[usize::from(b)] == APART
}

/// The pieces of a text, one after the other. Of `host:80` the port is left out, and a colon alone before a value.
pub(super) struct Pieces<'t> {
    text: &'t [u8],
    pub(super) at: usize,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Where the next one begins.
    pub(super) fn begin(&mut self) -> Option<usize> {
        loop {
            match CLASS[usize::from(*self.text.get(self.at)?)] {
                APART => self.at += 1,
                WIDE if apart(&self.text[self.at..]) => self.at += 3,
                _ => return Some(self.at),
            }
        }
    }

    /// The one that begins here.
    pub(super) fn take(&mut self) -> Range<usize> {
        let (text, start) = (self.text, self.at);
        loop {
            let rest = &text[self.at..];
            self.at += rest.iter().position(|b| CLASS[usize::from(*b)] != INSIDE).unwrap_or(rest.len());
            match text.get(self.at).map(|b| CLASS[usize::from(*b)]) {
                Some(ESCAPE) => self.at += sequence(&text[self.at..]),
                Some(WIDE) if !apart(&text[self.at..]) => self.at += 1,
                _ => break,
            }
        }
        if self.at < start + 2 {
            return start..self.at;
        }
        let piece = without_port(text, start..self.at);
        let colon = text[start] == b':' && text[start + 1] != b':';
        piece.start + usize::from(colon)..piece.end
    }
}

/// The length of what a terminal does not show: `ESC [ 31 m`, `ESC ] 8 ; ; address ESC \`.
pub(super) fn sequence(text: &[u8]) -> usize {
    let length = match text.get(1) {
        Some(b'[') => text[2..].iter().take(64).position(|b| (0x40..0x7f).contains(b)).map(|i| i + 3),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let end = text[2..].iter().take(4096).position(|b| matches!(b, 0x07 | 0x1b | b'\n')).map(|i| i + 2);
            end.map(|end| match text[end..] {
                [0x07, ..] => end + 1,
                [0x1b, b'\\', ..] => end + 2,
                _ => end,
            })
        }
        Some(b'(' | b')' | b'#' | b'%') => Some(3),
        Some(0x40..0x7f | b'7' | b'8' | b'=' | b'>') => Some(2),
        _ => None,
    };
    length.unwrap_or(1).min(text.len())
}

/// Whether a character of three bytes is a letter or a sign that no name has and for which none of ASCII stands: kana, Han, Hangul.
fn apart(text: &[u8]) -> bool {
    match text {
        // the full stop may stand for a dot
        [0xe3, 0x80, 0x82, ..] => false,
        [0xe3, 0x80..=0x85, 0x80..=0xbf, ..] => true,
        [0xe3, 0x90..=0xbf, 0x80..=0xbf, ..] | [0xe4..=0xe9, 0x80..=0xbf, 0x80..=0xbf, ..] => true,
        [0xea, 0xb0..=0xbf, 0x80..=0xbf, ..] | [0xeb..=0xec, 0x80..=0xbf, 0x80..=0xbf, ..] => true,
        [0xed, 0x80..=0x9e, 0x80..=0xbf, ..] => true,
        _ => false,
    }
}

/// Eight digits before a port may be the hexadecimal form of an address, of which the port is a part; so may be a pair after others.
fn without_port(text: &[u8], piece: Range<usize>) -> Range<usize> {
    if !text[piece.end - 1].is_ascii_digit() {
        return piece;
    }
    let digits = text[piece.clone()].iter().rev().take(6).take_while(|b| b.is_ascii_digit()).count();
    let colon = (piece.end - digits).max(piece.start + 1) - 1;
    let cut = digits <= 5
        && text[colon] == b':'
        && colon > piece.start + 1
        && !(colon - piece.start == 8 && text[piece.start..colon].iter().all(u8::is_ascii_hexdigit))
        && memchr::memchr(b':', &text[piece.start..colon]).is_none();
    if cut { piece.start..colon } else { piece }
}

/// Whether a piece is a number or a time, in which nothing hides.
pub(super) fn is_plain(piece: &[u8]) -> bool {
    let piece = match piece {
        [b'-' | b'+', rest @ ..] => rest,
        _ => piece,
    };
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(piece);
    match piece.get(whole) {
        _ if whole == 0 => false,
        // twelve or sixteen bytes in hexadecimal, and text in hexadecimal, may be without a letter too
        None => {
            let text = || whole.is_multiple_of(2) && piece.chunks(2).all(|pair| (b'2'..=b'7').contains(&pair[0]));
            !(matches!(whole, 12 | 32) || (whole >= 8 && text()))
        }
        Some(b'.') => {
            let fraction = &piece[whole + 1..];
            match &fraction[digits(fraction)..] {
                [] => true,
                [b'e' | b'E', b'+' | b'-', exponent @ ..] => digits(exponent) == exponent.len(),
                _ => false,
            }
        }
        Some(b'e') => matches!(&piece[whole..], [_, b'+' | b'-', exponent @ ..] if digits(exponent) == exponent.len()),
        // 2026-10-16T18:01:30.123456789Z
        Some(b'-') if whole == 4 && (19..=35).contains(&piece.len()) => {
            let signs = [(7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
            signs.iter().all(|(at, sign)| piece[*at] == *sign)
                && [5, 6, 8, 9, 11, 12, 14, 15, 17, 18].iter().all(|at| piece[*at].is_ascii_digit())
                && piece[19..].iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b'Z' | b'+' | b'-'))
        }
        _ => false,
    }
}

/// Whether a name could stand within what is passed over as plain.
pub(super) fn may_be_plain(name: &[u8]) -> bool {
    name.iter()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b'-' | b'+' | b'e' | b'E' | b'T' | b't' | b'Z' | b'z'))
}

/// A digit.
pub(super) const DIGIT: u8 = 1;
/// `.`, `-` or `_`
pub(super) const JOINT: u8 = 2;
/// `:`
pub(super) const COLON: u8 = 4;
/// A sign under which another may hide.
pub(super) const HIDING: u8 = 8;

static SIGNS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b'0'..=b'9' => DIGIT,
            b'.' | b'-' | b'_' => JOINT,
            b':' => COLON,
            b'%' | b'\\' | b'&' | 0..=0x1f | 0x7f.. => HIDING,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Which of these signs a piece has.
pub(super) fn signs(piece: &[u8]) -> u8 {
    piece.iter().fold(0, |signs, b| signs | SIGNS[usize::from(*b)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut pieces = Pieces::new(text.as_bytes());
        let mut all = Vec::new();
        while pieces.begin().is_some() {
            all.push(&text[pieces.take()]);
        }
        all.retain(|piece| piece.len() > 1);
        all
    }

    #[test]
    fn a_text_falls_into_pieces() {
        for (text, expected) in [
            ("up{instance=\"10.1.2.3:9100\",a=\"b\"} 10", &["up", "instance", "10.1.2.3", "10"][..]),
            ("{\"identity\":12,\"x\":\"yy\"}", &["identity", "12", "yy"]),
            ("노드worker-a1에서。 [2001:db8::1]:80 ::1", &["worker-a1", "。", "2001:db8::1", "80", "::1"]),
            ("391E140A:1928 0A:14 xx:y:80 hh:80 hh:123456", &["391E140A:1928", "0A", "xx:y:80", "hh", "hh:123456"]),
            ("a\u{1b}[31mb\u{1b}]8;;x y\u{7}c d", &["a\u{1b}[31mb\u{1b}]8;;x y\u{7}c"]),
            ("ｗo\u{200b}r&#45;a1；", &["ｗo\u{200b}r&#45;a1；"]),
            ("", &[]),
        ] {
            assert_eq!(pieces(text), expected);
        }
    }

    #[test]
    fn what_is_plain_is_passed_over() {
        for text in [
            "12",
            "1.5",
            "-3",
            "1.5e+09",
            "1e-05",
            "1760638890123",
            "2026-10-16T18:01:30.123456789Z",
            "2026-10-16T18:01:30+09:00",
        ] {
            assert!(is_plain(text.as_bytes()), "{text}");
        }
        for text in ["1.2.3", "1a", "a", "", "024200110005", "72656435", "2026-10-16T18:01:30.node", "10-1-2-3", "0x12"]
        {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }

    proptest::proptest! {
        /// No byte of a name without parting signs is ever left out or cut off.
        #[test]
        fn a_name_lies_within_one_piece(before in "\\PC{0,4}[ 가。\",]?", name in "[a-z][a-z0-9@/._-]{0,12}[a-z]", after in "[ 가。\",]?\\PC{0,4}") {
            let text = format!("{before}{name}{after}");
            let mut pieces = Pieces::new(text.as_bytes());
            let mut whole = false;
            while pieces.begin().is_some() {
                let piece = pieces.take();
                whole |= piece.start <= before.len() && piece.end >= before.len() + name.len();
            }
            proptest::prop_assert!(whole, "{text}");
        }
    }
}
