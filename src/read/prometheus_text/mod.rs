//! The text formats that Prometheus scrapes: the plain one (0.0.4) and OpenMetrics 1.0.
//!
//! Only its last line, `# EOF`, says that a file is OpenMetrics. So each line is lexed once, with what is wrong in it by
//! either format; the rules over several lines are those of the format that the end of the file tells.
//!
//! Where a part needs only some series, lines of other series are skipped by their name or by the bytes of a wanted label
//! value. Such a line is not checked further, and metadata that no kept series can have is neither kept nor checked.

mod flaw;
mod lexer;
mod openmetrics;
mod plain;
mod record;
mod skip;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Findings, Input, Layout, Reader, Record, Want, decimal, float, milliseconds, sample_value};
use crate::diag::{Diagnostic, Outcome, Place};
use flaw::{Flaw, Wrong, after_eof, column, unfinished};

/// Format `prometheus-text`.
#[derive(Debug)]
pub(super) struct PrometheusText;

/// The formats that have rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// Prometheus text format 0.0.4.
    Plain,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

/// A line that counts, with its number.
#[derive(Debug)]
struct Entry {
    line: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    Metadata(Metadata),
    Sample(Sample),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    Help,
    Type,
    Unit,
}

/// `# HELP`, `# TYPE` or `# UNIT`: `text` is what stands after one blank behind the name.
#[derive(Debug)]
struct Metadata {
    keyword: Keyword,
    family: String,
    text: String,
    /// Where the text begins.
    at: usize,
}

/// A sample. `metric` has `__name__` first, then the labels; `time` is the text as it is in the file.
#[derive(Debug)]
struct Sample {
    metric: Map<String, Value>,
    value: Value,
    time: Option<Box<str>>,
    exemplar: Option<Value>,
    labels_at: usize,
    value_at: usize,
}

impl Sample {
    fn name(&self) -> &str {
        self.label("__name__").unwrap_or_default()
    }

    fn label(&self, name: &str) -> Option<&str> {
        self.metric.get(name).and_then(Value::as_str)
    }

    /// The value as a float.
    fn float(&self) -> f64 {
        match &self.value {
            Value::String(text) => float(text),
            number => number.as_f64(),
        }
        .unwrap_or(f64::NAN)
    }
}

/// A line as the lexer sees it, with the first thing in it that either format forbids.
#[derive(Debug)]
struct Lexed<'a> {
    line: Line<'a>,
    plain: Option<Flaw>,
    openmetrics: Option<Flaw>,
}

#[derive(Debug)]
enum Line<'a> {
    Nothing,
    Eof,
    Metadata { keyword: Keyword, family: Cow<'a, str>, text: &'a str, at: usize },
    Sample(Raw<'a>),
}

/// A sample that borrows its line.
#[derive(Debug)]
struct Raw<'a> {
    name: Cow<'a, str>,
    labels: Vec<Label<'a>>,
    value: &'a str,
    time: Option<&'a str>,
    exemplar: Option<RawExemplar<'a>>,
    labels_at: usize,
    value_at: usize,
}

#[derive(Debug)]
struct Label<'a> {
    name: Cow<'a, str>,
    text: Cow<'a, str>,
    at: usize,
}

#[derive(Debug)]
struct RawExemplar<'a> {
    labels: Vec<Label<'a>>,
    value: &'a str,
    time: Option<&'a str>,
}

impl Reader for PrometheusText {
    fn format(&self) -> &'static str {
        "prometheus-text"
    }

    fn about(&self) -> &'static str {
        "what an exporter serves: curl …/metrics, in the Prometheus text format 0.0.4 or OpenMetrics 1.0"
    }

    fn form(&self) -> &'static str {
        r##"The form of `prometheus-api` for a vector, with the name of each series in `__name__` and the metadata beside it.
Times are seconds, `null` where the file has none; values are numbers with the text of the file, or `"NaN"`, `"+Inf"`,
`"-Inf"`. `exemplar`, `type`, `help` and `unit` are left out where the file has none.

