//! Distributions above each other: for each a lane with its buckets as steps over a logarithmic axis, quantiles marked.
//!
//! Buckets are shown as steps, for that is what was measured; the height of a step is the share of its bucket. A bucket
//! without a lower (or upper) bound is left open at the edge of the plot.

use std::ops::Range;

use plotters::element::Rectangle;

use super::{Anchor, Axis, Class, GAP, LEFT, Linear, RIGHT, Sheet, line, put, round, text_width};

/// Distributions over one axis.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The axis of all of them.
    pub axis: Axis,
    /// One each, from above.
    pub lanes: Vec<Lane>,
}

/// One distribution.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Whose it is.
    pub label: String,
    /// Its buckets, smallest first.
    pub buckets: Vec<Bucket>,
    /// Its marked quantiles, smallest first.
    pub quantiles: Vec<Quantile>,
}

/// A bucket of a histogram.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// Its lower bound; none for the first.
    pub from: Option<f64>,
    /// Its upper bound; none for the last.
    pub to: Option<f64>,
    /// The share of all that is in it, 0 to 1.
    pub share: f64,
    /// The share in words, if it is to be shown.
    pub label: Option<String>,
}

/// A marked value.
#[derive(Clone, Debug)]
pub struct Quantile {
    /// The value.
    pub at: f64,
    /// Its name and the value in words.
    pub label: String,
}

const HIGH: i32 = 380;
const ROW: i32 = 190;

impl Distribution {
    pub(super) fn draw(&self, sheet: &Sheet<'_>, top: i32) -> i32 {
        // names and quantiles share a row when that works for every lane: lanes should look alike
        let one_row = self.lanes.iter().all(|lane| {
            let name = LEFT + text_width(Class::Strong, &lane.label) + 80;
            self.marks(lane).iter().all(|mark| mark.x > name) && beside(&self.marks(lane), name..RIGHT).is_some()
        });
        let head = if one_row { ROW } else { 2 * ROW };
        let pitch = head + HIGH + GAP;
        let lanes = i32::try_from(self.lanes.len()).unwrap_or(0);
        let bottom = top + pitch * lanes - GAP;
        sheet.ticks(&self.axis, LEFT..RIGHT, top + head..bottom, bottom + 180);

        for (lane, y) in self.lanes.iter().zip((top..).step_by(usize::try_from(pitch).unwrap_or(1))) {
            sheet.text(Class::Strong, (LEFT, y + 140), Anchor::Start, &lane.label);
            let free = if one_row { LEFT + text_width(Class::Strong, &lane.label) + 80..RIGHT } else { LEFT..RIGHT };
            self.lane(sheet, lane, y + head, free);
        }
        sheet.paragraph(Class::Muted, LEFT..RIGHT, bottom + 220, &self.axis.word) + GAP / 4
    }

    /// The plot of a lane from `top` on, and above it the words of its quantiles, within `free`.
    fn lane(&self, sheet: &Sheet<'_>, lane: &Lane, top: i32, free: Range<i32>) {
        let bottom = top + HIGH;
        let panel = sheet.panel(self.axis.scale(), Linear { to: 1.0 }, LEFT..RIGHT, bottom..top);
        let mut outline = Vec::new();
        for bucket in &lane.buckets {
            let (from, to) = (bucket.from.unwrap_or(self.axis.from), bucket.to.unwrap_or(self.axis.to));
            if bucket.share > 0.0 {
                put(&panel, &Rectangle::new([(from, bucket.share), (to, 0.0)], Class::Area.colour()));
            }
            outline.extend([(from, bucket.share), (to, bucket.share)]);
        }
        put(&panel, &line(Class::Base, [(self.axis.from, 0.0), (self.axis.to, 0.0)]));
        if !outline.is_empty() {
            put(&panel, &line(Class::Step, outline));
        }
        let marks = self.marks(lane);
        for quantile in &lane.quantiles {
            let foot = sheet.panel(self.axis.scale(), Linear { to: 1.0 }, LEFT..RIGHT, bottom..top - ROW + 30);
            put(&foot, &line(Class::Mark, [(quantile.at, 0.0), (quantile.at, 1.0)]));
        }
        let placed = beside(&marks, free.clone()).unwrap_or_else(|| in_turn(&marks, free));
        for (mark, (x, anchor)) in marks.iter().zip(placed) {
            sheet.text(Class::Label, (x, top - 50), anchor, mark.label);
        }
        for bucket in &lane.buckets {
            self.share(sheet, bucket, &marks, bottom);
        }
    }

    /// The share of a bucket: in its step, or above it when it is low; where no mark is in the way.
    fn share(&self, sheet: &Sheet<'_>, bucket: &Bucket, marks: &[Mark<'_>], bottom: i32) {
        let Some(label) = &bucket.label else { return };
        let place = |v: f64| self.axis.scale().place(v, (LEFT, RIGHT));
        let (from, to) = (bucket.from.map_or(LEFT, place), bucket.to.map_or(RIGHT, place));
        let wide = text_width(Class::Share, label);
        let free = |x: i32| marks.iter().all(|m| m.x < x - 30 || m.x > x + wide + 30);
        let starts = [(from + to - wide) / 2, from + 40, to - wide - 40];
        if let Some(x) = starts.into_iter().find(|x| *x >= from + 30 && *x + wide + 30 <= to && free(*x)) {
            let top = round(bucket.share, (bottom, bottom - HIGH));
            let y = if bottom - top > 190 { (top + bottom) / 2 + 50 } else { top - 40 };
            sheet.text(Class::Share, (x + wide / 2, y), Anchor::Middle, label);
        }
    }

    fn marks<'l>(&self, lane: &'l Lane) -> Vec<Mark<'l>> {
        let mark = |q: &'l Quantile| Mark {
            x: self.axis.scale().place(q.at, (LEFT, RIGHT)),
            wide: text_width(Class::Label, &q.label),
            label: &q.label,
        };
        lane.quantiles.iter().map(mark).collect()
    }
}

/// A quantile's line and the width of its words.
struct Mark<'l> {
    x: i32,
    wide: i32,
    label: &'l str,
}

/// Beside its line, right of it or left: the first choice in which nothing meets.
fn beside(marks: &[Mark<'_>], free: Range<i32>) -> Option<Vec<(i32, Anchor)>> {
    let choices = 1_u32 << marks.len().min(8);
    (0..choices).find_map(|choice| {
        let mut placed = Vec::new();
        let mut end = free.start;
        for (i, mark) in marks.iter().enumerate() {
            let left = choice >> i & 1 == 1;
            let start = if left { mark.x - 50 - mark.wide } else { mark.x + 50 };
            let next = marks.get(i + 1).map_or(free.end, |m| m.x - 50);
            if start < end || start + mark.wide > if left { mark.x } else { next.min(free.end) } {
                return None;
            }
            end = if left { mark.x + 50 } else { start + mark.wide + 80 };
            placed.push((if left { mark.x - 50 } else { start }, if left { Anchor::End } else { Anchor::Start }));
        }
        Some(placed)
    })
}

/// One after the other from the left: for what has no room beside its line.
fn in_turn(marks: &[Mark<'_>], free: Range<i32>) -> Vec<(i32, Anchor)> {
    let all: i32 = marks.iter().map(|m| m.wide + 120).sum();
    let first = marks.first().map_or(free.start, |m| m.x + 50).min(free.end - all).max(free.start);
    marks
        .iter()
        .scan(first, |x, mark| {
            let at = *x;
            *x += mark.wide + 120;
            Some((at, Anchor::Start))
        })
        .collect()
}
