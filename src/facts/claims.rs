//! Claims: predicates over facts on which sentences rest.

use indexmap::IndexMap;
use serde_json::Value;

use super::{Claim, Val, Work};
use crate::diag::{Diagnostic, Diagnostics};

/// Judges every claim whose facts are there. The second value: an error for each that is false.
pub(super) fn judge(work: &mut Work<'_>, all: &Val) -> (IndexMap<String, Claim>, Diagnostics) {
    let part = work.part;
    let mut claims = IndexMap::new();
    let mut found_false = Diagnostics::new();
    for (id, spanned) in &part.claims {
        let def = spanned.get_ref();
        if !work.ready(&def.jq) {
            continue;
        }
        let what = format!("claim `{id}`");
        let Some(value) = work.run(&what, &def.jq, all.clone(), &[Val::Null, Val::Null]) else { continue };
        let Val::Bool(holds) = value else {
            work.wrong.push(
                Diagnostic::error("claim-type", format!("{what} is neither true nor false"))
                    .with_place(part.source.place(def.jq.span()))
                    .with_help("a claim compares facts, for example `.a > 2 * .b`"),
            );
            continue;
        };
        let strings: Vec<String> = def.strings.iter().map(|key| key.get_ref().clone()).collect();
        if !holds {
            let named: Vec<_> = strings.iter().map(|key| format!("`{key}`")).collect();
            let (noun, verb) = if named.len() == 1 { ("string", "rests") } else { ("strings", "rest") };
            let message = format!("{what} is false, and the {noun} {} {verb} on it", named.join(", "));
            found_false.push(
                Diagnostic::error("claim-false", message).with_place(part.source.place(def.jq.span())).with_help(
                    format!(
                        "it compares {}; rewrite what rests on it, or the claim",
                        figures(work, def.jq.span().start)
                    ),
                ),
            );
        }
        claims.insert(id.clone(), Claim { holds, strings });
    }
    (claims, found_false)
}

/// The facts that a claim names, each with its value.
fn figures(work: &Work<'_>, claim: usize) -> String {
    let filter = work.part.claims.values().map(|def| &def.get_ref().jq).find(|jq| jq.span().start == claim);
    let syntax = filter.and_then(|filter| work.program.syntax(filter));
    let names = syntax.into_iter().flat_map(|syntax| &syntax.strings);
    let figures: Vec<String> = names
        .filter_map(|name| {
            let (fact, _) = work.facts.get(name.as_str())?;
            let value = match &fact.value {
                list @ (Value::Array(_) | Value::Object(_)) => super::clip(&list.to_string()),
                other => other.to_string(),
            };
            Some(format!("`{name}` = {value}"))
        })
        .collect();
    if figures.is_empty() { "no fact".to_owned() } else { figures.join(", ") }
}
