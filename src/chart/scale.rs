//! From numbers to lengths: the scales of the charts, and the one function that rounds.
//!
//! Logarithms are `libm`'s and not the platform's, whose last digit differs from machine to machine.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};

/// A linear scale from 0 to its largest value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    pub(super) to: f64,
}

/// A logarithmic scale; what lies outside its ends is drawn at them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Log {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Log {
    /// How far along a length a value stands.
    pub(super) fn place(&self, value: f64, limit: (i32, i32)) -> i32 {
        let log = libm::log10;
        let span = log(self.to) - log(self.from);
        let fraction = if value > self.from && span > 0.0 { (log(value) - log(self.from)) / span } else { 0.0 };
        round(fraction.clamp(0.0, 1.0), limit)
    }
}

/// The point at `fraction` (0 to 1) of a length, in tenths of a unit: the one place where a coordinate is rounded.
pub(super) fn round(fraction: f64, (start, end): (i32, i32)) -> i32 {
    let length = f64::from(end) - f64::from(start);
    #[expect(clippy::cast_possible_truncation, reason = "a part of a length that is an i32 itself")]
    let offset = (length * fraction + 0.5).floor() as i32;
    start + offset
}

impl Ranged for Log {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.place(*value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        vec![self.from, self.to]
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl Ranged for Linear {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        round(if self.to > 0.0 { (value / self.to).clamp(0.0, 1.0) } else { 0.0 }, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        vec![0.0, self.to]
    }

    fn range(&self) -> Range<f64> {
        0.0..self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decade_is_a_decade_long() {
        let log = Log { from: 1.0, to: 1000.0 };
        assert_eq!([1.0, 10.0, 100.0, 1000.0].map(|v| log.place(v, (0, 3000))), [0, 1000, 2000, 3000]);
        assert_eq!(log.place(0.0, (50, 3000)), 50);
        assert_eq!(log.place(1e9, (50, 3000)), 3000);
    }

    #[test]
    fn a_length_may_run_upwards() {
        let half = Linear { to: 2.0 };
        assert_eq!(half.map(&1.0, (100, 0)), 50);
        assert_eq!(half.map(&0.0, (100, 0)), 100);
        assert_eq!(half.map(&9.0, (100, 0)), 0);
    }
}
