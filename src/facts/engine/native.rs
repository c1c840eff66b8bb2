//! What filters have besides jq's own: `prelude.jq`, and the functions in Rust on which it stands.

use jaq_core::load::parse::Def;
use jaq_core::native::{self, Filter, Fun};
use jaq_core::{DataT, Exn, RunPtr, ValT as _, ValX, box_iter::box_once, load};
use jaq_json::{Error, Num, Val};
use jaq_std::ValT as _;

use super::{NO_VALUE, RANGE_STEPS, REFUSED, Sandbox, TICK, from_json};
use crate::read::{Input, Want, reader};

/// The definitions that every filter may use.
pub(super) fn prelude() -> impl Iterator<Item = Def<&'static str>> {
    load::parse(include_str!("prelude.jq"), |parser| parser.defs()).expect("the prelude parses").into_iter()
}

/// jq's own functions without those that reach outside, and ours.
pub(super) fn funs() -> impl Iterator<Item = Fun<Sandbox>> {
    let theirs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let theirs = theirs.filter(|(name, ..)| *name != "range" && !REFUSED.contains(name));
    theirs.chain(ours().into_iter().map(native::run::<Sandbox>))
}

fn ours() -> [Filter<RunPtr<Sandbox>>; 9] {
    [
        (TICK, native::v(0), |cv| {
            box_once(if cv.0.data().spend(1) { Ok(Val::from(true)) } else { Err(out_of_steps()) })
        }),
        // jq's own, but not for ever
        ("range", native::v(3), |mut cv| {
            let (by, to, from) = (cv.0.pop_var(), cv.0.pop_var(), cv.0.pop_var());
            let budget = *cv.0.data();
            let up = by.partial_cmp(&Val::from(0_isize));
            let mut next = Some(from);
            Box::new(std::iter::from_fn(move || {
                let value = next.take()?;
                let inside = match up {
                    Some(std::cmp::Ordering::Greater) => value < to,
                    Some(std::cmp::Ordering::Less) => value > to,
                    _ => value != to,
                };
                if !inside {
                    return None;
                }
                if !budget.spend(RANGE_STEPS) {
                    return Some(Err(out_of_steps()));
                }
                match value.clone() + by.clone() {
                    Ok(following) => next = Some(following),
                    Err(error) => return Some(Err(Exn::from(error))),
                }
                Some(Ok(value))
            }))
        }),
        ("no_value", native::v(0), |_| box_once(Err(Exn::from(Error::str(NO_VALUE))))),
        ("elements_with", native::v(1), |mut cv| {
            let labels = cv.0.pop_var();
            single(elements_with(&cv.1, &labels))
        }),
        ("buckets_of_elements", native::v(0), |cv| single(buckets(&cv.1))),
        ("number", native::v(0), |cv| single(number(&cv.1))),
        ("ns", native::v(0), |cv| single(nanoseconds(&cv.1))),
        ("duration", native::v(0), |cv| single(duration(&cv.1))),
        ("from_yaml", native::v(0), |cv| single(from_yaml(&cv.1))),
    ]
}

fn out_of_steps<'a>() -> Exn<'a, Val> {
    Exn::from(Error::str("the filter does not come to an end"))
}

fn single<'a>(result: Result<Val, String>) -> jaq_core::ValXs<'a, <Sandbox as DataT>::V<'a>> {
    let result: ValX<'a, Val> = result.map_err(|message| Exn::from(Error::str(message)));
    box_once(result)
}

