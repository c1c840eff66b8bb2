//! Numbers by CLDR, units by the patterns of `[units]`, large round numbers by the words of `[approx]`.

use std::collections::BTreeMap;

use fixed_decimal::Decimal;
use icu_decimal::{DecimalFormatter, DecimalFormatterPreferences};

use super::{Pattern, Section};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};
use crate::quantity::{Precision, Quantity, Unit};

/// The units whose scales must have a pattern; the others are printed bare.
const SCALED: [Unit; 4] = [Unit::Ratio, Unit::Bytes, Unit::BytesPerSecond, Unit::Seconds];

/// How one language prints numbers.
#[derive(Debug)]
pub(super) struct Numbers {
    formatter: DecimalFormatter,
    units: BTreeMap<String, Pattern>,
    /// Power of ten and its word, largest first.
    large: Vec<(i16, Pattern)>,
}

impl Numbers {
    pub(super) fn new(tag: &str, units: &Section<'_>, approx: &Section<'_>) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let formatter = formatter(tag, units, &mut wrong);
        let symbols = || SCALED.iter().flat_map(|u| u.scales()).map(|s| s.symbol());
        let mut patterns = BTreeMap::new();
        for (symbol, pattern, entry) in units.patterns(&mut wrong) {
            if !symbols().any(|s| s == symbol) {
                wrong.push(
                    Diagnostic::error("site-unit", format!("no unit is printed with `{symbol}`"))
                        .with_place(units.place(entry))
                        .with_help(format!("the symbols are {}", symbols().collect::<Vec<_>>().join(", "))),
                );
            }
            patterns.insert(symbol.to_owned(), pattern);
        }
        for symbol in symbols().filter(|s| !units.entries.iter().any(|(key, _)| key == s)) {
            wrong.push(
                Diagnostic::error("site-unit", format!("the unit `{symbol}` has no pattern"))
                    .with_place(Place::file(units.source.path()))
                    .with_help(format!("add `\"{symbol}\" = \"{{}} {symbol}\"` under [units]")),
            );
        }
        let mut large = Vec::new();
        for (size, pattern, entry) in approx.patterns(&mut wrong) {
            match power_of_ten(size) {
                Some(power) => large.push((power, pattern)),
                None => wrong.push(
                    Diagnostic::error("site-approx", format!("`{size}` is not a power of ten"))
                        .with_place(approx.place(entry))
                        .with_help("write for example `10000 = \"{}만\"`"),
                ),
            }
        }
        large.sort_by_key(|(power, _)| -power);
        match formatter {
            Some(formatter) => wrong.or_value(Self { formatter, units: patterns, large }),
            None => Err(wrong),
        }
    }

    pub(super) fn number(&self, decimal: &Decimal) -> String {
        self.formatter.format(decimal).to_string()
    }

    pub(super) fn quantity(&self, quantity: &Quantity) -> String {
        self.with_symbol(&quantity.rounded(), quantity)
    }

    pub(super) fn approx(&self, quantity: &Quantity) -> String {
        // From the unrounded value: what is rounded twice may be wrong.
        let two = Precision::Significant(2);
        let Ok(rough) = Quantity::new(quantity.value(), quantity.unit(), two, quantity.symbol()) else {
            return self.quantity(quantity);
        };
        let mut number = rough.rounded();
        let magnitude = number.absolute.nonzero_magnitude_start();
        match self.large.iter().find(|(power, _)| rough.symbol().is_none() && *power <= magnitude) {
            Some((power, word)) => {
                number.absolute.multiply_pow10(-power);
                number.absolute.trim_end();
                word.fill(&[&self.number(&number)])
            }
            None => self.with_symbol(&number, &rough),
        }
    }

    fn with_symbol(&self, number: &Decimal, quantity: &Quantity) -> String {
        let number = self.number(number);
        match quantity.symbol() {
            None => number,
            Some(symbol) => match self.units.get(symbol) {
                Some(pattern) => pattern.fill(&[&number]),
                None => format!("{number} {symbol}"),
            },
        }
    }
}

fn formatter(tag: &str, site: &Section<'_>, wrong: &mut Diagnostics) -> Option<DecimalFormatter> {
    let preferences = tag.parse::<icu_locale_core::Locale>().ok().map(|l| DecimalFormatterPreferences::from(&l));
    let formatter = preferences.and_then(|p| DecimalFormatter::try_new(p, Default::default()).ok());
    if formatter.is_none() {
        wrong.push(
            Diagnostic::error("language-unknown", format!("nothing is known of how `{tag}` writes numbers"))
                .with_place(Place::file(site.source.path()))
                .with_help("check the BCP 47 tag in factpress.toml"),
        );
    }
    formatter
}

/// 4 for `10000`.
fn power_of_ten(digits: &str) -> Option<i16> {
    let zeros = digits.strip_prefix('1')?;
    zeros.bytes().all(|b| b == b'0').then_some(())?;
    i16::try_from(zeros.len()).ok().filter(|n| (1..=100).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_with_scales_needs_patterns() {
        // A new unit must be put into one of the two lists.
        let bare = [
            Unit::Count,
            Unit::Number,
            Unit::Minutes,
            Unit::Days,
            Unit::PerSecond,
            Unit::PerHour,
            Unit::Text,
            Unit::Bool,
        ];
        for unit in bare {
            assert!(unit.scales().is_empty(), "{}", unit.name());
        }
        for unit in SCALED {
            assert!(!unit.scales().is_empty(), "{}", unit.name());
        }
    }

    #[test]
    fn sizes_are_powers_of_ten() {
        assert_eq!(power_of_ten("10000"), Some(4));
        assert_eq!(power_of_ten("1000000000000"), Some(12));
        for bad in ["1", "", "0", "20000", "10001", "1e4", "10_000", "-10"] {
            assert_eq!(power_of_ten(bad), None, "{bad}");
        }
    }
}
