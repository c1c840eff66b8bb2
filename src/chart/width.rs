//! How wide a text is without the font, and where a line of it may end.
//!
//! No font is read, for the reader's machine chooses it: the widths are safe upper bounds over the families of the page.

use unicode_width::UnicodeWidthChar;

/// Thousandths of an em from U+0020 to U+007E: for each the wider of Noto Sans CJK and Helvetica's metrics.
const ASCII: [u16; 95] = [
    278, 323, 474, 556, 556, 921, 680, 278, 338, 338, 467, 584, 278, 347, 278, 392, //
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, //
    1015, 667, 667, 722, 722, 667, 611, 778, 728, 293, 535, 667, 556, 833, 723, 778, //
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 338, 392, 338, 555, 559, //
    606, 563, 618, 510, 620, 556, 325, 564, 607, 275, 275, 552, 284, 926, 610, 606, //
    620, 620, 388, 500, 377, 607, 521, 802, 500, 521, 500, 338, 270, 338, 584,
];

/// Japanese and Chinese: what must not begin a line …
const NOT_FIRST: &str = "、。，．・：；？！ゝゞヽヾーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎゕゖ々〻‥…’”）〕］｝〉》」』】〙〗％‰℃,.:;?!)]}%";
/// … and what must not end one.
const NOT_LAST: &str = "‘“（〔［｛〈《「『【〘〖￥＄([{";

/// The weight of a text, as far as its width goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// The width of one line of text set in `size` (the unit of the answer).
pub(super) fn width(text: &str, size: i32, weight: Weight) -> i32 {
    let ems: u32 = text.chars().map(|c| thousandths(c, weight)).sum();
    let width = (u64::from(ems) * u64::from(size.unsigned_abs())).div_ceil(1000);
    i32::try_from(width).unwrap_or(i32::MAX / 2)
}

fn thousandths(c: char, weight: Weight) -> u32 {
    let ascii = (c as usize).checked_sub(0x20).and_then(|i| ASCII.get(i)).copied().map(u32::from);
    match (ascii, c.width_cjk()) {
        // bold Latin is up to 7% wider, an ideograph is an em in any weight
        (Some(w), _) if weight == Weight::Bold => w * 107 / 100,
        (Some(w), _) => w,
        (None, Some(2)) => 1000,
        (None, None | Some(0)) => 0,
        (None, Some(_)) => 660,
    }
}

/// Breaks a text into lines no wider than `max`: Japanese and Chinese between any two characters that may part, Korean,
/// Latin and katakana between words. A single word that is too wide is broken where it must be. At least one line, none with a blank end.
pub(super) fn lines(text: &str, size: i32, weight: Weight, max: i32) -> Vec<String> {
    let greedy = fill(text, size, weight, max);
    // lines of like length read better than a full one and a stub
    let balanced = (1..=8).rev().map(|eighths| max / 2 + max * eighths / 16);
    balanced
        .map(|narrower| fill(text, size, weight, narrower))
        .take_while(|lines| lines.len() == greedy.len() && lines.iter().all(|l| width(l, size, weight) <= max))
        .last()
        .unwrap_or(greedy)
}

fn fill(text: &str, size: i32, weight: Weight, max: i32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if width(line.trim_end(), size, weight) + width(piece.trim_end(), size, weight)
            > max - trailing(&line, size, weight)
            && !line.trim_end().is_empty()
        {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        // a line begins with no blank
        if line.trim_end().is_empty() {
            line.clear();
        }
        if width(piece.trim_end(), size, weight) <= max {
            line.push_str(piece);
            continue;
        }
        for c in piece.chars() {
            if c == ' ' && line.is_empty() {
                continue;
            }
            if c != ' '
                && width(&line, size, weight) + width(c.encode_utf8(&mut [0; 4]), size, weight) > max
                && !line.is_empty()
            {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
            }
            line.push(c);
        }
    }
    let rest = line.trim_end();
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

/// The width of the blank that stands at the end of a line that goes on.
fn trailing(line: &str, size: i32, weight: Weight) -> i32 {
    width(&line[line.trim_end().len()..], size, weight)
}

/// The parts of a text between which a line may end; a blank belongs to the part before it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, after) in text.char_indices() {
        if before.is_some_and(|b| may_part(b, after, &text[start..at])) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(after);
    }
    pieces.push(&text[start..]);
    pieces
}

