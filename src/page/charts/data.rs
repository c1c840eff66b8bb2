//! The computed data of a chart, checked: what a filter of part.toml gave, as typed numbers or as what is wrong with it.
//!
//! A message names the entry by its position and its member, never what stands in it.

use serde_json::{Map, Value};

/// A histogram with its quantiles: `{"key":…,"buckets":[{"le":…,"count":…}…],"p50":…,"p99":…}`.
#[derive(Debug, PartialEq)]
pub(super) struct Histogram {
    pub(super) key: String,
    /// Upper bound (the last may be infinite) and cumulative count, ascending.
    pub(super) buckets: Vec<(f64, f64)>,
    /// Name and value of each quantile that has one.
    pub(super) quantiles: Vec<(&'static str, f64)>,
}

impl Histogram {
    /// How many there are in all.
    pub(super) fn total(&self) -> f64 {
        self.buckets.last().map_or(0.0, |b| b.1)
    }

    /// The share of all that is at most `bound`, if that is a bucket's bound.
    pub(super) fn share(&self, bound: f64) -> Option<f64> {
        let bucket = self.buckets.iter().find(|b| b.0 == bound)?;
        (self.total() > 0.0).then(|| bucket.1 / self.total())
    }
}

/// An amount: `{"key":…,"value":…}`, and `"mark":true` if the finding is about it.
#[derive(Debug, PartialEq)]
pub(super) struct Amount {
    pub(super) key: String,
    pub(super) value: f64,
    pub(super) marked: bool,
}

/// A bound and the share at or below it: `{"le":…,"share":…}`, and `"mark":true` if it is to be labelled.
#[derive(Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) le: f64,
    pub(super) share: f64,
    pub(super) marked: bool,
}

/// Typed data, or one message for each thing that is wrong.
pub(super) type Read<T> = Result<Vec<T>, Vec<String>>;

/// Reads the data of a `distribution`.
pub(super) fn histograms(data: &Value) -> Read<Histogram> {
    entries(data, |entry| {
        let key = entry.text("key");
        let (buckets, mut wrong) = match entry.members.get("buckets").map(buckets) {
            Some(Ok(buckets)) => (buckets, Vec::new()),
            Some(Err(wrong)) => {
                (Vec::new(), wrong.into_iter().map(|w| entry.says(&format!("`buckets`: {w}"))).collect())
            }
            None => (Vec::new(), vec![entry.says("has no `buckets`")]),
        };
        let mut quantiles = Vec::new();
        for name in super::QUANTILES {
            match entry.members.get(name) {
                // without a call there is no quantile
                None | Some(Value::Null) => {}
                Some(Value::String(s)) if s == "NaN" => {}
                Some(_) => match entry.number(name) {
                    Ok(value) => quantiles.push((name, value)),
                    Err(found) => wrong.push(found),
                },
            }
        }
        let key = key.map_err(|found| wrong.push(found)).unwrap_or_default();
        if wrong.is_empty() { Ok(Histogram { key, buckets, quantiles }) } else { Err(wrong) }
    })
}

fn buckets(data: &Value) -> Result<Vec<(f64, f64)>, Vec<String>> {
    let buckets = entries(data, |entry| both(entry.bound("le"), entry.number("count")))?;
    let rises = |w: &[(f64, f64)]| w[0].0 < w[1].0 && w[0].1 <= w[1].1 * (1.0 + 1e-9);
    if buckets[0].0.is_infinite() || buckets[0].0 <= 0.0 {
        return Err(vec!["the first bound is not a number above 0".to_owned()]);
    }
    if buckets[0].1 < 0.0 || !buckets.windows(2).all(rises) {
        return Err(vec!["bounds must ascend and cumulative counts must not fall".to_owned()]);
    }
    Ok(buckets)
}

/// Reads the data of `dots` or `bars`.
pub(super) fn amounts(data: &Value) -> Read<Amount> {
    entries(data, |entry| {
        let (key, value) = both(entry.text("key"), entry.number("value"))?;
        if value < 0.0 {
            return Err(vec![entry.says("has a `value` below 0")]);
        }
        Ok(Amount { key, value, marked: entry.marked() })
    })
}

/// Reads the data of a `cumulative` chart; the infinite bound, which says nothing, is left out.
pub(super) fn bounds(data: &Value) -> Read<Bound> {
    let mut bounds = entries(data, |entry| {
        let (le, share) = both(entry.bound("le"), entry.number("share"))?;
        if le <= 0.0 || !(0.0..=1.0 + 1e-9).contains(&share) {
            return Err(vec![entry.says("needs a `le` above 0 and a `share` from 0 to 1")]);
        }
        Ok(Bound { le, share: share.min(1.0), marked: entry.marked() })
    })?;
    bounds.retain(|b| b.le.is_finite());
    if bounds.is_empty() {
        return Err(vec!["has no finite bound".to_owned()]);
    }
    if bounds.windows(2).any(|w| w[0].le >= w[1].le || w[0].share > w[1].share + 1e-9) {
        return Err(vec!["bounds must ascend and shares must not fall".to_owned()]);
    }
    Ok(bounds)
}

