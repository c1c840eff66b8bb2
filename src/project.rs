//! `factpress.toml`: the series, its languages and parts, and what is to be masked besides what the readers find.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;
use serde_spanned::Spanned;

use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};

/// The file that makes a folder a series.
pub const FILE: &str = "factpress.toml";

/// A series and where it lies.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    source_language: String,
    languages: Vec<Language>,
    base_url: Option<String>,
    parts: Vec<Part>,
    mask: MaskRules,
}

/// A language of the series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    dir: String,
    tag: String,
}

/// A part of the series, in the order of publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    name: String,
    number: u32,
}

/// What is known to be sensitive or harmless beforehand.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskRules {
    /// Names of nodes, short or full.
    pub nodes: Vec<String>,
    /// Domains whose every subdomain is masked.
    pub domains: Vec<String>,
    /// Names of users.
    pub users: Vec<String>,
    /// Any other words that must not be published.
    pub words: Vec<String>,
    /// The map that keeps aliases from one measurement to the next, from the project's root.
    pub map: Option<String>,
    /// Values that are harmless although a detector takes them for sensitive.
    pub allow: Vec<String>,
    /// Name → regular expression of what must not be published, e.g. `ticket = "OPS-[0-9]+"`, matched within a line; of one with a group, what
    /// the first group holds. The aliases are called by the name: `ticket-01`.
    pub patterns: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl MaskRules {
    /// The patterns that are right, by their names.
    pub fn compiled(&self) -> Vec<(&str, Regex)> {
        let all = self.patterns.iter();
        all.filter_map(|(name, pattern)| Some((name.get_ref().as_str(), Regex::new(pattern.get_ref()).ok()?))).collect()
    }

    fn check(&self, source: &Source, wrong: &mut Diagnostics) {
        for (name, pattern) in &self.patterns {
            let word = name.get_ref();
            let form = word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            if !form || KINDS.contains(&word.as_str()) {
                wrong.push(
                    Diagnostic::error("mask-pattern", format!("`{word}` is no name for a pattern"))
                        .with_place(source.place(name.span()))
                        .with_help("a name is a small letter, then small letters and digits, and none that aliases have already (node, user, …)"),
                );
            }
            let fault = match Regex::new(pattern.get_ref()) {
                Err(_) => "this is no regular expression",
                Ok(regex)
                    if ["", " ", "a", "a 0-Z."].iter().any(|text| regex.find_iter(text).any(|m| m.is_empty())) =>
                {
                    "this expression matches where nothing stands"
                }
                Ok(_) => continue,
            };
            wrong.push(
                Diagnostic::error("mask-pattern", fault).with_place(source.place(pattern.span())).with_help(
                    "write an expression of the Rust crate `regex`, e.g. 'OPS-[0-9]+', between single quotes",
                ),
            );
        }
    }
}

