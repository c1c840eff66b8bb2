//! One line → its parts, borrowed, and the first thing in it that either format forbids.

use std::borrow::Cow;

use super::{Flaw, Keyword, Label, Lexed, Line, Raw, RawExemplar, decimal, float, is_name, sample_value, starts_name};

/// The most characters that names and values of an exemplar's labels have together, by OpenMetrics.
const EXEMPLAR_CHARACTERS: usize = 128;

/// Whether a line ends an OpenMetrics file, if not quite rightly.
pub(super) fn is_eof(line: &str) -> bool {
    line.starts_with("# EOF")
}

/// Lexes a line. An `Err` is wrong by both formats.
pub(super) fn lex(line: &str) -> Result<Lexed<'_>, Flaw> {
    let mut cursor = Cursor { line, at: 0, plain: None, openmetrics: None };
    let lexed = match line.trim_ascii_start().as_bytes().first() {
        None => {
            cursor.loose(0, "exposition-blank", "OpenMetrics has no blank lines", "leave the line out");
            Line::Nothing
        }
        Some(b'#') => comment(&mut cursor)?,
        Some(_) => Line::Sample(sample(&mut cursor)?),
    };
    Ok(Lexed { line: lexed, plain: cursor.plain, openmetrics: cursor.openmetrics })
}

struct Cursor<'a> {
    line: &'a str,
    at: usize,
    plain: Option<Flaw>,
    openmetrics: Option<Flaw>,
}

fn comment<'a>(c: &mut Cursor<'a>) -> Result<Line<'a>, Flaw> {
    if is_eof(c.line) {
        if c.line != "# EOF" {
            c.loose(5, "exposition-end", "something follows `# EOF`", "`# EOF` stands alone on the last line");
        }
        return Ok(Line::Eof);
    }
    c.gap("");
    c.at += 1;
    c.gap(" ");
    let keyword = match c.take(|b| !matches!(b, b' ' | b'\t')) {
        "HELP" => Keyword::Help,
        "TYPE" => Keyword::Type,
        "UNIT" => Keyword::Unit,
        _ => {
            c.loose(0, "exposition-metadata", "OpenMetrics has no comments", "leave the line out");
            return Ok(Line::Nothing);
        }
    };
    c.gap(" ");
    if c.peek().is_none() {
        c.loose(c.at, "exposition-metadata", "the metadata names no family", "write `# TYPE name type`");
        return Ok(Line::Nothing);
    }
    let start = c.at;
    let family = match c.peek() {
        Some(b'"') => c.string()?,
        Some(b) if starts_name(b) => Cow::Borrowed(c.take(is_name)),
        _ => Cow::Borrowed(""),
    };
    if family.is_empty() || !matches!(c.peek(), None | Some(b' ' | b'\t')) {
        return match keyword {
            // `# UNIT` is a mere comment in the plain format
            Keyword::Unit => {
                c.openmetrics = c.openmetrics.or(Some(bad_name(c.at)));
                Ok(Line::Nothing)
            }
            Keyword::Help | Keyword::Type => Err(bad_name(if family.is_empty() { start } else { c.at })),
        };
    }
    if c.peek() != Some(b' ') {
        c.loose(c.at, "exposition-metadata", "the metadata has no text", "a blank and the text follow the name");
    }
    c.at += usize::from(c.peek().is_some());
    let text = &c.line[c.at..];
    if keyword == Keyword::Type {
        kind(c, text)?;
    }
    Ok(Line::Metadata { keyword, family, text, at: c.at })
}

/// Checks the word of a `# TYPE`.
fn kind(c: &mut Cursor<'_>, text: &str) -> Result<(), Flaw> {
    let flaw = |help| Flaw { at: c.at, code: "exposition-type", message: "this is no type of a family", help };
    match text.trim_matches([' ', '\t']) {
        "counter" | "gauge" | "histogram" | "summary" => {}
        // by the plain format's own parser the line says nothing then
        "" => {}
        "untyped" => c.openmetrics = c.openmetrics.or(Some(flaw("OpenMetrics calls it `unknown`"))),
        "unknown" | "info" | "stateset" | "gaugehistogram" => {
            c.plain = c.plain.or(Some(flaw(
                "only OpenMetrics has it, whose last line is `# EOF`: if the capture was cut off, take it again",
            )));
        }
        _ => return Err(flaw("counter, gauge, histogram, summary, untyped; in OpenMetrics also unknown, info, stateset, gaugehistogram")),
    }
    if text.trim_matches([' ', '\t']) != text || text.is_empty() {
        c.loose(c.at, "exposition-type", "blanks stand around the type", "one blank before it, none behind");
    }
    Ok(())
}

