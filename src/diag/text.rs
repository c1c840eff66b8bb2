//! Diagnostics as text for a person: message, place, the line with carets under what is meant, help.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{Colour, Diagnostic, Excerpt, Severity};

/// How much of a long line is shown before the place, and in all, in columns of a terminal.
const BEFORE: usize = 60;
const WIDE: usize = 110;

pub(super) fn format(d: &Diagnostic, colour: Colour) -> String {
    let (word, tint) = match d.severity {
        Severity::Warning => ("warning", "33"),
        Severity::Error => ("error", "31"),
        Severity::Leak => ("leak", "31"),
    };
    let paint = |code: &str, text: &str| match colour {
        Colour::Always => format!("\x1b[{code}m{text}\x1b[0m"),
        Colour::Never => text.to_owned(),
    };
    let mut out =
        format!("{}: {}\n", paint(&format!("1;{tint}"), &format!("{word}[{}]", d.code)), paint("1", &d.message));
    let place = d.place.as_ref();
    let excerpt = place.and_then(|p| Some((p.line?, p.excerpt.as_ref()?)));
    let margin = " ".repeat(excerpt.map_or(1, |(line, _)| line.to_string().len()));
    let bar = paint("34", "|");
    if let Some(place) = place {
        let _ = writeln!(out, "{margin}{} {place}", paint("34", "-->"));
    }
    if let Some((line, excerpt)) = excerpt {
        let (shown, blank, carets) = underlined(excerpt);
        let number = paint("34", &line.to_string());
        let carets = paint(&format!("1;{tint}"), &"^".repeat(carets));
        let _ = writeln!(out, "{margin} {bar}\n{number} {bar} {shown}\n{margin} {bar} {}{carets}", " ".repeat(blank));
    }
    if let Some(help) = &d.help {
        let _ = writeln!(out, "{margin} {} help: {help}", paint("34", "="));
    }
    out
}

/// The line of the place, cut if it is long; how many columns come before the carets, and how many carets.
fn underlined(excerpt: &Excerpt) -> (String, usize, usize) {
    let (text, span) = (excerpt.text.as_ref(), &excerpt.span);
    let start = text[..span.start].rfind('\n').map_or(0, |i| i + 1);
    let end = text[span.start..].find('\n').map_or(text.len(), |i| span.start + i);
    let (mut before, mut after) = (plain(&text[start..span.start]), plain(&text[span.start..end]));
    let marked = plain(&text[span.start..span.end.min(end)]).width();
    while before.width() > BEFORE {
        before = before.chars().skip(1).collect();
    }
    let cut = before.len() < plain(&text[start..span.start]).len();
    let room = WIDE.saturating_sub(before.width());
    let long = after.width() > room;
    while after.width() > room {
        after.pop();
    }
    let carets = marked.min(after.width()).max(1);
    let (head, tail) = (if cut { "…" } else { "" }, if long { "…" } else { "" });
    let blank = head.width() + before.width();
    (format!("{head}{before}{after}{tail}").trim_end().to_owned(), blank, carets)
}

/// Tabs have no width of their own, and other control characters would move the terminal's cursor.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn told(text: &str, part: &str) -> String {
        let at = text.find(part).expect("it is there");
        let place = Source::new("a.toml", text).place(at..at + part.len());
        format(&Diagnostic::error("x-y", "it is wrong").with_place(place).with_help("mend it"), Colour::Never)
    }

    #[test]
    fn carets_stand_under_wide_characters() {
        assert_eq!(
            told("a = 1\nk = '연결 {x}개'\n", "{x}"),
            "error[x-y]: it is wrong\n --> a.toml:2:9\n  |\n2 | k = '연결 {x}개'\n  |           ^^^\n  = help: mend it\n"
        );
        assert!(told("「語」wrong", "wrong").contains("  | ^^^^^\n".replace("| ", "|       ").as_str()));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = format!("{}here{}", "가".repeat(200), "x".repeat(300));
        let told = told(&line, "here");
        assert!(told.lines().all(|l| l.width() < 130), "{told}");
        assert!(told.contains("…") && told.contains("^^^^"), "{told}");
    }

    #[test]
    fn colour_is_asked_for() {
        let found = Diagnostic::warning("x", "m");
        assert!(!format(&found, Colour::Never).contains('\x1b'));
        assert!(format(&found, Colour::Always).contains('\x1b'));
    }
}
