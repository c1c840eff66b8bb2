//! One line → its parts, borrowed, and the first thing in it that either format forbids.

mod cursor;

use std::borrow::Cow;

use super::{Flaw, Keyword, Label, Lexed, Line, Raw, RawExemplar, float, is_name, starts_name};
use cursor::Cursor;

/// The most characters that names and values of an exemplar's labels have together, by OpenMetrics.
const EXEMPLAR_CHARACTERS: usize = 128;

/// Whether a line ends an OpenMetrics file, if not quite rightly.
pub(super) fn is_eof(line: &str) -> bool {
    line.starts_with("# EOF")
}

/// Lexes a line. An `Err` is wrong by both formats.
pub(super) fn lex(line: &str) -> Result<Lexed<'_>, Flaw> {
    let mut cursor = Cursor::new(line);
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
        _ => {
            return Err(flaw(
                "counter, gauge, histogram, summary, untyped; in OpenMetrics also unknown, info, stateset, gaugehistogram",
            ));
        }
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
            c.loose(
                blank,
                "exposition-blank",
                "a blank stands before the labels",
                "write `name{label=\"text\"} value`",
            );
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
        c.loose(
            start,
            "exposition-exemplar",
            "the exemplar's labels have more than 128 characters",
            "OpenMetrics forbids it",
        );
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
