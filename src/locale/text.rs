//! One string, parsed: inline Markdown and placeholders, told apart as `CommonMark` tells code from prose.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diag::{Place, Source};

/// A string of a catalogue, parsed.
#[derive(Clone, Debug)]
pub struct Text {
    /// What it is made of, in order.
    pub pieces: Vec<Piece>,
    pub(super) near: Vec<Near>,
    source: Source,
    span: Range<usize>,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Inline Markdown as the translator wrote it.
    Markdown(String),
    /// `{path.to.value:format}`
    Placeholder {
        /// The names between the dots; at least one.
        path: Vec<String>,
        /// What stands behind the colon.
        format: Option<String>,
        /// The bytes of the file that it takes, for [`Text::at`].
        span: Range<usize>,
    },
}

/// Plain text that was perhaps meant as a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Near {
    pub(super) path: Vec<String>,
    pub(super) span: Range<usize>,
    pub(super) why: Why,
}

/// Why it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    InCode,
    Malformed,
}

impl Text {
    /// Parses `value`, which stands at the bytes `span` of `source` as a TOML string (quotes included) or as it is.
    /// Blanks and line breaks at its end are dropped.
    pub fn parse(source: &Source, span: Range<usize>, value: &str) -> Self {
        let value = value.trim_end();
        let written = source.text().get(span.clone()).unwrap_or_default();
        let offset = offset(written, value).map(|within| span.start + within);
        // Where escapes stand between, a place inside the value is not known: then it is the whole value.
        let place = |s: Range<usize>| offset.map_or(span.clone(), |o| o + s.start..o + s.end);
        let (mut pieces, mut near) = parse(value);
        for piece in &mut pieces {
            if let Piece::Placeholder { span, .. } = piece {
                *span = place(span.clone());
            }
        }
        for n in &mut near {
            n.span = place(n.span.clone());
        }
        Self { pieces, near, source: source.clone(), span }
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        self.source.place(self.span.clone())
    }

    /// Where a piece of it stands, by the piece's `span`.
    pub fn at(&self, span: &Range<usize>) -> Place {
        self.source.place(span.clone())
    }

    /// The path, format and span of each placeholder, in order.
    pub fn placeholders(&self) -> impl Iterator<Item = (&[String], Option<&str>, &Range<usize>)> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder { path, format, span } => Some((path.as_slice(), format.as_deref(), span)),
            Piece::Markdown(_) => None,
        })
    }
}

/// As it stands in the catalogue.
impl std::fmt::Display for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Markdown(text) => f.write_str(text),
            Self::Placeholder { path, format: None, .. } => write!(f, "{{{}}}", path.join(".")),
            Self::Placeholder { path, format: Some(format), .. } => write!(f, "{{{}:{format}}}", path.join(".")),
        }
    }
}

/// Splits `text` into its pieces, which joined give `text` again, and finds what was perhaps meant as a placeholder.
/// Spans are bytes of `text`.
fn parse(text: &str) -> (Vec<Piece>, Vec<Near>) {
    let bytes = text.as_bytes();
    let code = CodeSpans::new(text);
    let mut out = Parsed { text, plain: 0, pieces: Vec::new(), near: Vec::new() };
    let mut at = 0;
    while at < bytes.len() {
        at += match bytes[at] {
            // `\{` and `` \` `` are the characters themselves; the slice below stays on a boundary, for both are ASCII.
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => 2,
            b'`' => {
                let run = run(bytes, at);
                match code.close(at + run, run) {
                    Some(close) => {
                        out.code(at + run..close);
                        close + run - at
                    }
                    None => run,
                }
            }
            b'{' => match run(bytes, at) {
                1 => out.brace(at),
                braces => out.malformed(at, braces),
            },
            0xEF if text[at..].starts_with(FULL_WIDTH_OPEN) => out.malformed(at, FULL_WIDTH_OPEN.len_utf8()),
            _ => 1,
        };
    }
    out.flush(text.len());
    (out.pieces, out.near)
}

/// Where `value` begins in `written`, the TOML string with its quotes (or the bare text); nothing if escapes stand between.
fn offset(written: &str, value: &str) -> Option<usize> {
    let quotes = ["'''", "\"\"\"", "'", "\""].into_iter().find(|q| written.starts_with(q)).map_or(0, str::len);
    let rest = &written[quotes..];
    let line_break = ["\r\n", "\n"].into_iter().find(|b| quotes == 3 && rest.starts_with(b)).map_or(0, str::len);
    rest[line_break..].starts_with(value).then_some(quotes + line_break)
}

const FULL_WIDTH_OPEN: char = '\u{FF5B}';

struct Parsed<'a> {
    text: &'a str,
    plain: usize,
    pieces: Vec<Piece>,
    near: Vec<Near>,
}

