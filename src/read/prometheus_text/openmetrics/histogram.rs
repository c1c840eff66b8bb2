//! One histogram: what its samples say together.

use super::{Flaw, Sample, float};

/// The buckets, count and sum of one histogram at one time.
pub(super) struct Histogram {
    pub(super) line: usize,
    bound: Option<f64>,
    value: f64,
    count: Option<f64>,
    sum: bool,
    gauge_sum: bool,
    negative_bound: bool,
    negative_gauge_sum: bool,
}

impl Histogram {
    pub(super) fn new(line: usize) -> Self {
        Self {
            line,
            bound: None,
            value: 0.0,
            count: None,
            sum: false,
            gauge_sum: false,
            negative_bound: false,
            negative_gauge_sum: false,
        }
    }

    pub(super) fn add(&mut self, sample: &Sample, ending: &str) -> Option<Flaw> {
        let value = sample.float();
        match ending {
            "_bucket" => {
                let bound = sample.label("le").and_then(float)?;
                let message = if self.bound.is_some_and(|last| bound <= last) {
                    Some("the buckets are out of order")
                } else if value < self.value {
                    Some("a bucket holds less than the one below it")
                } else {
                    None
                };
                self.negative_bound |= bound < 0.0;
                self.bound = Some(bound);
                self.value = value;
                let help = "buckets stand by rising `le`, each counts all below it";
                return message.map(|message| Flaw {
                    at: sample.labels_at,
                    code: "exposition-histogram",
                    message,
                    help,
                });
            }
            "_count" | "_gcount" => self.count = Some(value),
            "_sum" => self.sum = true,
            "_gsum" => {
                self.gauge_sum = true;
                self.negative_gauge_sum = value < 0.0;
            }
            _ => {}
        }
        None
    }

    /// What is missing or does not fit, once all of it is known.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        let sum = self.sum || self.gauge_sum;
        if self.bound != Some(f64::INFINITY) {
            Some("the histogram has no bucket le=\"+Inf\"")
        } else if self.count.is_some_and(|count| count != self.value) {
            Some("the histogram's count is not that of its bucket le=\"+Inf\"")
        } else if sum && self.count.is_none() {
            Some("the histogram has a sum but no count")
        } else if !sum && self.count.is_some() {
            Some("the histogram has a count but no sum")
        } else if self.negative_bound && self.sum {
            Some("a histogram with negative bounds has no sum")
        } else if !self.negative_bound && self.negative_gauge_sum {
            Some("the sum is negative but no bound is")
        } else {
            None
        }
    }
}
