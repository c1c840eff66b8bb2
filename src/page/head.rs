//! The head of the article: status, time, method, versions.

use super::{Desk, Entry, is_pattern};

/// The entries that `[head.label]` names, in its order. The text of `status` is the string `head.status`, or, where
/// `[head.status]` is a table, all its strings.
pub(super) fn build(desk: &Desk<'_>) -> Vec<Entry> {
    let locale = desk.material.locale;
    let names: Vec<String> = locale.keys().filter_map(|(k, _)| k.strip_prefix("head.label.").map(str::to_owned)).collect();
    names
        .into_iter()
        .map(|name| {
            let label = desk.string(&format!("head.label.{name}"), || locale_place(desk));
            let group = format!("head.{name}.");
            let inner: Vec<String> = locale
                .keys()
                .filter(|(key, text)| key.starts_with(&group) && !is_pattern(text))
                .map(|(key, _)| key.to_owned())
                .collect();
            let texts = if inner.is_empty() {
                vec![desk.string(&format!("head.{name}"), || locale_place(desk))]
            } else {
                inner.iter().map(|key| desk.string(key, || locale_place(desk))).collect()
            };
            Entry { name, label, texts }
        })
        .collect()
}

fn locale_place(desk: &Desk<'_>) -> crate::diag::Place {
    let dir = desk.material.locale.dir();
    crate::diag::Place::file(format!("locales/{dir}/{}.toml", desk.material.name))
}
