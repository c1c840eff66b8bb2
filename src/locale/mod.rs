//! One language: its strings, its numbers and dates. Bound once per page.

use crate::diag::{Outcome, Place};
use crate::facts::Fact;
use crate::project::Project;
use crate::quantity::Quantity;

/// A catalogue's string, parsed.
#[derive(Clone, Debug)]
pub struct Text {
    pub pieces: Vec<Piece>,
    pub place: Place,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Inline Markdown as the translator wrote it.
    Markdown(String),
    /// `{path.to.value:format}`
    Placeholder { path: Vec<String>, format: Option<String>, span: std::ops::Range<usize> },
}

/// The language of one page.
#[derive(Debug)]
pub struct Locale {}

impl Locale {
    /// Reads `locales/<dir>/site.toml` and `locales/<dir>/<part>.toml`.
    pub fn load(_project: &Project, _dir: &str, _part: &str) -> Outcome<Self> {
        todo!()
    }
    /// A string by its dotted key, from the part's catalogue, else from site.toml.
    pub fn text(&self, _key: &str) -> Option<&Text> {
        todo!()
    }
    /// A number as this language prints it, with its unit's symbol.
    pub fn quantity(&self, _quantity: &Quantity) -> String {
        todo!()
    }
    /// A fact's value (or a part of it) as this language prints it.
    pub fn fact(&self, _fact: &Fact) -> String {
        todo!()
    }
}
