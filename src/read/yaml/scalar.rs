//! Scalars by the core schema of YAML 1.2; numbers keep their digits.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use saphyr_parser::Tag;
use serde_json::{Number, Value};

static DECIMAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([-+]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))([eE][-+]?[0-9]+)?$").expect("a fixed pattern")
});

/// The value of a scalar: by its tag, else by its text if it is plain. Tags that are not YAML's own give text.
pub(super) fn resolve(text: Cow<'_, str>, plain: bool, tag: Option<&Tag>) -> Result<Value, &'static str> {
    let Some(tag) = tag else {
        return Ok(if plain { by_text(&text) } else { Value::from(text) });
    };
    let value = by_text(&text);
    let (good, expected) = match (tag.is_yaml_core_schema(), tag.suffix.as_str()) {
        (true, "null") => (value.is_null(), "expected null behind its tag"),
        (true, "bool") => (value.is_boolean(), "expected true or false behind its tag"),
        (true, "int") => (is_whole(&value), "expected a whole number behind its tag"),
        (true, "float") => (value.is_number() || is_special(&text).is_some(), "expected a number behind its tag"),
        _ => return Ok(Value::from(text)),
    };
    if good { Ok(value) } else { Err(expected) }
}

fn is_whole(value: &Value) -> bool {
    value.as_number().is_some_and(|n| !n.as_str().contains(['.', 'e', 'E']))
}

/// What a number cannot say is text, as in the answers of Prometheus.
fn is_special(text: &str) -> Option<&'static str> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some("+Inf"),
        "-.inf" | "-.Inf" | "-.INF" => Some("-Inf"),
        ".nan" | ".NaN" | ".NAN" => Some("NaN"),
        _ => None,
    }
}

fn by_text(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Some(special) = is_special(text) {
        return Value::from(special);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return Value::from(text);
    }
    number(text).map_or_else(|| Value::from(text), Value::Number)
}

/// The number in the form that JSON allows: no `+`, no leading zeros, digits on both sides of the point.
fn number(text: &str) -> Option<Number> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let value = if digits.starts_with('+') { None } else { u128::from_str_radix(digits, radix).ok() };
            return value?.to_string().parse().ok();
        }
    }
    let parts = DECIMAL.captures(text)?;
    let part = |i: usize| parts.get(i).map(|m| m.as_str());
    let sign = if part(1) == Some("-") { "-" } else { "" };
    let whole = part(2).unwrap_or("0").trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = match part(3).or(part(4)) {
        None => String::new(),
        Some("") => ".0".to_owned(),
        Some(digits) => format!(".{digits}"),
    };
    format!("{sign}{whole}{fraction}{}", part(5).unwrap_or_default()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        resolve(text.into(), true, None).expect("a scalar").to_string()
    }

    #[test]
    fn the_core_schema() {
        // From the tables in section 10.3.2 of the YAML 1.2.2 specification, and the cases beside them.
        for (text, json) in [
            ("null", "null"),
            ("~", "null"),
            ("", "null"),
            ("true", "true"),
            ("False", "false"),
            ("yes", "\"yes\""),
            ("on", "\"on\""),
            ("0", "0"),
            ("-19", "-19"),
            ("+12", "12"),
            ("0644", "644"),
            ("0o7", "7"),
            ("0x3A", "58"),
            ("0.", "0.0"),
            ("-0.0", "-0.0"),
            (".5", "0.5"),
            ("1.10", "1.10"),
            ("18446744073709551617", "18446744073709551617"),
            (".inf", "\"+Inf\""),
            ("-.Inf", "\"-Inf\""),
            (".NAN", "\"NaN\""),
            ("1_000", "\"1_000\""),
            ("2001-12-14", "\"2001-12-14\""),
            ("1:20", "\"1:20\""),
            ("0x", "\"0x\""),
            ("0x+1", "\"0x+1\""),
            ("-", "\"-\""),
            ("v1", "\"v1\""),
            ("1.2.3", "\"1.2.3\""),
        ] {
            assert_eq!(plain(text), json, "{text}");
        }
        let big: f64 = plain("+12e03").parse().expect("a number");
        assert!((big - 12_000.0).abs() < f64::EPSILON);
    }

    #[test]
    fn tags_decide() {
        let tag = |suffix: &str| Tag { handle: "tag:yaml.org,2002:".into(), suffix: suffix.into() };
        assert_eq!(resolve("12".into(), true, Some(&tag("str"))), Ok(Value::from("12")));
        assert_eq!(resolve("12".into(), false, Some(&tag("int"))).expect("a number").to_string(), "12");
        assert!(resolve("1.5".into(), true, Some(&tag("int"))).is_err());
        let own = Tag { handle: "!".into(), suffix: "Ref".into() };
        assert_eq!(resolve("12".into(), true, Some(&own)), Ok(Value::from("12")));
        assert_eq!(resolve("12".into(), false, None), Ok(Value::from("12")));
    }
}
