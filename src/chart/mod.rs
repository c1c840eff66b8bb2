//! Finished labels and numbers → SVG.
//!
//! One layout serves a phone and a desk: 400 units wide, text of 14 units, which a wide screen sets smaller (`style.css`).
//! The same chart gives the same bytes on every machine: no font is read, logarithms are `libm`'s, coordinates are whole
//! tenths of a unit. Drawn with plotters through a backend of our own that writes classes instead of colours.

mod backend;
mod bars;
mod cumulative;
mod distribution;
mod dots;
mod scale;
mod width;

use std::fmt::Write as _;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::Cartesian2d;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{IntoFont, TextStyle};

use backend::{Backend, Class, Tenths, escape};
use scale::{Linear, Log, round};
use width::{Weight, width};

pub use bars::{Bar, Bars};
pub use cumulative::{Cumulative, Step};
pub use distribution::{Bucket, Distribution, Lane, Quantile};
pub use dots::{Dot, Dots};

/// A chart with everything that is to be read on it already in the reader's language: plain text, without marks.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Unique on its page: the ids inside the SVG begin with it.
    pub id: String,
    /// BCP 47.
    pub lang: String,
    /// The finding.
    pub title: String,
    /// What is drawn.
    pub subtitle: String,
    /// Where the numbers come from, and of when.
    pub source: String,
    /// For those who do not see it.
    pub description: String,
    /// What is drawn.
    pub body: Body,
}

/// The kinds of chart.
#[derive(Clone, Debug)]
pub enum Body {
    /// Distributions above each other, as steps over a logarithmic axis.
    Distribution(Distribution),
    /// Amounts that span decades: dots on a logarithmic axis.
    Dots(Dots),
    /// Parts of a whole.
    Bars(Bars),
    /// A cumulative distribution as steps over a logarithmic axis.
    Cumulative(Cumulative),
}

/// A logarithmic axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its first value, above 0.
    pub from: f64,
    /// Its last value.
    pub to: f64,
    /// Where a line crosses the plot; a label that has no room is left out, the earlier in this list stays.
    pub ticks: Vec<Tick>,
    /// What it measures, and that it is logarithmic; may be empty.
    pub word: String,
}

impl Axis {
    fn scale(&self) -> Log {
        Log { from: self.from, to: self.to }
    }
}

/// A value on an axis with its label.
#[derive(Clone, Debug)]
pub struct Tick {
    /// The value.
    pub at: f64,
    /// The value in words; a line without words if empty.
    pub label: String,
}

/// The powers of ten from the one at or below `from` to the one at or above `to`, both above 0; at least two.
pub fn decades(from: f64, to: f64) -> Vec<f64> {
    let log = libm::log10;
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is below 309")]
    let (first, last) = (log(from).floor() as i32, log(to).ceil() as i32);
    (first..=last.max(first + 1)).map(power_of_ten).collect()
}

/// Exact as the nearest double, as no power function is on every platform.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a decimal number")
}

/// The whole chart: title, subtitle and source too. The SVG has no blank line, so it may stand inside Markdown; it ends
/// with a line break.
pub fn draw(chart: &Chart) -> String {
    drawn(chart, true)
}

/// The chart without title, subtitle and source, for a page that says them itself; [`draw`] otherwise.
pub fn draw_bare(chart: &Chart) -> String {
    drawn(chart, false)
}

fn drawn(chart: &Chart, whole: bool) -> String {
    let mut marks = String::new();
    let height = {
        let sheet = Sheet { area: Backend::new(&mut marks).into_drawing_area() };
        let top = if whole {
            let y = sheet.paragraph(Class::Title, LEFT..RIGHT, 60, &chart.title);
            sheet.paragraph(Class::Muted, LEFT..RIGHT, y + 10, &chart.subtitle) + GAP
        } else {
            20
        };
        let bottom = match &chart.body {
            Body::Distribution(body) => body.draw(&sheet, top),
            Body::Dots(body) => body.draw(&sheet, top),
            Body::Bars(body) => body.draw(&sheet, top),
            Body::Cumulative(body) => body.draw(&sheet, top),
        };
        if whole { sheet.paragraph(Class::Muted, LEFT..RIGHT, bottom + GAP, &chart.source) + 60 } else { bottom + 20 }
    };
    document(chart, height, &marks)
}

fn document(chart: &Chart, height: i32, marks: &str) -> String {
    let (id, lang) = (escape(&chart.id), escape(&chart.lang));
    let mut svg = String::with_capacity(marks.len() + STYLE.len() + 1024);
    // width and height are for viewers that know no stylesheet
    let drawn = |length: i32| Tenths(length / 5 * 7);
    let written = write!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="fp-chart" width="{}" height="{}" viewBox="0 0 {} {}" role="img" aria-labelledby="fp-{id}-title fp-{id}-desc" lang="{lang}" xml:lang="{lang}">
<title id="fp-{id}-title">{}</title>
<desc id="fp-{id}-desc">{}</desc>
<style>
{STYLE}</style>
{marks}</svg>
"#,
        drawn(WIDTH),
        drawn(height),
        Tenths(WIDTH),
        Tenths(height),
        escape(&chart.title),
        escape(&chart.description),
    );
    written.expect("a string takes everything");
    svg
}

