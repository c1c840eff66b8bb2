//! Answers of the Prometheus HTTP API (`/api/v1/query`, `/api/v1/query_range`), also as Thanos, Mimir and
//! VictoriaMetrics give them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::{Input, Reader, Record, Want, json_flaw, json_place, sample_value};
use crate::diag::{Diagnostic, Outcome, Place};

const HELP: &str = "keep the whole answer of /api/v1/query or /api/v1/query_range";

/// Format `prometheus-api`.
#[derive(Debug)]
pub struct PrometheusApi;

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

    fn read(&self, input: Input<'_>, want: &Want) -> Outcome<Record> {
        let path = input.path();
        let text = input.text()?;
        Ok(answer(path, &text, want)?)
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(rename = "errorType", borrow)]
    error_type: Option<Text<'a>>,
    warnings: Option<Vec<String>>,
    infos: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(rename = "resultType", borrow)]
    result_type: Text<'a>,
    #[serde(borrow)]
    result: &'a RawValue,
}

fn answer(path: &str, text: &str, want: &Want) -> Result<Record, Diagnostic> {
    if text.trim().is_empty() {
        return Err(Diagnostic::error("capture-empty", "the capture is empty")
            .with_place(Place::file(path))
            .with_help("take it again; let curl fail on errors (`curl -fsS`)"));
    }
    let Object(answer) = part::<Object<Answer<'_>>>(path, text, text)?;
    match answer.status.0.as_ref() {
        "success" => {}
        "error" => {
            let kind = answer.error_type.as_ref().map_or("of no known kind", |kind| known_error(&kind.0));
            return Err(Diagnostic::error("prometheus-error", format!("Prometheus answered with an error ({kind})"))
                .with_place(json_place(path, (text, text.find('{').unwrap_or(0), 1)))
                .with_help("the reason stands under `error` in the file: mend the query and take the capture again"));
        }
        _ => {
            return Err(Diagnostic::error("json-shape", "expected `status` to be \"success\" or \"error\"")
                .with_place(json_place(path, (text, text.find('{').unwrap_or(0), 1)))
                .with_help(HELP));
        }
    }
    let Some(data) = answer.data else {
        return Err(Diagnostic::error("json-shape", "missing field `data`")
            .with_place(json_place(path, (text, text.find('{').unwrap_or(0), 1)))
            .with_help(HELP));
    };
    let Object(data) = part::<Object<Data<'_>>>(path, text, data.get())?;
    let raw = data.result.get();
    let result = match data.result_type.0.as_ref() {
        "vector" => series(part::<Vec<Instant>>(path, text, raw)?.into_iter().map(|s| s.0), want),
        "matrix" => series(part::<Vec<Range>>(path, text, raw)?.into_iter().map(|s| s.0), want),
        "scalar" => part::<Point>(path, text, raw)?.0,
        "string" => part::<Words>(path, text, raw)?.0,
        _ => {
            return Err(Diagnostic::error(
                "prometheus-result-type",
                "expected `resultType` to be \"vector\", \"matrix\", \"scalar\" or \"string\"",
            )
            .with_place(json_place(path, (text, offset_in(text, raw), 1)))
            .with_help(HELP));
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
fn part<'a, T: Deserialize<'a>>(path: &str, text: &str, part: &'a str) -> Result<T, Diagnostic> {
    serde_json::from_str(part).map_err(|error| json_flaw(path, (text, offset_in(text, part), 1), &error, HELP))
}

/// Where `part`, a slice of `text`, begins.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

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
    KNOWN.into_iter().find(|known| *known == kind).unwrap_or("of no known kind")
}

fn series(all: impl Iterator<Item = Map<String, Value>>, want: &Want) -> Value {
    Value::Array(all.filter(|one| wanted(one, want)).map(Value::Object).collect())
}

fn wanted(series: &Map<String, Value>, want: &Want) -> bool {
    let label = |name: &str| series["metric"].get(name).and_then(Value::as_str).unwrap_or_default();
    (want.series.is_empty() || want.series(label("__name__")))
        && want.fields.iter().all(|(name, value)| label(name) == value)
}

/// A JSON object and nothing else: serde takes arrays for structs too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Visit(PhantomData))
    }
}

