//! The value of a fact as one language prints it.

use fixed_decimal::Decimal;
use serde_json::{Number, Value};

use super::Locale;
use crate::diag::{Diagnostic, Place};
use crate::facts::Show;
use crate::quantity::{Precision, Quantity, Unfit};

/// A printed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Without markup.
    pub text: String,
    /// Whether it is code: captured text.
    pub code: bool,
}

/// Why a value cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprintable {
    /// There is none (null).
    Absent,
    /// True or false is asked, not printed.
    Bool,
    /// An object; one of its entries can be.
    Object,
    /// A list where one value is due.
    List,
    /// A text of no characters, or of blanks.
    Empty,
    /// Text where only a number will do.
    NotANumber,
    /// Not a finite number.
    NotFinite,
    /// The unit has no such scale.
    NoSuchScale(String),
    /// A text with a character from U+E000 to U+F8FF.
    PrivateUse,
}

impl Shown {
    /// As inline Markdown: code in a code span with a fence that is long enough.
    pub fn markdown(&self) -> String {
        if !self.code {
            return self.text.clone();
        }
        let longest = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        // Markdown takes one blank from both sides if it is on both, and a backtick would lengthen the fence.
        let ends = |c: char| self.text.starts_with(c) && self.text.ends_with(c);
        let pad = if self.text.starts_with('`') || self.text.ends_with('`') || ends(' ') { " " } else { "" };
        format!("{fence}{pad}{}{pad}{fence}", self.text)
    }
}

impl Unprintable {
    /// The finding, for the value `name` that is to be printed at `place`.
    pub fn diagnostic(&self, name: &str, place: Place) -> Diagnostic {
        let (what, help) = match self {
            Self::Absent => ("has no value".to_owned(), "see that the capture has it, or do not print it"),
            Self::Bool => ("is true or false, which is not printed".to_owned(), "let a claim rest on it instead"),
            Self::Object => {
                ("is an object, which is not printed".to_owned(), "name one of its entries: `{fact.entry}`")
            }
            Self::List => ("is a list where one value is due".to_owned(), "name one of its entries: `{fact.0}`"),
            Self::Empty => ("is an empty text".to_owned(), "see that the capture has it, or do not print it"),
            Self::NotANumber => ("is not a number".to_owned(), "leave out the format; only a number can be rounded"),
            Self::NotFinite => ("is not a finite number".to_owned(), "see what its filter divides by"),
            Self::NoSuchScale(scale) => (format!("cannot be printed in `{scale}`"), "mend `in` in part.toml"),
            Self::PrivateUse => ("holds a private-use character".to_owned(), "let its filter remove it"),
        };
        Diagnostic::error("fact-unprintable", format!("`{name}` {what}")).with_place(place).with_help(help)
    }
}

/// A number, or a text.
pub(super) fn scalar(locale: &Locale, value: &Value, show: &Show) -> Result<Shown, Unprintable> {
    match value {
        Value::Number(number) => match exact(number, show) {
            Some(decimal) => Ok(figure(locale.number(&decimal))),
            None => Ok(figure(locale.quantity(&quantity(number, show)?))),
        },
        Value::String(text) => string(locale, text),
        Value::Null => Err(Unprintable::Absent),
        Value::Bool(_) => Err(Unprintable::Bool),
        Value::Array(_) => Err(Unprintable::List),
        Value::Object(_) => Err(Unprintable::Object),
    }
}

/// A number, rounded in the language's words.
pub(super) fn approx(locale: &Locale, value: &Value, show: &Show) -> Result<Shown, Unprintable> {
    match value {
        Value::Number(number) => Ok(figure(locale.approx(&quantity(number, show)?))),
        Value::String(_) => Err(Unprintable::NotANumber),
        _ => scalar(locale, value, show),
    }
}

/// The entries of a list, or the one value.
pub(super) fn list(locale: &Locale, value: &Value, show: &Show) -> Result<Vec<Shown>, Unprintable> {
    match value {
        Value::Array(all) if all.is_empty() => Err(Unprintable::Absent),
        Value::Array(all) => all.iter().map(|one| scalar(locale, one, show)).collect(),
        one => Ok(vec![scalar(locale, one, show)?]),
    }
}

fn figure(text: String) -> Shown {
    Shown { text, code: false }
}

/// An alias alone is a word of the language; any other text is code.
fn string(locale: &Locale, text: &str) -> Result<Shown, Unprintable> {
    if text.trim().is_empty() {
        return Err(Unprintable::Empty);
    }
    if text.contains(|c| ('\u{E000}'..='\u{F8FF}').contains(&c)) {
        return Err(Unprintable::PrivateUse);
    }
    match locale.aliases.alone(text) {
        Some(said) => Ok(Shown { text: said.to_owned(), code: false }),
        None => Ok(Shown { text: locale.alias(text), code: true }),
    }
}

fn quantity(number: &Number, show: &Show) -> Result<Quantity, Unprintable> {
    let value = number.as_f64().ok_or(Unprintable::NotFinite)?;
    Quantity::new(value, show.unit, show.precision, show.scale.as_deref()).map_err(|unfit| match unfit {
        Unfit::NotFinite => Unprintable::NotFinite,
        Unfit::NoSuchScale(scale) => Unprintable::NoSuchScale(scale),
    })
}

/// A whole number printed whole is printed digit by digit: above 2^53 a double is not exact.
fn exact(number: &Number, show: &Show) -> Option<Decimal> {
    let whole = show.precision == Precision::Whole && show.unit.scales().is_empty() && show.scale.is_none();
    let text = number.as_str();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = whole && digits != "0" && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_long_enough() {
        let code = |text: &str| Shown { text: text.to_owned(), code: true }.markdown();
        assert_eq!(code("v1.34.10"), "`v1.34.10`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("a``b`c"), "```a``b`c```");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code(" a "), "`  a  `");
        assert_eq!(code(" a"), "` a`");
        assert_eq!(Shown { text: "247".to_owned(), code: false }.markdown(), "247");
    }

    proptest::proptest! {
        /// The oracle: what a Markdown parser reads is what was to be shown.
        #[test]
        fn a_code_span_reads_back(text in "[a`*_|<& \\\\가]{0,12}[a`*_|<&\\\\가][a`*_|<& \\\\가]{0,12}") {
            use pulldown_cmark::{Event, Parser};
            let markdown = format!("x{}y", Shown { text: text.clone(), code: true }.markdown());
            let code: Vec<_> = Parser::new(&markdown).filter_map(|e| match e {
                Event::Code(code) => Some(code.into_string()),
                _ => None,
            }).collect();
            proptest::prop_assert_eq!(code, [text]);
        }
    }
}
