//! One language: its strings, its numbers and dates. Bound once per page.
//!
//! `locales/<dir>/<part>.toml` holds the strings of a part, `locales/<dir>/site.toml` what every page needs: the words of
//! the interface ([`WORDS`]) and five tables of patterns, `[units]`, `[approx]`, `[aliases]`, `[dates]` and `[zones]`.
//! In both every value is a string; keys are dotted paths.

mod alias;
mod catalogue;
mod check;
mod moment;
mod number;
mod shown;
mod text;
mod words;

use std::ops::Range;

use fixed_decimal::Decimal;
use indexmap::IndexMap;
use jiff::tz::Offset;
use serde_json::Value;

use crate::capture::Moment;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};
use crate::facts::Show;
use crate::project::{self, Project, read_text};
use crate::quantity::Quantity;

pub use check::{Known, alone, compare, one};
pub use shown::{Shown, Unprintable};
pub use text::{Piece, Text};
pub use words::WORDS;

use text::{Near, Why};

/// The tables of site.toml that are no words.
const SETTINGS: [&str; 5] = ["units", "approx", "aliases", "dates", "zones"];

/// One key of a TOML file with its value.
#[derive(Debug)]
struct Entry {
    key: String,
    value: String,
    span: Range<usize>,
}

/// One table of site.toml.
#[derive(Debug)]
struct Section<'a> {
    source: &'a Source,
    entries: Vec<(&'a str, &'a Entry)>,
}

/// Text with `{}` for what is filled in, cut at each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern(Vec<String>);

/// The language of one page.
#[derive(Debug)]
pub struct Locale {
    dir: String,
    tag: String,
    part: Source,
    texts: IndexMap<String, Text>,
    site: Source,
    words: IndexMap<String, Word>,
    numbers: number::Numbers,
    aliases: alias::Aliases,
    dates: moment::Dates,
}

/// A word or phrase of the interface, as text and as a pattern.
#[derive(Debug)]
struct Word {
    raw: String,
    pattern: Pattern,
    text: Text,
}

