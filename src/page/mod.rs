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
mod view;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde_json::Value;

use crate::capture::Moment;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};
use crate::facts::{Align, Evidence, Facts, Part, Show};
use crate::locale::{Locale, Text, WORDS};
use crate::project::Project;

use charts::{Asked, DataTable, Words, chart as made};
pub use escape::{code, joint, plain, text_of};
use escape::{inline, one_line};
use strings::{each, fill, is_pattern};

/// Opens a figure; its evidence id follows. An id that begins with `!` is the key of a missing string.
pub const FIGURE: char = '\u{E000}';
/// Ends the id; the visible text follows.
pub const SHOWN: char = '\u{E001}';
/// Closes a figure.
pub const END: char = '\u{E002}';

/// Stands in a pattern for the key of an entry.
const KEY: char = '\u{E005}';
/// Stands in a pattern for the value of an entry.
const VALUE: char = '\u{E006}';

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

/// How many digits are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// As part.toml says.
    Shown,
    /// Rounded further, in the language's words: `{…:approx}`.
    Approx,
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

    /// Fills the placeholders of a string.
    fn expand(&self, text: &Text) -> Inline {
        strings::expand(self, text)
    }

    /// A value as it is printed, marked as the figure `id`; `how` is its show, and how many digits it has.
    fn shown(&self, id: &str, value: &Value, how: (&Show, Digits)) -> Result<Inline, Box<Diagnostic>> {
        strings::shown(self, id, value, how)
    }

    /// Expands a string once, so that what is wrong with it is told once.
    fn expanded(&self, key: &str, text: &Text) -> Inline {
        if let Some(known) = self.expanded.borrow().get(key) {
            return known.clone();
        }
        let inline = self.expand(text);
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
        if is_pattern(text) {
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
