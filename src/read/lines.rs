//! `lines`: any text, as an array of its lines.

use serde_json::Value;

use super::{Input, Layout, Reader, Record, Want};
use crate::diag::Outcome;

/// The reader of `lines`.
#[derive(Debug)]
pub(super) struct Lines;

impl Reader for Lines {
    fn format(&self) -> &'static str {
        "lines"
    }

    fn about(&self) -> &'static str {
        "any UTF-8 text whose lines are the values, e.g. kubectl -o jsonpath"
    }

    fn form(&self) -> &'static str {
        "An array of strings, one a line, without line ends. A last line without a line end counts too; an empty file \
         gives an empty array.\n\n```json\n[\"registry.example/otel/collector:0.159.0\"]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Lines
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let mut lines = input.lines();
        let mut record = Vec::new();
        while let Some(next) = lines.next() {
            record.push(Value::from(next?.1));
        }
        Ok(Value::Array(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Outcome<Record> {
        Lines.read(Input::new("x.txt", text), &Want::default())
    }

    #[test]
    fn line_ends_are_left_out() {
        let record = read(b"a\r\n\n b \nc").expect("text");
        assert_eq!(record, serde_json::json!(["a", "", " b ", "c"]));
        assert_eq!(read(b"").expect("text"), serde_json::json!([]));
    }

    #[test]
    fn other_bytes_are_refused() {
        let wrong = read(b"a\nb\xff").expect_err("not UTF-8");
        let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
        assert_eq!((place.line(), place.column()), (Some(2), Some(2)));
    }
}
