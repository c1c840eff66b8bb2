//! `templates/<part>/part.toml`: facts, claims, tables, charts, quotes and references of one part.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_spanned::Spanned;

use crate::diag::Source;
use crate::quantity::{Precision, Unit};

/// part.toml as written.
#[derive(Debug)]
pub struct Part {
    pub source: Source,
    pub facts: IndexMap<String, Spanned<FactDef>>,
    pub claims: IndexMap<String, Spanned<ClaimDef>>,
    pub tables: IndexMap<String, Spanned<TableDef>>,
    pub charts: IndexMap<String, Spanned<ChartDef>>,
    pub quotes: IndexMap<String, Quote>,
    pub references: Vec<Reference>,
}

/// `[facts.<id>]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactDef {
    /// The capture, or captures; without it the input is the object of the facts.
    #[serde(default)]
    pub from: OneOrMany,
    pub jq: Spanned<String>,
    pub unit: Unit,
    /// Default: whole for numbers.
    pub show: Option<Precision>,
    /// The scale in which it is printed, e.g. `ms`; without it the largest that leaves at least 1.
    #[serde(rename = "in")]
    pub scale: Option<String>,
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
    pub columns: Vec<Column>,
    #[serde(default)]
    pub rows: Vec<String>,
    pub each: Option<Spanned<String>>,
    /// Row key → column id → cell, where no translator is needed: inline Markdown with placeholders.
    #[serde(default)]
    pub cells: IndexMap<String, IndexMap<String, Spanned<String>>>,
}

/// A column of a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub id: String,
    #[serde(default)]
    pub align: Align,
    /// Over one object of `each`: a number, a string, null (absent), or an array of them (printed with ` · ` between).
    pub jq: Option<Spanned<String>>,
    pub unit: Option<Unit>,
    pub show: Option<Precision>,
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
    #[default]
    Text,
    Number,
}

/// `[charts.<id>]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartDef {
    /// `distribution`, `dots`, `bars`, `cumulative`.
    pub kind: Spanned<String>,
    #[serde(default)]
    pub from: OneOrMany,
    /// Over the facts, or over the captures of `from`, as in a fact.
    pub jq: Spanned<String>,
    pub unit: Unit,
    pub show: Option<Precision>,
    #[serde(rename = "in")]
    pub scale: Option<String>,
}

/// `[quotes.<id>]`: code quoted from elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The language class of the code block.
    pub language: String,
    pub text: String,
    /// The `id` of the reference it is from.
    pub reference: String,
}

/// `[[references]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    pub id: String,
    /// The key of the group under which it is listed.
    pub group: String,
    pub repository: String,
    pub version: Option<String>,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub url: String,
    pub licence: Option<String>,
    /// The day on which it was opened.
    pub opened: toml::value::Date,
}

/// One name or several.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}
