//! A number with a unit and a precision; the one place where rounding happens.

use std::str::FromStr;

use fixed_decimal::{Decimal, FloatPrecision, SignedRoundingMode, UnsignedRoundingMode};
use serde::{Deserialize, Serialize};

/// What a number counts. Named as Prometheus names its base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Things; printed bare.
    Count,
    /// A pure number, e.g. how many times one thing is another; printed bare.
    Number,
    /// A part of a whole, 0 to 1; printed as a percentage.
    Ratio,
    /// Bytes; printed with a binary prefix.
    Bytes,
    /// Bytes a second; printed with a binary prefix.
    BytesPerSecond,
    /// Seconds; printed with the prefix that suits.
    Seconds,
    /// Minutes; printed bare.
    Minutes,
    /// Days; printed bare.
    Days,
    /// Events a second; printed bare.
    PerSecond,
    /// Events an hour; printed bare.
    PerHour,
    /// Not a number: a version, an address, a name; printed as code.
    Text,
    /// True or false; never printed, only asked.
    Bool,
}

impl Unit {
    /// The name used in part.toml and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Number => "number",
            Self::Ratio => "ratio",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "bytes_per_second",
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Days => "days",
            Self::PerSecond => "per_second",
            Self::PerHour => "per_hour",
            Self::Text => "text",
            Self::Bool => "bool",
        }
    }

    /// The scales in which a value of this unit may be printed, smallest first: symbol and size in the unit itself.
    pub fn scales(self) -> &'static [Scale] {
        const fn scale(symbol: &'static str, size: f64) -> Scale {
            Scale { symbol, size }
        }
        const BYTES: &[Scale] = &[
            scale("B", 1.0),
            scale("KiB", 1024.0),
            scale("MiB", 1_048_576.0),
            scale("GiB", 1_073_741_824.0),
            scale("TiB", 1_099_511_627_776.0),
        ];
        const RATES: &[Scale] =
            &[scale("B/s", 1.0), scale("KiB/s", 1024.0), scale("MiB/s", 1_048_576.0), scale("GiB/s", 1_073_741_824.0)];
        const SECONDS: &[Scale] = &[scale("ns", 1e-9), scale("µs", 1e-6), scale("ms", 1e-3), scale("s", 1.0)];
        const RATIO: &[Scale] = &[scale("%", 0.01)];
        match self {
            Self::Bytes => BYTES,
            Self::BytesPerSecond => RATES,
            Self::Seconds => SECONDS,
            Self::Ratio => RATIO,
            _ => &[],
        }
    }
}

/// One way of printing a unit: its symbol, and how much of the unit one of it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    symbol: &'static str,
    size: f64,
}

impl Scale {
    /// The symbol, e.g. `KiB`; also the key of its pattern in `locales/<lang>/site.toml`.
    pub fn symbol(self) -> &'static str {
        self.symbol
    }
}

/// How many digits are shown. Written `n` (a whole number), `.2` (two decimals) or `3s` (three significant digits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// A whole number.
    Whole,
    /// So many decimals.
    Decimals(u8),
    /// So many significant digits.
    Significant(u8),
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = |s: &str| s.parse::<u8>().ok().filter(|n| (1..=15).contains(n));
        match text {
            "n" => Ok(Self::Whole),
            _ => text
                .strip_prefix('.')
                .and_then(digits)
                .map(Self::Decimals)
                .or_else(|| text.strip_suffix('s').and_then(digits).map(Self::Significant))
                .ok_or_else(|| {
                    format!("`{text}` is no precision: use `n`, `.1` (decimals) or `2s` (significant digits)")
                }),
        }
    }
}

impl<'de> Deserialize<'de> for Precision {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A finite number with its unit and the way it is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    value: f64,
    unit: Unit,
    precision: Precision,
    scale: Option<Scale>,
}

/// Why a quantity cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// NaN or an infinity.
    NotFinite,
    /// The unit has no such scale.
    NoSuchScale(String),
}

