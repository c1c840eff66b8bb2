//! Facts: named values computed from masked captures by jq filters, and the claims that sentences rest on.
//!
//! Pure: no clock, no locale, no prose. Everything that is wrong is reported at once; what rests on a fact that failed is
//! left out without a word.

mod charts;
mod claims;
mod engine;
mod inside;
mod kind;
mod order;
mod part;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;
use serde_spanned::Spanned;

use crate::capture::Capture;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, nearest};
use crate::mask::Masked;
use crate::quantity::{Precision, Unit};
use crate::read::Record;

use engine::{Program, Stop, Unfit, Val, Variables};
use kind::fits;

pub use part::{Align, ChartDef, ClaimDef, Column, FactDef, OneOrMany, Part, Quote, Reference, TableDef};

/// A capture after masking: all that a filter can see.
#[derive(Debug)]
pub struct Evidence {
    /// What the reader gave.
    pub record: Masked<Record>,
    /// What capture.toml says.
    pub capture: Masked<Capture>,
}

/// How a number of a fact or of a table's column is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// What it counts.
    pub unit: Unit,
    /// How many digits.
    pub precision: Precision,
    /// The symbol of one of the unit's scales; without it the largest that leaves at least 1.
    pub scale: Option<String>,
}

/// A computed fact.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Unrounded, in its unit. A number unit: a number, or a list or object (of lists …) of numbers and the texts beside
    /// them. `text`: a text, or a list or object of texts and numbers. `bool`: true or false. Never null inside.
    pub value: Value,
    /// How it is shown.
    pub show: Show,
    /// The captures on which it rests, directly or through other facts, sorted as in capture.toml.
    pub from: Vec<String>,
}

/// A judged claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Whether it is true.
    pub holds: bool,
    /// Keys of the strings that rest on it.
    pub strings: Vec<String>,
}

/// A row of a computed table: its key, and a value for each column that has a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Distinct within the table.
    pub key: String,
    /// Column id → number, text, null (absent), or an array of them.
    pub cells: IndexMap<String, Value>,
}

/// Everything computed for one part.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By id, in the order of part.toml.
    pub facts: IndexMap<String, Fact>,
    /// By id, in the order of part.toml.
    pub claims: IndexMap<String, Claim>,
    /// The rows of each table that has an `each`.
    pub rows: IndexMap<String, Vec<Row>>,
    /// The data of each chart, in the form that its kind documents.
    pub charts: IndexMap<String, Value>,
}

/// Computes everything that `part` defines. The second value: what is found false (claims), as errors that name the strings.
///
/// Errors: a filter with a mistake, one that fails or gives no single value of its kind, a capture or fact that does not
/// exist, facts in a circle.
pub fn compute(part: &Part, captures: &IndexMap<String, Evidence>) -> Outcome<(Facts, Diagnostics)> {
    engine::on_large_stack(|| Work::new(part, captures).finish()).unwrap_or_else(|| {
        Err(Diagnostic::error("jq-broken", "the filters of the part break the filter engine")
            .with_place(Place::file(part.source.path()))
            .with_help("take out the newest filter: this is a mistake of jq's implementation")
            .into())
    })
}

/// A part that is being computed.
struct Work<'a> {
    part: &'a Part,
    captures: &'a IndexMap<String, Evidence>,
    program: Program,
    /// Records already handed to filters.
    records: IndexMap<&'a str, Val>,
    facts: IndexMap<&'a str, (Fact, Val)>,
    wrong: Diagnostics,
}

impl<'a> Work<'a> {
    fn new(part: &'a Part, captures: &'a IndexMap<String, Evidence>) -> Self {
        let (program, mistakes) = Program::compile(&part.filters());
        let mut wrong = Diagnostics::new();
        for mistake in mistakes {
            let filters = part.filters();
            let filter = filters.iter().find(|filter| filter.span().start == mistake.filter);
            let place =
                filter.map_or_else(|| Place::file(part.source.path()), |filter| place(part, filter, mistake.span));
            wrong.push(Diagnostic::error(mistake.code, mistake.message).with_place(place).with_help(mistake.help));
        }
        Self { part, captures, program, records: IndexMap::new(), facts: IndexMap::new(), wrong }
    }

    fn finish(mut self) -> Outcome<(Facts, Diagnostics)> {
        self.check_fields();
        self.compute_facts();
        let all = self.object(|_| true);
        let (claims, found_false) = claims::judge(&mut self, &all);
        let rows = tables::compute(&mut self, &all);
        let charts = charts::compute(&mut self, &all);
        let ids = self.part.facts.keys().map(String::as_str);
        let facts = ids.filter_map(|id| Some((id.to_owned(), self.facts.get(id)?.0.clone()))).collect();
        if self.wrong.is_empty() {
            return Ok((Facts { facts, claims, rows, charts }, found_false));
        }
        self.wrong.extend(found_false);
        Err(self.wrong)
    }

