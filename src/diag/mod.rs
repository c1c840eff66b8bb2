//! Diagnostics: what is wrong, where, why, and what to do about it; several at once.
//!
//! A diagnostic about a capture names line and column but never quotes the captured text: that text is not masked yet.

mod github;
mod json;
mod near;
mod text;

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

pub use near::nearest;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth a look; the build goes on.
    Warning,
    /// The build stops and nothing is written.
    Error,
    /// Something sensitive would have been published; never downgraded.
    Leak,
}

/// A text file of the project that may be quoted in a diagnostic: a template, a catalogue, a TOML file. Never a capture.
#[derive(Clone, Debug)]
pub struct Source {
    path: Arc<str>,
    text: Arc<str>,
}

impl Source {
    /// `path` is relative to the project's root, with `/` between its names.
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The path relative to the project's root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a byte range of this file.
    pub fn place(&self, span: Range<usize>) -> Place {
        let end = floor_boundary(&self.text, span.end.min(self.text.len()));
        let start = floor_boundary(&self.text, span.start.min(end));
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Place {
            file: self.path.clone(),
            line: Some(count(memchr::memchr_iter(b'\n', before.as_bytes()).count())),
            column: Some(count(before[line_start..].chars().count())),
            excerpt: Some(Excerpt { text: self.text.clone(), span: start..end }),
        }
    }
}

/// 1-based, from a 0-based count.
fn count(zero_based: usize) -> u32 {
    u32::try_from(zero_based).unwrap_or(u32::MAX - 1) + 1
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where something is: a file, and as much of line and column (in characters) as is known, both from 1.
#[derive(Clone, Debug)]
pub struct Place {
    file: Arc<str>,
    line: Option<u32>,
    column: Option<u32>,
    excerpt: Option<Excerpt>,
}

#[derive(Clone, Debug)]
struct Excerpt {
    text: Arc<str>,
    span: Range<usize>,
}

impl Place {
    /// A whole file.
    pub fn file(path: impl Into<Arc<str>>) -> Self {
        Self { file: path.into(), line: None, column: None, excerpt: None }
    }

    /// A line and a column of a file whose text must not be quoted; both from 1.
    pub fn at(path: impl Into<Arc<str>>, line: usize, column: usize) -> Self {
        let clip = |n: usize| Some(u32::try_from(n.max(1)).unwrap_or(u32::MAX));
        Self { file: path.into(), line: clip(line), column: clip(column), excerpt: None }
    }

    /// The path relative to the project's root.
    pub fn path(&self) -> &str {
        &self.file
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> Option<u32> {
        self.column
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        Ok(())
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    code: &'static str,
    severity: Severity,
    message: String,
    place: Option<Place>,
    help: Option<String>,
}

impl Diagnostic {
    /// An error. `code` is stable, lower case, words joined by `-`.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), place: None, help: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// A leak: kind, file and place of what was found, never the value.
    pub fn leak(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Leak, ..Self::error(code, message) }
    }

    /// Says where.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding as a warning; a leak stays a leak.
    #[must_use]
    pub fn downgraded(mut self) -> Self {
        self.severity = match self.severity {
            Severity::Leak => Severity::Leak,
            Severity::Error | Severity::Warning => Severity::Warning,
        };
        self
    }

    /// The same finding with its texts rewritten.
    fn rewritten(mut self, rewrite: &dyn Fn(&str) -> String) -> Self {
        self.message = rewrite(&self.message);
        self.help = self.help.map(|help| rewrite(&help));
        if let Some(place) = &mut self.place {
            place.file = rewrite(&place.file).into();
        }
        self
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The message, one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where it is, if it has a place.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

/// Findings, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

/// A value, or everything that is wrong.
pub type Outcome<T> = Result<T, Diagnostics>;

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all of another.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Keeps the value, or takes over what is wrong: so that one run reports every mistake.
    pub fn gather<T>(&mut self, outcome: Outcome<T>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(found) => {
                self.extend(found);
                None
            }
        }
    }

    /// The same findings with every text in them rewritten.
    #[must_use]
    pub fn rewritten(self, rewrite: impl Fn(&str) -> String) -> Self {
        Self(self.0.into_iter().map(|one| one.rewritten(&rewrite)).collect())
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The worst severity.
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(Diagnostic::severity).max()
    }

    /// Whether anything is an error or a leak.
    pub fn has_errors(&self) -> bool {
        self.worst() >= Some(Severity::Error)
    }

    /// `value`, unless something was found: then all of it.
    pub fn or_value<T>(self, value: T) -> Outcome<T> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    /// All findings, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// By file, line and column, then code.
    pub fn sorted(mut self) -> Self {
        self.0.sort_by(|a, b| key(a).cmp(&key(b)));
        self
    }

    /// Each once: what the pages of all languages say of one place is said in one language, the first.
    pub fn distinct(mut self) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        self.0.retain(|d| {
            let place = d.place.as_ref().map(|p| (p.file.clone(), p.line, p.column));
            // A whole file is no place: two findings there differ by what they say.
            let message = if place.as_ref().is_some_and(|p| p.1.is_some()) { "" } else { d.message.as_str() };
            seen.insert((d.code, place, message.to_owned()))
        });
        self
    }

    /// For a person: message, place, the line with a caret, help.
    pub fn to_text(&self, colour: Colour) -> String {
        self.0.iter().map(|d| text::format(d, colour)).collect()
    }

    /// For a program: one JSON array.
    pub fn to_json(&self) -> String {
        json::format(&self.0)
    }

    /// GitHub workflow commands, one a line.
    pub fn to_github(&self) -> String {
        self.0.iter().map(github::format).collect()
    }
}

fn key(d: &Diagnostic) -> (&str, u32, u32, &str) {
    let place = d.place.as_ref();
    let number = |n: Option<u32>| n.unwrap_or(0);
    (place.map_or("", Place::path), number(place.and_then(Place::line)), number(place.and_then(Place::column)), d.code)
}

/// Whether text output may use ANSI colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Always,
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Self {
        Self(vec![one])
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
