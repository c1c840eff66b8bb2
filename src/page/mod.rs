//! The contract with the templates: what one page offers them, every string already expanded, every figure already printed.
//!
//! A printed figure is carried through Markdown by private-use marks: [`FIGURE`] evidence-id [`SHOWN`] text [`END`]. The
//! Markdown target drops the marks, the HTML target writes a `<data>` element. Captured and translated text cannot hold
//! such characters.

pub mod charts;
mod drawings;
mod escape;
mod head;
mod quotes;
mod strings;
mod tables;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use crate::capture::Moment;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};
use crate::facts::{Align, Evidence, Facts, Part};
use crate::locale::{Locale, Text, WORDS};
use crate::project::Project;

pub use escape::{code, joint, plain, text_of};

use charts::{Asked, DataTable, Words, chart};
use escape::{inline, one_line};
use strings::{Digits, each, expand, is_pattern, shown};

/// Opens a figure; its evidence id follows. An id that begins with `!` is the key of a missing string.
pub const FIGURE: char = '\u{E000}';
/// Ends the id; the visible text follows.
pub const SHOWN: char = '\u{E001}';
/// Closes a figure.
pub const END: char = '\u{E002}';

/// Whether a page may be built that is not fit to be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A missing string stops the build.
    Final,
    /// A missing string stands on the page as a note, and false claims are listed at its top.
    Draft,
}

/// Another language in which the page exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// The folder under `output/`.
    pub dir: String,
    /// The BCP 47 tag.
    pub tag: String,
    /// What the language calls itself.
    pub name: String,
}

/// All that a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// The series.
    pub project: &'a Project,
    /// The part's name, as in factpress.toml.
    pub name: &'a str,
    /// part.toml.
    pub part: &'a Part,
    /// What was computed from it.
    pub facts: &'a Facts,
    /// The masked captures.
    pub captures: &'a IndexMap<String, Evidence>,
    /// The span of time in which they were taken.
    pub window: Option<(Moment, Moment)>,
    /// The language.
    pub locale: &'a Locale,
    /// All languages of the series, in order.
    pub languages: &'a [Language],
    /// Whether mistakes that a reader would see are let through.
    pub mode: Mode,
}

/// Inline Markdown on one or several lines, with figure marks.
pub type Inline = String;

/// One part in one language.
#[derive(Debug)]
pub struct Page {
    language: Language,
    languages: Vec<Language>,
    name: String,
    number: u32,
    window: Option<(Moment, Moment)>,
    strings: IndexMap<String, Inline>,
    places: IndexMap<String, Place>,
    used: BTreeSet<String>,
    head: Vec<Entry>,
    tables: IndexMap<String, Table>,
    charts: IndexMap<String, Chart>,
    quotes: IndexMap<String, Quotation>,
    references: Vec<Group>,
    patterns: BTreeMap<String, Inline>,
    entries: IndexMap<String, Vec<(String, Inline)>>,
    words: BTreeMap<String, String>,
    facts: IndexMap<String, Inline>,
    numbers: BTreeMap<String, f64>,
    figures: BTreeMap<String, String>,
    broken: Vec<(String, Vec<String>)>,
    mode: Mode,
}

/// A line of the head: its label, its texts.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(crate) name: String,
    pub(crate) label: Inline,
    pub(crate) texts: Vec<Inline>,
}

/// A table, ready to be set.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) caption: Inline,
    pub(crate) head: Vec<Inline>,
    pub(crate) align: Vec<Align>,
    /// The first cell of a row is its header.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub(crate) text: Inline,
    /// The length of the bar beside the number, 0 to 1.
    pub(crate) bar: Option<f64>,
}

/// A drawn chart with its data.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The finding.
    pub(crate) title: Inline,
    /// What is drawn.
    pub(crate) subtitle: Inline,
    /// Where it is from.
    pub(crate) source: Inline,
    /// The whole file, with title, subtitle and source.
    pub(crate) svg: String,
    /// The drawing alone, for a page that says those itself.
    pub(crate) drawing: String,
    /// What is drawn, as a table.
    pub(crate) data: Table,
}

/// Code quoted from elsewhere.
#[derive(Clone, Debug)]
pub struct Quotation {
    pub(crate) caption: Inline,
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) source: Citation,
}

/// References of one kind.
#[derive(Clone, Debug)]
pub struct Group {
    pub(crate) title: Inline,
    pub(crate) entries: Vec<Citation>,
}

/// Where something was read.
#[derive(Clone, Debug)]
pub struct Citation {
    /// Repository, version.
    pub(crate) title: String,
    /// Path and line within it.
    pub(crate) path: Option<String>,
    pub(crate) url: String,
    pub(crate) licence: Option<String>,
    /// The sentence that says when it was opened.
    pub(crate) opened: String,
}

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
        let say = |(key, value): &(String, Inline)| strings::fill(pattern, key, value);
        Some(entries.iter().map(say).collect())
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