    /// Fields of the object of facts that are no facts.
    fn check_fields(&mut self) {
        for filter in self.part.filters_over_facts() {
            let Some(syntax) = self.program.syntax(filter) else { continue };
            for (name, span) in syntax.fields.iter().filter(|(name, _)| !self.part.facts.contains_key(name)) {
                self.wrong.push(
                    Diagnostic::error("unknown-fact", format!("there is no fact `{name}`"))
                        .with_place(place(self.part, filter, span.clone()))
                        .with_help(nearest(name, self.part.facts.keys().map(String::as_str)).map_or_else(
                            || "define it under [facts]".to_owned(),
                            |near| format!("did you mean `{near}`?"),
                        )),
                );
            }
        }
    }

    fn compute_facts(&mut self) {
        let part = self.part;
        let needs: Vec<BTreeSet<usize>> = part.facts.values().map(|def| self.needs(def.get_ref())).collect();
        let (sorted, circles) = order::sort(&needs);
        for circle in circles {
            let id = |at: usize| part.facts.get_index(at).map_or("", |(id, _)| id.as_str());
            let names: Vec<_> = circle.iter().chain(circle.first()).map(|at| format!("`{}`", id(*at))).collect();
            let place = part.facts.get(id(circle[0])).map(|def| part.source.place(def.get_ref().jq.span()));
            let message = format!("facts rest on each other in a circle: {}", names.join(" → "));
            let circle = Diagnostic::error("fact-cycle", message).with_help("let one of them rest on captures");
            self.wrong.push(place.into_iter().fold(circle, Diagnostic::with_place));
        }
        for at in sorted {
            let (id, def) = part.facts.get_index(at).expect("sorted as the facts are numbered");
            let missing =
                |need: &usize| part.facts.get_index(*need).is_some_and(|(id, _)| !self.facts.contains_key(id.as_str()));
            if needs[at].iter().any(missing) {
                continue;
            }
            if let Some((fact, value)) = self.compute_fact(id, def.get_ref(), &needs[at]) {
                self.facts.insert(id, (fact, value));
            }
        }
    }

    /// The facts that a fact over facts names.
    fn needs(&self, def: &FactDef) -> BTreeSet<usize> {
        let syntax = self.program.syntax(&def.jq).filter(|_| def.from.get_ref().names().is_empty());
        let names = syntax.into_iter().flat_map(|syntax| &syntax.strings);
        names.filter_map(|name| self.part.facts.get_index_of(name.as_str())).collect()
    }

    fn compute_fact(&mut self, id: &'a str, def: &'a FactDef, needs: &BTreeSet<usize>) -> Option<(Fact, Val)> {
        let part = self.part;
        let from: &[String] = def.from.get_ref().names();
        let (input, variables, mut rests) = if from.is_empty() {
            let named = |id: &str| part.facts.get_index_of(id).is_some_and(|at| needs.contains(&at));
            let rests: BTreeSet<String> =
                self.facts.iter().filter(|(id, _)| named(id)).flat_map(|(_, (fact, _))| fact.from.clone()).collect();
            (self.object(named), [Val::Null, Val::Null], rests.into_iter().collect())
        } else {
            let (input, variables) = self.input(&def.from)?;
            (input, variables, from.to_vec())
        };
        let what = format!("fact `{id}`");
        let value = self.run(&what, &def.jq, input, &variables)?;
        let json = self.json(&what, &def.jq, &value)?;
        if let Err((code, message)) = fits(&json, def.unit) {
            let diagnostic = Diagnostic::error(code, format!("{what} is {message}"));
            let help = format!("its unit is `{}`; mend the filter or the unit", def.unit.name());
            self.wrong.push(diagnostic.with_place(part.source.place(def.jq.span())).with_help(help));
            return None;
        }
        rests.sort_by_key(|name| self.captures.get_index_of(name));
        rests.dedup();
        // 3.0 is 3 from here on
        let value = engine::from_json(&json);
        Some((Fact { value: json, show: def.show(), from: rests }, value))
    }

