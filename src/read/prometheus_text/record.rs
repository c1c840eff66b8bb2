//! Lexed lines → what is kept of them → the record.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Dialect, Entry, Flaw, Keyword, Label, Metadata, Raw, Sample, What, decimal, milliseconds, sample_value};

/// A sample on its own. `column` turns a byte of its line into a character.
pub(super) fn keep(raw: Raw<'_>, column: impl Fn(usize) -> usize) -> Result<Sample, Flaw> {
    let mut metric = Map::with_capacity(raw.labels.len() + 1);
    metric.insert("__name__".to_owned(), Value::String(raw.name.into_owned()));
    insert(&mut metric, raw.labels)?;
    let exemplar = match raw.exemplar {
        None => None,
        Some(raw) => {
            let mut labels = Map::with_capacity(raw.labels.len());
            insert(&mut labels, raw.labels)?;
            let mut exemplar = Map::new();
            exemplar.insert("labels".to_owned(), Value::Object(labels));
            exemplar.insert("value".to_owned(), value(raw.value));
            if let Some(time) = raw.time.and_then(decimal) {
                exemplar.insert("timestamp".to_owned(), Value::Number(time));
            }
            Some(Value::Object(exemplar))
        }
    };
    Ok(Sample {
        metric,
        value: value(raw.value),
        time: raw.time.map(Into::into),
        exemplar,
        labels_at: column(raw.labels_at),
        value_at: column(raw.value_at),
    })
}

/// The lexer lets no other text pass.
fn value(text: &str) -> Value {
    sample_value(text).unwrap_or(Value::Null)
}

fn insert(into: &mut Map<String, Value>, labels: Vec<Label<'_>>) -> Result<(), Flaw> {
    for label in labels {
        if into.insert(label.name.into_owned(), Value::String(label.text.into_owned())).is_some() {
            return Err(Flaw {
                at: label.at,
                code: "exposition-label",
                message: "the sample has this label already",
                help: "a label stands once; `__name__` is the name before the labels",
            });
        }
    }
    Ok(())
}

/// The record. Unless everything was wanted, metadata is kept only where a sample is.
pub(super) fn record(entries: Vec<Entry>, dialect: Dialect, everything: bool) -> Value {
    let mut metadata = Map::new();
    let mut result = Vec::new();
    for entry in entries {
        match entry.what {
            What::Metadata(one) => describe(&mut metadata, one, dialect),
            What::Sample(sample) => result.push(sample),
        }
    }
    if !everything {
        keep_described(&mut metadata, &result);
    }
    let mut record = Map::new();
    record.insert("resultType".to_owned(), Value::from("vector"));
    record.insert("result".to_owned(), result.into_iter().map(|sample| series(sample, dialect)).collect());
    record.insert("metadata".to_owned(), Value::Object(metadata));
    Value::Object(record)
}

fn describe(metadata: &mut Map<String, Value>, one: Metadata, dialect: Dialect) {
    let (key, text) = match (one.keyword, dialect) {
        (Keyword::Help, Dialect::Plain) => ("help", unescape(one.text.trim_start_matches([' ', '\t'])).into_owned()),
        (Keyword::Help, Dialect::OpenMetrics) => ("help", unescape(&one.text).into_owned()),
        (Keyword::Type, _) => ("type", one.text.trim_matches([' ', '\t']).to_owned()),
        (Keyword::Unit, Dialect::OpenMetrics) => ("unit", one.text),
        // a comment
        (Keyword::Unit, Dialect::Plain) => return,
    };
    if text.is_empty() && dialect == Dialect::Plain {
        return;
    }
    let family = metadata.entry(one.family).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(family) = family {
        family.insert(key.to_owned(), Value::String(text));
    }
}

/// Drops what no sample is described by.
fn keep_described(metadata: &mut Map<String, Value>, samples: &[Sample]) {
    let mut used = std::collections::BTreeSet::new();
    let mut last = "";
    for sample in samples.iter().filter(|s| s.name() != std::mem::replace(&mut last, s.name())) {
        let name = sample.name();
        let stem = name.rfind('_').map_or(name, |at| &name[..at]);
        used.extend([name, stem]);
    }
    metadata.retain(|family, _| used.contains(family.as_str()));
}

fn series(sample: Sample, dialect: Dialect) -> Value {
    let seconds = |text: &str| match dialect {
        Dialect::Plain => milliseconds(text),
        Dialect::OpenMetrics => decimal(text),
    };
    let time = sample.time.as_deref().and_then(seconds).map_or(Value::Null, Value::Number);
    let mut series = Map::new();
    series.insert("metric".to_owned(), Value::Object(sample.metric));
    series.insert("value".to_owned(), Value::Array(vec![time, sample.value]));
    if let Some(exemplar) = sample.exemplar {
        series.insert("exemplar".to_owned(), exemplar);
    }
    Value::Object(series)
}

/// A help text: `\\`, `\n` and `\"`; any other backslash stays.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (plain, length) = match rest.as_bytes().get(at + 1) {
            Some(b'n') => ('\n', 2),
            Some(b'\\') => ('\\', 2),
            Some(b'"') => ('"', 2),
            _ => ('\\', 1),
        };
        out.push(plain);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_texts_are_unescaped() {
        for (text, is) in
            [(r"a\nb", "a\nb"), (r"a\\nb", r"a\nb"), (r#"\""#, "\""), (r"\t\", r"\t\"), (r"\\\n", "\\\n"), ("é", "é")]
        {
            assert_eq!(unescape(text), is, "{text}");
        }
    }
}
