//! Tables whose rows are computed: one filter over the facts gives the rows, one for each column gives the cells.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;
use serde_spanned::Spanned;

use super::{Column, Row, TableDef, Val, Work};
use crate::diag::Diagnostic;

/// The rows of every table that has an `each`.
pub(super) fn compute(work: &mut Work<'_>, all: &Val) -> IndexMap<String, Vec<Row>> {
    let part = work.part;
    let mut tables = IndexMap::new();
    for (id, def) in &part.tables {
        let def = def.get_ref();
        let Some(each) = def.each.as_ref().filter(|each| work.ready(each)) else { continue };
        let what = format!("table `{id}`");
        let Some(items) = work.run(&what, each, all.clone(), &[Val::Null, Val::Null]) else { continue };
        let Val::Arr(items) = items else {
            complain(work, each, "table-rows", format!("the rows of {what} are no array"));
            continue;
        };
        let mut keys = BTreeSet::new();
        let mut rows = Vec::with_capacity(items.len());
        for item in items.iter() {
            let key = match item {
                Val::Obj(entries) => entries.get(&Val::from("key".to_owned())).and_then(key),
                _ => None,
            };
            let Some(key) = key else {
                complain(work, each, "table-rows", format!("a row of {what} has no `key`, a text"));
                break;
            };
            if !keys.insert(key.clone()) {
                complain(work, each, "table-rows", format!("two rows of {what} have the key `{key}`"));
            }
            if let Some(cells) = cells(work, &format!("row `{key}` of {what}"), def, item) {
                rows.push(Row { key, cells });
            }
        }
        tables.insert(id.clone(), rows);
    }
    tables
}

fn key(value: &Val) -> Option<String> {
    match value {
        Val::TStr(text) => String::from_utf8(text.to_vec()).ok(),
        _ => None,
    }
}

fn complain(work: &mut Work<'_>, filter: &Spanned<String>, code: &'static str, message: String) {
    let place = work.part.source.place(filter.span());
    let help = "`each` gives an array of objects, each with a `key` of its own";
    work.wrong.push(Diagnostic::error(code, message).with_place(place).with_help(help));
}

/// One value for each column that has a filter; nothing if one of them fails, which is reported once a column.
fn cells(work: &mut Work<'_>, what: &str, def: &TableDef, row: &Val) -> Option<IndexMap<String, Value>> {
    let mut cells = IndexMap::new();
    for column in &def.columns {
        let Some(filter) = &column.jq else { continue };
        let what = format!("column `{}`, {what}", column.id);
        let value = work.run(&what, filter, row.clone(), &[Val::Null, Val::Null])?;
        let value = work.json(&what, filter, &value)?;
        if !is_cell(&value, column) {
            work.wrong.push(
                Diagnostic::error("table-cell", format!("{what} is not what a cell can hold"))
                    .with_place(work.part.source.place(filter.span()))
                    .with_help("a cell is a number (the column has a `unit`), a text, null, or an array of them"),
            );
            return None;
        }
        cells.insert(column.id.clone(), value);
    }
    Some(cells)
}

fn is_cell(value: &Value, column: &Column) -> bool {
    match value {
        Value::Null | Value::String(_) => true,
        Value::Number(_) => column.unit.is_some(),
        Value::Array(items) => items.iter().all(|item| !item.is_array() && is_cell(item, column)),
        Value::Bool(_) | Value::Object(_) => false,
    }
}
