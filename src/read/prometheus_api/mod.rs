//! Answers of the Prometheus HTTP API (`/api/v1/query`, `/api/v1/query_range`), also as
//! servers alike give them.

mod shape;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Input, Layout, Reader, Record, Want, json_flaw, json_place, sample_value};
use crate::diag::{Diagnostic, Outcome, Place};
use shape::{Answer, Data, Instant, Object, Point, Range, Words};

const HELP: &str = "keep the whole answer of /api/v1/query or /api/v1/query_range";

/// Format `prometheus-api`.
#[derive(Debug)]
pub(super) struct PrometheusApi;

impl Reader for PrometheusApi {
    fn format(&self) -> &'static str {
        "prometheus-api"
    }

    fn about(&self) -> &'static str {
        "the answer of the Prometheus HTTP API to a query: curl …/api/v1/query or …/api/v1/query_range"
    }

    fn form(&self) -> &'static str {
        r#"The `data` of the answer. A value is a number with the text that Prometheus wrote, or `"NaN"`, `"+Inf"`, `"-Inf"`.

```json
{"resultType": "vector",
 "result": [{"metric": {"__name__": "up", "job": "etcd"}, "value": [1792173634.797, 1]}],
 "warnings": ["…"], "infos": ["…"]}
```

A `matrix` has `"values": [[<time>, <value>], …]`; the `result` of a `scalar` is `[<time>, <value>]`, that of a `string`
`[<time>, "<text>"]`. A native histogram stands in `"histogram": [<time>, {"count": 10, "sum": 3.5, "buckets": [[<boundary
rule>, <left>, <right>, <count>], …]}]`, in a matrix in `"histograms"`. `warnings` and `infos` are left out when the
answer has none. Times are seconds. An empty `result` is an answer: no series. With `series` or `where` only the series
that fit are kept."#
    }

    fn layout(&self) -> Layout {
        Layout::Json
    }

    fn read(&self, input: Input<'_>, want: &Want) -> Outcome<Record> {
        let path = input.path();
        let text = input.text()?;
        answer(path, &text, want)
    }
}

fn answer(path: &str, text: &str, want: &Want) -> Outcome<Record> {
    if text.trim_ascii().is_empty() {
        return Err(Diagnostic::error("capture-empty", "the capture is empty")
            .with_place(Place::file(path))
            .with_help("take it again; let curl fail on errors (`curl -fsS`)")
            .into());
    }
    let Object(answer) = part::<Object<Answer<'_>>>(path, text, text)?;
    let refuse = |code, message: &str, at: &str, help| {
        let place = json_place(path, (text, offset_in(text, at), 1));
        Err(Diagnostic::error(code, message).with_place(place).with_help(help).into())
    };
    match answer.status.0.as_ref() {
        "success" => {}
        "error" => {
            let kind = answer.error_type.as_ref().map_or(UNKNOWN, |kind| known_error(&kind.0));
            let help = "the reason stands under `error` in the file: mend the query and take the capture again";
            return refuse("prometheus-error", &format!("Prometheus answered with an error ({kind})"), text, help);
        }
        _ => return refuse("json-shape", "expected `status` to be \"success\" or \"error\"", text, HELP),
    }
    let Some(data) = answer.data else { return refuse("json-shape", "missing field `data`", text, HELP) };
    let Object(data) = part::<Object<Data<'_>>>(path, text, data.get())?;
    let raw = data.result.get();
    let result = match data.result_type.0.as_ref() {
        "vector" => series(part::<Vec<Instant>>(path, text, raw)?.into_iter().map(|s| s.0), want),
        "matrix" => series(part::<Vec<Range>>(path, text, raw)?.into_iter().map(|s| s.0), want),
        "scalar" => part::<Point>(path, text, raw)?.0,
        "string" => part::<Words>(path, text, raw)?.0,
        _ => {
            let message = "expected `resultType` to be \"vector\", \"matrix\", \"scalar\" or \"string\"";
            return refuse("prometheus-result-type", message, raw, HELP);
        }
    };
    let mut record = Map::new();
    record.insert("resultType".to_owned(), Value::from(data.result_type.0.into_owned()));
    record.insert("result".to_owned(), result);
    for (name, notes) in [("warnings", answer.warnings), ("infos", answer.infos)] {
        if let Some(notes) = notes.filter(|notes| !notes.is_empty()) {
            record.insert(name.to_owned(), Value::from(notes));
        }
    }
    Ok(Value::Object(record))
}

