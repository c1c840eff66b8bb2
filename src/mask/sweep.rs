//! The one write: spans on the original text, the longest wins.

use std::collections::BTreeMap;

use super::Found;

/// The spans that are written: the longest first, then the lower kind; of a shorter one that a longer one overlaps, the rest.
pub(super) fn resolve(mut found: Vec<Found>) -> Vec<Found> {
    found.retain(|f| !f.range.is_empty());
    found.sort_by(|a, b| {
        (b.range.len(), a.range.start, a.kind, &a.value).cmp(&(a.range.len(), b.range.start, b.kind, &b.value))
    });
    let mut taken: BTreeMap<usize, Found> = BTreeMap::new();
    for mut next in found {
        if let Some((_, left)) = taken.range(..=next.range.start).next_back() {
            next.range.start = next.range.start.max(left.range.end);
        }
        if let Some((_, right)) = taken.range(next.range.start..).next() {
            next.range.end = next.range.end.min(right.range.start);
        }
        if next.range.start < next.range.end {
            taken.insert(next.range.start, next);
        }
    }
    taken.into_values().collect()
}

/// The text with each span replaced once. Line ends inside a span stay, so that no line is lost.
pub(super) fn write<'a>(text: &str, spans: &[Found], alias: impl Fn(&Found) -> &'a str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(&text[at..span.range.start]);
        let lines = text[span.range.clone()].matches('\n').count();
        out.push_str(alias(span));
        out.extend(std::iter::repeat_n('\n', lines));
        at = span.range.end;
    }
    out.push_str(&text[at..]);
    out
}
