//! Inline Markdown inside the cell of a table.

use std::fmt::Write as _;

use crate::page::{FIGURE, SHOWN, plain};

/// Inline Markdown within a cell: no pipe ends it. `\|` in code would be read as a pipe, so such code is written as HTML.
pub(super) fn cell(inline: &str) -> String {
    if !inline.contains('|') {
        return inline.to_owned();
    }
    let mut safe = String::with_capacity(inline.len() + 8);
    let mut rest = inline;
    while let Some(at) = rest.find(['`', '\\', '|', FIGURE]) {
        safe.push_str(&rest[..at]);
        rest = &rest[at..];
        match rest.as_bytes()[0] {
            _ if rest.starts_with(FIGURE) => {
                // an evidence id is no Markdown
                let id = rest.find(SHOWN).unwrap_or(rest.len());
                safe.push_str(&rest[..id]);
                rest = &rest[id..];
            }
            b'|' => {
                safe.push_str("\\|");
                rest = &rest[1..];
            }
            b'\\' => {
                let next = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                safe.push_str(&rest[..next]);
                rest = &rest[next..];
            }
            _ => {
                let fence = rest.bytes().take_while(|b| *b == b'`').count();
                let close = rest[fence..].find(&rest[..fence]).map(|at| fence + at);
                let (span, after) = close.map_or((&rest[..fence], &rest[fence..]), |at| rest.split_at(at + fence));
                let inner = span.trim_matches('`');
                if inner.contains("\\|") || inner.ends_with('\\') {
                    let inner = plain(inner.trim()).replace("\\|", "&#124;");
                    let _ = write!(safe, "<code>{inner}</code>");
                } else {
                    safe.push_str(&span.replace('|', "\\|"));
                }
                rest = after;
            }
        }
    }
    safe.push_str(rest);
    safe
}
