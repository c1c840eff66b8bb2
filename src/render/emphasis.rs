//! Emphasis beside CJK text: what a translator marked is marked, in every viewer.
//!
//! `CommonMark` does not close `**「語」**は`: a run of `*` between punctuation and a letter does not count as an end. Here a run
//! with a CJK character on either side opens and closes as if its neighbours were letters
//! (<https://github.com/tats-u/markdown-cjk-friendly>). Pairs that plain `CommonMark` finds too stay as they are written, the
//! others become `<strong>`, `<em>` and `<del>`, and every `*` or `~` that marks nothing is escaped. Because the answer is
//! Markdown again, a plain viewer and our own HTML agree.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::{Edit, OPTIONS, apply};

/// A letter to every parser: neither blank nor punctuation. Captured and translated text cannot hold it.
const LETTER: &str = "\u{E010}";

/// An emphasised range, its delimiters included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    start: usize,
    end: usize,
    /// `strong`, `em`, `del`.
    tag: &'static str,
    /// Bytes of a delimiter.
    width: usize,
}

/// The edits after which plain `CommonMark` finds what CJK-friendly `CommonMark` finds in `text`.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let runs = runs(text);
    if runs.is_empty() {
        return Vec::new();
    }
    let inserted: Vec<(usize, &str)> = runs.iter().flat_map(|run| run.helpers(text)).collect();
    let marks = wanted(text, &inserted);
    let literal = literals(&runs, &marks);
    // Strikethrough at a letter-like place is read differently by pulldown-cmark and GitHub: write the tag.
    let mut as_tag: Vec<bool> = marks.iter().map(|m| m.tag == "del" && !is_plain(text, m)).collect();
    loop {
        let edits = emitted(&marks, &as_tag, &literal);
        let (plain, moved) = moved(text, &marks, &edits);
        let found = marks_of(&plain);
        let lost: Vec<usize> =
            (0..marks.len()).filter(|&i| !as_tag[i] && found.binary_search(&moved[i]).is_err()).collect();
        if lost.is_empty() {
            return edits;
        }
        for i in lost {
            as_tag[i] = true;
        }
    }
}

/// A run of one delimiter character that may mark something.
#[derive(Debug)]
struct Run {
    range: Range<usize>,
    before: char,
    after: char,
}

impl Run {
    /// What to put into the text so that a plain parser sees the run as a CJK-friendly one does.
    fn helpers(&self, text: &str) -> Vec<(usize, &'static str)> {
        if self.is_literal(text) {
            return self.range.clone().map(|at| (at, "\\")).collect();
        }
        let cjk = is_cjk(self.before) || is_cjk(self.after);
        if cjk && !self.before.is_whitespace() && !self.after.is_whitespace() {
            return vec![(self.range.start, LETTER), (self.range.end, LETTER)];
        }
        Vec::new()
    }

    /// `3*4`, `2**3` and `3~5` are arithmetic and ranges; only `~~` strikes through.
    fn is_literal(&self, text: &str) -> bool {
        self.before.is_ascii_digit() && self.after.is_ascii_digit()
            || text[self.range.clone()].starts_with('~') && self.range.len() != 2
    }
}

/// The runs of `*` and `~` outside code, HTML and link targets.
fn runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    if !text.contains(['*', '~']) {
        return runs;
    }
    let (inline, tables) = regions(text);
    for region in inline {
        let mut at = region.start;
        while let Some(found) = text[at..region.end].find(['*', '~', '\\']) {
            let start = at + found;
            let byte = text.as_bytes()[start];
            if byte == b'\\' {
                let escaped = text[start + 1..].chars().next().map_or(0, char::len_utf8);
                at = (start + 1 + escaped).min(region.end);
                continue;
            }
            let end = start + text.as_bytes()[start..region.end].iter().take_while(|b| **b == byte).count();
            let boundary = |c: char| c == '|' && tables.iter().any(|t| t.contains(&start));
            let neighbour = |c: Option<char>| c.filter(|c| !boundary(*c)).unwrap_or('\n');
            runs.push(Run {
                range: start..end,
                before: neighbour(text[..start].chars().next_back()),
                after: neighbour(text[end..].chars().next()),
            });
            at = end;
        }
    }
    runs
}

/// The ranges of `text` in which `*` may mark something, in order; and those of its tables.
fn regions(text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut inline, mut tables, mut out) = (Vec::new(), Vec::new(), Vec::new());
    // links that are open, each with the end of what it holds so far
    let mut links: Vec<(Range<usize>, usize)> = Vec::new();
    let mut marker = None;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        if let Some(bullet) = marker.take() {
            out.push(bullet..range.start.max(bullet));
        }
        if let (Some((_, end)), false) = (links.last_mut(), matches!(event, Event::End(_))) {
            *end = range.end;
        }
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell) => inline.push(range),
            Event::Start(Tag::Item) => {
                marker = Some(range.start);
                inline.push(range);
            }
            Event::Start(Tag::Table(_)) => tables.push(range),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. })
            | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::Rule => out.push(range),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => links.push((range.clone(), range.start)),
            Event::End(TagEnd::Link | TagEnd::Image) if links.last().is_some_and(|(link, _)| *link == range) => {
                out.extend(links.pop().map(|(link, end)| end..link.end));
            }
            _ => {}
        }
    }
    out.sort_by_key(|r| r.start);
    (subtract(merge(inline), &out), tables)
}

