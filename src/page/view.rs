//! What templates and targets may ask of a page.

use std::collections::BTreeSet;

use super::{Chart, END, Entry, FIGURE, Group, Inline, Language, Mode, Page, Quotation, SHOWN, Table, fill, plain};
use crate::capture::Moment;
use crate::diag::{Diagnostic, Diagnostics, Place};

impl Page {
    /// The language of the page.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// All languages of the series, this one too.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// The name of the part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the part in the series.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// When the captures were taken.
    pub fn window(&self) -> Option<(Moment, Moment)> {
        self.window
    }

    /// A string by its key. One that is said of each entry of a fact is a pattern, and no string.
    pub fn string(&self, key: &str) -> Option<&Inline> {
        self.strings.get(key)
    }

    /// A word of site.toml; the key itself if it is missing.
    pub fn word<'a>(&'a self, key: &'a str) -> &'a str {
        self.words.get(key).map_or(key, String::as_str)
    }

    /// A word with its `{}` filled.
    pub fn fill(&self, key: &str, with: &str) -> String {
        self.word(key).replacen("{}", with, 1)
    }

    /// The pattern `key` said once for each entry of the fact.
    pub fn each(&self, fact: &str, key: &str) -> Option<Vec<Inline>> {
        let (entries, pattern) = (self.entries.get(fact)?, self.patterns.get(key)?);
        Some(entries.iter().map(|(key, value)| fill(pattern, key, value)).collect())
    }

    /// A fact as it is printed.
    pub fn fact(&self, id: &str) -> Option<&Inline> {
        self.facts.get(id)
    }

    /// The number that a fact is, unrounded.
    pub fn number_of(&self, id: &str) -> Option<f64> {
        self.numbers.get(id).copied()
    }

    /// The unrounded value of a printed figure, by its evidence id.
    pub fn value(&self, evidence: &str) -> Option<&str> {
        self.figures.get(evidence).map(String::as_str)
    }

    /// The head of the article.
    pub fn head(&self) -> &[Entry] {
        &self.head
    }

    /// A table by its id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.get(id)
    }

    /// A chart by its id.
    pub fn chart(&self, id: &str) -> Option<&Chart> {
        self.charts.get(id)
    }

    /// Every chart with its id.
    pub fn charts(&self) -> impl Iterator<Item = (&str, &Chart)> {
        self.charts.iter().map(|(id, chart)| (id.as_str(), chart))
    }

    /// A quote by its id.
    pub fn quote(&self, id: &str) -> Option<&Quotation> {
        self.quotes.get(id)
    }

    /// Kind and id of everything that has a function of its own in the templates.
    pub fn blocks(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let tables = self.tables.keys().map(|id| ("table", id.as_str()));
        let charts = self.charts.keys().map(|id| ("chart", id.as_str()));
        tables.chain(charts).chain(self.quotes.keys().map(|id| ("quote", id.as_str())))
    }

    /// The references by group.
    pub fn references(&self) -> &[Group] {
        &self.references
    }

    /// The claims that do not hold, each with the strings that rest on it.
    pub fn broken(&self) -> &[(String, Vec<String>)] {
        &self.broken
    }

    /// The diagnostic of a string for which a template asks in vain, and what stands in its place.
    pub fn missing(&self, key: &str) -> (Diagnostic, Inline) {
        let found =
            Diagnostic::error("string-missing", format!("the {} catalogue has no string `{key}`", self.language.tag))
                .with_help(format!("add `{key}` to the catalogues, or mend the key"));
        let found = if self.mode == Mode::Draft { found.downgraded() } else { found };
        let note = plain(&self.fill("draft.missing", key));
        (found, format!("{FIGURE}!{key}{SHOWN}{note}{END}"))
    }

    /// Strings of the part that neither tables and charts nor `asked` use, as warnings at their places.
    pub fn unused(&self, asked: &BTreeSet<String>) -> Diagnostics {
        let is_unused = |key: &str| !self.used.contains(key) && !asked.contains(key);
        let warn = |(key, place): (&String, &Place)| {
            Diagnostic::warning("string-unused", format!("no template asks for the string `{key}`"))
                .with_place(place.clone())
                .with_help("delete it, or let the template say it")
        };
        self.places.iter().filter(|(key, _)| is_unused(key)).map(warn).collect()
    }
}