fn text(value: &Val) -> Option<&str> {
    value.as_utf8_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// Elements of a vector → those whose labels are these. As in `PromQL`, a label that is absent is empty.
fn elements_with(elements: &Val, labels: &Val) -> Result<Val, String> {
    let (Val::Arr(elements), Val::Obj(labels)) = (elements, labels) else {
        return Err("labels are given as an object: {label: \"value\"}".to_owned());
    };
    let (metric, empty) = (Val::from("metric".to_owned()), Val::from(String::new()));
    let has = |element: &&Val| {
        let Val::Obj(element) = element else { return false };
        let Some(Val::Obj(metric)) = element.get(&metric) else { return false };
        labels.iter().all(|(label, value)| metric.get(label).unwrap_or(&empty) == value)
    };
    Ok(elements.iter().filter(has).cloned().collect())
}

/// Elements of a vector → the buckets of the one classic histogram that they are: `[{le, count}, …]`, by bound.
fn buckets(elements: &Val) -> Result<Val, String> {
    let key = |name: &str| Val::from(name.to_owned());
    let (metric, name, le, value, count) = (key("metric"), key("__name__"), key("le"), key("value"), key("count"));
    let Val::Arr(elements) = elements else { return Err("the elements of a vector are due".to_owned()) };
    let mut histogram: Option<Vec<(&Val, &Val)>> = None;
    let mut buckets = Vec::with_capacity(elements.len());
    for element in elements.iter() {
        let Val::Obj(element) = element else { continue };
        let Some(Val::Obj(labels)) = element.get(&metric) else { continue };
        let Some(bound) = labels.get(&le) else { continue };
        let mut others: Vec<_> = labels.iter().filter(|(label, _)| **label != le && **label != name).collect();
        others.sort();
        if histogram.get_or_insert_with(|| others.clone()) != &others {
            return Err("several histograms: name the label that tells them apart".to_owned());
        }
        let count = match element.get(&value) {
            Some(Val::Arr(pair)) if pair.len() == 2 => number(&pair[1])?,
            _ => return Err("an element has no number".to_owned()),
        };
        buckets.push((number(bound)?, count));
    }
    if buckets.is_empty() {
        return Err(NO_VALUE.to_owned());
    }
    buckets.sort_by(|(a, _), (b, _)| a.cmp(b));
    let bound = |bound: Val| if bound.as_f64() == Some(f64::INFINITY) { key("+Inf") } else { bound };
    let bucket = |(at, n)| Val::obj([(le.clone(), bound(at)), (count.clone(), n)].into_iter().collect());
    Ok(buckets.into_iter().map(bucket).collect())
}

/// A number, or a text that is one: Prometheus writes `"NaN"`, `"+Inf"` and bounds such as `"1.048576e+06"`.
fn number(value: &Val) -> Result<Val, String> {
    if matches!(value, Val::Num(_)) {
        return Ok(value.clone());
    }
    let text = text(value).ok_or("a number is due, or a text that is one")?;
    match text {
        "NaN" => Ok(Val::from(f64::NAN)),
        "+Inf" | "Inf" => Ok(Val::from(f64::INFINITY)),
        "-Inf" => Ok(Val::from(f64::NEG_INFINITY)),
        _ => serde_json::from_str::<serde_json::Number>(text)
            .map_err(|_| "a text that is no number".to_owned())
            .and_then(|number| Val::from_num(number.as_str()).map_err(|error| error.to_string())),
    }
}

/// RFC 3339 → nanoseconds since the Unix epoch, a whole number: a float of seconds would lose them.
fn nanoseconds(value: &Val) -> Result<Val, String> {
    let text = text(value).ok_or("a time is a text such as 2026-10-17T03:00:07.000000001+09:00")?;
    let time: jiff::Timestamp = text.parse().map_err(|_| "a text that is no RFC 3339 time")?;
    Ok(Val::Num(Num::from_integral(time.as_nanosecond())))
}

/// `1m30s`, `250ms`, `1.5h`, `2d` (as Go and Prometheus write durations) → seconds.
fn duration(value: &Val) -> Result<Val, String> {
    const UNITS: [(&str, i128); 9] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
        ("w", 604_800_000_000_000),
    ];
    let wrong = || "a text that is no duration such as 30s or 1m30s".to_owned();
    let text = text(value).ok_or_else(wrong)?;
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let mut total: i128 = 0;
    if rest.is_empty() {
        return Err(wrong());
    }
    while rest != "0" && !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (amount, after) = rest.split_at(digits);
        let letters = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (_, size) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        total = exact(amount, *size).and_then(|part| total.checked_add(part)).ok_or_else(wrong)?;
        rest = after;
    }
    let total = if negative { -total } else { total };
    Ok(if total % 1_000_000_000 == 0 {
        Val::Num(Num::from_integral(total / 1_000_000_000))
    } else {
        Val::Num(Num::from_integral(total)).as_f64().map_or(Val::Null, |nanoseconds| Val::from(nanoseconds / 1e9))
    })
}