fn sample<'a>(c: &mut Cursor<'a>) -> Result<Raw<'a>, Flaw> {
    c.gap("");
    let mut name = match c.peek() {
        Some(b) if starts_name(b) => Some(Cow::Borrowed(c.take(is_name))),
        Some(b'{') => None,
        _ => return Err(bad_name(c.at)),
    };
    let blank = c.at;
    c.blanks();
    let labels_at = c.at;
    let labels = if c.peek() == Some(b'{') {
        if blank != c.at {
            c.loose(blank, "exposition-blank", "a blank stands before the labels", "write `name{label=\"text\"} value`");
        }
        let labels = c.labels(&mut name)?;
        if name.is_none() {
            return Err(Flaw { help: "it stands before the labels, or in quotes among them", ..bad_name(labels_at) });
        }
        c.gap(" ");
        labels
    } else {
        if blank == c.at && c.peek().is_some() {
            return Err(bad_name(c.at));
        }
        c.at = blank;
        c.gap(" ");
        Vec::new()
    };
    let value_at = c.at;
    let value = c.value()?;
    let mut time = None;
    if c.more() && c.peek() != Some(b'#') {
        time = Some(c.time()?);
    }
    let mut exemplar = None;
    if c.peek() == Some(b'#') {
        let flaw = Flaw {
            at: c.at,
            code: "exposition-exemplar",
            message: "the plain text format has no exemplars",
            help: "OpenMetrics has, whose last line is `# EOF`: if the capture was cut off, take it again",
        };
        c.plain = c.plain.or(Some(flaw));
        exemplar = Some(self::exemplar(c)?);
    }
    if c.peek().is_some() {
        return Err(Flaw {
            at: c.at,
            code: "exposition-end",
            message: "something follows the sample",
            help: "a line is a name, labels, a value and perhaps a timestamp",
        });
    }
    let name = name.unwrap_or_default();
    Ok(Raw { name, labels, value, time, exemplar, labels_at, value_at })
}

fn exemplar<'a>(c: &mut Cursor<'a>) -> Result<RawExemplar<'a>, Flaw> {
    let flaw = |at, message| Flaw {
        at,
        code: "exposition-exemplar",
        message,
        help: "write `value # {label=\"text\"} value timestamp`",
    };
    c.at += 1;
    c.gap(" ");
    let start = c.at;
    if c.peek() != Some(b'{') {
        return Err(flaw(start, "an exemplar begins with its labels"));
    }
    let mut name = Some(Cow::Borrowed("an exemplar has none"));
    let labels = c.labels(&mut name)?;
    let characters = |text: &str| text.chars().count();
    if labels.iter().map(|l| characters(&l.name) + characters(&l.text)).sum::<usize>() > EXEMPLAR_CHARACTERS {
        c.loose(start, "exposition-exemplar", "the exemplar's labels have more than 128 characters", "OpenMetrics forbids it");
    }
    c.gap(" ");
    let value = c.value()?;
    let mut time = None;
    if c.more() {
        let start = c.at;
        let text = c.take(|b| !matches!(b, b' ' | b'\t'));
        if !float(text).is_some_and(f64::is_finite) {
            return Err(flaw(start, "this is no timestamp in seconds"));
        }
        time = Some(text);
        c.more();
    }
    Ok(RawExemplar { labels, value, time })
}

