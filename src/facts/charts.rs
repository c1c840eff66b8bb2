//! The data of charts, checked against the form of their kind.

use indexmap::IndexMap;
use serde_json::Value;

use super::Work;
use super::engine::Val;
use crate::diag::Diagnostic;

/// The kinds of chart, and the form of the data of each.
const KINDS: &[(&str, &str)] = &[
    ("bars", "`[{\"key\": …, \"value\": number}, …]`"),
    ("cumulative", "`[{\"le\": bytes or \"+Inf\", \"share\": 0 to 1}, …]`"),
    ("distribution", "`[{\"key\": …, \"buckets\": [{\"le\": number or \"+Inf\", \"count\": number}, …], \"p50\": …, \"p99\": …}, …]`"),
    ("dots", "`[{\"key\": …, \"value\": number above 0}, …]`"),
];

/// The data of every chart whose facts are there.
pub(super) fn compute(work: &mut Work<'_>, all: &Val) -> IndexMap<String, Value> {
    let part = work.part;
    let mut charts = IndexMap::new();
    for (id, def) in &part.charts {
        let def = def.get_ref();
        let (input, variables) = if def.from.get_ref().names().is_empty() {
            if !work.ready(&def.jq) {
                continue;
            }
            (all.clone(), [Val::Null, Val::Null])
        } else {
            let Some(input) = work.input(&def.from) else { continue };
            input
        };
        let what = format!("chart `{id}`");
        let kind = def.kind.get_ref().as_str();
        let Some((_, form)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            let kinds: Vec<_> = KINDS.iter().map(|(name, _)| format!("`{name}`")).collect();
            work.wrong.push(
                Diagnostic::error("chart-kind", format!("{what} is of no kind that can be drawn"))
                    .with_place(part.source.place(def.kind.span()))
                    .with_help(format!("the kinds are {}", kinds.join(", "))),
            );
            continue;
        };
        let Some(value) = work.run(&what, &def.jq, input, &variables) else { continue };
        let Some(value) = work.json(&what, &def.jq, &value) else { continue };
        if !is_data(kind, &value) {
            work.wrong.push(
                Diagnostic::error("chart-data", format!("the data of {what} is not of the form that its kind needs"))
                    .with_place(part.source.place(def.jq.span()))
                    .with_help(format!("`{kind}` takes {form}, with at least one entry")),
            );
            continue;
        }
        charts.insert(id.clone(), value);
    }
    charts
}

fn is_data(kind: &str, value: &Value) -> bool {
    let Some(entries) = value.as_array().filter(|entries| !entries.is_empty()) else { return false };
    let number = |entry: &Value, name: &str| entry.get(name).and_then(Value::as_f64);
    let keyed = |entry: &Value| entry.get("key").is_some_and(Value::is_string);
    let bound = |entry: &Value| number(entry, "le").is_some() || entry.get("le").is_some_and(|le| le == "+Inf");
    entries.iter().all(|entry| match kind {
        "bars" => keyed(entry) && number(entry, "value").is_some_and(|value| value >= 0.0),
        "dots" => keyed(entry) && number(entry, "value").is_some_and(|value| value > 0.0),
        "cumulative" => bound(entry) && number(entry, "share").is_some_and(|share| (0.0..=1.0).contains(&share)),
        "distribution" => {
            let buckets = entry.get("buckets").and_then(Value::as_array).filter(|buckets| !buckets.is_empty());
            keyed(entry)
                && number(entry, "p50").is_some()
                && number(entry, "p99").is_some()
                && buckets.is_some_and(|buckets| buckets.iter().all(|b| bound(b) && number(b, "count").is_some()))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_form() {
        let is = |kind: &str, json: &str| is_data(kind, &serde_json::from_str(json).expect("JSON"));
        assert!(is("bars", r#"[{"key":"size","value":131014}]"#));
        assert!(!is("bars", r#"[{"key":"size"}]"#));
        assert!(!is("bars", "[]"));
        assert!(is("dots", r#"[{"key":"a","value":0.5}]"#));
        assert!(!is("dots", r#"[{"key":"a","value":0}]"#), "0 has no place on a log axis");
        assert!(is("cumulative", r#"[{"le":1024,"share":0.02},{"le":"+Inf","share":1}]"#));
        assert!(!is("cumulative", r#"[{"le":1024,"share":2}]"#));
        assert!(is("distribution", r#"[{"key":"get","buckets":[{"le":"+Inf","count":1}],"p50":1,"p99":2}]"#));
        assert!(!is("distribution", r#"[{"key":"get","buckets":[],"p50":1,"p99":2}]"#));
    }
}
