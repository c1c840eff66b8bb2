//! Quoted code and the list of references.

use indexmap::IndexMap;

use super::{Citation, Desk, Group, Quotation, plain};
use crate::diag::Diagnostic;
use crate::facts::Reference;

/// The quotes by id, and the references by group, both in the order of part.toml.
pub(super) fn build(desk: &Desk<'_>) -> (IndexMap<String, Quotation>, Vec<Group>) {
    let part = desk.material.part;
    let place = |what: &str| {
        let text = part.source.text();
        let at = text.find(what).unwrap_or(0);
        part.source.place(at..at + what.len().min(text.len() - at))
    };
    let mut quotes = IndexMap::new();
    for (id, quote) in &part.quotes {
        let header = format!("[quotes.{id}]");
        let Some(reference) = part.references.iter().find(|r| r.id == quote.reference) else {
            desk.report(
                Diagnostic::error("reference-unknown", format!("quote `{id}` is from a reference that is not listed"))
                    .with_place(place(&header))
                    .with_help("give the `id` of one of [[references]]"),
            );
            continue;
        };
        let caption = desk.string(&format!("quote.{id}.caption"), || place(&header));
        let source = citation(desk, reference);
        quotes.insert(
            id.clone(),
            Quotation { caption, language: quote.language.clone(), text: quote.text.clone(), source },
        );
    }
    let mut groups: IndexMap<&str, Vec<Citation>> = IndexMap::new();
    for reference in &part.references {
        groups.entry(&reference.group).or_default().push(citation(desk, reference));
    }
    let group = |(name, entries): (&str, Vec<Citation>)| {
        let title = desk.string(&format!("references.group.{name}"), || place(&format!("\"{name}\"")));
        Group { title, entries }
    };
    (quotes, groups.into_iter().map(group).collect())
}

fn citation(desk: &Desk<'_>, reference: &Reference) -> Citation {
    let title = match &reference.version {
        Some(version) => format!("{} {version}", reference.repository),
        None => reference.repository.clone(),
    };
    let path = reference.path.as_ref().map(|path| match reference.line {
        Some(line) => format!("{path}:{line}"),
        None => path.clone(),
    });
    let day = reference.opened.to_string();
    let locale = desk.material.locale;
    Citation {
        title: plain(&title),
        path,
        url: reference.url.clone(),
        licence: reference.licence.as_deref().map(|name| plain(&locale.fill("reference.licence", &[name]))),
        opened: plain(&locale.fill("reference.opened", &[&day])),
    }
}
