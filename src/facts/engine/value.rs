//! JSON values into jq's and back; numbers keep their text until arithmetic needs them.

use jaq_core::ValT;
use jaq_json::{Map, Num, Val};
use serde_json::{Number, Value};

/// Why a value cannot be written as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::facts) enum Unfit {
    /// NaN.
    NotANumber,
    /// An infinity.
    Infinite,
    /// Something that JSON lacks or its readers refuse: bytes that are not UTF-8, a key that is no string, too deep a value.
    NotJson,
}

/// As deep as JSON is read.
const DEEPEST: usize = 128;

/// A JSON value for a filter.
pub(in crate::facts) fn from_json(value: &Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(is) => Val::Bool(*is),
        Value::Number(number) => from_number(number.as_str()),
        Value::String(text) => Val::from(text.clone()),
        Value::Array(items) => items.iter().map(from_json).collect(),
        Value::Object(entries) => {
            Val::obj(entries.iter().map(|(key, value)| (Val::from(key.clone()), from_json(value))).collect::<Map>())
        }
    }
}

/// A JSON number, of any size and precision.
pub(in crate::facts) fn from_number(text: &str) -> Val {
    Val::from_num(text).unwrap_or(Val::Null)
}

/// What a filter gave, as JSON.
pub(in crate::facts) fn to_json(value: &Val) -> Result<Value, Unfit> {
    to_json_within(value, DEEPEST)
}

/// `deepest`: how many arrays and objects may stand in one another.
fn to_json_within(value: &Val, deepest: usize) -> Result<Value, Unfit> {
    let inner = |value: &Val| to_json_within(value, deepest.checked_sub(1).ok_or(Unfit::NotJson)?);
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(is) => Value::Bool(*is),
        Val::Num(number) => Value::Number(to_number(number)?),
        Val::TStr(bytes) => Value::String(text(bytes)?),
        Val::BStr(_) => return Err(Unfit::NotJson),
        Val::Arr(items) => Value::Array(items.iter().map(inner).collect::<Result<_, _>>()?),
        Val::Obj(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| match key {
                    Val::TStr(key) => Ok((text(key)?, inner(value)?)),
                    _ => Err(Unfit::NotJson),
                })
                .collect::<Result<_, _>>()?,
        ),
    })
}

fn text(bytes: &[u8]) -> Result<String, Unfit> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Unfit::NotJson)
}

fn to_number(number: &Num) -> Result<Number, Unfit> {
    let text = match number {
        Num::Float(float) if float.is_nan() => return Err(Unfit::NotANumber),
        Num::Float(float) if float.is_infinite() => return Err(Unfit::Infinite),
        Num::Float(_) | Num::Dec(_) => {
            let text = number.to_string();
            whole(&text).unwrap_or(text)
        }
        Num::Int(_) | Num::BigInt(_) => number.to_string(),
    };
    text.parse().map_err(|_| Unfit::NotJson)
}

/// `9.48016692718e+11` and `3.0` as the whole numbers that they are; the digits stay exactly the same.
fn whole(text: &str) -> Option<String> {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let after = after.trim_end_matches('0');
    let zeros = usize::try_from(exponent.parse::<i64>().ok()?).ok()?.checked_sub(after.len()).filter(|n| *n <= 21)?;
    let digits = format!("{before}{after}{}", "0".repeat(zeros));
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_out() {
        for (text, as_whole) in [
            ("9.48016692718e+11", Some("948016692718")),
            ("3.0", Some("3")),
            ("-1.50e1", Some("-15")),
            ("0.0", Some("0")),
            ("1e21", Some("1000000000000000000000")),
            ("1e300", None),
            ("0.5", None),
            ("1.5e-3", None),
            ("1.25e1", None),
        ] {
            assert_eq!(whole(text).as_deref(), as_whole, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_float_comes_back_the_same(float in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            let number = to_number(&Num::Float(float)).expect("finite");
            proptest::prop_assert_eq!(number.as_str().parse::<f64>(), Ok(float));
        }

        #[test]
        fn a_number_keeps_its_text(text in "(0|[1-9][0-9]{0,30})(\\.[0-9]{0,20}[1-9])?") {
            let value: Value = serde_json::from_str(&text).expect("a number");
            proptest::prop_assert_eq!(to_json(&from_json(&value)).map(|v| v.to_string()), Ok(text));
        }
    }
}
