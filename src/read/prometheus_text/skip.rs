//! Which lines a part does not need, told as cheaply as can be.

use memchr::memmem::Finder;

use super::{Raw, Want, is_name, starts_name};

/// The endings that samples of a family have.
const ENDINGS: [&str; 9] = ["", "_total", "_bucket", "_sum", "_count", "_created", "_info", "_gsum", "_gcount"];

/// What stands before the labels, as a label.
const NAME: &str = "__name__";

/// Tells lines that are not wanted.
pub(super) struct Skip<'w> {
    want: &'w Want,
    /// Quoted label texts that a line must have just so: those that need no escape.
    texts: Vec<Finder<'static>>,
    /// The name on the last line and whether it is wanted: samples of one name stand together.
    name: String,
    wanted: bool,
}

impl<'w> Skip<'w> {
    pub(super) fn new(want: &'w Want) -> Self {
        let plain = |name: &str, text: &str| name != NAME && !text.is_empty() && !text.contains(['\\', '"', '\n']);
        let texts = want.fields.iter().filter(|(name, text)| plain(name, text));
        let texts = texts.map(|(_, text)| Finder::new(&format!("\"{text}\"")).into_owned()).collect();
        Self { want, texts, name: String::new(), wanted: false }
    }

    /// Whether nothing is skipped.
    pub(super) fn is_everything(&self) -> bool {
        self.want.series.is_empty() && self.want.fields.is_empty()
    }

    /// Whether a line is a sample that is not wanted. Metadata, and what does not begin like a sample, never is.
    pub(super) fn skips(&mut self, line: &str) -> bool {
        if self.is_everything() {
            return false;
        }
        let bytes = line.as_bytes();
        let known = bytes.strip_prefix(self.name.as_bytes()).and_then(|rest| rest.first());
        if !known.is_some_and(|next| matches!(next, b'{' | b' ' | b'\t')) || self.name.is_empty() {
            let end = bytes.iter().position(|b| !is_name(*b)).unwrap_or(bytes.len());
            if !bytes.first().is_some_and(|b| starts_name(*b)) || !matches!(bytes.get(end), Some(b'{' | b' ' | b'\t')) {
                return false;
            }
            line[..end].clone_into(&mut self.name);
            self.wanted = self.want.series(&self.name);
        }
        !self.wanted || self.texts.iter().any(|text| text.find(bytes).is_none())
    }

    /// Whether a sample is wanted. A label that is absent is an empty one.
    pub(super) fn wants(&self, sample: &Raw<'_>) -> bool {
        let label = |name: &str| match name {
            NAME => sample.name.as_ref(),
            _ => sample.labels.iter().find(|l| l.name == name).map_or("", |l| l.text.as_ref()),
        };
        self.want.series(&sample.name) && self.want.fields.iter().all(|(name, text)| label(name) == text)
    }

    /// Whether a family can have a sample that is wanted.
    pub(super) fn wants_family(&self, family: &str) -> bool {
        self.want.series.is_empty() || ENDINGS.iter().any(|ending| self.want.series(&format!("{family}{ending}")))
    }
}
