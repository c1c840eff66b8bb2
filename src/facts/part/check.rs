//! What TOML alone does not say of a part: names, units and scales, rows, and what refers to what.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Part;
use crate::diag::{Diagnostic, Diagnostics};
use crate::quantity::{Precision, Unit};

/// Everything that does not fit together.
pub(super) fn check(part: &Part) -> Diagnostics {
    let mut check = Check { part, wrong: Diagnostics::new() };
    check.facts();
    check.claims();
    check.tables();
    check.charts();
    check.references();
    check.wrong
}

struct Check<'a> {
    part: &'a Part,
    wrong: Diagnostics,
}

impl Check<'_> {
    fn complain(&mut self, code: &'static str, span: Range<usize>, message: String, help: impl Into<String>) {
        let place = self.part.source.place(span);
        self.wrong.push(Diagnostic::error(code, message).with_place(place).with_help(help));
    }

    /// A unit, a precision and a scale that fit each other.
    fn show(&mut self, what: &str, show: (Unit, Option<Precision>, Option<&str>), span: &Range<usize>) {
        let (unit, precision, scale) = show;
        if let Some(scale) = scale.filter(|scale| unit.scales().iter().all(|known| known.symbol() != *scale)) {
            let known: Vec<_> = unit.scales().iter().map(|scale| format!("`{}`", scale.symbol())).collect();
            let help = match &known[..] {
                [] => format!("`{}` has no scales: take `in` away", unit.name()),
                known => format!("`{}` is printed in {}", unit.name(), known.join(", ")),
            };
            self.complain("unit-scale", span.clone(), format!("{what} cannot be printed in `{scale}`"), help);
        }
        if precision.is_some() && matches!(unit, Unit::Text | Unit::Bool) {
            let message = format!("{what} has digits to show, and `{}` is no number", unit.name());
            self.complain("unit-scale", span.clone(), message, "take `show` away, or give it the unit of a number");
        }
    }

    fn facts(&mut self) {
        for (id, spanned) in &self.part.facts {
            let def = spanned.get_ref();
            let what = format!("fact `{id}`");
            if !is_fact_id(id) {
                let help = "an id is a small letter or `_`, then letters, digits and `_`: strings write it as `{id}`";
                self.complain("fact-id", spanned.span(), format!("`{id}` is no id of a fact"), help);
            }
            let scale = def.scale.as_ref();
            let span = scale.map_or_else(|| spanned.span(), serde_spanned::Spanned::span);
            self.show(&what, (def.unit, def.show, scale.map(|scale| scale.get_ref().as_str())), &span);
            let reads = !def.from.get_ref().names().is_empty();
            if !reads && (!def.series.is_empty() || !def.fields.is_empty()) {
                let message = format!("{what} names series or labels, and reads no capture");
                self.complain(
                    "fact-series",
                    spanned.span(),
                    message,
                    "`series` and `where` say what is needed of `from`",
                );
            }
            if let super::OneOrMany::Many(names) = def.from.get_ref() {
                let distinct: BTreeSet<_> = names.iter().collect();
                if distinct.len() < names.len() || names.is_empty() {
                    let message = format!("{what} names no capture, or one twice");
                    self.complain(
                        "fact-from",
                        def.from.span(),
                        message,
                        "each capture once; without `from` it rests on facts",
                    );
                }
            }
        }
    }

    fn claims(&mut self) {
        for (id, def) in self.part.claims.iter().filter(|(_, def)| def.get_ref().strings.is_empty()) {
            let message = format!("claim `{id}` names no string");
            self.complain("claim-strings", def.span(), message, "a claim is there for the sentences that rest on it");
        }
    }

    fn tables(&mut self) {
        for (id, spanned) in &self.part.tables {
            let (def, span) = (spanned.get_ref(), spanned.span());
            if def.rows.is_empty() == def.each.is_none() {
                let message = format!("table `{id}` needs either `rows` or `each`");
                self.complain(
                    "table-rows",
                    span.clone(),
                    message,
                    "`rows` lists keys; `each` is a filter that computes rows",
                );
            }
            let mut seen = BTreeSet::new();
            for column in &def.columns {
                let what = format!("column `{}` of table `{id}`", column.id);
                if !seen.insert(&column.id) {
                    self.complain(
                        "duplicate-id",
                        span.clone(),
                        format!("there are two of {what}"),
                        "give each its own id",
                    );
                }
                if let Some(unit) = column.unit {
                    self.show(&what, (unit, column.show, column.scale.as_deref()), &span);
                }
                if column.jq.is_some() && def.each.is_none() {
                    self.complain(
                        "table-column",
                        span.clone(),
                        format!("{what} computes cells of rows that are not computed"),
                        "a column's `jq` runs over the objects of `each`",
                    );
                }
            }
            let mut rows = BTreeSet::new();
            for row in def.rows.iter().filter(|row| !rows.insert(*row)) {
                self.complain(
                    "duplicate-id",
                    span.clone(),
                    format!("row `{row}` of table `{id}` is there twice"),
                    "give each row its own key",
                );
            }
            for (row, cells) in &def.cells {
                for (column, cell) in cells {
                    if (def.each.is_none() && !rows.contains(row)) || !seen.contains(column) {
                        let message = format!("table `{id}` has no cell `{row}.{column}`");
                        self.complain("table-column", cell.span(), message, "name a row and a column of the table");
                    }
                }
            }
        }
    }

    fn charts(&mut self) {
        for (id, spanned) in &self.part.charts {
            let def = spanned.get_ref();
            self.show(&format!("chart `{id}`"), (def.unit, def.show, def.scale.as_deref()), &spanned.span());
        }
    }

    fn references(&mut self) {
        let mut seen = BTreeSet::new();
        for reference in &self.part.references {
            if !seen.insert(reference.id.as_str()) {
                let span = self.last_mention(&reference.id);
                self.complain(
                    "duplicate-id",
                    span,
                    format!("there are two references `{}`", reference.id),
                    "give each its own id",
                );
            }
        }
        for (id, quote) in self.part.quotes.iter().filter(|(_, quote)| !seen.contains(quote.reference.as_str())) {
            let span = self.last_mention(&quote.reference);
            let message = format!("quote `{id}` is from a reference that is not there: `{}`", quote.reference);
            self.complain("unknown-reference", span, message, "add it under [[references]], with its licence");
        }
    }

    /// Where a quoted name stands last in the file.
    fn last_mention(&self, name: &str) -> Range<usize> {
        let text = self.part.source.text();
        let at = text.rfind(&format!("\"{name}\"")).or_else(|| text.rfind(&format!("'{name}'")));
        at.map_or(0..0, |at| at + 1..at + 1 + name.len())
    }
}

fn is_fact_id(id: &str) -> bool {
    let first = |b: u8| b.is_ascii_lowercase() || b == b'_';
    id.bytes().next().is_some_and(first) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
