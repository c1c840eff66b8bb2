//! The head of the article: status, time, method, versions.

use super::{Desk, Entry, each, is_pattern};

/// The entries that `[head.label]` names, in its order. The text of `status` is the string `head.status`, or, where
/// `[head.status]` is a table, all its strings. A string there with `{key}` and `{value}` is named after a fact, an
/// object, and stands once for each of its entries.
pub(super) fn build(desk: &Desk<'_>) -> Vec<Entry> {
    let locale = desk.material.locale;
    let names: Vec<String> =
        locale.keys().filter_map(|(k, _)| k.strip_prefix("head.label.").map(str::to_owned)).collect();
    names
        .into_iter()
        .map(|name| {
            let label = desk.string(&format!("head.label.{name}"), || locale_place(desk));
            let group = format!("head.{name}.");
            let inner: Vec<(String, bool)> = locale
                .keys()
                .filter(|(key, _)| key.starts_with(&group))
                .map(|(key, text)| (key.to_owned(), is_pattern(text)))
                .collect();
            let one = |key: &str| desk.string(key, || locale_place(desk));
            let texts = match inner.is_empty() {
                true => vec![one(&format!("head.{name}"))],
                false => inner
                    .iter()
                    .flat_map(|(key, pattern)| match pattern {
                        true => each(desk, &key[group.len()..], &one(key)),
                        false => vec![one(key)],
                    })
                    .collect(),
            };
            Entry { name, label, texts }
        })
        .collect()
}

fn locale_place(desk: &Desk<'_>) -> crate::diag::Place {
    let dir = desk.material.locale.dir();
    crate::diag::Place::file(format!("locales/{dir}/{}.toml", desk.material.name))
}