impl Parsed<'_> {
    /// Closes the Markdown that ends at `end`.
    fn flush(&mut self, end: usize) {
        if self.plain < end {
            self.pieces.push(Piece::Markdown(self.text[self.plain..end].to_owned()));
        }
    }

    /// One `{`, outside code: a placeholder or plain text. Gives how many bytes are done.
    fn brace(&mut self, at: usize) -> usize {
        let Some(found) = placeholder(&self.text[at..]) else { return self.malformed(at, 1) };
        let end = at + found.len;
        self.flush(at);
        self.plain = end;
        self.pieces.push(Piece::Placeholder { path: found.path, format: found.format, span: at..end });
        found.len
    }

    /// `open` bytes of braces that open no placeholder: perhaps they were meant to.
    fn malformed(&mut self, at: usize, open: usize) -> usize {
        let line = self.text[at + open..].lines().next().unwrap_or_default();
        let end = line.find(['}', '\u{FF5D}', '{', FULL_WIDTH_OPEN]).unwrap_or(line.len());
        let inside = line[..end].trim_start();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let name = &inside[..inside.find(|c| !is_name(c)).unwrap_or(inside.len())];
        if !name.is_empty() {
            let path = name.to_ascii_lowercase().split('.').map(str::to_owned).collect();
            let close: usize =
                line[end..].chars().take_while(|c| matches!(c, '}' | '\u{FF5D}')).map(char::len_utf8).sum();
            self.near.push(Near { path, span: at..at + open + end + close, why: Why::Malformed });
        }
        open
    }

    /// Code is plain text, whatever stands in it.
    fn code(&mut self, span: Range<usize>) {
        let code = &self.text[span.clone()];
        for (i, _) in code.match_indices('{') {
            if let Some(found) = placeholder(&code[i..]) {
                let at = span.start + i;
                self.near.push(Near { path: found.path, span: at..at + found.len, why: Why::InCode });
            }
        }
    }
}

struct Found {
    path: Vec<String>,
    format: Option<String>,
    len: usize,
}

/// `{root.path:format}` at the start of `text`.
fn placeholder(text: &str) -> Option<Found> {
    let inside = &text.strip_prefix('{')?;
    let end = inside.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | ':')))?;
    if !inside[end..].starts_with('}') {
        return None;
    }
    let (path, format) = match inside[..end].split_once(':') {
        Some((path, format)) => (path, Some(format)),
        None => (&inside[..end], None),
    };
    let root = path.split('.').next().unwrap_or_default();
    let is_root = root.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && !root.contains('-');
    let is_format = |f: &str| !f.is_empty() && f.bytes().all(|b| b.is_ascii_lowercase());
    let good = is_root && path.split('.').all(|name| !name.is_empty()) && format.is_none_or(is_format);
    good.then(|| Found {
        path: path.split('.').map(str::to_owned).collect(),
        format: format.map(str::to_owned),
        len: end + 2,
    })
}

/// How many bytes from `at` on are the same.
fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|b| **b == bytes[at]).count()
}

/// Where a code span may close: the runs of backticks by length, and the ends of the paragraphs.
struct CodeSpans {
    runs: BTreeMap<usize, Vec<usize>>,
    blank_lines: Vec<usize>,
}

