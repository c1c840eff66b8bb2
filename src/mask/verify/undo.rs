//! Spellings undone, one layer at a time: percent, JSON, C, HTML and Markdown escapes, sequences of terminals, compatibility forms, signs that
//! are not seen. What comes out may hold another layer.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::sequence;

/// A text with one layer undone.
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    /// Where each byte comes from.
    origin: Vec<u32>,
    length: usize,
}

impl Plain {
    fn new(length: usize) -> Self {
        Self { bytes: Vec::with_capacity(length), origin: Vec::with_capacity(length), length }
    }

    /// Where a place of the plain text lies in what it was made of.
    pub(super) fn place(&self, at: usize) -> usize {
        self.origin.get(at).map_or(self.length, |at| *at as usize)
    }

    fn push(&mut self, at: usize, byte: u8) {
        self.bytes.push(byte);
        self.origin.push(u32::try_from(at).unwrap_or(u32::MAX));
    }

    pub(super) fn extend(&mut self, at: usize, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.push(at, *byte));
    }

    fn char(&mut self, at: usize, c: char) {
        self.extend(at, c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Parts of a text, put together: what stands between them is nothing.
    pub(super) fn joined(text: &[u8], parts: &[std::ops::Range<usize>]) -> Self {
        let mut whole = Self::new(text.len());
        for at in parts.iter().flat_map(Clone::clone) {
            whole.push(at, text[at]);
        }
        whole
    }
}

/// What a sequence of bytes stands for.
enum Meaning {
    Nothing,
    Byte(u8),
    Char(char),
}

/// One layer undone; none if there is none.
pub(super) fn undo(text: &[u8]) -> Option<Plain> {
    let mut plain = Plain::new(text.len());
    let mut changed = false;
    let mut at = 0;
    while let Some(first) = text.get(at) {
        let rest = &text[at..];
        let meaning = match first {
            b'%' => percent(rest),
            b'\\' => backslash(rest),
            b'&' => entity(rest),
            0x1b => Some((sequence(rest), Meaning::Nothing)),
            // struck over itself, as manuals print what is bold
            0x08 if at > 0 && rest.get(1) == Some(&text[at - 1]) => Some((2, Meaning::Nothing)),
            0..=0x08 | 0x0b..=0x1f | 0x7f if *first != b'\r' => Some((1, Meaning::Nothing)),
            0x80.. => {
                let length = wide(text, at, &mut plain);
                changed |= plain.bytes.len() < length || !plain.bytes.ends_with(&rest[..length]);
                at += length;
                continue;
            }
            _ => None,
        };
        match meaning {
            None => {
                plain.push(at, *first);
                at += 1;
                continue;
            }
            Some((length, meaning)) => {
                match meaning {
                    Meaning::Nothing => {}
                    Meaning::Byte(byte) => plain.push(at, byte),
                    Meaning::Char(c) => plain.char(at, c),
                }
                changed = true;
                at += length;
            }
        }
    }
    changed.then_some(plain)
}

fn number(digits: Option<&[u8]>, radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits?).ok().filter(|d| d.bytes().all(|b| b.is_ascii_alphanumeric()))?;
    u32::from_str_radix(digits, radix).ok()
}

/// No sign that ends or rings anything.
fn byte(code: u32) -> Option<Meaning> {
    u8::try_from(code).ok().filter(|b| *b >= b' ' || b.is_ascii_whitespace()).map(Meaning::Byte)
}

fn character(code: u32) -> Option<Meaning> {
    match code {
        0..0x80 => byte(code).or(Some(Meaning::Nothing)),
        _ => char::from_u32(code).map(Meaning::Char),
    }
}

/// `%2D`, `%u002D`
fn percent(text: &[u8]) -> Option<(usize, Meaning)> {
    match text {
        [_, b'u' | b'U', ..] => Some((6, character(number(text.get(2..6), 16)?)?)),
        _ => Some((3, byte(number(text.get(1..3), 16)?)?)),
    }
}

