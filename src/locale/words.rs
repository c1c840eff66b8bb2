//! The words of the interface that every language must have.

use crate::diag::{Diagnostic, Diagnostics, Place, Source};

/// Each key that site.toml must have, with how many `{}` its pattern has.
pub const WORDS: &[(&str, usize)] = &[
    ("series.title", 0),
    ("series.part", 1),
    ("language.name", 0),
    ("list.aside", 1),
    ("list.colon", 0),
    ("list.comma", 0),
    ("list.separator", 0),
    ("nav.contents", 0),
    ("nav.languages", 0),
    ("nav.previous", 0),
    ("nav.next", 0),
    ("nav.parts", 0),
    ("nav.skip", 0),
    ("number.table", 1),
    ("number.figure", 1),
    ("status.draft", 0),
    ("status.measured", 0),
    ("status.estimate", 0),
    ("status.unconfirmed", 0),
    ("status.unmeasured", 0),
    ("chart.data", 0),
    ("chart.source", 1),
    ("chart.log", 0),
    ("quote.source", 1),
    ("quote.licence", 1),
    ("reference.title", 0),
    ("reference.version", 1),
    ("reference.line", 1),
    ("reference.licence", 1),
    ("reference.opened", 1),
    ("callout.name", 0),
    ("evidence.title", 0),
    ("evidence.about", 0),
    ("evidence.back", 0),
    ("evidence.fact", 0),
    ("evidence.shown", 0),
    ("evidence.value", 0),
    ("evidence.formula", 0),
    ("evidence.rests_on", 0),
    ("evidence.capture", 0),
    ("evidence.command", 0),
    ("evidence.query", 0),
    ("evidence.time", 0),
    ("evidence.host", 0),
    ("draft.notice", 0),
    ("draft.missing", 1),
    ("draft.claim", 1),
    ("footer.figures", 0),
];

/// What is missing from [`WORDS`], and what has another number of `{}`; `word` gives that number and the place.
pub(super) fn check(site: &Source, word: impl Fn(&str) -> Option<(usize, Place)>) -> Diagnostics {
    let mut wrong = Diagnostics::new();
    for (key, slots) in WORDS {
        match word(key) {
            None => wrong.push(
                Diagnostic::error("site-word-missing", format!("the word `{key}` is missing"))
                    .with_place(Place::file(site.path()))
                    .with_help("add it; another language's site.toml shows where it belongs"),
            ),
            Some((found, place)) if found != *slots => wrong.push(
                Diagnostic::error("site-pattern", format!("`{key}` has {found} `{{}}`, not {slots}"))
                    .with_place(place)
                    .with_help("write `{}` for each value that is filled in"),
            ),
            Some(_) => {}
        }
    }
    wrong
}
