//! Numbers as Prometheus writes them → JSON numbers that keep the text, so that no digit is lost.

use serde_json::{Number, Value};

/// A sample's value: a JSON number, or the string `NaN`, `+Inf` or `-Inf`. `None` if `text` is no number of Go's
/// `strconv.ParseFloat`, decimal, within 64 bits.
pub(super) fn sample_value(text: &str) -> Option<Value> {
    let value = float(text)?;
    Some(if value.is_nan() {
        Value::from("NaN")
    } else if value.is_infinite() {
        Value::from(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        Value::Number(decimal(text)?)
    })
}

/// The nearest 64-bit float; `None` where [`sample_value`] gives none.
pub(super) fn float(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let odd = match text.trim_start_matches(['+', '-']).as_bytes().first() {
        // a signed NaN
        Some(b'n' | b'N') => !text.starts_with(['n', 'N']),
        Some(b'i' | b'I') => false,
        // finite text beyond the largest float
        _ => value.is_infinite(),
    };
    (!odd).then_some(value)
}

/// `text`, which is a finite decimal number, as JSON writes it: no `+`, no leading zeros, digits on both sides of the
/// point, a sign in the exponent (`serde_json` adds it); otherwise untouched.
pub(super) fn decimal(text: &str) -> Option<Number> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = unsigned.split_at(unsigned.find(['e', 'E']).unwrap_or(unsigned.len()));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let mut json = String::with_capacity(text.len() + 1);
    for piece in [sign, whole, point, fraction, exponent] {
        json.push_str(piece);
    }
    json.parse().ok()
}

/// Whole milliseconds as seconds, exactly.
pub(super) fn milliseconds(text: &str) -> Option<Number> {
    let milliseconds: i64 = text.parse().ok()?;
    let sign = if milliseconds < 0 { "-" } else { "" };
    let (seconds, rest) = (milliseconds.unsigned_abs() / 1000, milliseconds.unsigned_abs() % 1000);
    let json = match rest {
        0 => format!("{sign}{seconds}"),
        _ => format!("{sign}{seconds}.{rest:03}").trim_end_matches('0').to_owned(),
    };
    json.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        sample_value(text).map(|v| v.to_string())
    }

    #[test]
    fn a_value_keeps_its_text() {
        for (text, is) in [
            ("1", "1"),
            ("1.05e+06", "1.05e+06"),
            ("9223372036854775808", "9223372036854775808"),
            ("12345678901234567890.1234567890", "12345678901234567890.1234567890"),
            ("0.17842058611376396", "0.17842058611376396"),
            ("+3", "3"),
            ("-3e3", "-3e+3"),
            ("-0", "-0"),
            ("08", "8"),
            ("0000001.2e-1", "1.2e-1"),
            (".5", "0.5"),
            ("-.5E5", "-0.5e+5"),
            ("5.", "5"),
            ("5.e-1", "5e-1"),
            ("NaN", "\"NaN\""),
            ("nan", "\"NaN\""),
            ("Inf", "\"+Inf\""),
            ("+infinity", "\"+Inf\""),
            ("-Inf", "\"-Inf\""),
        ] {
            assert_eq!(json(text).as_deref(), Some(is), "{text}");
        }
    }

    #[test]
    fn what_go_does_not_read_is_no_value() {
        for text in
            ["", "+", "-", ".", "e5", "1e", "1_2", "0x1p-3", "0b1", "+NaN", "-nan", "1e999", "1 ", " 1", "١", "--1"]
        {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_become_seconds() {
        for (text, is) in [
            ("1592829361218", "1592829361.218"),
            ("1592829361000", "1592829361"),
            ("103940", "103.94"),
            ("-1", "-0.001"),
            ("0", "0"),
            ("-9223372036854775808", "-9223372036854775.808"),
        ] {
            assert_eq!(milliseconds(text).map(|n| n.to_string()).as_deref(), Some(is), "{text}");
        }
        assert!(milliseconds("2.72").is_none());
    }
}