fn may_part(before: char, after: char, so_far: &str) -> bool {
    if before == ' ' {
        // a number keeps its unit
        return after != ' ' && !so_far.trim_end().ends_with(|c: char| c.is_ascii_digit());
    }
    if after == ' ' || NOT_FIRST.contains(after) || NOT_LAST.contains(before) {
        return false;
    }
    // a word in katakana stays whole
    let katakana = |c: char| ('\u{30A1}'..='\u{30FE}').contains(&c);
    if katakana(before) && katakana(after) {
        return false;
    }
    let latin = |c: char| c.is_ascii_alphanumeric();
    (ideographic(before) && (ideographic(after) || latin(after) || NOT_LAST.contains(after)))
        || (ideographic(after) && (latin(before) && !before.is_ascii_digit() || NOT_FIRST.contains(before)))
        || (NOT_FIRST.contains(before) && !before.is_ascii() && !hangul(after))
}

/// Han, kana and what is set like them.
fn ideographic(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FFF}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7FF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn broken(text: &str, ems: i32) -> Vec<String> {
        fill(text, 10, Weight::Regular, ems * 10)
    }

    /// Widths as Chromium measures them in Noto Sans CJK: never above the table, and at most a tenth below it.
    #[test]
    fn is_a_close_upper_bound() {
        let measured = [
            ("목록 조회가 호출의 80%를 차지한다", 14887),
            ("p99 22 ms", 4682),
            ("list_podsandbox", 7751),
            ("一覧の呼び出しが 80% を占める", 14479),
            ("49,509 KiB/s", 5715),
        ];
        for (text, expected) in measured {
            let w = width(text, 1000, Weight::Regular);
            assert!(w >= expected && w * 10 <= expected * 11, "{text}: {w} for {expected}");
        }
    }

    #[test]
    fn breaks_japanese_by_kinsoku() {
        assert_eq!(broken("一覧が「毎秒」来る。", 4), ["一覧が", "「毎秒」", "来る。"]);
        assert_eq!(broken("あるサーバーの数", 5), ["ある", "サーバーの", "数"]);
        assert_eq!(broken("あっという", 2), ["あっ", "とい", "う"]);
    }

    #[test]
    fn breaks_korean_between_words_only() {
        assert_eq!(broken("목록 조회가 대부분이다", 7), ["목록 조회가", "대부분이다"]);
        assert_eq!(broken("가나다라마바사", 3), ["가나다", "라마바", "사"]);
    }

    #[test]
    fn a_number_keeps_its_unit_and_its_counter() {
        assert_eq!(broken("上限为 16 KiB 的消息", 4), ["上限为", "16 KiB", "的消息"]);
        assert_eq!(broken("合計247個", 3), ["合計", "247個"]);
    }

    #[test]
    fn lines_are_of_like_length() {
        let lines = lines("一二三四五六七八九十一二", 10, Weight::Regular, 100);
        assert_eq!(lines, ["一二三四五六", "七八九十一二"]);
    }

    proptest! {
        #[test]
        fn loses_nothing_but_blanks_at_ends(text in "[a-z0-9 가-힣ぁ-ん一-十、。「」(),]{0,60}", ems in 3..30i32) {
            let plain = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            for lines in [fill(&text, 10, Weight::Bold, ems * 10), lines(&text, 10, Weight::Bold, ems * 10)] {
                prop_assert_eq!(plain(&lines.concat()), plain(&text));
                prop_assert!(lines.iter().all(|l| width(l, 10, Weight::Bold) <= ems * 10));
                prop_assert!(lines.len() == 1 || lines.iter().all(|l| !l.is_empty()));
            }
        }
    }
}
