//! The file `index.md`: front matter, then the document.

use std::fmt::Write as _;

use super::{Document, text_of};
use crate::capture::Moment;
use crate::page::Page;

/// The file: front matter, then the document.
pub(in crate::render) fn file(page: &Page, document: &Document) -> String {
    let mut file = String::from("---\n");
    let mut field = |name: &str, text: &str| {
        let _ = writeln!(file, "{name}: {}", serde_json::Value::from(text));
    };
    let string = |key: &str| page.string(key).map(|s| text_of(s));
    field("title", &string("head.title").unwrap_or_default());
    if let Some(description) = string("head.description") {
        field("description", &description);
    }
    field("lang", &page.language().tag);
    field("part", page.name());
    if let Some((from, to)) = page.window() {
        field("date", &iso(&from)[..10]);
        field("measured_from", &iso(&from));
        field("measured_to", &iso(&to));
    }
    if let Some(status) = string("head.status") {
        field("status", &status);
    }
    let _ = writeln!(file, "number: {}\n---\n\n{}", page.number(), document.text.trim_end());
    file
}

/// RFC 3339, in the offset in which it was written down.
fn iso(moment: &Moment) -> String {
    let zoned = moment.instant.to_zoned_datetime(moment.offset.to_time_zone());
    zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