/// The same for all charts, so that several in one page agree.
const STYLE: &str = include_str!("style.css");
/// The width of a chart. All lengths of this module are tenths of a unit.
const WIDTH: i32 = 4000;
const LEFT: i32 = 40;
const RIGHT: i32 = WIDTH - LEFT;
const GAP: i32 = 120;

/// What the kinds of chart draw on.
struct Sheet<'a> {
    area: DrawingArea<Backend<'a>, Shift>,
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A part of the sheet with scales.
type Panel<'a, X, Y> = DrawingArea<Backend<'a>, Cartesian2d<X, Y>>;

impl<'a> Sheet<'a> {
    /// A part of the sheet with scales; `y` runs from its first value at the start of `rows` to its last at the end.
    fn panel<X: Ranged, Y: Ranged>(&self, x: X, y: Y, columns: Range<i32>, rows: Range<i32>) -> Panel<'a, X, Y> {
        self.area.clone().apply_coord_spec(Cartesian2d::new(x, y, (columns, rows)))
    }

    /// One line of text on the base line `y`.
    fn text(&self, class: Class, (x, y): (i32, i32), anchor: Anchor, text: &str) {
        let h_pos = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let colour = class.colour();
        let font = ("", class.size()).into_font();
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h_pos, VPos::Bottom));
        put(&self.area, &plotters::element::Text::new(text, (x, y), style));
    }

    /// Text from `top` down, broken into lines; gives its bottom, which is `top` for an empty text.
    fn paragraph(&self, class: Class, columns: Range<i32>, top: i32, text: &str) -> i32 {
        let mut y = top;
        for line in lines(class, text, columns.end - columns.start) {
            self.text(class, (columns.start, y + class.size()), Anchor::Start, &line);
            y += class.size() * 27 / 20;
        }
        y
    }

    /// The height that [`Self::paragraph`] takes.
    fn height(&self, class: Class, columns: Range<i32>, text: &str) -> i32 {
        let lines = lines(class, text, columns.end - columns.start).len();
        i32::try_from(lines).unwrap_or(0) * (class.size() * 27 / 20)
    }

    /// The lines of an axis through `rows`, and from the base line `label_y` on what they say, which must stay in the
    /// chart's width. Gives nothing to what has no room.
    fn ticks(&self, axis: &Axis, columns: Range<i32>, rows: Range<i32>, label_y: i32) {
        let panel = self.panel(axis.scale(), Linear { to: 1.0 }, columns.clone(), rows);
        let mut taken: Vec<Range<i32>> = Vec::new();
        for tick in &axis.ticks {
            put(&panel, &line(Class::Grid, [(tick.at, 0.0), (tick.at, 1.0)]));
            if tick.label.is_empty() {
                continue;
            }
            let wide = text_width(Class::Muted, &tick.label);
            let centre = axis.scale().place(tick.at, (columns.start, columns.end));
            let start = (centre - wide / 2).min(RIGHT - wide).max(LEFT);
            if taken.iter().all(|t| start > t.end + 60 || start + wide + 60 < t.start) {
                let (x, anchor) = match (start > centre - wide / 2, start < centre - wide / 2) {
                    (true, _) => (start, Anchor::Start),
                    (_, true) => (RIGHT, Anchor::End),
                    _ => (centre, Anchor::Middle),
                };
                self.text(Class::Muted, (x, label_y), anchor, &tick.label);
                taken.push(start..start + wide);
            }
        }
    }
}

/// The width of a line of text of a class.
fn text_width(class: Class, text: &str) -> i32 {
    width(text, class.size(), class.weight())
}

/// A text of a class in lines no wider than `max`; none for an empty text.
fn lines(class: Class, text: &str, max: i32) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    width::lines(text, class.size(), class.weight(), max)
}

/// A line through points.
fn line<P>(class: Class, points: impl Into<Vec<P>>) -> plotters::element::PathElement<P> {
    plotters::element::PathElement::new(points, class.colour())
}

/// Draws one element.
fn put<'a, 'b, C, E>(area: &DrawingArea<Backend<'b>, C>, element: &'a E)
where
    C: plotters::coord::CoordTranslate,
    &'a E: PointCollection<'a, C::From>,
    E: Drawable<Backend<'b>>,
{
    area.draw(element).expect("a string takes everything, and no font is asked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_enclose_and_are_exact() {
        assert_eq!(decades(1.7, 44_508.9), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5]);
        assert_eq!(decades(0.001, 0.2), [0.001, 0.01, 0.1, 1.0]);
        assert_eq!(decades(10.0, 10.0), [10.0, 100.0]);
    }
}
