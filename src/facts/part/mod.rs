//! `templates/<part>/part.toml`: facts, claims, tables, charts, quotes and references of one part.

mod check;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_spanned::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

use super::Show;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};
use crate::project::read_text;
use crate::quantity::{Precision, Unit};
use crate::read::Want;

/// part.toml as written.
#[derive(Debug)]
pub struct Part {
    /// The file, for places.
    pub source: Source,
    /// `[facts.<id>]`
    pub facts: IndexMap<String, Spanned<FactDef>>,
    /// `[claims.<id>]`
    pub claims: IndexMap<String, Spanned<ClaimDef>>,
    /// `[tables.<id>]`
    pub tables: IndexMap<String, Spanned<TableDef>>,
    /// `[charts.<id>]`
    pub charts: IndexMap<String, Spanned<ChartDef>>,
    /// `[quotes.<id>]`
    pub quotes: IndexMap<String, Quote>,
    /// `[[references]]`
    pub references: Vec<Reference>,
}

/// `[facts.<id>]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactDef {
    /// The capture, or captures; without it the input is the object of the facts that the filter names.
    #[serde(default = "nowhere")]
    pub from: Spanned<OneOrMany>,
    /// The formula.
    pub jq: Spanned<String>,
    /// What it counts.
    pub unit: Unit,
    /// Default: whole for numbers.
    pub show: Option<Precision>,
    /// The scale in which it is printed, e.g. `ms`; without it the largest that leaves at least 1.
    #[serde(rename = "in")]
    pub scale: Option<Spanned<String>>,
    /// The series that it needs of a large capture.
    #[serde(default)]
    pub series: Vec<String>,
    /// The labels that those series must have.
    #[serde(default, rename = "where")]
    pub fields: BTreeMap<String, String>,
}

/// `[claims.<id>]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimDef {
    /// Over the object of the facts; true or false.
    pub jq: Spanned<String>,
    /// Keys of the strings that rest on it.
    pub strings: Vec<Spanned<String>>,
}

/// `[tables.<id>]`: either `rows` (keys) or `each` (a filter over the facts that gives an array of objects with a `key`).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDef {
    /// From left to right.
    pub columns: Vec<Column>,
    /// Keys of static rows.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The filter that gives computed rows.
    pub each: Option<Spanned<String>>,
    /// Row key → column id → cell, where no translator is needed: inline Markdown with placeholders. ` · ` between
    /// values is printed as the separator of each language.
    #[serde(default)]
    pub cells: IndexMap<String, IndexMap<String, Spanned<String>>>,
}

/// A column of a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Distinct within the table.
    pub id: String,
    /// On which side its cells stand.
    #[serde(default)]
    pub align: Align,
    /// Over one object of `each`: a number, a string, null (absent), or an array of them (printed with ` · ` between).
    pub jq: Option<Spanned<String>>,
    /// What its numbers count.
    pub unit: Option<Unit>,
    /// How many digits its numbers have.
    pub show: Option<Precision>,
    /// The scale in which they are printed.
    #[serde(rename = "in")]
    pub scale: Option<String>,
    /// What stands where the filter gives null; nothing if not said.
    pub absent: Option<String>,
    /// The key of the catalogue's string for the cell, with `{key}` for the row's key.
    pub string: Option<String>,
    /// Whether that string may be missing (then the cell is empty, and `check` says so).
    #[serde(default)]
    pub optional: bool,
    /// Whether a bar beside the number shows its size on a log scale (HTML only).
    #[serde(default)]
    pub bar: bool,
}

/// On which side the cells of a column stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// Where lines of text begin.
    #[default]
    Text,
    /// Where numbers end.
    Number,
}

/// `[charts.<id>]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartDef {
    /// `distribution`, `dots`, `bars`, `cumulative`.
    pub kind: Spanned<String>,
    /// As in a fact.
    #[serde(default = "nowhere")]
    pub from: Spanned<OneOrMany>,
    /// Over the facts, or over the captures of `from`, as in a fact.
    pub jq: Spanned<String>,
    /// What its numbers count.
    pub unit: Unit,
    /// How many digits they have.
    pub show: Option<Precision>,
    /// The scale in which they are printed.
    #[serde(rename = "in")]
    pub scale: Option<String>,
}