/// Sorted and without overlaps.
fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|r| r.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// `ranges` without the parts that lie in `holes`; both sorted.
fn subtract(ranges: Vec<Range<usize>>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut first = 0;
    for range in ranges {
        let mut at = range.start;
        while first < holes.len() && holes[first].end <= at {
            first += 1;
        }
        for hole in holes[first..].iter().take_while(|h| h.start < range.end) {
            if hole.start > at {
                left.push(at..hole.start);
            }
            at = at.max(hole.end);
        }
        if at < range.end {
            left.push(at..range.end);
        }
    }
    left
}

/// What a CJK-friendly parser marks, in offsets of `text`.
fn wanted(text: &str, inserted: &[(usize, &str)]) -> Vec<Mark> {
    let edits: Vec<Edit> = inserted.iter().map(|(at, what)| (*at..*at, (*what).to_owned())).collect();
    let helped = apply(text, &edits);
    // offset in `helped` after each insertion, and how much has been inserted up to there
    let mut grown = 0;
    let steps: Vec<(usize, usize)> = inserted
        .iter()
        .map(|(at, what)| {
            grown += what.len();
            (at + grown, grown)
        })
        .collect();
    let back = |at: usize| match steps.partition_point(|(end, _)| *end <= at) {
        0 => at,
        n => at - steps[n - 1].1,
    };
    let mut marks = marks_of(&helped);
    for mark in &mut marks {
        (mark.start, mark.end) = (back(mark.start), back(mark.end - 1) + 1);
    }
    marks
}

/// Every emphasised range that a plain parser finds, sorted.
fn marks_of(text: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Parser::new_ext(text, OPTIONS)
        .into_offset_iter()
        .filter_map(|(event, range)| {
            let (tag, width) = match event {
                Event::Start(Tag::Strong) => ("strong", 2),
                Event::Start(Tag::Emphasis) => ("em", 1),
                Event::Start(Tag::Strikethrough) => ("del", 2),
                _ => return None,
            };
            let byte = text.as_bytes()[range.start];
            (byte != b'_').then_some(Mark { start: range.start, end: range.end, tag, width })
        })
        .collect();
    marks.sort();
    marks
}

/// The bytes of the runs that are delimiters of no mark.
fn literals(runs: &[Run], marks: &[Mark]) -> Vec<usize> {
    let mut used: Vec<usize> =
        marks.iter().flat_map(|m| (m.start..m.start + m.width).chain(m.end - m.width..m.end)).collect();
    used.sort_unstable();
    runs.iter().flat_map(|r| r.range.clone()).filter(|at| used.binary_search(at).is_err()).collect()
}

/// Whether every reader of `CommonMark` sees the delimiters of a mark: letters inside, or blanks outside.
fn is_plain(text: &str, mark: &Mark) -> bool {
    let Mark { start, end, .. } = *mark;
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    (letter(text[start + mark.width..].chars().next()) || blank(text[..start].chars().next_back()))
        && (letter(text[..end - mark.width].chars().next_back()) || blank(text[end..].chars().next()))
}

/// The edits that write `as_tag` marks as tags and literal delimiters escaped, in order.
fn emitted(marks: &[Mark], as_tag: &[bool], literal: &[usize]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = literal.iter().map(|at| (*at..*at, "\\".to_owned())).collect();
    for (mark, _) in marks.iter().zip(as_tag).filter(|(_, tag)| **tag) {
        let Mark { start, end, .. } = *mark;
        edits.push((start..start + mark.width, format!("<{}>", mark.tag)));
        edits.push((end - mark.width..end, format!("</{}>", mark.tag)));
    }
    edits.sort_by_key(|(range, _)| range.start);
    edits
}

/// The text after `edits`, and where each mark then is.
fn moved(text: &str, marks: &[Mark], edits: &[Edit]) -> (String, Vec<Mark>) {
    let mut grown = 0isize;
    let steps: Vec<(usize, isize)> = edits
        .iter()
        .map(|(range, with)| {
            grown += with.len() as isize - range.len() as isize;
            (range.start, grown)
        })
        .collect();
    // an edit at the very offset stands before what begins there
    let to = |at: usize| match steps.partition_point(|(start, _)| *start <= at) {
        0 => at,
        n => at.saturating_add_signed(steps[n - 1].1),
    };
    let moved = marks.iter().map(|m| Mark { start: to(m.start), end: to(m.end - 1) + 1, ..*m }).collect();
    (apply(text, edits), moved)
}