/// `\u002d`, `\u{2d}`, `\U0000002d`, `\x2d`, `\055`, `\n`, a line end, and a sign of ASCII as in Markdown
fn backslash(text: &[u8]) -> Option<(usize, Meaning)> {
    match *text.get(1)? {
        b'u' if text.get(2) == Some(&b'{') => {
            let end = text.iter().take(12).position(|b| *b == b'}')?;
            Some((end + 1, character(number(text.get(3..end), 16)?)?))
        }
        b'u' => {
            let code = number(text.get(2..6), 16)?;
            if (0xd800..0xdc00).contains(&code) && text.get(6..8) == Some(b"\\u") {
                let low = number(text.get(8..12), 16).filter(|low| (0xdc00..0xe000).contains(low))?;
                return Some((12, character(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00))?));
            }
            Some((6, character(code)?))
        }
        b'U' => Some((10, character(number(text.get(2..10), 16)?)?)),
        b'x' => Some((4, byte(number(text.get(2..4), 16)?)?)),
        b'n' | b't' | b'r' | b'f' | b'v' => Some((2, Meaning::Byte(b' '))),
        b'0'..=b'3' => Some((4, byte(number(text.get(1..4), 8)?)?)),
        b'\n' | b'\r' => {
            let blanks = text[1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            Some((1 + blanks, Meaning::Nothing))
        }
        sign if sign.is_ascii_punctuation() => Some((2, Meaning::Byte(sign))),
        _ => None,
    }
}

/// `&#45;`, `&#x2d;`, `&period;`
fn entity(text: &[u8]) -> Option<(usize, Meaning)> {
    let end = text.iter().take(24).position(|b| *b == b';')?;
    let meaning = match &text[1..end] {
        [b'#', b'x' | b'X', digits @ ..] => character(number(Some(digits), 16)?)?,
        [b'#', digits @ ..] => character(number(Some(digits), 10)?)?,
        name => named(std::str::from_utf8(name).ok()?)?,
    };
    Some((end + 1, meaning))
}

/// What HTML calls by name: the signs of ASCII, what is not seen, letters in other faces.
fn named(name: &str) -> Option<Meaning> {
    let sign = match name {
        "amp" | "AMP" => '&',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "period" => '.',
        "colon" => ':',
        "hyphen" | "dash" | "ndash" | "mdash" | "minus" | "horbar" => '-',
        "commat" => '@',
        "lowbar" | "UnderBar" => '_',
        "plus" => '+',
        "sol" => '/',
        "bsol" => '\\',
        "percnt" => '%',
        "num" => '#',
        "equals" => '=',
        "comma" => ',',
        "semi" => ';',
        "nbsp" | "NonBreakingSpace" | "Tab" | "NewLine" | "ensp" | "emsp" | "thinsp" => ' ',
        "hellip" | "mldr" => '…',
        "filig" => 'ﬁ',
        "fflig" => 'ﬀ',
        "fllig" => 'ﬂ',
        "ffilig" => 'ﬃ',
        "ffllig" => 'ﬄ',
        "shy" | "ZeroWidthSpace" | "zwj" | "zwnj" | "NoBreak" | "lrm" | "rlm" | "it" | "ic" | "af" => {
            return Some(Meaning::Nothing);
        }
        "NegativeThinSpace" | "NegativeMediumSpace" | "NegativeThickSpace" | "NegativeVeryThinSpace" => {
            return Some(Meaning::Nothing);
        }
        "InvisibleTimes" | "InvisibleComma" | "ApplyFunction" => return Some(Meaning::Nothing),
        _ => match name.as_bytes() {
            [letter, b'f', b'r'] | [letter, b'o', b'p', b'f'] | [letter, b's', b'c', b'r']
                if letter.is_ascii_alphabetic() =>
            {
                char::from(*letter)
            }
            _ => return None,
        },
    };
    Some(Meaning::Char(sign))
}

