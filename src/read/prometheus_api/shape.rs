//! The shapes of an answer, checked while they are read: a value that has another is an error at its place.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::sample_value;

/// The answer. Other members than these, as other servers add them, are left out.
#[derive(Deserialize)]
pub(super) struct Answer<'a> {
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) data: Option<&'a RawValue>,
    #[serde(rename = "errorType", borrow)]
    pub(super) error_type: Option<Text<'a>>,
    pub(super) warnings: Option<Vec<String>>,
    pub(super) infos: Option<Vec<String>>,
}

/// Its `data`; the shape of `result` is that of `resultType`.
#[derive(Deserialize)]
pub(super) struct Data<'a> {
    #[serde(rename = "resultType", borrow)]
    pub(super) result_type: Text<'a>,
    #[serde(borrow)]
    pub(super) result: &'a RawValue,
}

/// A short text, borrowed where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A JSON object and nothing else: serde takes arrays for structs too.
pub(super) struct Object<T>(pub(super) T);

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

/// `[<time>, "<value>"]`
pub(super) struct Point(pub(super) Value);
/// `[<time>, "<text>"]`
pub(super) struct Words(pub(super) Value);
/// `[<time>, {<native histogram>}]`
struct Histogram(Value);
/// A series of a vector.
pub(super) struct Instant(pub(super) Map<String, Value>);
/// A series of a matrix.
pub(super) struct Range(pub(super) Map<String, Value>);
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