    /// The record, or the object of records, that `from` names; with `$at` and `$capture`.
    fn input(&mut self, from: &'a Spanned<part::OneOrMany>) -> Option<(Val, Variables)> {
        let names = from.get_ref().names();
        let unknown = names.iter().filter(|name| !self.captures.contains_key(*name));
        let mut missing = false;
        for name in unknown {
            missing = true;
            let near = nearest(name, self.captures.keys().map(String::as_str));
            self.wrong.push(
                Diagnostic::error("unknown-capture", format!("there is no capture `{name}`"))
                    .with_place(self.part.place_in(from.span(), name))
                    .with_help(near.map_or_else(
                        || "describe it in capture.toml".to_owned(),
                        |near| format!("did you mean `{near}`? captures are described in capture.toml"),
                    )),
            );
        }
        if missing {
            return None;
        }
        for name in names {
            let evidence = self.captures.get(name)?;
            self.records.entry(name.as_str()).or_insert_with(|| engine::from_json(evidence.record.get()));
        }
        let first = names.first()?;
        let at = self.captures.get(first)?.capture.get().at;
        let at = at.map_or(Val::Null, |at| engine::from_number(&at.epoch_seconds()));
        let input = match names {
            [one] => self.records.get(one.as_str())?.clone(),
            _ => Val::obj(
                names
                    .iter()
                    .filter_map(|name| Some((Val::from(name.clone()), self.records.get(name.as_str())?.clone())))
                    .collect(),
            ),
        };
        Some((input, [at, Val::from(first.clone())]))
    }

    /// The object of those facts, computed so far, that `wanted` takes.
    fn object(&self, wanted: impl Fn(&str) -> bool) -> Val {
        let ids = self.part.facts.keys().filter(|id| wanted(id));
        Val::obj(ids.filter_map(|id| Some((Val::from(id.clone()), self.facts.get(id.as_str())?.1.clone()))).collect())
    }

    /// Whether all facts that a filter over facts names were computed; if not, that was reported already.
    fn ready(&self, filter: &Spanned<String>) -> bool {
        let Some(syntax) = self.program.syntax(filter) else { return false };
        syntax.strings.iter().all(|name| !self.part.facts.contains_key(name) || self.facts.contains_key(name.as_str()))
            && syntax.fields.iter().all(|(name, _)| self.facts.contains_key(name.as_str()))
    }

    /// Runs one filter; `what` names what it computes. A failure is reported here.
    fn run(&mut self, what: &str, filter: &Spanned<String>, input: Val, variables: &Variables) -> Option<Val> {
        self.program.syntax(filter)?;
        let stop = match self.program.run(filter, input, variables) {
            Ok(value) => return Some(value),
            Err(stop) => stop,
        };
        let (code, message, help) = match stop {
            Stop::Nothing => (
                "jq-nothing",
                format!("the filter of {what} gives nothing"),
                "`select` and `empty` may leave nothing over: one value is due",
            ),
            Stop::Several => (
                "jq-several",
                format!("the filter of {what} gives several values"),
                "put `[…]` around it for a list, or take `first(…)`",
            ),
            Stop::NoValue => (
                "no-value",
                format!("{what} has no value: the vector is empty"),
                "the query found nothing when the capture was taken: an empty answer is not 0",
            ),
            Stop::Error(text) => (
                "jq-runtime",
                format!("the filter of {what} fails: {}", clip(&text)),
                "the form of the record is in the reader's page; a fact sees masked values",
            ),
            Stop::Runaway => (
                "jq-runaway",
                format!("the filter of {what} does not come to an end"),
                "it takes millions of steps: look for a `def`, `repeat` or `range` without an end",
            ),
        };
        self.wrong
            .push(Diagnostic::error(code, message).with_place(self.part.source.place(filter.span())).with_help(help));
        None
    }

    /// A filter's value as JSON; what JSON cannot hold is reported here.
    fn json(&mut self, what: &str, filter: &Spanned<String>, value: &Val) -> Option<Value> {
        let (code, message) = match engine::to_json(value) {
            Ok(json) => return Some(json),
            Err(Unfit::NotANumber) => ("not-finite", "NaN, which is no number"),
            Err(Unfit::Infinite) => ("not-finite", "infinite"),
            Err(Unfit::NotJson) => ("not-json", "nothing that JSON can hold"),
        };
        self.wrong.push(
            Diagnostic::error(code, format!("{what} is {message}"))
                .with_place(self.part.source.place(filter.span()))
                .with_help("a division by 0, or a quantile of no observations, has no value"),
        );
        None
    }
}

/// The place of a piece of a filter in part.toml.
fn place(part: &Part, filter: &Spanned<String>, piece: std::ops::Range<usize>) -> Place {
    let span = filter.span();
    let raw = part.source.text().get(span.clone()).unwrap_or_default();
    let piece = inside::raw_range(raw, piece);
    part.source.place(span.start + piece.start..span.start + piece.end)
}

/// A jq error may hold a whole record: as much of it as helps, on one line.
fn clip(text: &str) -> String {
    const LONGEST: usize = 160;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if line.chars().count() < LONGEST { line } else { format!("{line}…") }
}
