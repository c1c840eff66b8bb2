//! Amounts that span decades: one dot a row on a logarithmic axis, the amount beside it.
//!
//! Dots and not bars, for on a logarithmic axis the length of a bar says nothing. Names stand beside the plot when they
//! leave it room, else above their row.

use std::ops::Range;

use super::{Anchor, Axis, Class, GAP, LEFT, Linear, RIGHT, Sheet, line, put, text_width};

/// Rows of dots, drawn in the order given.
#[derive(Clone, Debug)]
pub struct Dots {
    /// The axis of the amounts.
    pub axis: Axis,
    /// One row each.
    pub rows: Vec<Dot>,
}

/// One amount.
#[derive(Clone, Debug)]
pub struct Dot {
    /// What it is the amount of.
    pub label: String,
    /// The amount; what is not above 0 stands hollow at the start of the axis.
    pub at: f64,
    /// The amount in words.
    pub value: String,
    /// Whether the finding is about it.
    pub marked: bool,
}

const RADIUS: i32 = 45;
/// The height of a row, without a name above it.
const PITCH: i32 = 200;

impl Dots {
    pub(super) fn draw(&self, sheet: &Sheet<'_>, top: i32) -> i32 {
        let widest = |of: fn(&Dot) -> i32| self.rows.iter().map(of).max().unwrap_or(0);
        let name = widest(|row| text_width(row.class(), &row.label));
        let value = widest(|row| text_width(row.class(), &row.value));
        let beside = name <= (RIGHT - LEFT) * 2 / 5;
        let columns = LEFT + if beside { name + 100 } else { RADIUS }..RIGHT - value - RADIUS - 60;

        let y = sheet.paragraph(Class::Muted, columns.start..RIGHT, top, &self.axis.word);
        let (label_y, plot) = (y + 150, y + 210);
        let names = self.rows.iter().map(|r| if beside { 0 } else { sheet.height(r.class(), LEFT..RIGHT, &r.label) });
        let bottom = plot + names.clone().map(|height| height + PITCH).sum::<i32>();
        sheet.ticks(&self.labelled(columns.clone()), columns.clone(), plot..bottom, label_y);

        let mut y = plot;
        for (row, name) in self.rows.iter().zip(names) {
            let centre = y + name + PITCH / 2;
            if beside {
                sheet.text(row.class(), (columns.start - 100, centre + 50), Anchor::End, &row.label);
            } else {
                sheet.paragraph(row.class(), LEFT..RIGHT, y + 20, &row.label);
            }
            self.dot(sheet, row, (columns.start, columns.end), centre);
            y += name + PITCH;
        }
        bottom + GAP / 4
    }

    /// The axis with every label, every second, … as there is room: a gap here and there would look like a jump.
    fn labelled(&self, columns: Range<i32>) -> Axis {
        let fits = |every: &usize| {
            let mut end = i32::MIN;
            self.axis.ticks.iter().step_by(*every).all(|tick| {
                let half = text_width(Class::Muted, &tick.label) / 2;
                let centre = self.axis.scale().place(tick.at, (columns.start, columns.end));
                let free = centre - half > end;
                end = centre + half + 100;
                free
            })
        };
        let every = (1..self.axis.ticks.len().max(2)).find(fits).unwrap_or(1);
        let mut axis = self.axis.clone();
        for (_, tick) in axis.ticks.iter_mut().enumerate().filter(|(i, _)| i % every != 0) {
            tick.label.clear();
        }
        axis
    }

    fn dot(&self, sheet: &Sheet<'_>, row: &Dot, columns: (i32, i32), centre: i32) {
        let at = self.axis.scale().place(row.at, columns);
        let panel = sheet.panel(self.axis.scale(), Linear { to: 1.0 }, columns.0..columns.1, centre..centre);
        put(&panel, &line(Class::Grid, [(self.axis.from, 0.0), (self.axis.to, 0.0)]));
        let class = match row {
            _ if row.at <= 0.0 => Class::HollowDot,
            Dot { marked: true, .. } => Class::Dot,
            Dot { marked: false, .. } => Class::QuietDot,
        };
        let radius = if row.marked { RADIUS + 10 } else { RADIUS };
        put(&panel, &plotters::element::Circle::new((row.at, 0.0), radius, class.colour()));
        sheet.text(row.class(), (at + RADIUS + 50, centre + 50), Anchor::Start, &row.value);
    }
}

impl Dot {
    fn class(&self) -> Class {
        if self.marked { Class::Strong } else { Class::Label }
    }
}
