//! Lines into pieces: what stands between blanks, quotes, brackets, commas and characters that are not ASCII.

use std::ops::Range;

const OTHER: u8 = 0;
const BLANK: u8 = 1;
const WIDE: u8 = 2;
const EQUALS: u8 = 3;

/// What each byte is.
static CLASS: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = match b {
            0x1b => OTHER,
            0..=b' ' | 0x7f => BLANK,
            b'"' | b'\'' | b'`' | b',' | b';' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'|' | b'?' => {
                BLANK
            }
            b'=' => EQUALS,
            0x80.. => WIDE,
            _ => OTHER,
        };
        i += 1;
    }
    table
};

/// Whether pieces end at this byte.
pub(in super::super) fn is_separator(b: u8) -> bool {
    CLASS[usize::from(b)] != OTHER
}

/// Visits every piece of a text. A `=` parts a name from a value, but belongs to the piece where it ends it, as base64 does. Of `host:80` the
/// port is left out. Says whether the text has a character that may stand for an ASCII one or hide within a name.
pub(in super::super) fn split(text: &[u8], visit: &mut impl FnMut(Range<usize>)) -> bool {
    let mut disguised = false;
    let mut at = 0;
    while let Some(b) = text.get(at) {
        match CLASS[usize::from(*b)] {
            BLANK => at += 1,
            WIDE => {
                disguised |= is_disguise(&text[at..]);
                at += 1;
            }
            _ => {
                let start = at;
                loop {
                    at += 1;
                    match text.get(at).map(|b| CLASS[usize::from(*b)]) {
                        Some(OTHER) => {}
                        Some(EQUALS) => {
                            if text.get(at + 1).is_some_and(|b| CLASS[usize::from(*b)] == OTHER) {
                                break;
                            }
                        }
                        _ => break,
                    }
                }
                if text[start..at] != *b":" {
                    visit(start..without_port(text, start..at));
                }
                at += usize::from(text.get(at) == Some(&b'='));
            }
        }
    }
    disguised
}

/// Where a host ends before its port. Eight digits before a port may be the hexadecimal form of an address, of which the port is a part.
fn without_port(text: &[u8], piece: Range<usize>) -> usize {
    let tail = text[piece.clone()].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let colon = piece.end - tail;
    let host = || &text[piece.start..colon - 1];
    let is_port = (1..=5).contains(&tail) && colon > piece.start + 1 && text[colon - 1] == b':';
    if is_port && !host().contains(&b':') && !(host().len() == 8 && host().iter().all(u8::is_ascii_hexdigit)) {
        colon - 1
    } else {
        piece.end
    }
}

/// Whether a character that is not ASCII, whose first byte stands first, may be a form of an ASCII one, or be invisible. Hangul, kana, Han and
/// their punctuation are not.
fn is_disguise(text: &[u8]) -> bool {
    match text {
        // bytes behind the first
        [0x80..=0xbf, ..] => false,
        // kana, Han, Hangul
        [0xe3, 0x80, 0x81..=0xbf, ..]
        | [0xe3, 0x81..=0x83, ..]
        | [0xe4..=0xe9, ..]
        | [0xea, 0xb0..=0xbf, ..]
        | [0xeb..=0xec, ..] => false,
        [0xed, 0x80..=0x9e, ..] => false,
        // full-width punctuation that no name and no address has
        [0xef, 0xbc, 0x81..=0x84 | 0x87..=0x8a | 0x8c | 0x9b..=0x9c | 0x9e..=0x9f, ..] => false,
        _ => true,
    }
}

/// Whether a piece holds a sign of an escape or of a mail address.
pub(in super::super) fn may_hide(piece: &[u8]) -> bool {
    memchr::memchr3(b'\\', b'@', 0x1b, piece).is_some() || memchr::memchr2(b'%', b'&', piece).is_some()
}

