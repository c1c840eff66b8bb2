//! Plain text as Markdown, and Markdown as one safe line.

use pulldown_cmark::{Event, Parser};

use super::{END, FIGURE, SHOWN};

/// `text` as a code span that shows exactly it, blanks at its ends aside.
pub fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // one blank on each side is not shown, and keeps a backquote off the fence
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `text` as Markdown that shows exactly it, wherever in a line it stands.
pub fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// What a reader sees of inline Markdown, as plain text without the marks of figures.
pub fn text_of(inline: &str) -> String {
    let mut markdown = String::with_capacity(inline.len());
    let mut rest = inline;
    while let Some((before, figure)) = rest.split_once(FIGURE) {
        markdown.push_str(before);
        rest = figure.split_once(SHOWN).map_or("", |(_, shown)| shown);
    }
    markdown.push_str(rest);
    let mut shown = String::with_capacity(markdown.len());
    for event in Parser::new(&markdown.replace(END, "")) {
        match event {
            Event::Text(text) | Event::Code(text) => shown.push_str(&text),
            Event::SoftBreak | Event::HardBreak => shown.push(' '),
            _ => {}
        }
    }
    shown
}

/// A translator's inline Markdown without what is no inline Markdown: HTML becomes text.
pub(super) fn inline(markdown: &str) -> String {
    let mut safe = String::with_capacity(markdown.len() + 8);
    let mut rest = markdown;
    while let Some(at) = rest.find(['`', '\\', '<']) {
        safe.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'`' => code_span(rest),
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => autolink(rest).unwrap_or_else(|| {
                safe.push('\\');
                1
            }),
        };
        safe.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    safe.push_str(rest);
    safe
}

/// Bytes of the code span at the start of `text`; of the run of backquotes if nothing closes it.
fn code_span(text: &str) -> usize {
    let fence = text.bytes().take_while(|b| *b == b'`').count();
    let mut at = fence;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].bytes().take_while(|b| *b == b'`').count();
        at += found + run;
        if run == fence {
            return at;
        }
    }
    fence
}

/// Bytes of the link in angle brackets at the start of `text`.
fn autolink(text: &str) -> Option<usize> {
    let address = &text[1..];
    let end = address.find(|c: char| c == '>' || c == '<' || c.is_whitespace() || c.is_control())?;
    let is_link = address.starts_with("https://") || address.starts_with("http://");
    (is_link && address[end..].starts_with('>')).then_some(end + 2)
}

/// What a line break between two visible characters becomes: nothing inside Chinese and Japanese, else a blank.
pub fn joint(before: char, after: char) -> &'static str {
    let quote = |c| matches!(c, '“' | '”' | '‘' | '’' | '…' | '—' | '·');
    let joins = |a, b| is_unspaced(a) && (is_unspaced(b) || quote(b));
    // full-width stops and brackets bring their own space
    let closes = "、。，．；：！？」』）】》〉〕".contains(before);
    let opens = "「『（【《〈〔".contains(after);
    if closes || opens || joins(before, after) || joins(after, before) { "" } else { " " }
}

/// Scripts that are written without blanks: Han, kana, bopomofo, Yi, and full-width forms. Not Hangul.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x2e80..=0x303f | 0x3041..=0x312f | 0x31a0..=0x31ff | 0x3220..=0x325f | 0x3280..=0x4dbf | 0x4e00..=0xa4cf
        | 0xf900..=0xfaff | 0xfe10..=0xfe1f | 0xfe30..=0xfe6f | 0xff01..=0xff9f | 0xffe0..=0xffe6
        | 0x1b000..=0x1b16f | 0x20000..=0x3ffff)
}

/// The lines of a string as one line.
pub(super) fn one_line(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    for next in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if let (Some(before), Some(after)) = (last_shown(&line), first_shown(next)) {
            line.push_str(joint(before, after));
        }
        line.push_str(next);
    }
    line
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '*' | '~' | '`' | END)
}

fn last_shown(text: &str) -> Option<char> {
    text.chars().rev().find(|c| !is_delimiter(*c))
}

fn first_shown(text: &str) -> Option<char> {
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            FIGURE => {
                chars.find(|c| *c == SHOWN)?;
            }
            c if is_delimiter(c) || c == '[' => {}
            c => return Some(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_shows_what_it_is_given() {
        assert_eq!(code("ss -Htn"), "`ss -Htn`");
        assert_eq!(code("a `b` c"), "`` a `b` c ``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a b`");
    }

    #[test]
    fn html_of_a_translator_is_text() {
        assert_eq!(inline("a <b> `<b>` \\<b <https://x.org/>"), "a \\<b> `<b>` \\<b <https://x.org/>");
        assert_eq!(inline("<script>`"), "\\<script>`");
        assert_eq!(inline("<https://x y>"), "\\<https://x y>");
    }

    #[test]
    fn lines_join_as_the_script_wants() {
        for (text, is) in [
            ("接続が\n増える", "接続が増える"),
            ("연결이\n늘어난다", "연결이 늘어난다"),
            ("gRPC\nchannel", "gRPC channel"),
            ("接続は\ngRPC である", "接続は gRPC である"),
            ("第一，\n第二", "第一，第二"),
            ("他说：\n“好”", "他说：“好”"),
            ("**接続**\n**増加**", "**接続****増加**"),
            ("は\n\u{E000}x\u{E001}247\u{E002}\n本", "は \u{E000}x\u{E001}247\u{E002} 本"),
            ("a\n\n  b\n", "a b"),
        ] {
            assert_eq!(one_line(text), is, "{text}");
        }
    }
}
