//! Facts: named values computed from masked captures by jq filters, and the claims that sentences rest on.
//!
//! Pure: no clock, no locale, no prose.

mod part;

use indexmap::IndexMap;
use serde_json::Value;

use crate::capture::Capture;
use crate::diag::{Diagnostics, Outcome};
use crate::mask::Masked;
use crate::quantity::{Precision, Unit};
use crate::read::Record;

pub use part::{Align, ChartDef, Column, Part, Quote, Reference, TableDef};

/// A capture after masking: all that a filter can see.
#[derive(Debug)]
pub struct Evidence {
    pub record: Masked<Record>,
    pub capture: Masked<Capture>,
}

/// How a number of a fact or of a table's column is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    pub unit: Unit,
    pub precision: Precision,
    pub scale: Option<String>,
}

/// A computed fact.
#[derive(Clone, Debug)]
pub struct Fact {
    pub value: Value,
    pub show: Show,
    /// The captures on which it rests, directly or through other facts, sorted as in capture.toml.
    pub from: Vec<String>,
}

/// A judged claim.
#[derive(Clone, Debug)]
pub struct Claim {
    pub holds: bool,
    pub strings: Vec<String>,
}

/// A row of a computed table: its key, and a value for each column that has a filter.
#[derive(Clone, Debug)]
pub struct Row {
    pub key: String,
    pub cells: IndexMap<String, Value>,
}

/// Everything computed for one part.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub facts: IndexMap<String, Fact>,
    pub claims: IndexMap<String, Claim>,
    /// The rows of each table that has an `each`.
    pub rows: IndexMap<String, Vec<Row>>,
    /// The data of each chart, in the form that its kind documents.
    pub charts: IndexMap<String, Value>,
}

/// Computes everything that `part` defines. The second value: what is found false (claims), as errors that name the strings.
pub fn compute(_part: &Part, _captures: &IndexMap<String, Evidence>) -> Outcome<(Facts, Diagnostics)> {
    todo!()
}