/// Pushes what the character that begins at a place stands for, with the marks that follow it; its length.
fn wide(text: &[u8], at: usize, plain: &mut Plain) -> usize {
    let Some(first) = character_at(text, at) else {
        plain.push(at, text[at]);
        return 1;
    };
    let mut length = first.len_utf8();
    match first {
        '가'..='힣' | '一'..='鿿' | 'ぁ'..='ヿ' if !marked(text, at + length) => {
            plain.extend(at, &text[at..at + length]);
        }
        c if unseen(c) => {}
        // the hyphens, the dashes, the minus
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => plain.push(at, b'-'),
        // it stands for what was cut off
        '…' => plain.char(at, '…'),
        '。' | '｡' => {
            let name = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            let dot = name(plain.bytes.last()) && name(text.get(at + length));
            plain.char(at, if dot { '.' } else { '。' });
        }
        _ => {
            let mut cluster = String::from(first);
            // a letter and its mark may be one letter
            if let Some(base) = plain.bytes.last().filter(|b| b.is_ascii_alphabetic() && is_combining_mark(first)) {
                cluster.insert(0, char::from(*base));
                plain.bytes.pop();
                plain.origin.pop();
            }
            while let Some(mark) = character_at(text, at + length).filter(|c| is_combining_mark(*c) && !unseen(*c)) {
                cluster.push(mark);
                length += mark.len_utf8();
            }
            for c in cluster.nfkc().flat_map(char::to_lowercase) {
                plain.char(at, c);
            }
        }
    }
    length
}

fn marked(text: &[u8], at: usize) -> bool {
    character_at(text, at).is_some_and(is_combining_mark)
}

fn character_at(text: &[u8], at: usize) -> Option<char> {
    let length = match text.get(at)? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    std::str::from_utf8(text.get(at..at + length)?).ok()?.chars().next()
}

/// Signs without a width, lines through letters, selectors, controls.
fn unseen(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{332}'..='\u{338}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layer_is_undone() {
        for (text, expected) in [
            ("a%2Db%u002dc", "a-b-c"),
            (r"a\u002db\x2dc\055d\u{2d}e\U0000002df", "a-b-c-d-e-f"),
            (r"a\ud835\udc30b", "a𝐰b"),
            ("a𝐰b", "awb"),
            (r"a\\u002db", r"a\u002db"),
            (r#"\"a\-b\_c\n"#, "\"a-b_c "),
            ("a&#45;b&#x2D;c&period;d&shy;e&amp;#45;", "a-b-c.de&#45;"),
            ("&wopf;&Afr;&bogus;&", "wA&bogus;&"),
            ("ｗｏｒｋｅｒ－ａ１：", "worker-a1:"),
            ("ⓦorker‑a1", "worker-a1"),
            ("wor\u{200b}k\u{ad}er\u{202e}\u{e0041}-\u{feff}a\u{338}1", "worker-a1"),
            ("w\u{8}wo\u{0}r", "wor"),
            ("wor\u{1b}[1;31mker\u{1b}]8;;http://x y\u{1b}\\-a1\u{1b}(B", "worker-a1"),
            ("worker-\\\n   a1", "worker-a1"),
            ("10。9 x。", "10.9 x。"),
            ("%EF%BC%8D", "－"),
            ("Zoe\u{308} ZOË", "Zoë ZOë"),
        ] {
            let plain = undo(text.as_bytes()).unwrap_or_else(|| panic!("nothing changed: {text}"));
            assert_eq!(String::from_utf8_lossy(&plain.bytes), expected);
            assert_eq!(plain.bytes.len(), plain.origin.len());
        }
        for text in ["worker-a1", "100% \\d &x 가나 ゕ 上海 …", "\u{fffd}"] {
            assert!(undo(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn a_place_leads_back() {
        let plain = undo("x%41\u{200b}b".as_bytes()).expect("an escape");
        assert_eq!(plain.bytes, b"xAb");
        assert_eq!([0, 1, 2, 3].map(|at| plain.place(at)), [0, 1, 7, 8]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_can_be_undone(text in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            if let Some(plain) = undo(&text) {
                proptest::prop_assert_eq!(plain.bytes.len(), plain.origin.len());
                proptest::prop_assert!(plain.origin.is_sorted());
            }
        }
    }
}