/// Numbers and times: nothing hides in them.
pub(in super::super) fn is_plain(piece: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let first = digits(piece);
    if first == piece.len() {
        // a hardware address, or text in hexadecimal
        let text = first >= 8 && first % 2 == 0 && piece.chunks(2).all(|pair| (b'2'..=b'7').contains(&pair[0]));
        return first != 12 && !text;
    }
    if first == 0 {
        return false;
    }
    match piece[first] {
        b'.' => {
            let rest = &piece[first + 1..];
            let rest = &rest[digits(rest)..];
            match rest {
                [] => true,
                [b'e' | b'E', sign @ (b'+' | b'-'), rest @ ..] => {
                    !rest.is_empty() && rest.len() <= 3 && digits(rest) == rest.len() && *sign != 0
                }
                _ => false,
            }
        }
        // RFC 3339
        b'-' if first == 4 && piece.len() >= 19 => {
            [(7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().all(|(at, sign)| piece[*at] == *sign)
                && piece[11..].iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'Z' | b'+' | b'-'))
                && piece.len() <= 35
        }
        // a time of day
        b':' if first == 2 && (8..=19).contains(&piece.len()) => {
            let fraction = &piece[8..];
            piece[5] == b':'
                && [3, 4, 6, 7].iter().all(|at| piece[*at].is_ascii_digit())
                && (fraction.is_empty() || (fraction[0] == b'.' && digits(&fraction[1..]) + 2 >= fraction.len()))
        }
        _ => false,
    }
}

/// A name and its value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Joint {
    /// The name, without the sign that follows it.
    pub(in super::super) name: Range<usize>,
    /// Name, sign and value.
    pub(in super::super) whole: Range<usize>,
}

/// Whether a piece is the name of the value that follows it: `a=b`, `a="b"`, `"a": "b"`, `--a b`.
pub(in super::super) fn joint(text: &[u8], last: &Range<usize>, this: &Range<usize>) -> Option<Joint> {
    let name = &text[last.clone()];
    let length = name.len() - name.iter().rev().take_while(|b| matches!(b, b':' | b'=')).count();
    let name = last.start..last.start + length;
    let between = &text[name.end..this.start];
    if between.len() > 6 || name.is_empty() {
        return None;
    }
    let (mut signs, mut quotes, mut blanks) = (0, 0, 0);
    for b in between {
        match b {
            b':' | b'=' => signs += 1,
            b'"' | b'\'' => quotes += 1,
            b' ' | b'\t' => blanks += 1,
            _ => return None,
        }
    }
    let flag = text[name.clone()].starts_with(b"--") && signs == 0 && quotes <= 1 && blanks >= 1;
    ((signs == 1 && quotes <= 3 && blanks <= 2) || flag).then_some(Joint { whole: name.start..this.end, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        split(text.as_bytes(), &mut |range| all.push(&text[range]));
        all
    }

    #[test]
    fn a_line_falls_into_pieces() {
        for (text, expected) in [
            ("up{instance=\"10.1.2.3:9100\",a=\"b\"} 1", &["up", "instance=", "10.1.2.3", "a=", "b", "1"][..]),
            ("a=b c==d e=YWI= f= g", &["a", "b", "c=", "d", "e", "YWI=", "f=", "g"]),
            ("노드worker-a1에서 [2001:db8::1]:80", &["worker-a1", "2001:db8::1", ":80"]),
            ("391E140A:1928 0A:14 x:y:80 h:80", &["391E140A:1928", "0A", "x:y:80", "h"]),
            ("--node-ip=10.1.2.3 -v=2", &["--node-ip", "10.1.2.3", "-v", "2"]),
            ("", &[]),
        ] {
            assert_eq!(pieces(text), expected);
        }
    }

    #[test]
    fn a_name_is_joined_to_its_value() {
        let joined = |text: &str| {
            let mut last: Option<Range<usize>> = None;
            let mut all = Vec::new();
            split(text.as_bytes(), &mut |range| {
                if let Some(last) = &last
                    && let Some(joint) = joint(text.as_bytes(), last, &range)
                {
                    all.push((text[joint.name].to_owned(), text[joint.whole].to_owned()));
                }
                last = Some(range);
            });
            all
        };
        let pair = |name: &str, whole: &str| (name.to_owned(), whole.to_owned());
        assert_eq!(joined("a{node=\"x\",b='y'}"), [pair("node", "node=\"x"), pair("b", "b='y")]);
        assert_eq!(joined("{\"node\": \"x\"}"), [pair("node", "node\": \"x")]);
        assert_eq!(joined("nodeName: x\n"), [pair("nodeName", "nodeName: x")]);
        assert_eq!(joined("--node x --v y"), [pair("--node", "--node x"), pair("--v", "--v y")]);
        assert_eq!(joined("a b, c\nd"), []);
    }

    #[test]
    fn disguises_are_seen() {
        for (text, is) in [
            ("노드 節点 ノード、上海。「」", false),
            ("（，）！", false),
            ("ｗ", true),
            ("\u{200b}", true),
            ("…", true),
            ("１", true),
            ("ﾉ", true),
            ("𝐰", true),
            ("é", true),
        ] {
            assert_eq!(split(text.as_bytes(), &mut |_| {}), is, "{text}");
        }
    }
}