/// `[quotes.<id>]`: code quoted from elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The language class of the code block.
    pub language: String,
    /// The code.
    pub text: String,
    /// The `id` of the reference it is from.
    pub reference: String,
}

/// `[[references]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Distinct within the part.
    pub id: String,
    /// The key of the group under which it is listed.
    pub group: String,
    /// For example `kubernetes/kubernetes`.
    pub repository: String,
    /// For example `v1.34.10`.
    pub version: Option<String>,
    /// The file in the repository.
    pub path: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// Where it is read.
    pub url: String,
    /// The SPDX identifier of its licence.
    pub licence: Option<String>,
    /// The day on which it was opened.
    pub opened: toml::value::Date,
}

/// One name or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OneOrMany {
    /// Not said.
    #[default]
    None,
    /// `from = "a"`
    One([String; 1]),
    /// `from = ["a", "b"]`
    Many(Vec<String>),
}

fn nowhere() -> Spanned<OneOrMany> {
    Spanned::new(0..0, OneOrMany::None)
}

impl OneOrMany {
    /// The names, in order.
    pub fn names(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(name) => name,
            Self::Many(names) => names,
        }
    }
}

/// (An untagged enum would lose what is wrong, and where.)
impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a capture, or an array of names")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One([name.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = items.next_element()? {
                    names.push(name);
                }
                Ok(OneOrMany::Many(names))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl FactDef {
    /// How it is shown.
    pub fn show(&self) -> Show {
        Show {
            unit: self.unit,
            precision: self.show.unwrap_or(Precision::Whole),
            scale: self.scale.as_ref().map(|scale| scale.get_ref().clone()),
        }
    }
}

impl Part {
    /// Reads `templates/<part>/part.toml`; every mistake in it has its place.
    pub fn load(root: &Path, part: &str) -> Outcome<Self> {
        Self::parse(read_text(root, &format!("templates/{part}/part.toml"))?)
    }