/// What aliases begin with, so that no pattern is called by it.
pub(crate) const KINDS: [&str; 17] = [
    "node",
    "domain",
    "host",
    "cluster",
    "zone",
    "pod",
    "user",
    "mail",
    "address",
    "mac",
    "uid",
    "machine",
    "container",
    "secret",
    "word",
    "net",
    "any",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    series: Series,
    languages: toml::Table,
    #[serde(default)]
    parts: Vec<PartEntry>,
    #[serde(default)]
    mask: MaskRules,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Series {
    source: Spanned<String>,
    base_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    name: Spanned<String>,
    number: Spanned<u32>,
}

impl Project {
    /// Reads `factpress.toml` in `root`.
    pub fn open(root: &Path) -> Outcome<Self> {
        let source = read_text(root, FILE)?;
        let file: File = parse_toml(&source)?;
        let mut wrong = Diagnostics::new();
        let languages: Vec<Language> = file
            .languages
            .iter()
            .filter_map(|(dir, tag)| match tag.as_str() {
                Some(tag) => Some(Language { dir: dir.clone(), tag: tag.to_owned() }),
                None => {
                    wrong.push(
                        Diagnostic::error("project-language", format!("the tag of language `{dir}` is not a string"))
                            .with_place(Place::file(FILE))
                            .with_help("write for example `zh = \"zh-Hans\"` (folder = BCP 47 tag)"),
                    );
                    None
                }
            })
            .collect();
        for language in &languages {
            if language.tag.parse::<icu_locale_core::Locale>().is_err() {
                wrong.push(
                    Diagnostic::error("project-language", format!("`{}` is no BCP 47 language tag", language.tag))
                        .with_place(Place::file(FILE))
                        .with_help("write for example `ko`, `ja` or `zh-Hans`"),
                );
            }
        }
        if !languages.iter().any(|l| l.dir == *file.series.source.get_ref()) {
            wrong.push(
                Diagnostic::error("project-language", "the source language is none of the languages")
                    .with_place(source.place(file.series.source.span()))
                    .with_help("name it under [languages]"),
            );
        }
        let mut parts: Vec<Part> = Vec::new();
        for entry in file.parts {
            let name = entry.name.get_ref();
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
                wrong.push(
                    Diagnostic::error("project-part", "the name of a part is a folder name: letters, digits, `-`, `_`")
                        .with_place(source.place(entry.name.span())),
                );
            }
            if parts.iter().any(|p| p.name == *name || p.number == *entry.number.get_ref()) {
                wrong.push(
                    Diagnostic::error("project-part", format!("part `{name}` repeats a name or a number"))
                        .with_place(source.place(entry.name.span()))
                        .with_help("each part has a name and a number of its own"),
                );
            }
            parts.push(Part { name: entry.name.into_inner(), number: entry.number.into_inner() });
        }
        file.mask.check(&source, &mut wrong);
        wrong.or_value(Self {
            root: root.to_owned(),
            source_language: file.series.source.into_inner(),
            languages,
            base_url: file.series.base_url,
            parts,
            mask: file.mask,
        })
    }

    /// The folder that holds `factpress.toml`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder name of the language in which the strings are first written.
    pub fn source_language(&self) -> &str {
        &self.source_language
    }

    /// The languages, in order.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// Where the series is published, without a final `/`.
    pub fn base_url(&self) -> Option<&str> {
        self.base_url.as_deref().map(|u| u.trim_end_matches('/'))
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What is known to be sensitive or harmless beforehand.
    pub fn mask(&self) -> &MaskRules {
        &self.mask
    }

    /// Where the map of aliases lies, if there is to be one.
    pub fn map(&self) -> Option<PathBuf> {
        self.mask.map.as_ref().map(|path| self.root.join(path))
    }
}

impl Language {
    /// The folder name, e.g. `zh`.
    pub fn dir(&self) -> &str {
        &self.dir
    }

    /// The BCP 47 tag, e.g. `zh-Hans`.
    pub fn tag(&self) -> &str {
        &self.tag
    }
}

impl Part {
    /// The folder name, e.g. `grpc`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number in the series.
    pub fn number(&self) -> u32 {
        self.number
    }
}

/// Reads a text file of the project that may be quoted in diagnostics; `path` is relative to `root`.
pub fn read_text(root: &Path, path: &str) -> Outcome<Source> {
    match std::fs::read(root.join(path)) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(path, text)),
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = before.iter().filter(|b| **b == b'\n').count() + 1;
                Err(Diagnostic::error("file-not-utf8", "the file is not UTF-8")
                    .with_place(Place::at(path, line, 1))
                    .with_help("save it as UTF-8")
                    .into())
            }
        },
        Err(error) => Err(Diagnostic::error("file-unreadable", format!("the file cannot be read: {}", error.kind()))
            .with_place(Place::file(path))
            .with_help("check that it is there and may be read")
            .into()),
    }
}

/// Parses TOML into `T`; every mistake has its place.
pub fn parse_toml<T: serde::de::DeserializeOwned>(source: &Source) -> Outcome<T> {
    toml::from_str(source.text()).map_err(|error| {
        let place = error.span().map_or_else(|| Place::file(source.path()), |span| source.place(span));
        Diagnostic::error("toml", error.message().lines().next().unwrap_or("not TOML").to_owned())
            .with_place(place)
            .with_help("mend the TOML; unknown and missing keys are mistakes too")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(patterns: &str) -> Vec<String> {
        let text = format!("[patterns]\n{patterns}\n");
        let source = Source::new(FILE, text);
        let rules: MaskRules = parse_toml(&source).expect("the form is right");
        let mut wrong = Diagnostics::new();
        rules.check(&source, &mut wrong);
        let told =
            |d: &Diagnostic| format!("{} {}", d.place().map(ToString::to_string).unwrap_or_default(), d.message());
        assert!(wrong.iter().all(|d| d.code() == "mask-pattern" && d.help().is_some()));
        wrong.iter().map(told).collect()
    }

    #[test]
    fn patterns_that_are_right_are_taken() {
        assert_eq!(said("ticket = 'OPS-[0-9]+'\nx1 = '(?i)a(b)?c'"), [""; 0]);
    }

    #[test]
    fn a_wrong_pattern_is_told_with_its_place() {
        for (pattern, expected) in [
            ("ticket = 'OPS-['", "factpress.toml:2:10 this is no regular expression"),
            ("ticket = '(?=x)'", "factpress.toml:2:10 this is no regular expression"),
            ("ticket = 'x*'", "factpress.toml:2:10 this expression matches where nothing stands"),
            ("ticket = '\\b'", "factpress.toml:2:10 this expression matches where nothing stands"),
            ("Ticket = 'x'", "factpress.toml:2:1 `Ticket` is no name for a pattern"),
            ("1a = 'x'", "factpress.toml:2:1 `1a` is no name for a pattern"),
            ("a-b = 'x'", "factpress.toml:2:1 `a-b` is no name for a pattern"),
            ("'' = 'x'", "factpress.toml:2:1 `` is no name for a pattern"),
            ("node = 'x'", "factpress.toml:2:1 `node` is no name for a pattern"),
        ] {
            assert_eq!(said(pattern), [expected], "{pattern}");
        }
    }
}
