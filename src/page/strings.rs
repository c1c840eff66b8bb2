//! Strings with their placeholders filled, and facts as they are printed.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::{Desk, Digits, Inline, KEY, VALUE, code, inline, one_line, plain};
use crate::capture::Origin;
use crate::diag::{Diagnostic, Place, nearest};
use crate::facts::Show;
use crate::locale::{Piece, Text};
use crate::quantity::Unit;

/// The string as one line of Markdown; `{key}` and `{value}` leave their marks.
pub(super) fn expand(desk: &Desk<'_>, text: &Text) -> Inline {
    let mut whole = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Markdown(markdown) => {
                if markdown.contains(|c| matches!(c, '\u{E000}'..='\u{F8FF}')) {
                    desk.report(
                        Diagnostic::error("private-use", "the string holds a private-use character")
                            .with_place(text.place())
                            .with_help("delete it: U+E000 to U+F8FF have no meaning that a reader would see"),
                    );
                }
                whole.push_str(&inline(markdown));
            }
            Piece::Placeholder { path, format, span } => match resolve(desk, path, format.as_deref()) {
                Ok(shown) => whole.push_str(&shown),
                Err(wrong) => desk.report(wrong.with_place(text.at(span))),
            },
        }
    }
    one_line(&whole)
}

/// Whether a string is said once for each entry of a fact.
pub(super) fn is_pattern(text: &Text) -> bool {
    let local = |path: &[String]| matches!(path, [one] if one == "key" || one == "value");
    text.pieces.iter().any(|p| matches!(p, Piece::Placeholder { path, .. } if local(path)))
}

/// The value of one placeholder.
fn resolve(desk: &Desk<'_>, path: &[String], format: Option<&str>) -> Result<Inline, Box<Diagnostic>> {
    let whole = path.join(".");
    if let Some(format) = format.filter(|f| *f != "approx") {
        return Err(Diagnostic::error("placeholder-format", format!("`{format}` is no format of a placeholder"))
            .with_help("the one format is `approx`, as in `{requests:approx}`")
            .into());
    }
    let material = desk.material;
    let Some((root, rest)) = path.split_first() else {
        return Err(unknown(desk, &whole).into());
    };
    let capture = || -> Result<_, Box<Diagnostic>> {
        let name = rest.first().map_or("", String::as_str);
        material.captures.get(name).map(|e| e.capture.get()).ok_or_else(|| {
            Diagnostic::error("placeholder-capture", format!("`{{{whole}}}` names no capture"))
                .with_help("use a name of capture.toml")
                .into()
        })
    };
    let lacks = |what: &str| {
        Diagnostic::error("placeholder-capture", format!("the capture of `{{{whole}}}` has no {what}"))
            .with_help("say it in capture.toml, or leave the placeholder out")
    };
    match (root.as_str(), rest) {
        ("key", []) => Ok(KEY.to_string()),
        ("value", []) => Ok(VALUE.to_string()),
        ("host", [_]) => {
            let host = capture()?.host.as_deref().ok_or_else(|| lacks("host"))?;
            Ok(plain(&material.locale.alias(host)))
        }
        ("at", [_]) => {
            let at = capture()?.at.as_ref().ok_or_else(|| lacks("time"))?;
            Ok(plain(&material.locale.moment(at)))
        }
        ("command", [_]) => match &capture()?.origin {
            Origin::Command(command) => Ok(code(command)),
            _ => Err(lacks("command").into()),
        },
        ("query", [_]) => match &capture()?.origin {
            Origin::Query(query) => Ok(code(query)),
            _ => Err(lacks("query").into()),
        },
        ("window", []) => {
            let (from, to) = material.window.ok_or_else(|| {
                Diagnostic::error("placeholder-window", "capture.toml says no window")
                    .with_help("add `window = […, …]`")
            })?;
            Ok(plain(&material.locale.window(&from, &to)))
        }
        ("part", [name]) => {
            let part = material.project.parts().iter().find(|p| p.name() == name);
            part.map(|p| p.number().to_string()).ok_or_else(|| {
                Diagnostic::error("placeholder-part", format!("`{{{whole}}}` names no part"))
                    .with_help("use a name of [[parts]] in factpress.toml")
                    .into()
            })
        }
        _ => {
            let fact = material.facts.facts.get(root).ok_or_else(|| unknown(desk, &whole))?;
            let mut value = &fact.value;
            for step in rest {
                let inner = match value {
                    Value::Object(object) => object.get(step),
                    Value::Array(list) => step.parse::<usize>().ok().and_then(|i| list.get(i)),
                    _ => None,
                };
                value = inner.ok_or_else(|| unknown(desk, &whole))?;
            }
            let digits = if format.is_some() { Digits::Approx } else { Digits::Shown };
            shown(desk, &whole, value, (&fact.show, digits))
        }
    }
}