impl Locale {
    /// Reads `locales/<dir>/site.toml` and `locales/<dir>/<part>.toml`.
    pub fn load(project: &Project, dir: &str, part: &str) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let site = wrong.gather(Self::load_site(project, dir));
        let catalogue = wrong.gather(catalogue(project, dir, part));
        let both = site.zip(catalogue);
        let Some((site, (source, entries))) = both else { return Err(wrong) };
        let texts = entries.into_iter().map(|e| (e.key, Text::parse(&source, e.span, &e.value))).collect();
        wrong.or_value(Self { part: source, texts, ..site })
    }

    /// Reads `locales/<dir>/site.toml` alone: what a page needs that belongs to no part.
    pub fn load_site(project: &Project, dir: &str) -> Outcome<Self> {
        let Some(language) = project.languages().iter().find(|l| l.dir() == dir) else {
            return Err(Diagnostic::error("language-unknown", format!("the series has no language `{dir}`"))
                .with_place(Place::file(project::FILE))
                .with_help("name it under [languages] with its BCP 47 tag")
                .into());
        };
        let (source, entries) = catalogue(project, dir, "site")?;
        let section = |name: &str| Section::of(&source, &entries, name);
        let mut wrong = Diagnostics::new();
        let numbers = wrong.gather(number::Numbers::new(language.tag(), &section("units"), &section("approx")));
        let aliases = wrong.gather(alias::Aliases::new(&section("aliases")));
        let dates = wrong.gather(moment::Dates::new(&section("dates"), &section("zones")));
        let is_word = |e: &&Entry| !e.key.split_once('.').is_some_and(|(table, _)| SETTINGS.contains(&table));
        let words: IndexMap<String, Word> = entries
            .iter()
            .filter(is_word)
            .map(|e| {
                let text = Text::parse(&source, e.span.clone(), &e.value);
                (e.key.clone(), Word { raw: e.value.clone(), pattern: Pattern::new(&e.value), text })
            })
            .collect();
        wrong.extend(words::check(&source, |key| words.get(key).map(|w| (w.pattern.slots(), w.text.place()))));
        match (numbers, aliases, dates) {
            (Some(numbers), Some(aliases), Some(dates)) => wrong.or_value(Self {
                dir: dir.to_owned(),
                tag: language.tag().to_owned(),
                part: source.clone(),
                texts: IndexMap::new(),
                site: source,
                words,
                numbers,
                aliases,
                dates,
            }),
            _ => Err(wrong),
        }
    }

    /// Times written with this offset from UTC are shown with the name that `[zones]` has for the IANA zone `name`;
    /// any other time, or one of a zone without a name, as `UTC+9`.
    #[must_use]
    pub fn in_zone(mut self, name: &str, offset: Offset) -> Self {
        self.dates.name_zone(name, offset);
        self
    }

    /// These aliases, and no other words, are said as `[aliases]` has it: `node-a` is `노드 A`.
    #[must_use]
    pub fn with_aliases<'a>(mut self, aliases: impl IntoIterator<Item = &'a str>) -> Self {
        self.aliases.know(aliases.into_iter());
        self
    }

    /// The folder name, e.g. `zh`.
    pub fn dir(&self) -> &str {
        &self.dir
    }

    /// The BCP 47 tag, e.g. `zh-Hans`.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A string by its dotted key, from the part's catalogue, else from the words of site.toml.
    pub fn text(&self, key: &str) -> Option<&Text> {
        self.texts.get(key).or_else(|| self.words.get(key).map(|w| &w.text))
    }

    /// Every string of the part's catalogue by its key, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.texts.iter().map(|(key, text)| (key.as_str(), text))
    }

    /// A word of site.toml as it is written. [`Self::load`] vouches for all of [`WORDS`]; for any other key that is not
    /// there the key itself.
    pub fn words<'a>(&'a self, key: &'a str) -> &'a str {
        self.words.get(key).map_or(key, |w| &w.raw)
    }

    /// A word of site.toml with each `{}` filled, in order.
    pub fn fill(&self, key: &str, with: &[&str]) -> String {
        self.words.get(key).map_or_else(|| key.to_owned(), |w| w.pattern.fill(with))
    }

    /// A number as this language groups its digits, without a unit.
    pub fn number(&self, decimal: &Decimal) -> String {
        self.numbers.number(decimal)
    }

    /// A number as this language prints it, rounded, with its unit's symbol.
    pub fn quantity(&self, quantity: &Quantity) -> String {
        self.numbers.quantity(quantity)
    }

    /// A number to two significant digits, in the language's words for large numbers: 110,953.8 is `11만`.
    pub fn approx(&self, quantity: &Quantity) -> String {
        self.numbers.approx(quantity)
    }

    /// A number or a text of a fact as this language prints it.
    pub fn value(&self, value: &Value, show: &Show) -> Result<Shown, Unprintable> {
        shown::scalar(self, value, show)
    }

    /// A number of a fact as [`Self::approx`] prints it.
    pub fn value_approx(&self, value: &Value, show: &Show) -> Result<Shown, Unprintable> {
        shown::approx(self, value, show)
    }

    /// A whole fact as inline Markdown: text as code spans, the entries of a list joined.
    pub fn markdown(&self, value: &Value, show: &Show) -> Result<String, Unprintable> {
        Ok(self.join(shown::list(self, value, show)?.iter().map(Shown::markdown)))
    }

    /// A whole fact without markup, for a drawing.
    pub fn plain(&self, value: &Value, show: &Show) -> Result<String, Unprintable> {
        Ok(self.join(shown::list(self, value, show)?.into_iter().map(|s| s.text)))
    }

    /// Several texts with the language's separator between them.
    pub fn join(&self, texts: impl IntoIterator<Item = String>) -> String {
        texts.into_iter().collect::<Vec<_>>().join(self.words("list.separator"))
    }

    /// A text with every alias in it as this language says it, also inside longer names: `kube-proxy-노드 A`.
    pub fn alias(&self, text: &str) -> String {
        self.aliases.localized(text)
    }

    /// The day of a moment.
    pub fn date(&self, at: &Moment) -> String {
        self.dates.date(at)
    }

    /// Day, time and zone.
    pub fn moment(&self, at: &Moment) -> String {
        self.dates.moment(at)
    }

    /// A span of time with its zone; the day stands once if it is one day.
    pub fn window(&self, from: &Moment, to: &Moment) -> String {
        self.dates.window(from, to)
    }
}

impl<'a> Section<'a> {
    fn of(source: &'a Source, entries: &'a [Entry], name: &str) -> Self {
        let rest = |e: &'a Entry| Some((e.key.strip_prefix(name)?.strip_prefix('.')?, e));
        Self { source, entries: entries.iter().filter_map(rest).collect() }
    }

    /// Each key with its value as a pattern with one `{}`; a value that is none is reported.
    fn patterns(&self, wrong: &mut Diagnostics) -> Vec<(&'a str, Pattern, &'a Entry)> {
        let mut all = Vec::new();
        for (key, entry) in &self.entries {
            let pattern = Pattern::new(&entry.value);
            match pattern.slots() {
                1 => all.push((*key, pattern, *entry)),
                n => wrong.push(
                    Diagnostic::error(
                        "site-pattern",
                        format!("the pattern of `{}` has {n} `{{}}`, not one", entry.key),
                    )
                    .with_place(self.place(entry))
                    .with_help("write `{}` once, where the value stands"),
                ),
            }
        }
        all
    }

    fn place(&self, entry: &Entry) -> Place {
        self.source.place(entry.span.clone())
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self(text.split("{}").map(str::to_owned).collect())
    }

    fn slots(&self) -> usize {
        self.0.len() - 1
    }

    /// A slot for which there is nothing stays empty.
    fn fill(&self, with: &[&str]) -> String {
        let mut out = String::new();
        for (i, text) in self.0.iter().enumerate() {
            if i > 0 {
                out.push_str(with.get(i - 1).unwrap_or(&""));
            }
            out.push_str(text);
        }
        out
    }
}

fn catalogue(project: &Project, dir: &str, name: &str) -> Outcome<(Source, Vec<Entry>)> {
    let source = read_text(project.root(), &format!("locales/{dir}/{name}.toml"))?;
    let entries = catalogue::read(&source)?;
    Ok((source, entries))
}
