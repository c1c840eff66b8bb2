//! How much is at most so large: steps over a logarithmic axis, for only the buckets' bounds were measured.

use plotters::element::{Circle, Rectangle};

use super::{Anchor, Axis, Class, GAP, LEFT, Linear, RIGHT, Sheet, Tick, line, put, round, text_width};

/// A cumulative distribution.
#[derive(Clone, Debug)]
pub struct Cumulative {
    /// The axis of the sizes.
    pub axis: Axis,
    /// The axis of the shares: value 0 to 1.
    pub shares: Vec<Tick>,
    /// The buckets' bounds, smallest first.
    pub steps: Vec<Step>,
}

/// A bucket's bound.
#[derive(Clone, Debug)]
pub struct Step {
    /// The bound.
    pub at: f64,
    /// The share of all that is at most so large, 0 to 1.
    pub share: f64,
    /// Bound and share in words, for a step that is marked.
    pub mark: Option<String>,
}

const HIGH: i32 = 1700;

impl Cumulative {
    pub(super) fn draw(&self, sheet: &Sheet<'_>, top: i32) -> i32 {
        let gutter = self.shares.iter().map(|t| text_width(Class::Muted, &t.label)).max().unwrap_or(0);
        let columns = LEFT + gutter + 80..RIGHT - 80;
        let (top, bottom) = (top + 100, top + 100 + HIGH);
        sheet.ticks(&self.axis, columns.clone(), top..bottom, bottom + 180);
        let panel = sheet.panel(self.axis.scale(), Linear { to: 1.0 }, columns.clone(), bottom..top);
        for tick in &self.shares {
            put(&panel, &line(Class::Grid, [(self.axis.from, tick.at), (self.axis.to, tick.at)]));
            let y = round(tick.at, (bottom, top));
            sheet.text(Class::Muted, (columns.start - 60, y + 50), Anchor::End, &tick.label);
        }

        let mut outline = vec![(self.axis.from, 0.0)];
        let mut level = 0.0;
        for (i, step) in self.steps.iter().enumerate() {
            outline.extend([(step.at, level), (step.at, step.share)]);
            level = step.share;
            let next = self.steps.get(i + 1).map_or(self.axis.to, |s| s.at);
            put(&panel, &Rectangle::new([(step.at, step.share), (next, 0.0)], Class::Area.colour()));
        }
        outline.push((self.axis.to, level));
        put(&panel, &line(Class::Base, [(self.axis.from, 0.0), (self.axis.to, 0.0)]));
        put(&panel, &line(Class::Step, outline));

        for step in &self.steps {
            let Some(mark) = &step.mark else { continue };
            put(&panel, &line(Class::Mark, [(step.at, 0.0), (step.at, step.share)]));
            put(&panel, &Circle::new((step.at, step.share), 50, Class::Dot.colour()));
            let x = self.axis.scale().place(step.at, (columns.start, columns.end));
            let y = round(step.share, (bottom, top));
            // left of its step, where the curve is lower; where that is too narrow, right of it and below
            if x - 90 - text_width(Class::Strong, mark) > columns.start {
                sheet.text(Class::Strong, (x - 90, y + 30), Anchor::End, mark);
            } else {
                sheet.text(Class::Strong, (x + 90, y + 180), Anchor::Start, mark);
            }
        }
        sheet.paragraph(Class::Muted, LEFT..RIGHT, bottom + 220, &self.axis.word) + GAP / 4
    }
}