fn unknown(desk: &Desk<'_>, name: &str) -> Diagnostic {
    let root = name.split('.').next().unwrap_or(name);
    let near = nearest(root, desk.material.facts.facts.keys().map(String::as_str));
    let help = near.map_or_else(
        || format!("define it in templates/{}/part.toml; other braces may stand as they are", desk.material.name),
        |near| format!("did you mean `{{{near}}}`?"),
    );
    Diagnostic::error("placeholder-unknown", format!("there is no fact `{name}`")).with_help(help)
}

/// A value as it is printed, marked as the figure `id`; `how` is its show, and how many digits it has.
pub(super) fn shown(desk: &Desk<'_>, id: &str, value: &Value, how: (&Show, Digits)) -> Result<Inline, Box<Diagnostic>> {
    let (show, digits) = how;
    let locale = desk.material.locale;
    match value {
        Value::Array(list) if !list.is_empty() => {
            let each = |(i, value): (usize, &Value)| shown(desk, &format!("{id}.{i}"), value, how);
            Ok(locale.join(list.iter().enumerate().map(each).collect::<Result<Vec<_>, _>>()?))
        }
        // a word that stands where a number would, such as a dash
        Value::String(word) if show.unit != Unit::Text => Ok(plain(word)),
        _ => {
            let printed = match digits {
                Digits::Shown => locale.value(value, show),
                Digits::Approx => locale.value_approx(value, show),
            };
            // the place is known to who asks
            let nowhere = || Place::file(desk.material.part.source.path());
            let printed = printed.map_err(|why| Box::new(why.diagnostic(id, nowhere())))?;
            let text = if printed.code { code(&printed.text) } else { plain(&printed.text) };
            let exact = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Ok(desk.figure(id, exact, &text))
        }
    }
}

/// Each object fact, entry by entry.
pub(super) fn entries(desk: &Desk<'_>) -> IndexMap<String, Vec<(String, Inline)>> {
    let facts = &desk.material.facts.facts;
    facts.iter().filter(|(_, fact)| fact.value.is_object()).map(|(id, _)| (id.clone(), entries_of(desk, id))).collect()
}

/// The entries of one fact; none if it is no object.
fn entries_of(desk: &Desk<'_>, id: &str) -> Vec<(String, Inline)> {
    let Some(fact) = desk.material.facts.facts.get(id) else { return Vec::new() };
    let Some(object) = fact.value.as_object() else { return Vec::new() };
    let each = |(key, value): (&String, &Value)| {
        let shown = shown(desk, &format!("{id}.{key}"), value, (&fact.show, Digits::Shown)).ok()?;
        Some((key.clone(), shown))
    };
    object.iter().filter_map(each).collect()
}

/// A pattern, once for each entry of the fact `id`.
pub(super) fn each(desk: &Desk<'_>, id: &str, pattern: &str) -> Vec<Inline> {
    entries_of(desk, id).iter().map(|(key, value)| fill(pattern, key, value)).collect()
}

/// A pattern for one entry: its key as code, its value as the figure that it is.
pub(super) fn fill(pattern: &str, key: &str, value: &str) -> Inline {
    pattern.replace(KEY, &code(key)).replace(VALUE, value)
}

/// Each fact that can be printed; and the number of each that is one.
pub(super) fn facts(desk: &Desk<'_>) -> (IndexMap<String, Inline>, BTreeMap<String, f64>) {
    let (mut texts, mut numbers) = (IndexMap::new(), BTreeMap::new());
    for (id, fact) in &desk.material.facts.facts {
        if let Ok(text) = shown(desk, id, &fact.value, (&fact.show, Digits::Shown)) {
            texts.insert(id.clone(), text);
        }
        if let Some(number) = fact.value.as_f64() {
            numbers.insert(id.clone(), number);
        }
    }
    (texts, numbers)
}