fn bad_name(at: usize) -> Flaw {
    Flaw {
        at,
        code: "exposition-name",
        message: "expected the name of a series",
        help: "letters, digits, `_` and `:`, no digit first; any other name in quotes: `{\"a.b\", label=\"text\"} 1`",
    }
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.line[self.at..];
        let taken = &rest[..rest.bytes().position(|b| !is(b)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn blanks(&mut self) -> &'a str {
        self.take(|b| matches!(b, b' ' | b'\t'))
    }

    /// Notes what only OpenMetrics forbids.
    fn loose(&mut self, at: usize, code: &'static str, message: &'static str, help: &'static str) {
        self.openmetrics = self.openmetrics.or(Some(Flaw { at, code, message, help }));
    }

    /// Takes the blanks here; OpenMetrics wants just `expected`.
    fn gap(&mut self, expected: &str) {
        let start = self.at;
        if self.blanks() != expected {
            let help = "one blank before value, timestamp, `#` and exemplar, no other";
            self.loose(start, "exposition-blank", "OpenMetrics has another number of blanks here", help);
        }
    }

    /// Whether something follows on the line, after the blank before it.
    fn more(&mut self) -> bool {
        let start = self.at;
        if self.blanks() == " " && self.peek().is_some() {
            return true;
        }
        if self.at != start {
            let help = "one blank before value, timestamp, `#` and exemplar, no other";
            self.loose(start, "exposition-blank", "OpenMetrics has another number of blanks here", help);
        }
        self.peek().is_some()
    }

    fn value(&mut self) -> Result<serde_json::Value, Flaw> {
        let at = self.at;
        let text = self.take(|b| !matches!(b, b' ' | b'\t'));
        sample_value(text).ok_or(Flaw {
            at,
            code: "exposition-value",
            message: if text.is_empty() { "a value is missing" } else { "this is no value" },
            help: "a decimal number, NaN, +Inf or -Inf",
        })
    }

    /// Milliseconds as a whole number in the plain format, seconds in OpenMetrics.
    fn time(&mut self) -> Result<&'a str, Flaw> {
        let at = self.at;
        let text = self.take(|b| !matches!(b, b' ' | b'\t'));
        let flaw = |message, help| Flaw { at, code: "exposition-timestamp", message, help };
        let plain = text.parse::<i64>().is_ok();
        let openmetrics = float(text).is_some_and(f64::is_finite) && decimal(text).is_some();
        match (plain, openmetrics) {
            (_, true) => {
                if !plain {
                    let help = "the plain text format has whole milliseconds; seconds with decimals are OpenMetrics";
                    self.plain = self.plain.or(Some(flaw("this is no timestamp in milliseconds", help)));
                }
                self.more();
                Ok(text)
            }
            _ => Err(flaw("this is no timestamp", "whole milliseconds, or in OpenMetrics seconds with decimals")),
        }
    }

    /// `{…}`; a quoted text without `=` is the name of the series.
    fn labels(&mut self, name: &mut Option<Cow<'a, str>>) -> Result<Vec<Label<'a>>, Flaw> {
        let flaw = |at, message, help| Flaw { at, code: "exposition-label", message, help };
        let mut labels = Vec::new();
        self.at += 1;
        let mut comma = None;
        loop {
            self.gap("");
            let at = self.at;
            let label = match self.peek() {
                Some(b'}') => {
                    if let Some(at) = comma {
                        self.loose(at, "exposition-label", "a comma stands before `}`", "leave it out");
                    }
                    self.at += 1;
                    return Ok(labels);
                }
                Some(b'"') => {
                    let text = self.string()?;
                    self.gap("");
                    if self.peek() != Some(b'=') {
                        if name.is_some() || text.is_empty() {
                            return Err(flaw(at, "the name of a series does not belong here", "one name a sample"));
                        }
                        *name = Some(text);
                        comma = self.comma()?;
                        continue;
                    }
                    text
                }
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':') => Cow::Borrowed(self.take(is_name)),
                _ => {
                    let help = "letters, digits and `_`, no digit first; any other in quotes";
                    return Err(flaw(at, "expected the name of a label", help));
                }
            };
            if label.contains(':') && self.line.as_bytes()[at] != b'"' {
                self.loose(at, "exposition-label", "a label's name has a `:`", "write it in quotes");
            }
            self.gap("");
            if self.peek() != Some(b'=') {
                return Err(flaw(self.at, "expected `=`", "a label is written `name=\"text\"`"));
            }
            self.at += 1;
            self.gap("");
            if self.peek() != Some(b'"') {
                return Err(flaw(self.at, "expected a text in double quotes", "a label is written `name=\"text\"`"));
            }
            let text = self.string()?;
            labels.push(Label { name: label, text, at });
            comma = self.comma()?;
        }
    }

    /// The comma before another label, or nothing before `}`.
    fn comma(&mut self) -> Result<Option<usize>, Flaw> {
        self.gap("");
        let at = self.at;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(Some(at))
            }
            Some(b'}') => Ok(None),
            _ => Err(Flaw {
                at,
                code: "exposition-label",
                message: "expected `,` or `}`",
                help: "labels are written `{a=\"text\",b=\"text\"}`",
            }),
        }
    }

    /// A text in double quotes.
    fn string(&mut self) -> Result<Cow<'a, str>, Flaw> {
        self.at += 1;
        let start = self.at;
        let bytes = self.line.as_bytes();
        let mut text = String::new();
        let mut from = start;
        loop {
            let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[self.at..]) else {
                return Err(Flaw {
                    at: start - 1,
                    code: "exposition-label",
                    message: "this quote is never closed",
                    help: "a text ends on its line; a line break in it is written `\\n`",
                });
            };
            self.at += found;
            if bytes[self.at] == b'"' {
                let rest = &self.line[from..self.at];
                self.at += 1;
                return Ok(if from == start { Cow::Borrowed(rest) } else { Cow::Owned(text + rest) });
            }
            let plain = match bytes.get(self.at + 1) {
                Some(b'n') => "\n",
                Some(b'\\') => "\\",
                Some(b'"') => "\"",
                // OpenMetrics keeps both characters
                _ => {
                    let help = "write `\\\\`, `\\\"` or `\\n`; a backslash itself is `\\\\`";
                    let flaw = Flaw { at: self.at, code: "exposition-label", message: "this is no escape", help };
                    self.plain = self.plain.or(Some(flaw));
                    text.push_str(&self.line[from..=self.at]);
                    self.at += 1;
                    from = self.at;
                    continue;
                }
            };
            text.push_str(&self.line[from..self.at]);
            text.push_str(plain);
            self.at += 2;
            from = self.at;
        }
    }
}
