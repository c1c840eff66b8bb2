//! The data of charts; whether it has the form of its kind is seen where it is drawn.

use indexmap::IndexMap;
use serde_json::Value;

use super::{Val, Work};

/// The data of every chart whose facts are there.
pub(super) fn compute(work: &mut Work<'_>, all: &Val) -> IndexMap<String, Value> {
    let part = work.part;
    let mut charts = IndexMap::new();
    for (id, def) in &part.charts {
        let def = def.get_ref();
        let (input, variables) = if def.from.get_ref().names().is_empty() {
            if !work.ready(&def.jq) {
                continue;
            }
            (all.clone(), [Val::Null, Val::Null])
        } else {
            let Some(input) = work.input(&def.from) else { continue };
            input
        };
        let what = format!("chart `{id}`");
        let Some(value) = work.run(&what, &def.jq, input, &variables) else { continue };
        if let Some(value) = work.json(&what, &def.jq, &value) {
            charts.insert(id.clone(), value);
        }
    }
    charts
}
