//! Whether the value of a fact is of the kind that its unit says.

use serde_json::Value;

use crate::quantity::Unit;

/// Whether a value is of its unit's kind; if not, the code and what it is instead.
pub(super) fn fits(value: &Value, unit: Unit) -> Result<(), (&'static str, String)> {
    let is = |ok: bool, what: &str| if ok { Ok(()) } else { Err(("fact-type", what.to_owned())) };
    match value {
        Value::Null => Err(("fact-null", "null".to_owned())),
        Value::Bool(_) => is(unit == Unit::Bool, "true or false"),
        Value::Number(number) if !matches!(unit, Unit::Text | Unit::Bool) => {
            let finite = number.as_str().parse::<f64>().is_ok_and(f64::is_finite);
            if finite { Ok(()) } else { Err(("not-finite", "too large a number".to_owned())) }
        }
        Value::Number(_) => is(false, "a number"),
        Value::String(_) => is(unit == Unit::Text, "a text"),
        Value::Array(items) => items.iter().try_for_each(|item| inner_fits(item, unit)),
        Value::Object(entries) => entries.values().try_for_each(|item| inner_fits(item, unit)),
    }
}

fn inner_fits(value: &Value, unit: Unit) -> Result<(), (&'static str, String)> {
    match value {
        Value::Null => Err(("fact-null", "a list or object with null in it".to_owned())),
        // a name beside a count, a count beside a name
        Value::String(_) | Value::Number(_) if unit != Unit::Bool => Ok(()),
        Value::Array(_) | Value::Object(_) if unit != Unit::Bool => fits(value, unit),
        _ => Err(("fact-type", "a list or object with another kind of value in it".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_says_the_kind() {
        for (json, unit, code) in [
            ("1", Unit::Count, ""),
            ("\"1\"", Unit::Count, "fact-type"),
            ("null", Unit::Count, "fact-null"),
            ("null", Unit::Text, "fact-null"),
            ("true", Unit::Count, "fact-type"),
            ("true", Unit::Bool, ""),
            ("1", Unit::Bool, "fact-type"),
            ("1", Unit::Text, "fact-type"),
            ("\"v1\"", Unit::Text, ""),
            ("[[\"exec_sync\",1420]]", Unit::Count, ""),
            ("{\"1.7.27\":4}", Unit::Count, ""),
            ("[\"a\",\"b\"]", Unit::Text, ""),
            ("[1,null]", Unit::Count, "fact-null"),
            ("[{\"a\":null}]", Unit::Count, "fact-null"),
            ("[true]", Unit::Count, "fact-type"),
            ("1e400", Unit::Count, "not-finite"),
        ] {
            let value: Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(fits(&value, unit).map_or_else(|(code, _)| code, |()| ""), code, "{json} {unit:?}");
        }
    }
}