```json
{"resultType": "vector",
 "result": [{"metric": {"__name__": "x_total", "code": "200"}, "value": [null, 1.204e+06],
             "exemplar": {"labels": {"trace_id": "1f"}, "value": 0.5, "timestamp": 1792173634.797}}],
 "metadata": {"x": {"type": "counter", "help": "Requests.", "unit": ""}}}
```

A file with a line `# EOF` is OpenMetrics and held to its rules. With `series` or `where` only the series that fit are
kept, with their metadata; other lines need not be right."##
    }

    fn layout(&self) -> Layout {
        Layout::Lines
    }

    fn read(&self, input: Input<'_>, want: &Want) -> Outcome<Record> {
        let path = input.path();
        let mut lines = input.lines();
        let mut skip = skip::Skip::new(want);
        let mut entries = Vec::new();
        let mut wrong = Wrong { path, plain: Findings::default(), openmetrics: Findings::default() };
        let mut dialect = Dialect::Plain;
        let mut count = 0;
        while let Some(next) = lines.next() {
            let (number, line) = match next {
                Ok(next) => next,
                Err(last) => return Err(wrong.of(dialect).end(last)),
            };
            count = number;
            if dialect == Dialect::OpenMetrics {
                wrong.openmetrics.push(after_eof().in_line(path, number, line));
                break;
            }
            if skip.skips(line) || (wrong.is_over() && !lexer::is_eof(line)) {
                continue;
            }
            let kept = lexer::lex(line).and_then(|lexed| {
                wrong.note(lexed.plain, lexed.openmetrics, (number, line));
                if matches!(lexed.line, Line::Eof) {
                    dialect = Dialect::OpenMetrics;
                }
                keep(lexed.line, line, &skip)
            });
            match kept {
                Ok(what) => entries.extend(what.map(|what| Entry { line: number, what })),
                Err(flaw) => wrong.note(Some(flaw), Some(flaw), (number, line)),
            }
        }
        if count == 0 {
            return Err(Diagnostic::error("capture-empty", "the capture is empty")
                .with_place(Place::file(path))
                .with_help("take it again; let curl fail on errors (`curl -fsS`)")
                .into());
        }
        if dialect == Dialect::Plain && count == 1 && !lines.ended() {
            wrong.plain.push(unfinished().at(path, 1, 0));
        }
        let mut findings = wrong.of(dialect);
        // what a line with a mistake would have held is not missed as well
        let whole = skip.is_everything() && findings.is_empty();
        let mut push = |line: usize, flaw: Flaw| findings.push(flaw.at(path, line, flaw.at));
        match dialect {
            Dialect::Plain => plain::check(&entries, &mut push),
            Dialect::OpenMetrics => openmetrics::check(&entries, whole, &mut push),
        }
        findings.or_value(path, ())?;
        Ok(record::record(entries, dialect, skip.is_everything()))
    }
}

/// What is kept of a line.
fn keep(line: Line<'_>, text: &str, skip: &skip::Skip<'_>) -> Result<Option<What>, Flaw> {
    Ok(match line {
        Line::Metadata { keyword, family, text: words, at } if skip.wants_family(&family) => {
            let (family, words) = (family.into_owned(), words.to_owned());
            Some(What::Metadata(Metadata { keyword, family, text: words, at: column(text, at) }))
        }
        Line::Sample(raw) if skip.wants(&raw) => Some(What::Sample(record::keep(raw, |at| column(text, at))?)),
        Line::Nothing | Line::Eof | Line::Metadata { .. } | Line::Sample(_) => None,
    })
}

/// Whether a byte may stand in an unquoted name of a series, other than at its start.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':')
}

/// Whether a byte may begin an unquoted name of a series.
fn starts_name(byte: u8) -> bool {
    is_name(byte) && !byte.is_ascii_digit()
}

#[cfg(test)]
mod tests;