/// A short text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// `[<time>, "<value>"]`
struct Point(Value);
/// `[<time>, "<text>"]`
struct Words(Value);
/// `[<time>, {<native histogram>}]`
struct Histogram(Value);
/// A series of a vector.
struct Instant(Map<String, Value>);
/// A series of a matrix.
struct Range(Map<String, Value>);
/// Label → text.
struct Labels(Map<String, Value>);
/// A number as text, as JSON.
struct Figure(Value);

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl Visitor<'_> for Visit {
            type Value = Figure;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number written as a string")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Figure, E> {
                sample_value(text).map(Figure).ok_or_else(|| E::invalid_value(Unexpected::Str(""), &self))
            }
        }
        deserializer.deserialize_str(Visit)
    }
}

/// `[<time>, T]`, with nothing after it.
struct Timed<T>(Number, T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Timed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<T> {
            type Value = Timed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pair of a time in seconds and a value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Timed<T>, A::Error> {
                let time = pair.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let value = pair.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                match pair.next_element::<IgnoredAny>()? {
                    None => Ok(Timed(time, value)),
                    Some(_) => Err(A::Error::invalid_length(3, &self)),
                }
            }
        }
        deserializer.deserialize_seq(Visit(PhantomData))
    }
}

fn pair(time: Number, value: Value) -> Value {
    Value::Array(vec![Value::Number(time), value])
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Timed(time, Figure(value)) = Timed::deserialize(deserializer)?;
        Ok(Self(pair(time, value)))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Timed(time, text) = Timed::<String>::deserialize(deserializer)?;
        Ok(Self(pair(time, Value::String(text))))
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Native {
            count: Figure,
            sum: Figure,
            #[serde(default)]
            buckets: Vec<(u8, Figure, Figure, Figure)>,
        }
        let Timed(time, Object(native)) = Timed::<Object<Native>>::deserialize(deserializer)?;
        let mut buckets = Vec::with_capacity(native.buckets.len());
        for (rule, Figure(left), Figure(right), Figure(count)) in native.buckets {
            if rule > 3 {
                return Err(D::Error::custom("expected a boundary rule from 0 to 3"));
            }
            buckets.push(Value::Array(vec![Value::from(rule), left, right, count]));
        }
        let mut histogram = Map::new();
        histogram.insert("count".to_owned(), native.count.0);
        histogram.insert("sum".to_owned(), native.sum.0);
        histogram.insert("buckets".to_owned(), Value::Array(buckets));
        Ok(Self(pair(time, Value::Object(histogram))))
    }
}

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Labels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of labels")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
                let mut labels = Map::new();
                while let Some((name, text)) = map.next_entry::<String, String>()? {
                    if labels.insert(name, Value::String(text)).is_some() {
                        return Err(A::Error::custom("expected each label once"));
                    }
                }
                Ok(Labels(labels))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            metric: Labels,
            value: Option<Point>,
            histogram: Option<Histogram>,
        }
        let Object(fields) = Object::<Fields>::deserialize(deserializer)?;
        let mut series = Map::new();
        series.insert("metric".to_owned(), Value::Object(fields.metric.0));
        match (fields.value, fields.histogram) {
            (Some(point), None) => series.insert("value".to_owned(), point.0),
            (None, Some(histogram)) => series.insert("histogram".to_owned(), histogram.0),
            _ => return Err(D::Error::custom("expected a series with either `value` or `histogram`")),
        };
        Ok(Self(series))
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            metric: Labels,
            values: Option<Vec<Point>>,
            histograms: Option<Vec<Histogram>>,
        }
        let Object(fields) = Object::<Fields>::deserialize(deserializer)?;
        if fields.values.is_none() && fields.histograms.is_none() {
            return Err(D::Error::custom("expected a series with `values` or `histograms`"));
        }
        let mut series = Map::new();
        series.insert("metric".to_owned(), Value::Object(fields.metric.0));
        if let Some(points) = fields.values {
            series.insert("values".to_owned(), points.into_iter().map(|p| p.0).collect());
        }
        if let Some(histograms) = fields.histograms {
            series.insert("histograms".to_owned(), histograms.into_iter().map(|h| h.0).collect());
        }
        Ok(Self(series))
    }
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
            let found: Vec<_> = record["result"].as_array().expect("a list").iter().map(|s| s["value"][1].clone()).collect();
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