    /// The same from its text.
    pub fn parse(source: Source) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let text = source.text().to_owned();
        let (table, errors) = DeTable::parse_recoverable(&text);
        errors.iter().for_each(|error| wrong.push(toml_mistake(&source, error, &(0..0))));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut part = Self {
            source,
            facts: IndexMap::new(),
            claims: IndexMap::new(),
            tables: IndexMap::new(),
            charts: IndexMap::new(),
            quotes: IndexMap::new(),
            references: Vec::new(),
        };
        for (name, value) in table.into_inner() {
            let source = &part.source;
            match name.get_ref().as_ref() {
                "facts" => part.facts = section(source, value, &mut wrong),
                "claims" => part.claims = section(source, value, &mut wrong),
                "tables" => part.tables = section(source, value, &mut wrong),
                "charts" => part.charts = section(source, value, &mut wrong),
                "quotes" => part.quotes = section(source, value, &mut wrong),
                "references" => part.references = entry(source, value, &mut wrong).unwrap_or_default(),
                _ => wrong.push(
                    Diagnostic::error("toml", format!("unknown section `{}`", name.get_ref()))
                        .with_place(source.place(name.span()))
                        .with_help("the sections are facts, claims, tables, charts, quotes and references"),
                ),
            }
        }
        wrong.extend(check::check(&part));
        wrong.or_value(part)
    }

    /// What the facts and charts need of each capture: of several, all that any of them needs.
    pub fn wants(&self) -> BTreeMap<String, Want> {
        let facts = self.facts.values().map(|def| {
            let def = def.get_ref();
            (&def.from, Want { series: def.series.clone(), fields: def.fields.clone() })
        });
        let charts = self.charts.values().map(|def| (&def.get_ref().from, Want::default()));
        let mut wants: BTreeMap<String, Want> = BTreeMap::new();
        for (from, want) in facts.chain(charts) {
            for name in from.get_ref().names() {
                match wants.get_mut(name) {
                    None => {
                        wants.insert(name.clone(), want.clone());
                    }
                    Some(so_far) => widen(so_far, &want),
                }
            }
        }
        wants
    }

    /// Every jq filter of the part.
    pub fn filters(&self) -> Vec<&Spanned<String>> {
        let facts = self.facts.values().map(|def| &def.get_ref().jq);
        let claims = self.claims.values().map(|def| &def.get_ref().jq);
        let tables = self.tables.values().map(Spanned::get_ref);
        let tables =
            tables.flat_map(|def| def.each.iter().chain(def.columns.iter().filter_map(|column| column.jq.as_ref())));
        let charts = self.charts.values().map(|def| &def.get_ref().jq);
        facts.chain(claims).chain(tables).chain(charts).collect()
    }

    /// Those whose input is the object of the facts.
    pub fn filters_over_facts(&self) -> Vec<&Spanned<String>> {
        let over_facts = |from: &Spanned<OneOrMany>| from.get_ref().names().is_empty();
        let facts = self.facts.values().map(Spanned::get_ref).filter(|def| over_facts(&def.from)).map(|def| &def.jq);
        let claims = self.claims.values().map(|def| &def.get_ref().jq);
        let tables = self.tables.values().filter_map(|def| def.get_ref().each.as_ref());
        let charts = self.charts.values().map(Spanned::get_ref).filter(|def| over_facts(&def.from)).map(|def| &def.jq);
        facts.chain(claims).chain(tables).chain(charts).collect()
    }

    /// The place of a name inside a span of the file.
    pub fn place_in(&self, span: Range<usize>, name: &str) -> Place {
        let at = self
            .source
            .text()
            .get(span.clone())
            .and_then(|text| text.find(&format!("{name}\"")).or_else(|| text.find(name)));
        let span = at.map_or(span.clone(), |at| span.start + at..span.start + at + name.len());
        self.source.place(span)
    }
}

/// Makes `want` let through what `other` lets through too.
fn widen(want: &mut Want, other: &Want) {
    if want.series.is_empty() || other.series.is_empty() {
        want.series.clear();
    } else {
        for series in &other.series {
            if !want.series.contains(series) {
                want.series.push(series.clone());
            }
        }
    }
    want.fields.retain(|name, value| other.fields.get(name) == Some(value));
}

/// A table of definitions; each mistake is reported, and what is right is kept.
fn section<'s, T: Deserialize<'s>>(
    source: &Source,
    value: Spanned<DeValue<'s>>,
    wrong: &mut Diagnostics,
) -> IndexMap<String, T> {
    let span = value.span();
    let DeValue::Table(table) = value.into_inner() else {
        wrong.push(
            Diagnostic::error("toml", "a table is due")
                .with_place(source.place(span))
                .with_help("write `[section.id]`"),
        );
        return IndexMap::new();
    };
    let id = |name: &Spanned<DeString<'s>>| name.get_ref().to_string();
    table.into_iter().filter_map(|(name, value)| Some((id(&name), entry(source, value, wrong)?))).collect()
}

fn entry<'s, T: Deserialize<'s>>(source: &Source, value: Spanned<DeValue<'s>>, wrong: &mut Diagnostics) -> Option<T> {
    let span = value.span();
    match T::deserialize(ValueDeserializer::from(value)) {
        Ok(entry) => Some(entry),
        Err(error) => {
            wrong.push(toml_mistake(source, &error, &span));
            None
        }
    }
}

fn toml_mistake(source: &Source, error: &toml::de::Error, otherwise: &Range<usize>) -> Diagnostic {
    let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
    Diagnostic::error("toml", message)
        .with_place(source.place(error.span().unwrap_or_else(|| otherwise.clone())))
        .with_help("mend the TOML; unknown and missing keys are mistakes too")
}
