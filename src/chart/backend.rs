//! What plotters draws on: SVG text with classes in the place of colours, one element a line.
//!
//! A stylesheet can then give dark mode and print. plotters hands colours through, so a colour here is the number of a
//! class ([`Class::colour`]). Coordinates are whole tenths of a unit.

use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::style::RGBColor;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::{Weight, width};

/// Everything that a chart is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// The finding.
    Title,
    /// What is drawn; the words and numbers of an axis; the source.
    Muted,
    /// The name of a row.
    Label,
    /// The name of a row that matters most, or of a mark.
    Strong,
    /// A number that stands on an area.
    Share,
    /// A line across the plot at a tick.
    Grid,
    /// A line on which marks stand.
    Base,
    /// What lies under a step.
    Area,
    /// The outline of steps.
    Step,
    /// A line that marks a value.
    Mark,
    /// A value that matters, and one beside it.
    Dot,
    QuietDot,
    /// A value that the scale cannot show.
    HollowDot,
    Bar,
    QuietBar,
    /// The whole of which a bar is a part.
    Track,
}

impl Class {
    const ALL: [(Self, &'static str); 16] = [
        (Self::Title, "fp-title"),
        (Self::Muted, "fp-muted"),
        (Self::Label, "fp-label"),
        (Self::Strong, "fp-strong"),
        (Self::Share, "fp-share"),
        (Self::Grid, "fp-grid"),
        (Self::Base, "fp-base"),
        (Self::Area, "fp-area"),
        (Self::Step, "fp-step"),
        (Self::Mark, "fp-mark"),
        (Self::Dot, "fp-dot"),
        (Self::QuietDot, "fp-dot-quiet"),
        (Self::HollowDot, "fp-dot-hollow"),
        (Self::Bar, "fp-bar"),
        (Self::QuietBar, "fp-bar-quiet"),
        (Self::Track, "fp-track"),
    ];

    /// The class as plotters carries it.
    pub(super) fn colour(self) -> RGBColor {
        RGBColor(self as u8, 0, 0)
    }

    /// The size of its text.
    pub(super) fn size(self) -> i32 {
        if self == Self::Title { 170 } else { 140 }
    }

    /// The weight of its text.
    pub(super) fn weight(self) -> Weight {
        if matches!(self, Self::Title | Self::Strong) { Weight::Bold } else { Weight::Regular }
    }

    fn of(colour: BackendColor) -> &'static str {
        Self::ALL.get(usize::from(colour.rgb.0)).map_or("fp-label", |(_, name)| name)
    }
}

/// Writes elements into a string.
pub(super) struct Backend<'a> {
    out: &'a mut String,
}

impl<'a> Backend<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        Self { out }
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) -> Result<(), DrawingErrorKind<Infallible>> {
        self.out.write_fmt(element).expect("a string takes everything");
        self.out.push('\n');
        Ok(())
    }
}

/// A length in tenths, as SVG has it: `12`, `12.5`, `-0.5`.
pub(super) struct Tenths(pub(super) i32);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, tenth) = (self.0.unsigned_abs() / 10, self.0.unsigned_abs() % 10);
        let sign = if self.0 < 0 { "-" } else { "" };
        if tenth == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{tenth}") }
    }
}

/// Text as XML content or attribute, on one line; what XML 1.0 cannot hold becomes U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push(' '),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ => out.push(c),
        }
    }
    out
}

/// `M` and `L` with points, without a space too many.
struct Path(Vec<BackendCoord>);

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (x, y)) in self.0.iter().enumerate() {
            write!(f, "{}{} {}", if i == 0 { 'M' } else { 'L' }, Tenths(*x), Tenths(*y))?;
        }
        Ok(())
    }
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    /// The height is what the content needs, so this is only a bound.
    fn get_size(&self) -> (u32, u32) {
        (super::WIDTH.unsigned_abs(), u32::from(u16::MAX))
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (x1, y1): BackendCoord,
        (x2, y2): BackendCoord,
        style: &S,
        _fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (x, y, w, h) = (x1.min(x2), y1.min(y2), (x2 - x1).abs(), (y2 - y1).abs());
        self.element(format_args!(
            r#"<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>"#,
            Class::of(style.color()),
            Tenths(x),
            Tenths(y),
            Tenths(w),
            Tenths(h)
        ))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let path = Path(path.into_iter().collect());
        self.element(format_args!(r#"<path class="{}" d="{path}"/>"#, Class::of(style.color())))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let radius = Tenths(i32::try_from(radius).unwrap_or(i32::MAX));
        let (x, y) = (Tenths(x), Tenths(y));
        self.element(format_args!(r#"<circle class="{}" cx="{x}" cy="{y}" r="{radius}"/>"#, Class::of(style.color())))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let path = Path(corners.into_iter().collect());
        self.element(format_args!(r#"<path class="{}" d="{path}Z"/>"#, Class::of(style.color())))
    }

    /// `y` is the base line.
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let anchor = match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => r#" text-anchor="middle""#,
            HPos::Right => r#" text-anchor="end""#,
        };
        let (class, x, y, text) = (Class::of(style.color()), Tenths(x), Tenths(y), escape(text));
        self.element(format_args!(r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{text}</text>"#))
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let class = Class::ALL.get(usize::from(style.color().rgb.0)).map_or(Class::Label, |(class, _)| *class);
        Ok((width(text, class.size(), class.weight()).unsigned_abs(), class.size().unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_stands_at_its_number() {
        for (i, (class, name)) in Class::ALL.iter().enumerate() {
            assert_eq!(*class as usize, i, "{name}");
        }
    }

    #[test]
    fn lengths_are_short() {
        assert_eq!([0, 5, 10, 1234, -5].map(|t| Tenths(t).to_string()), ["0", "0.5", "1", "123.4", "-0.5"]);
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("<script>&\"\u{1}\n\n</script>"), "&lt;script&gt;&amp;&quot;\u{FFFD}  &lt;/script&gt;");
    }
}
