//! Diagnostics as one JSON array: code, severity, message, file, line, column, help.

use serde::Serialize;

use super::{Diagnostic, Place, Severity};

#[derive(Serialize)]
struct View<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    help: Option<&'a str>,
}

pub(super) fn format(all: &[Diagnostic]) -> String {
    let views: Vec<View<'_>> = all
        .iter()
        .map(|d| View {
            code: d.code,
            severity: d.severity,
            message: &d.message,
            file: d.place.as_ref().map(Place::path),
            line: d.place.as_ref().and_then(Place::line),
            column: d.place.as_ref().and_then(Place::column),
            help: d.help.as_deref(),
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&views).expect("strings and numbers always serialise");
    text.push('\n');
    text
}