impl Quantity {
    /// `scale` is a symbol of the unit's scales; without one the largest scale that leaves at least 1 is taken.
    pub fn new(value: f64, unit: Unit, precision: Precision, scale: Option<&str>) -> Result<Self, Unfit> {
        if !value.is_finite() {
            return Err(Unfit::NotFinite);
        }
        let scales = unit.scales();
        let scale = match scale {
            Some(symbol) => {
                Some(*scales.iter().find(|s| s.symbol == symbol).ok_or_else(|| Unfit::NoSuchScale(symbol.to_owned()))?)
            }
            None => scales.iter().rev().find(|s| value.abs() >= s.size).or(scales.first()).copied(),
        };
        Ok(Self { value, unit, precision, scale })
    }

    /// The unrounded number, in the unit.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The symbol that stands beside the printed number, if any.
    pub fn symbol(&self) -> Option<&'static str> {
        self.scale.map(Scale::symbol)
    }

    /// The number as it is printed, rounded, in the scale of [`Self::symbol`].
    pub fn rounded(&self) -> Decimal {
        round(self.value / self.scale.map_or(1.0, |s| s.size), self.precision)
    }
}

/// Rounds half away from zero on the shortest decimal form of `value`, which must be finite.
pub fn round(value: f64, precision: Precision) -> Decimal {
    const MODE: SignedRoundingMode = SignedRoundingMode::Unsigned(UnsignedRoundingMode::HalfExpand);
    let mut decimal = Decimal::try_from_f64(value, FloatPrecision::RoundTrip).unwrap_or_default();
    match precision {
        Precision::Whole => decimal.round_with_mode(0, MODE),
        Precision::Decimals(n) => {
            let position = -i16::from(n);
            decimal.round_with_mode(position, MODE);
            decimal.absolute.pad_end(position);
        }
        Precision::Significant(n) => {
            let position = |d: &Decimal| d.absolute.nonzero_magnitude_start() - i16::from(n) + 1;
            let first = position(&decimal);
            decimal.round_with_mode(first, MODE);
            // 9.96 to two digits is 10, not 10.0
            let position = position(&decimal).max(first);
            decimal.absolute.trim_end();
            decimal.absolute.pad_end(position.min(0));
            if decimal.absolute.is_zero() {
                decimal.absolute.trim_end();
            }
        }
    }
    decimal.absolute.trim_start();
    if decimal.absolute.is_zero() {
        decimal.sign = fixed_decimal::Sign::None;
    }
    decimal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, precision: &str) -> String {
        round(value, precision.parse().expect("a precision")).to_string()
    }

    #[test]
    fn rounds_as_a_reader_would() {
        assert_eq!(shown(30.401_988, ".1"), "30.4");
        assert_eq!(shown(11.985, ".1"), "12.0");
        assert_eq!(shown(0.308_5, "2s"), "0.31");
        assert_eq!(shown(0.003_368_8, "2s"), "0.0034");
        assert_eq!(shown(0.002_133, "1s"), "0.002");
        assert_eq!(shown(110_953.8, "2s"), "110000");
        assert_eq!(shown(2.5, "n"), "3");
        assert_eq!(shown(0.125, ".2"), "0.13");
        assert_eq!(shown(-0.001, ".1"), "0.0");
        assert_eq!(shown(9.96, "2s"), "10");
        assert_eq!(shown(0.0, "2s"), "0");
        assert_eq!(shown(1e21, "n"), "1000000000000000000000");
    }

    #[test]
    fn takes_the_scale_that_leaves_at_least_one() {
        let q = |v, u| Quantity::new(v, u, Precision::Whole, None).expect("finite");
        assert_eq!(q(948_016_692_718.0, Unit::Bytes).symbol(), Some("GiB"));
        assert_eq!(q(948_016_692_718.0, Unit::Bytes).rounded().to_string(), "883");
        assert_eq!(q(0.022, Unit::Seconds).symbol(), Some("ms"));
        assert_eq!(q(0.0, Unit::Seconds).symbol(), Some("ns"));
        assert_eq!(q(0.797, Unit::Ratio).rounded().to_string(), "80");
        assert_eq!(q(247.0, Unit::Count).symbol(), None);
    }

    #[test]
    fn refuses_what_is_no_number() {
        assert_eq!(Quantity::new(f64::NAN, Unit::Count, Precision::Whole, None), Err(Unfit::NotFinite));
        assert!(Quantity::new(1.0, Unit::Bytes, Precision::Whole, Some("MB")).is_err());
    }
}