/// Every entry of a non-empty array of objects, or everything that is wrong with any.
fn entries<T>(data: &Value, read: impl Fn(&Entry<'_>) -> Result<T, Vec<String>>) -> Read<T> {
    let Some(array) = data.as_array().filter(|a| !a.is_empty()) else {
        return Err(vec!["is not an array with at least one entry".to_owned()]);
    };
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for (i, value) in array.iter().enumerate() {
        let number = i + 1;
        match value.as_object().map(|members| read(&Entry { number, members })) {
            Some(Ok(one)) => all.push(one),
            Some(Err(found)) => wrong.extend(found),
            None => wrong.push(format!("entry {number} is not an object")),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

struct Entry<'a> {
    number: usize,
    members: &'a Map<String, Value>,
}

impl Entry<'_> {
    fn says(&self, what: &str) -> String {
        format!("entry {} {what}", self.number)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let text = self.members.get(name).and_then(Value::as_str).filter(|s| !s.is_empty());
        text.map(str::to_owned).ok_or_else(|| self.says(&format!("has no `{name}`, a string")))
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        let number = self.members.get(name).and_then(Value::as_f64).filter(|n| n.is_finite());
        number.ok_or_else(|| self.says(&format!("has no `{name}`, a finite number")))
    }

    /// A number, or `"+Inf"`.
    fn bound(&self, name: &str) -> Result<f64, String> {
        match self.members.get(name) {
            Some(Value::String(s)) if s == "+Inf" => Ok(f64::INFINITY),
            _ => self.number(name),
        }
    }

    fn marked(&self) -> bool {
        self.members.get("mark") == Some(&Value::Bool(true))
    }
}

fn both<A, B>(a: Result<A, String>, b: Result<B, String>) -> Result<(A, B), Vec<String>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (a, b) => Err(a.err().into_iter().chain(b.err()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_is_right() {
        let data =
            json!([{"key":"get","buckets":[{"le":0.005,"count":8},{"le":"+Inf","count":10}],"p50":0.003,"p99":null}]);
        let read = histograms(&data).expect("right");
        assert_eq!(read[0].buckets, [(0.005, 8.0), (f64::INFINITY, 10.0)]);
        assert_eq!(read[0].quantiles, [("p50", 0.003)]);
        assert_eq!(read[0].share(0.005), Some(0.8));
        assert_eq!(read[0].share(0.01), None);
        let read = bounds(&json!([{"le":1024,"share":0.5,"mark":true},{"le":"+Inf","share":1}])).expect("right");
        assert_eq!(read, [Bound { le: 1024.0, share: 0.5, marked: true }]);
    }

    #[test]
    fn says_everything_that_is_wrong_at_once() {
        let wrong = amounts(&json!([{"key":"a"}, 3, {"value":"NaN"}, {"key":"b","value":-1}])).expect_err("wrong");
        assert_eq!(
            wrong,
            [
                "entry 1 has no `value`, a finite number",
                "entry 2 is not an object",
                "entry 3 has no `key`, a string",
                "entry 3 has no `value`, a finite number",
                "entry 4 has a `value` below 0",
            ]
        );
        assert!(amounts(&json!([])).is_err() && amounts(&json!({})).is_err());
    }

    #[test]
    fn refuses_histograms_that_are_none() {
        for buckets in [
            json!([{"le":2,"count":1},{"le":1,"count":2}]),
            json!([{"le":1,"count":2},{"le":2,"count":1}]),
            json!([{"le":"+Inf","count":2}]),
            json!([{"le":"0.5","count":2}]),
            json!([]),
        ] {
            let data = json!([{"key":"get","buckets":buckets}]);
            assert!(histograms(&data).is_err(), "{data}");
        }
        assert!(bounds(&json!([{"le":1,"share":0.5},{"le":2,"share":0.4}])).is_err());
        assert!(bounds(&json!([{"le":1,"share":65}])).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in r#"\[(\{("key":"a",|"le":(1|-1|"\+Inf"|1e999),|"buckets":\[\{"le":1,"count":(2|null)\}\],)*"(share|value|x)":(1|0.5|null|"NaN")\},?)*\]"#) {
            if let Ok(data) = serde_json::from_str::<Value>(&text.replace(",]", "]")) {
                let _ = (histograms(&data), amounts(&data), bounds(&data));
            }
        }
    }
}