/// Parses a part of `text`; what is wrong gets its place in the whole.
fn part<'a, T: Deserialize<'a>>(path: &str, text: &str, part: &'a str) -> Outcome<T> {
    serde_json::from_str(part).map_err(|error| json_flaw(path, (text, offset_in(text, part), 1), &error, HELP).into())
}

/// Where `part`, a slice of `text`, begins.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

const UNKNOWN: &str = "of no known kind";

/// The error types of `web/api/v1`: a closed list, so that no captured text is quoted.
fn known_error(kind: &str) -> &'static str {
    const KNOWN: [&str; 9] = [
        "bad_data",
        "canceled",
        "execution",
        "internal",
        "not_acceptable",
        "not_found",
        "timeout",
        "unavailable",
        "too_many_requests",
    ];
    KNOWN.into_iter().find(|known| *known == kind).unwrap_or(UNKNOWN)
}

fn series(all: impl Iterator<Item = Map<String, Value>>, want: &Want) -> Value {
    Value::Array(all.filter(|one| wanted(one, want)).map(Value::Object).collect())
}

fn wanted(series: &Map<String, Value>, want: &Want) -> bool {
    let label = |name: &str| series["metric"].get(name).and_then(Value::as_str).unwrap_or_default();
    (want.series.is_empty() || want.series(label("__name__")))
        && want.fields.iter().all(|(name, value)| label(name) == value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, want: &Want) -> Result<String, String> {
        PrometheusApi
            .read(Input::new("f", text.as_bytes()), want)
            .map(|record| record.to_string())
            .map_err(|found| found.to_text(crate::diag::Colour::Never))
    }

    #[test]
    fn members_may_stand_in_any_order() {
        let text = r#"{"data":{"result":[1.50,"9007199254740993"],"resultType":"scalar","stats":{}},"isPartial":false,"status":"success"}"#;
        assert_eq!(
            read(text, &Want::default()).expect("it is right"),
            r#"{"resultType":"scalar","result":[1.50,9007199254740993]}"#
        );
    }

    #[test]
    fn only_wanted_series_are_kept() {
        let text = r#"{"status":"success","data":{"resultType":"vector","result":[
            {"metric":{"__name__":"up","job":"a"},"value":[1,"1"]},
            {"metric":{"__name__":"up","job":"b"},"value":[1,"2"]},
            {"metric":{"job":"a"},"value":[1,"3"]}]}}"#;
        let want = |series: &[&str], fields: &[(&str, &str)]| Want {
            series: series.iter().map(|s| (*s).to_owned()).collect(),
            fields: fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        for (want, values) in [
            (want(&["up"], &[]), vec![1, 2]),
            (want(&["up"], &[("job", "b")]), vec![2]),
            (want(&[], &[("job", "a")]), vec![1, 3]),
            (want(&[], &[]), vec![1, 2, 3]),
        ] {
            let record: Value = serde_json::from_str(&read(text, &want).expect("right")).expect("JSON");
            let found: Vec<_> =
                record["result"].as_array().expect("a list").iter().map(|s| s["value"][1].clone()).collect();
            assert_eq!(Value::from(found), Value::from(values), "{want:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = read(&text, &Want::default());
        }

        #[test]
        fn any_damage_is_read_or_refused(at in 0usize..160, byte in any::<u8>()) {
            let mut bytes = br#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1,"2"]],"histograms":[[1,{"count":"1","sum":"2","buckets":[[0,"1","2","3"]]}]]}]}}"#.to_vec();
            bytes[at] = byte;
            let _ = PrometheusApi.read(Input::new("f", bytes.as_slice()), &Want::default());
        }

        #[test]
        fn any_cut_is_refused(at in 0usize..100) {
            let text = r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1,"2"]}]}}"#;
            let found = read(&text[..at.min(text.len() - 1)], &Want::default()).expect_err("it is cut");
            prop_assert!(found.contains("json-truncated") || found.contains("capture-empty"), "{found}");
        }
    }
}
