//! Diagnostics as text for a person, with a caret under the place; widths of CJK characters are right.

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};

use super::{Colour, Diagnostic, Severity};

pub(super) fn format(d: &Diagnostic, colour: Colour) -> String {
    let word = match d.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
        Severity::Leak => "leak",
    };
    let Some((place, excerpt)) = d.place.as_ref().and_then(|p| Some((p, p.excerpt.as_ref()?))) else {
        let mut out = format!("{word}[{}]: {}\n", d.code, d.message);
        if let Some(place) = &d.place {
            out.push_str(&format!("  --> {place}\n"));
        }
        if let Some(help) = &d.help {
            out.push_str(&format!("  help: {help}\n"));
        }
        return out;
    };
    let (kind, tint) = match d.severity {
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Error | Severity::Leak => (ReportKind::Error, Color::Red),
    };
    let file = place.path();
    let mut report = Report::build(kind, (file, excerpt.span.clone()))
        .with_config(
            Config::new()
                .with_color(colour == Colour::Always)
                .with_char_set(CharSet::Ascii)
                .with_index_type(IndexType::Byte),
        )
        .with_code(d.code)
        .with_message(&d.message)
        .with_label(Label::new((file, excerpt.span.clone())).with_color(tint).with_message("here"));
    if let Some(help) = &d.help {
        report.set_help(help);
    }
    let mut bytes = Vec::new();
    report
        .finish()
        .write((file, Source::from(excerpt.text.as_ref())), &mut bytes)
        .expect("writing to memory does not fail");
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
