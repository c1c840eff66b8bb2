//! What is wrong in the catalogues: with one by itself, and with one compared with the source language.

use std::collections::BTreeSet;

use super::{Locale, Near, Text, Why};
use crate::diag::{Diagnostic, Diagnostics, Place, nearest};

/// The formats that a placeholder may have.
pub(super) const FORMATS: [&str; 1] = ["approx"];

/// What placeholders may name.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// The ids of the facts.
    pub facts: BTreeSet<&'a str>,
    /// The names of the captures: after `host.`, `at.`, `command.` and `query.`
    pub captures: BTreeSet<&'a str>,
    /// The names of the parts: after `part.`
    pub parts: BTreeSet<&'a str>,
}

/// Compares a language with the source language: keys, and what the strings of each key print.
/// Where a figure stands, how often, and whether it is rounded, is the translator's choice.
pub fn compare(source: &Locale, other: &Locale) -> Diagnostics {
    let mut wrong = Diagnostics::new();
    for (key, text) in &source.texts {
        match other.texts.get(key) {
            Some(theirs) => placeholders(key, text, theirs, &mut wrong),
            None => wrong.push(missing(key, text, other.part.path())),
        }
    }
    extra(&source.texts, &other.texts, source.part.path(), &mut wrong);
    for (key, word) in &source.words {
        match other.words.get(key) {
            Some(theirs) if theirs.pattern.slots() != word.pattern.slots() => wrong.push(
                Diagnostic::error("site-pattern", format!("`{key}` has not as many `{{}}` as in the source language"))
                    .with_place(theirs.text.place())
                    .with_help(format!("the source is at {}", word.text.place())),
            ),
            Some(theirs) => placeholders(key, &word.text, &theirs.text, &mut wrong),
            None => wrong.push(missing(key, &word.text, other.site.path())),
        }
    }
    let words = |l: &Locale| l.words.iter().map(|(k, w)| (k.clone(), w.text.clone())).collect();
    extra(&words(source), &words(other), source.site.path(), &mut wrong);
    wrong
}

/// Checks one language by itself: empty strings, placeholders that name nothing, are malformed, or stand in code.
pub fn alone(locale: &Locale, known: &Known<'_>) -> Diagnostics {
    let mut wrong = Diagnostics::new();
    for (key, text) in locale.texts.iter().chain(locale.words.iter().map(|(key, word)| (key, &word.text))) {
        one(key, text, known, &mut wrong);
    }
    wrong
}

/// Checks one string, of a catalogue or of part.toml.
pub fn one(key: &str, text: &Text, known: &Known<'_>, wrong: &mut Diagnostics) {
    if text.pieces.is_empty() {
        wrong.push(
            Diagnostic::error("string-empty", format!("the string `{key}` is empty"))
                .with_place(text.place())
                .with_help("write the text, or remove the key in every language"),
        );
    }
    for (path, format, span) in text.placeholders() {
        if let Err(help) = known.check(path) {
            wrong.push(
                Diagnostic::error(
                    "placeholder-unknown",
                    format!("`{key}` prints `{}`, which is nothing", path.join(".")),
                )
                .with_place(text.at(span))
                .with_help(help),
            );
        }
        if let Some(format) = format.filter(|f| !FORMATS.contains(f)) {
            wrong.push(
                Diagnostic::error(
                    "placeholder-format",
                    format!("`{key}` uses the format `{format}`, which there is not"),
                )
                .with_place(text.at(span))
                .with_help(format!("the formats are {}", FORMATS.join(", "))),
            );
        }
    }
    for near in text.near.iter().filter(|n| known.meant(&n.path)) {
        wrong.push(no_placeholder(key, text, near));
    }
}

fn no_placeholder(key: &str, text: &Text, near: &Near) -> Diagnostic {
    let name = near.path.join(".");
    let (code, message, help) = match near.why {
        Why::InCode => (
            "placeholder-in-code",
            format!("`{key}` has `{{{name}}}` inside a code span, where it is plain text"),
            "take it out of the backticks; captured text is printed as code anyway".to_owned(),
        ),
        Why::Malformed => (
            "placeholder-malformed",
            format!("`{key}` names `{name}` in braces, but not as a placeholder"),
            format!(
                "write `{{{name}}}` or `{{{name}:approx}}`: single half-width braces, no blanks; `\\{{` is a brace"
            ),
        ),
    };
    Diagnostic::error(code, message).with_place(text.at(&near.span)).with_help(help)
}

