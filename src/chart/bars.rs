//! Parts of a whole: each a bar in a track that is the whole, so that both start at 0 and end at 100%.

use plotters::element::Rectangle;

use super::{Anchor, Class, GAP, LEFT, Linear, RIGHT, Sheet, lines, put, text_width};

/// Bars, drawn in the order given.
#[derive(Clone, Debug)]
pub struct Bars {
    /// One row each.
    pub bars: Vec<Bar>,
}

/// One part.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// Its part of the whole, 0 to 1.
    pub share: f64,
    /// Amount and share in words.
    pub value: String,
    /// Whether the finding is about it.
    pub marked: bool,
}

const THICK: i32 = 160;

impl Bars {
    pub(super) fn draw(&self, sheet: &Sheet<'_>, top: i32) -> i32 {
        self.bars.iter().fold(top, |y, bar| bar.draw(sheet, y) + GAP) - GAP / 2
    }
}

impl Bar {
    fn draw(&self, sheet: &Sheet<'_>, top: i32) -> i32 {
        let (text, bar) = if self.marked { (Class::Strong, Class::Bar) } else { (Class::Label, Class::QuietBar) };
        let value = text_width(text, &self.value);
        // the value stands right of the label's last line, and alone when that line leaves no room
        let lines = lines(text, &self.label, RIGHT - LEFT);
        let mut y = top;
        for line in &lines {
            y += 190;
            sheet.text(text, (LEFT, y - 50), Anchor::Start, line);
        }
        if lines.last().is_some_and(|l| LEFT + text_width(text, l) + 120 > RIGHT - value) {
            y += 190;
        }
        sheet.text(text, (RIGHT, y - 50), Anchor::End, &self.value);
        let panel = sheet.panel(Linear { to: 1.0 }, Linear { to: 1.0 }, LEFT..RIGHT, y + THICK..y);
        put(&panel, &Rectangle::new([(0.0, 1.0), (1.0, 0.0)], Class::Track.colour()));
        put(&panel, &Rectangle::new([(0.0, 1.0), (self.share, 0.0)], bar.colour()));
        y + THICK
    }
}