impl CodeSpans {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut all = Self { runs: BTreeMap::new(), blank_lines: Vec::new() };
        let mut from = 0;
        while let Some(found) = memchr::memchr(b'`', &bytes[from..]) {
            let at = from + found;
            let len = run(bytes, at);
            all.runs.entry(len).or_default().push(at);
            from = at + len;
        }
        if !all.runs.is_empty() {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                if line.trim().is_empty() {
                    all.blank_lines.push(at);
                }
                at += line.len();
            }
        }
        all
    }

    /// The first run of exactly `len` backticks from `from` on in the same paragraph.
    fn close(&self, from: usize, len: usize) -> Option<usize> {
        let next = |all: &[usize]| all.get(all.partition_point(|at| *at < from)).copied();
        let close = next(self.runs.get(&len)?)?;
        next(&self.blank_lines).is_none_or(|end| close < end).then_some(close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces in one line: placeholders as `<path|format>`.
    fn shown(text: &str) -> String {
        let (pieces, _) = parse(text);
        let one = |p: &Piece| match p {
            Piece::Markdown(text) => text.clone(),
            Piece::Placeholder { path, format, .. } => {
                format!("<{}|{}>", path.join("/"), format.as_deref().unwrap_or_default())
            }
        };
        pieces.iter().map(one).collect()
    }

    fn near(text: &str) -> Vec<(String, Why, &str)> {
        parse(text).1.into_iter().map(|n| (n.path.join("/"), n.why, &text[n.span])).collect()
    }

    #[test]
    fn placeholders_have_a_path_and_perhaps_a_format() {
        assert_eq!(shown("연결 {etcd_client_connections}개"), "연결 <etcd_client_connections|>개");
        assert_eq!(shown("약 {cri_total:approx}"), "약 <cri_total|approx>");
        assert_eq!(shown("{cri.list_containers}{open.0}"), "<cri/list_containers|><open/0|>");
        assert_eq!(shown("{host.etcd-sockets} {_x9}"), "<host/etcd-sockets|> <_x9|>");
    }

    #[test]
    fn any_other_brace_is_plain_text() {
        for text in [
            "{",
            "}",
            "{}",
            "{ a }",
            "{a",
            "{a b}",
            "{A}",
            "{9}",
            "{a.}",
            "{.a}",
            "{a..b}",
            "{a-b}",
            "{a:}",
            "{a:B}",
            "{a:b:c}",
            "{job=\"x\"}",
            "{{a}}",
            "{{{a}}}",
            "{{ .Values.x }}",
            "\\{a}",
            "{a\n}",
            "{가}",
            "｛a｝",
        ] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("\\\\{a}"), "\\\\<a|>");
        assert_eq!(shown("{{a}} {b}}"), "{{a}} <b|>}");
    }

    #[test]
    fn code_spans_close_at_a_run_of_the_same_length() {
        for (text, out) in [
            ("`{a}` {b}", "`{a}` <b|>"),
            ("``{a}` {b}`` {c}", "``{a}` {b}`` <c|>"),
            ("`{a} {b}", "`<a|> <b|>"),
            ("`` `{a}` ``{b}", "`` `{a}` ``<b|>"),
            ("``{a}`", "``<a|>`"),
            ("\\`{a}`", "\\`<a|>`"),
            ("`\\`{a}`{b}`", "`\\`<a|>`{b}`"),
            ("\\``{a}`", "\\``{a}`"),
            ("`a\n\n{b}`", "`a\n\n<b|>`"),
            ("`a\n{b}`", "`a\n{b}`"),
            ("\n`{a}`", "\n`{a}`"),
        ] {
            assert_eq!(shown(text), out, "{text:?}");
        }
    }

    #[test]
    fn what_was_perhaps_meant_is_told() {
        assert_eq!(near("`{a.b:approx}` {c}"), [("a/b".into(), Why::InCode, "{a.b:approx}")]);
        for text in
            ["{ a }", "{A}", "{a", "{a|approx}", "{a：approx}", "｛a｝", "｛a}", "{{a}}", "{{ a }}", "{a:Approx}"]
        {
            assert_eq!(near(text), [("a".into(), Why::Malformed, text)], "{text}");
        }
        assert_eq!(near("{ \n{} {{}} \\{a} {a}"), []);
    }

    #[test]
    fn places_are_those_of_the_file() {
        assert_eq!(offset("'x {a}'", "x {a}"), Some(1));
        assert_eq!(offset("'''\nx\n'''", "x"), Some(4));
        assert_eq!(offset("'''\r\nx'''", "x"), Some(5));
        assert_eq!(offset("\"\"\"x\"\"\"", "x"), Some(3));
        assert_eq!(offset("\"a\\tb\"", "a\tb"), None);
        assert_eq!(offset("''", ""), Some(1));
    }

    /// Strings of the characters that matter.
    const SOUP: &str = "([{}:`\\\\a_.1\n가｛｝]|\\{a\\}|\\{a\\.b:approx\\}|``){0,40}";

    proptest::proptest! {
        #[test]
        fn pieces_joined_are_the_source(text in SOUP) {
            let (pieces, _) = parse(&text);
            proptest::prop_assert_eq!(pieces.iter().map(ToString::to_string).collect::<String>(), text);
        }

        #[test]
        fn spans_hold_what_they_say(text in SOUP) {
            let (pieces, near) = parse(&text);
            for piece in &pieces {
                if let Piece::Placeholder { span, .. } = piece {
                    proptest::prop_assert_eq!(&text[span.clone()], piece.to_string());
                }
            }
            for n in near {
                proptest::prop_assert!(text.get(n.span).is_some());
            }
        }

        /// The oracle: pulldown-cmark's code spans are those that hide a placeholder.
        #[test]
        fn code_is_what_a_markdown_parser_takes_for_code(text in "([`\\\\ab ]|\\{a\\}|``){0,30}") {
            use pulldown_cmark::{Event, Parser};
            let events = Parser::new(&text).into_offset_iter();
            let spans: Vec<_> = events.filter(|(e, _)| matches!(e, Event::Code(_))).map(|(_, s)| s).collect();
            let block = Parser::new(&text).next();
            proptest::prop_assume!(!matches!(block, Some(Event::Start(pulldown_cmark::Tag::CodeBlock(_)))));
            for piece in parse(&text).0 {
                if let Piece::Placeholder { span, .. } = piece {
                    proptest::prop_assert!(!spans.iter().any(|s| s.contains(&span.start)), "{:?} {:?}", text, span);
                }
            }
            for n in parse(&text).1 {
                if n.why == Why::InCode {
                    proptest::prop_assert!(spans.iter().any(|s| s.contains(&n.span.start)), "{:?} {:?}", text, n.span);
                }
            }
        }
    }
}