impl Known<'_> {
    /// Whether a path names something; else what to do.
    fn check(&self, path: &[String]) -> Result<(), String> {
        let root = path[0].as_str();
        let of = |names: &BTreeSet<&str>, what: &str| match path {
            [_, name] if names.contains(name.as_str()) => Ok(()),
            [_, name] => Err(meant(name, names).unwrap_or_else(|| format!("there is no {what} `{name}`"))),
            _ => Err(format!("write `{root}.` and the name of one {what}")),
        };
        match root {
            "host" | "at" | "command" | "query" => of(&self.captures, "capture"),
            "part" => of(&self.parts, "part"),
            // `key` and `value` are those of the entry of which a string is repeated.
            "window" | "key" | "value" if path.len() == 1 => Ok(()),
            _ if self.facts.contains(root) => Ok(()),
            _ => Err(meant(root, &self.facts)
                .unwrap_or_else(|| "define the fact in part.toml, or write `\\{` for a brace".to_owned())),
        }
    }

    /// Whether plain text with this path was meant as a placeholder. Single reserved words are too common in code.
    fn meant(&self, path: &[String]) -> bool {
        self.facts.contains(path[0].as_str()) || path.len() == 2 && self.check(path).is_ok()
    }
}

fn placeholders(key: &str, source: &Text, other: &Text, wrong: &mut Diagnostics) {
    let printed = |text: &Text| text.placeholders().map(|(path, ..)| path.join(".")).collect::<BTreeSet<_>>();
    let (ours, theirs) = (printed(source), printed(other));
    for name in ours.difference(&theirs) {
        let near = other.near.iter().find(|n| n.path.join(".") == *name);
        wrong.push(
            Diagnostic::error("placeholder-missing", format!("`{key}` does not print `{{{name}}}`"))
                .with_place(near.map_or_else(|| other.place(), |n| other.at(&n.span)))
                .with_help(format!("the source language does, at {}", source.place())),
        );
    }
    for (path, _, span) in other.placeholders() {
        let name = path.join(".");
        if !ours.contains(&name) {
            wrong.push(
                Diagnostic::error(
                    "placeholder-extra",
                    format!("`{key}` prints `{{{name}}}`, the source language does not"),
                )
                .with_place(other.at(span))
                .with_help(format!("remove it, or add it to the source at {}", source.place())),
            );
        }
    }
}

fn missing(key: &str, source: &Text, file: &str) -> Diagnostic {
    Diagnostic::error("string-missing", format!("the string `{key}` is missing"))
        .with_place(Place::file(file))
        .with_help(format!("translate it; the source is at {}", source.place()))
}

fn extra(
    source: &indexmap::IndexMap<String, Text>,
    other: &indexmap::IndexMap<String, Text>,
    file: &str,
    wrong: &mut Diagnostics,
) {
    for (key, text) in other.iter().filter(|(key, _)| !source.contains_key(*key)) {
        let names = source.keys().filter(|k| !other.contains_key(*k)).map(String::as_str).collect();
        wrong.push(
            Diagnostic::error("string-extra", format!("the source language has no string `{key}`"))
                .with_place(text.place())
                .with_help(meant(key, &names).unwrap_or_else(|| format!("remove it, or add it to {file}"))),
        );
    }
}

/// The question whether the nearest name was meant.
fn meant(name: &str, names: &BTreeSet<&str>) -> Option<String> {
    nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_little_are_near() {
        let names = BTreeSet::from(["etcd_watchers", "etcd_watch_streams"]);
        assert_eq!(meant("etcd_watcher", &names).as_deref(), Some("did you mean `etcd_watchers`?"));
        assert_eq!(meant("crds", &names), None);
    }
}