/// The CJK characters of markdown-cjk-friendly: wide, full-width and half-width forms, and Hangul.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff | 0x20a9 | 0x2329..=0x232a | 0x2e80..=0x303e | 0x3041..=0xa4c6 | 0xa960..=0xa97c
        | 0xac00..=0xd7fb | 0xf900..=0xfaff | 0xfe10..=0xfe19 | 0xfe30..=0xfe6b | 0xff01..=0xffee
        | 0x16fe0..=0x1b2fb | 0x1f200..=0x1f265 | 0x20000..=0x3fffd | 0xe0100..=0xe01ef)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal(text: &str) -> String {
        apply(text, &edits(text))
    }

    fn ours(text: &str) -> String {
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, Parser::new_ext(&normal(text), OPTIONS));
        html
    }

    fn comrak(text: &str, cjk: bool) -> String {
        let mut options = comrak::Options::default();
        options.extension.strikethrough = true;
        options.extension.table = true;
        options.extension.cjk_friendly_emphasis = cjk;
        options.render.r#unsafe = true;
        comrak::markdown_to_html(text, &options)
    }

    #[test]
    fn marks_what_the_translator_marked() {
        for (text, is) in [
            ("**「語」**は", "<strong>「語」</strong>は"),
            ("**「a」**は**「b」**", "<strong>「a」</strong>は<strong>「b」</strong>"),
            ("**80%**가 목록", "<strong>80%</strong>가 목록"),
            ("値は**12.3 ms**です", "値は**12.3 ms**です"),
            ("3*4*5 と 2**3 の**値**", "3\\*4\\*5 と 2\\*\\*3 の**値**"),
            ("3~5초, 1~2분", "3\\~5초, 1\\~2분"),
            ("`a**b`と[x](http://a/**b)は**「語」**", "`a**b`と[x](http://a/**b)は<strong>「語」</strong>"),
            ("[**「a」**の](u)", "[<strong>「a」</strong>の](u)"),
            ("~~「語」~~は", "<del>「語」</del>は"),
            ("* 5 * 3\n* **「a」**は", "* 5 \\* 3\n* <strong>「a」</strong>は"),
            ("|a|b|\n|-|-|\n|**「x」**は|*「y」*|", "|a|b|\n|-|-|\n|<strong>「x」</strong>は|*「y」*|"),
            ("***「語」***は", "<em><strong>「語」</strong></em>は"),
            ("\\*「a」\\*は `x`", "\\*「a」\\*は `x`"),
            ("plain", "plain"),
        ] {
            assert_eq!(normal(text), is, "{text}");
        }
    }

    #[test]
    fn a_second_pass_changes_nothing() {
        for text in ["**「語」**は 3*4", "a * b **c** ~~d~~が", "***「x」* y**は"] {
            assert_eq!(normal(&normal(text)), normal(text));
        }
    }

    /// Inline Markdown as a careful writer makes it: delimiters hug their text.
    fn inline(depth: u32) -> BoxedStrategy<String> {
        let word = prop::collection::vec(
            prop::sample::select(vec![
                "語",
                "の",
                "は",
                "가",
                "입니다",
                "值",
                "文",
                "a",
                "gRPC",
                "9",
                "「",
                "」",
                "、",
                "。",
                "（",
                "）",
                "“",
                "”",
                "(",
                ")",
                ".",
                ",",
                "%",
                "！",
                "：",
                "·",
                " ",
                " x ",
                "é",
                "㎢",
                "ー",
                "〜",
                "…",
                "`c`",
                "`**`",
                "[l](u)",
                "\\*",
            ]),
            1..5,
        )
        .prop_map(|v| v.concat());
        if depth == 0 {
            return word.boxed();
        }
        let marked = (prop::sample::select(vec!["**", "*", "**", "~~"]), inline(depth - 1)).prop_map(|(d, inner)| {
            let inner = inner.trim();
            if inner.is_empty() || inner.starts_with(['*', '~']) || inner.ends_with(['*', '~']) {
                return inner.to_owned();
            }
            format!("{d}{inner}{d}")
        });
        prop::collection::vec(prop_oneof![2 => word, 1 => marked], 1..5)
            .prop_map(|pieces| {
                let mut text = String::new();
                for piece in pieces {
                    if text.ends_with(['*', '~']) && piece.starts_with(['*', '~']) {
                        text.push('x');
                    }
                    text.push_str(&piece);
                }
                text
            })
            .boxed()
    }

    /// What our own rules read differently on purpose: digits around a run, and strikethrough that only pulldown-cmark knows.
    fn ours_alone(text: &str) -> bool {
        runs(text).iter().any(|r| {
            let delimiter = &text[r.range.clone()];
            let cjk = is_cjk(r.before) || is_cjk(r.after);
            r.is_literal(text) || delimiter.starts_with('~') && !cjk
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn agrees_with_a_cjk_friendly_parser(text in inline(2)) {
            let text = format!("始{text}");
            if ours_alone(&text) {
                return Ok(());
            }
            let emitted = normal(&text);
            let truth = comrak(&text, true);
            prop_assert_eq!(&ours(&text), &truth, "{}", &emitted);
            prop_assert_eq!(&comrak(&emitted, false), &truth, "{}", &emitted);
        }

        #[test]
        fn never_panics(text in "[*~a語「」 `|\\\\\n<>\\[\\]()!_.>#-]{0,40}") {
            let once = normal(&text);
            let _ = normal(&once);
        }
    }
}
