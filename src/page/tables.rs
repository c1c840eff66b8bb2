//! Tables: rows from the catalogue, from part.toml, or from the facts.

use indexmap::IndexMap;
use serde_json::Value;

use super::{Cell, Desk, Digits, Inline, Table, plain};
use crate::diag::{Diagnostic, Place};
use crate::facts::{Column, Row, Show, TableDef};
use crate::locale::Text;
use crate::quantity::{Precision, Unit};

/// What stands between the values of a cell in part.toml; each language prints its own.
const SEPARATOR: &str = " · ";

/// Every table of the part.
pub(super) fn build(desk: &Desk<'_>) -> IndexMap<String, Table> {
    let part = desk.material.part;
    part.tables
        .iter()
        .map(|(id, def)| {
            let place = || part.source.place(def.span());
            (id.clone(), table(desk, id, def.get_ref(), &place))
        })
        .collect()
}

fn table(desk: &Desk<'_>, id: &str, def: &TableDef, place: &dyn Fn() -> Place) -> Table {
    let caption = desk.string(&format!("table.{id}.caption"), place);
    let head = def.columns.iter().map(|c| desk.string(&format!("table.{id}.head.{}", c.id), place)).collect();
    let rows = match desk.material.facts.rows.get(id) {
        Some(rows) if def.each.is_some() => computed(desk, id, def, rows),
        _ => def.rows.iter().map(|row| written(desk, id, def, row)).collect(),
    };
    Table { caption, head, align: def.columns.iter().map(|c| c.align).collect(), rows }
}

/// A row whose cells are strings.
fn written(desk: &Desk<'_>, id: &str, def: &TableDef, row: &str) -> Vec<Cell> {
    let source = &desk.material.part.source;
    let cell = |column: &Column| {
        let given = def.cells.get(row).and_then(|cells| cells.get(&column.id));
        let text = match given {
            Some(markdown) => {
                let text = Text::parse(source, markdown.span(), markdown.get_ref());
                desk.expand(&text).replace(SEPARATOR, desk.material.locale.words("list.separator"))
            }
            None => desk.string(&format!("table.{id}.{row}.{}", column.id), || source.place(0..0)),
        };
        Cell { text, bar: None }
    };
    def.columns.iter().map(cell).collect()
}

/// Rows that were computed.
fn computed(desk: &Desk<'_>, id: &str, def: &TableDef, rows: &[Row]) -> Vec<Vec<Cell>> {
    let scales: Vec<Option<LogScale>> = def.columns.iter().map(|c| c.bar.then(|| LogScale::new(&c.id, rows))).collect();
    let cell = |row: &Row, column: &Column, scale: &Option<LogScale>| {
        let value = row.cells.get(&column.id).unwrap_or(&Value::Null);
        Cell {
            text: text(desk, &format!("{id}.{}.{}", row.key, column.id), column, (value, &row.key)),
            bar: scale.as_ref().and_then(|s| s.length(value)),
        }
    };
    rows.iter().map(|row| def.columns.iter().zip(&scales).map(|(c, s)| cell(row, c, s)).collect()).collect()
}

/// The cell of a computed row; `of` is its value and the key of its row.
fn text(desk: &Desk<'_>, id: &str, column: &Column, of: (&Value, &str)) -> Inline {
    let place = || desk.material.part.source.place(column.jq.as_ref().map_or(0..0, |jq| jq.span()));
    let (value, key) = of;
    if let Some(string) = &column.string {
        let name = string.replace("{key}", key);
        return match desk.optional(&name) {
            Some(text) => text,
            None if column.optional => {
                let dir = desk.material.locale.dir();
                desk.report(
                    Diagnostic::warning(
                        "table-empty-cell",
                        format!("the row `{key}` has no `{name}`: its cell is empty"),
                    )
                    .with_place(Place::file(format!("locales/{dir}/{}.toml", desk.material.name)))
                    .with_help(format!("add the string `{name}` in every language")),
                );
                String::new()
            }
            None => desk.string(&name, place),
        };
    }
    if value.is_null() {
        return column.absent.as_deref().map_or_else(String::new, plain);
    }
    let show = Show {
        unit: column.unit.unwrap_or(Unit::Count),
        precision: column.show.unwrap_or(Precision::Whole),
        scale: column.scale.clone(),
    };
    desk.shown(id, value, (&show, Digits::Shown)).unwrap_or_else(|wrong| {
        desk.report(wrong.with_place(place()));
        String::new()
    })
}

/// Amounts that span decades, as lengths from a little to 1.
struct LogScale {
    least: f64,
    decades: f64,
}

impl LogScale {
    fn new(column: &str, rows: &[Row]) -> Self {
        let amounts = || rows.iter().filter_map(|r| amount(r.cells.get(column)?));
        let most = amounts().fold(1.0, f64::max).log10();
        let least = amounts().fold(f64::INFINITY, f64::min).log10().floor().min(most);
        Self { least, decades: (most - least).max(f64::MIN_POSITIVE) }
    }

    fn length(&self, value: &Value) -> Option<f64> {
        let share = (amount(value)?.log10() - self.least) / self.decades;
        Some((share.clamp(0.0, 1.0) * 1000.0).round() / 1000.0)
    }
}

/// The number of a cell, or the largest of several; only what is above 0 has a place on a log scale.
fn amount(value: &Value) -> Option<f64> {
    match value {
        Value::Array(list) => list.iter().filter_map(amount).reduce(f64::max),
        _ => value.as_f64().filter(|v| v.is_finite() && *v > 0.0),
    }
}
