//! Walking along a line: names, quoted texts, labels, values, times.

use std::borrow::Cow;

use super::{Flaw, Label, float, is_name};

/// The line, how far it is read, and the first thing in it that only one of the formats forbids.
pub(super) struct Cursor<'a> {
    pub(super) line: &'a str,
    pub(super) at: usize,
    pub(super) plain: Option<Flaw>,
    pub(super) openmetrics: Option<Flaw>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { line, at: 0, plain: None, openmetrics: None }
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    pub(super) fn take(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.line[self.at..];
        let taken = &rest[..rest.bytes().position(|b| !is(b)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    pub(super) fn blanks(&mut self) -> &'a str {
        self.take(|b| matches!(b, b' ' | b'\t'))
    }

    /// Notes what only OpenMetrics forbids.
    pub(super) fn loose(&mut self, at: usize, code: &'static str, message: &'static str, help: &'static str) {
        self.openmetrics = self.openmetrics.or(Some(Flaw { at, code, message, help }));
    }

    /// Takes the blanks here; OpenMetrics wants just `expected`.
    pub(super) fn gap(&mut self, expected: &str) {
        let start = self.at;
        if self.blanks() != expected {
            let help = "one blank before value, timestamp, `#` and exemplar, no other";
            self.loose(start, "exposition-blank", "OpenMetrics has another number of blanks here", help);
        }
    }

    /// Whether something follows on the line, after the blank before it.
    pub(super) fn more(&mut self) -> bool {
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

    /// The text of a value.
    pub(super) fn value(&mut self) -> Result<&'a str, Flaw> {
        let at = self.at;
        let text = self.take(|b| !matches!(b, b' ' | b'\t'));
        float(text).map(|_| text).ok_or(Flaw {
            at,
            code: "exposition-value",
            message: if text.is_empty() { "a value is missing" } else { "this is no value" },
            help: "a decimal number, NaN, +Inf or -Inf",
        })
    }

    /// Milliseconds as a whole number in the plain format, seconds in OpenMetrics.
    pub(super) fn time(&mut self) -> Result<&'a str, Flaw> {
        let at = self.at;
        let text = self.take(|b| !matches!(b, b' ' | b'\t'));
        let flaw = |message, help| Flaw { at, code: "exposition-timestamp", message, help };
        let plain = text.parse::<i64>().is_ok();
        let openmetrics = float(text).is_some_and(f64::is_finite);
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
    pub(super) fn labels(&mut self, name: &mut Option<Cow<'a, str>>) -> Result<Vec<Label<'a>>, Flaw> {
        let flaw = |at, message, help| Flaw { at, code: "exposition-label", message, help };
        let mut labels = Vec::with_capacity(8);
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
    pub(super) fn comma(&mut self) -> Result<Option<usize>, Flaw> {
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
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Flaw> {
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
