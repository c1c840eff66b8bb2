//! Diagnostics as GitHub workflow commands, which annotate the lines of a pull request.

use super::{Diagnostic, Place, Severity};

pub(super) fn format(d: &Diagnostic) -> String {
    let command = match d.severity {
        Severity::Warning => "warning",
        Severity::Error | Severity::Leak => "error",
    };
    let mut properties = Vec::new();
    if let Some(place) = &d.place {
        properties.push(format!("file={}", property(place.path())));
        properties.extend(place.line().map(|n| format!("line={n}")));
        properties.extend(place.column().map(|n| format!("col={n}")));
    }
    properties.push(format!("title={}", property(d.code)));
    let help = d.help.as_deref().map(|h| format!("\nhelp: {h}")).unwrap_or_default();
    let place = d.place.as_ref().map(Place::to_string).map(|p| format!("{p}: ")).unwrap_or_default();
    format!("::{command} {}::{}\n", properties.join(","), data(&format!("{place}{}{help}", d.message)))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