/// What is gathered while a page is built.
struct Desk<'a> {
    material: &'a Material<'a>,
    wrong: RefCell<Diagnostics>,
    figures: RefCell<BTreeMap<String, String>>,
    used: RefCell<BTreeSet<String>>,
    missing: RefCell<BTreeSet<String>>,
    expanded: RefCell<BTreeMap<String, Inline>>,
}

impl Desk<'_> {
    fn report(&self, diagnostic: Diagnostic) {
        self.wrong.borrow_mut().push(diagnostic);
    }

    /// Marks `shown` as the figure `id`, whose unrounded value is `value`.
    fn figure(&self, id: &str, value: String, shown: &str) -> Inline {
        let id = id.replace(|c| matches!(c, '\u{E000}'..='\u{F8FF}' | '\n'), "");
        let figure = format!("{FIGURE}{id}{SHOWN}{shown}{END}");
        self.figures.borrow_mut().insert(id, value);
        figure
    }

    /// A string that must be there, expanded; `place` asks for it.
    fn string(&self, key: &str, place: impl FnOnce() -> Place) -> Inline {
        self.optional(key).unwrap_or_else(|| {
            // a chart asks twice, for the drawing and for the page
            if self.missing.borrow_mut().insert(key.to_owned()) {
                self.report(missing(key, self.material.mode, self.material.locale).with_place(place()));
            }
            missing_note(key, self.material.locale)
        })
    }

    /// A string, expanded, if it is there.
    fn optional(&self, key: &str) -> Option<Inline> {
        let text = self.material.locale.text(key)?;
        self.used.borrow_mut().insert(key.to_owned());
        Some(self.expanded(key, text))
    }

    /// Expands a string once, so that what is wrong with it is told once.
    fn expanded(&self, key: &str, text: &Text) -> Inline {
        if let Some(known) = self.expanded.borrow().get(key) {
            return known.clone();
        }
        let inline = strings::expand(self, text);
        self.expanded.borrow_mut().insert(key.to_owned(), inline.clone());
        inline
    }
}

/// The diagnostic of a string that the catalogue lacks.
fn missing(key: &str, mode: Mode, locale: &Locale) -> Diagnostic {
    let found = Diagnostic::error("string-missing", format!("the {} catalogue has no string `{key}`", locale.tag()))
        .with_help(format!("add `{key}` to the catalogue in locales/{}", locale.dir()));
    match mode {
        Mode::Final => found,
        Mode::Draft => found.downgraded(),
    }
}

/// What stands on a draft in place of a string.
fn missing_note(key: &str, locale: &Locale) -> Inline {
    format!("{FIGURE}!{key}{SHOWN}{}{END}", plain(&locale.fill("draft.missing", &[key])))
}

/// Joins facts and strings. Besides the page: what is let through in [`Mode::Draft`].
pub fn build(material: &Material<'_>) -> Outcome<(Page, Diagnostics)> {
    let locale = material.locale;
    let desk = Desk {
        material,
        wrong: RefCell::default(),
        figures: RefCell::default(),
        used: RefCell::default(),
        missing: RefCell::default(),
        expanded: RefCell::default(),
    };
    let mut strings = IndexMap::new();
    let mut places = IndexMap::new();
    let mut patterns = BTreeMap::new();
    for (key, text) in locale.keys() {
        if strings::is_pattern(text) {
            patterns.insert(key.to_owned(), desk.expanded(key, text));
        } else {
            strings.insert(key.to_owned(), desk.expanded(key, text));
        }
        places.insert(key.to_owned(), text.place());
    }
    let tables = tables::build(&desk);
    let charts = drawings::build(&desk);
    let (quotes, references) = quotes::build(&desk);
    let head = head::build(&desk);
    let entries = strings::entries(&desk);
    let words = WORDS.iter().map(|(key, _)| ((*key).to_owned(), locale.words(key).to_owned())).collect();
    let (facts, numbers) = strings::facts(&desk);
    let broken = material.facts.claims.iter().filter(|(_, c)| !c.holds);
    let broken = broken.map(|(id, c)| (id.clone(), c.strings.clone())).collect();
    let number = material.project.parts().iter().find(|p| p.name() == material.name).map_or(0, |p| p.number());
    let language = material.languages.iter().find(|l| l.dir == locale.dir()).cloned();
    let language = language.unwrap_or_else(|| Language {
        dir: locale.dir().to_owned(),
        tag: locale.tag().to_owned(),
        name: locale.tag().to_owned(),
    });
    let page = Page {
        language,
        languages: material.languages.to_vec(),
        name: material.name.to_owned(),
        number,
        window: material.window,
        strings,
        places,
        used: desk.used.take(),
        head,
        tables,
        charts,
        quotes,
        references,
        patterns,
        entries,
        words,
        facts,
        numbers,
        figures: desk.figures.take(),
        broken,
        mode: material.mode,
    };
    let mut page = page;
    page.used.extend(["head.title", "head.description", "head.status"].map(str::to_owned));
    let wrong = desk.wrong.take();
    if wrong.has_errors() { Err(wrong) } else { Ok((page, wrong)) }
}
