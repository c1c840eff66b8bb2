//! `PromQL`'s `histogram_quantile` for classic histograms, as Prometheus 3 defines it.

use std::cmp::Ordering;

use jaq_core::{Exn, box_iter::box_once, native};
use jaq_json::Val;
use jaq_std::ValT as _;

use super::Sandbox;

/// Counts of neighbouring buckets that differ by less than this part of their sum are equal.
const TOLERANCE: f64 = 1e-12;

/// A bucket: its upper bound and how many observations are at most that, both as `PromQL` has them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bucket {
    bound: f64,
    count: f64,
}

/// The `q`-quantile of buckets in any order, interpolated within the bucket that holds it.
///
/// NaN where `PromQL` has it: `q` is NaN, no bucket `+Inf`, fewer than two buckets, no observations.
fn quantile(q: f64, mut buckets: Vec<Bucket>) -> f64 {
    if q.is_nan() || buckets.is_empty() {
        return f64::NAN;
    }
    if q < 0.0 {
        return f64::NEG_INFINITY;
    }
    if q > 1.0 {
        return f64::INFINITY;
    }
    buckets.sort_by(|a, b| a.bound.partial_cmp(&b.bound).unwrap_or(Ordering::Equal));
    if buckets[buckets.len() - 1].bound != f64::INFINITY {
        return f64::NAN;
    }
    buckets.dedup_by(|next, kept| {
        let same = next.bound == kept.bound;
        if same {
            kept.count += next.count;
        }
        same
    });
    make_monotonic(&mut buckets);
    let [.., below, last] = buckets[..] else { return f64::NAN };
    if last.count == 0.0 {
        return f64::NAN;
    }
    let rank = q * last.count;
    let finite = &buckets[..buckets.len() - 1];
    let at = finite.partition_point(|bucket| bucket.count.partial_cmp(&rank).is_none_or(Ordering::is_lt));
    let Some(holds) = finite.get(at) else { return below.bound };
    let Some(before) = at.checked_sub(1).map(|before| finite[before]) else {
        return if holds.bound <= 0.0 { holds.bound } else { holds.bound * (rank / holds.count) };
    };
    before.bound + (holds.bound - before.bound) * ((rank - before.count) / (holds.count - before.count))
}

/// Counts only grow: a decrease, or a difference that is only the rounding of floats, is levelled out.
fn make_monotonic(buckets: &mut [Bucket]) {
    let Some(first) = buckets.first() else { return };
    let mut before = first.count;
    for bucket in &mut buckets[1..] {
        if bucket.count < before || almost_equal(before, bucket.count) {
            bucket.count = before;
        } else {
            before = bucket.count;
        }
    }
}

fn almost_equal(a: f64, b: f64) -> bool {
    let (sum, difference) = (a.abs() + b.abs(), (a - b).abs());
    if a == b || (a.is_nan() && b.is_nan()) {
        true
    } else if a == 0.0 || b == 0.0 || sum < f64::MIN_POSITIVE {
        difference < TOLERANCE * f64::MIN_POSITIVE
    } else {
        difference / sum.min(f64::MAX) < TOLERANCE
    }
}

/// `[[bound, count], …] | quantile_of_buckets($q)`
pub(super) fn funs() -> impl Iterator<Item = native::Fun<Sandbox>> {
    let one: native::Filter<jaq_core::RunPtr<Sandbox>> = ("quantile_of_buckets", native::v(1), |mut cv| {
        let q = cv.0.pop_var();
        let result = q.as_f64().zip(pairs(&cv.1)).map(|(q, buckets)| Val::from(quantile(q, buckets)));
        box_once(
            result
                .ok_or_else(|| Exn::from(jaq_json::Error::str("a quantile is a number, and so are bounds and counts"))),
        )
    });
    std::iter::once(native::run::<Sandbox>(one))
}

fn pairs(value: &Val) -> Option<Vec<Bucket>> {
    let Val::Arr(items) = value else { return None };
    items
        .iter()
        .map(|item| match item {
            Val::Arr(pair) if pair.len() == 2 => Some(Bucket { bound: pair[0].as_f64()?, count: pair[1].as_f64()? }),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    fn of(q: f64, buckets: &[(f64, f64)]) -> f64 {
        quantile(q, buckets.iter().map(|&(bound, count)| Bucket { bound, count }).collect())
    }

    /// Cases of Prometheus' promql/promqltest/testdata/histograms.test: `testhistogram`, its `positive` and `negative` buckets.
    #[test]
    fn the_cases_of_prometheus() {
        let positive = [(0.1, 5.0), (0.2, 7.0), (1e0, 11.0), (INF, 12.0)];
        for (q, expected) in [(0.0, 0.0), (0.2, 0.048), (0.5, 0.15), (0.8, 0.72), (0.25, 0.06), (1.0, 1.0)] {
            assert!((of(q, &positive) - expected).abs() < 1e-12, "{q}: {}", of(q, &positive));
        }
        let negative = [(-0.2, 1.0), (-0.1, 2.0), (0.3, 2.0), (INF, 3.0)];
        for (q, expected) in [(0.2, -0.2), (0.5, -0.15), (0.8, 0.3)] {
            assert!((of(q, &negative) - expected).abs() < 1e-12, "{q}: {}", of(q, &negative));
        }
    }

    #[test]
    fn outside_of_zero_to_one() {
        let buckets = [(1.0, 1.0), (INF, 2.0)];
        assert_eq!(of(-0.1, &buckets), -INF);
        assert_eq!(of(1.1, &buckets), INF);
        assert!(of(f64::NAN, &buckets).is_nan());
    }

    #[test]
    fn not_a_number_where_nothing_can_be_said() {
        assert!(of(0.5, &[]).is_nan());
        assert!(of(0.5, &[(INF, 3.0)]).is_nan(), "fewer than two buckets");
        assert!(of(0.5, &[(1.0, 2.0), (2.0, 3.0)]).is_nan(), "no +Inf");
        assert!(of(0.5, &[(1.0, 0.0), (INF, 0.0)]).is_nan(), "no observations");
        assert!(of(0.5, &[(INF, 1.0), (INF, 1.0)]).is_nan(), "two that are one");
    }

    #[test]
    fn any_order_and_equal_bounds() {
        assert_eq!(of(0.5, &[(INF, 4.0), (2.0, 4.0), (1.0, 2.0)]), 1.0);
        assert_eq!(of(0.5, &[(1.0, 1.0), (INF, 4.0), (2.0, 4.0), (1.0, 1.0)]), 1.0);
    }

    #[test]
    fn decreases_are_levelled_out() {
        // as if the buckets were 10, 10, 10, 20
        assert_eq!(of(0.5, &[(1.0, 10.0), (2.0, 7.0), (3.0, 9.0), (INF, 20.0)]), 1.0);
        // a rounding error beyond 1 must not move the quantile to a later bucket
        assert_eq!(of(1.0, &[(1.0, 10.0), (2.0, 10.000_000_000_000_002), (INF, 10.000_000_000_000_002)]), 1.0);
    }

    #[test]
    fn counts_that_are_not_numbers_go_to_the_last_bound() {
        assert_eq!(of(0.5, &[(1.0, 1.0), (2.0, 2.0), (INF, f64::NAN)]), 2.0);
    }

    #[test]
    fn the_highest_bucket_has_no_end() {
        assert_eq!(of(0.9, &[(1.0, 1.0), (2.0, 2.0), (INF, 10.0)]), 2.0);
    }
}