/// `amount`, digits with at most one point, times `size`; what is finer than one of the result is cut off.
fn exact(amount: &str, size: i128) -> Option<i128> {
    let (before, after) = amount.split_once('.').unwrap_or((amount, ""));
    if (before.is_empty() && after.is_empty()) || after.contains('.') || amount.len() > 30 {
        return None;
    }
    let whole: i128 = if before.is_empty() { 0 } else { before.parse().ok()? };
    let after = &after[..after.len().min(18)];
    let part: i128 = if after.is_empty() { 0 } else { after.parse().ok()? };
    let scale = 10_i128.pow(u32::try_from(after.len()).ok()?);
    whole.checked_mul(size)?.checked_add(part.checked_mul(size)? / scale)
}

/// A text that is one YAML document → that document, as the reader `yaml` gives it.
fn from_yaml(value: &Val) -> Result<Val, String> {
    let text = text(value).ok_or("YAML is due in a text")?;
    let yaml = reader("yaml").ok_or("there is no reader for YAML")?;
    let documents = yaml.read(Input::new("the text", text.as_bytes()), &Want::default()).map_err(|wrong| {
        let first = wrong.iter().next();
        let line = first.and_then(|first| first.place()).and_then(|place| place.line()).unwrap_or(1);
        format!("the text is no YAML (its line {line})")
    })?;
    match documents.as_array().map(Vec::as_slice) {
        Some([document]) => Ok(from_json(document)),
        _ => Err("the text is not one YAML document".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(result: Result<Val, String>) -> String {
        result.map_or_else(|_| "wrong".to_owned(), |value| value.to_string())
    }

    #[test]
    fn durations_in_seconds() {
        for (text, seconds) in [
            ("5m", "300"),
            ("30s", "30"),
            ("1m30s", "90"),
            ("250ms", "0.25"),
            ("1.5h", "5400"),
            ("2d", "172800"),
            ("1w", "604800"),
            ("0", "0"),
            ("-3s", "-3"),
            ("1h0m0.5s", "3600.5"),
            ("30000000000ns", "30"),
            ("", "wrong"),
            ("5", "wrong"),
            ("5x", "wrong"),
            ("s", "wrong"),
            ("1.2.3s", "wrong"),
            ("5 m", "wrong"),
            ("99999999999999999999999999999w", "wrong"),
            ("999999999999999999999999999999999s", "wrong"),
        ] {
            assert_eq!(shown(duration(&Val::from(text.to_owned()))), seconds, "{text}");
        }
    }

    #[test]
    fn times_keep_their_nanoseconds() {
        let ns = |text: &str| shown(nanoseconds(&Val::from(text.to_owned())));
        assert_eq!(ns("2026-09-29T18:12:33.009192857Z"), "1790705553009192857");
        assert_eq!(ns("1970-01-01T09:00:00.000000001+09:00"), "1");
        assert_eq!(ns("9999-01-01T00:00:00Z"), "253370764800000000000");
        assert_eq!(ns("yesterday"), "wrong");
    }

    #[test]
    fn numbers_of_prometheus() {
        let number = |text: &str| shown(number(&Val::from(text.to_owned())));
        assert_eq!(number("1.048576e+06"), "1.048576e+06");
        assert_eq!(number("+Inf"), "Infinity");
        assert_eq!(number("NaN"), "NaN");
        assert_eq!(number("0x10"), "wrong");
        assert_eq!(number(""), "wrong");
    }
}
