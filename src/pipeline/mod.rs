//! The only module that knows every stage: captures → records → mask → facts → pages → files, in this order.

mod bundle;
mod captures;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::capture::{self, Block, Blocks, Capture, Captures, Origin, Packing};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Severity};
use crate::facts::{self, Evidence, Facts};
use crate::locale::{self, Known, Locale};
use crate::mask::{Map, Mask, Masked, Source, Survey, Swept};
use crate::project::{self, Language, MaskRules, Part, Project};
use crate::publish::{Scope, Stage as Staged, Tree};
use crate::read::{self, Input, Reader, Record, Want};
use crate::{page, render};

use captures::{Surveyed, ambiguous, blocks_of, reader_of, remark, survey_part};

pub use bundle::{Bundle, Measure, bundle, verify};

/// What to build.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names of parts; empty for all.
    pub parts: Vec<String>,
    /// Folder names of languages; empty for all.
    pub languages: Vec<String>,
    /// How strict.
    pub mode: Mode,
}

/// Whether a false claim or a missing string stops the build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It does.
    #[default]
    Publish,
    /// It is a warning that the page shows.
    Draft,
}

/// A stage that a build has reached, for a person who waits.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Reading a capture, by its name in capture.toml.
    Read(&'a str),
    /// Computing the facts of a part.
    Compute(&'a str),
    /// Searching a file for what must not be published.
    Verify(&'a str),
    /// Making the pages of a part in a language.
    Render(&'a str, &'a str),
}

/// Called at each stage.
pub type Progress<'a> = &'a (dyn Fn(Stage<'_>) + Sync);

/// A finished build that is not written yet.
#[derive(Debug)]
pub struct Build {
    /// The files.
    pub tree: Tree,
    /// What of `output/` they are all of.
    pub scope: Scope,
    /// What was found: warnings, and in [`Mode::Publish`] false claims as errors, with which nothing may be written.
    pub findings: Diagnostics,
    /// How much was read and computed.
    pub counts: Counts,
}

/// How much a build read and computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Raw files.
    pub captures: usize,
    /// Facts.
    pub facts: usize,
    /// Claims that hold.
    pub claims: usize,
}

/// A part with everything of it that does not depend on a language.
#[derive(Debug)]
pub struct Computed {
    /// Its entry in factpress.toml.
    pub part: Part,
    /// part.toml.
    pub definition: facts::Part,
    /// Its captures, masked.
    pub evidence: IndexMap<String, Evidence>,
    /// Window and time zone.
    pub captures: Masked<Captures>,
    /// Every figure and claim.
    pub facts: Facts,
}

/// All parts that were asked for, and the mask that they share.
#[derive(Debug)]
pub struct Series {
    /// In the order of factpress.toml.
    pub parts: Vec<Computed>,
    /// Warnings, and false claims as errors.
    pub findings: Diagnostics,
    mask: Mask,
}

/// Reads, masks and computes. The inventory is taken over the captures of all parts, whichever are asked for, so that an
/// alias does not depend on what is built.
pub fn compute(project: &Project, options: &Options, progress: Progress<'_>) -> Outcome<Series> {
    let mut wrong = Diagnostics::new();
    let wanted = choose(project.parts(), &options.parts, Part::name, "part", &mut wrong);
    let mut survey = Survey::new(project.mask());
    let mut held = 0;
    let mut loaded = Vec::new();
    for part in project.parts() {
        let definition = wrong.gather(facts::Part::load(project.root(), part.name()));
        let Some(captures) = wrong.gather(Captures::load(project.root(), part.name())) else { continue };
        let (surveyed, found) = survey_part(project.root(), captures, &mut survey, progress, &mut held);
        wrong.extend(found);
        if let Some(definition) = definition {
            loaded.push((part, definition, surveyed));
        }
    }
    let map = match project.map() {
        Some(path) => wrong.gather(Map::load(&path, &[&project.root().join(crate::publish::OUTPUT)])),
        None => None,
    };
    let mask = survey.finish(map.as_ref())?;
    if !wrong.is_empty() {
        // the lines of other captures may be bad too
        for (_, definition, surveyed) in &loaded {
            wrong.extend(captures::faults(project.root(), surveyed, &definition.wants()));
        }
        return Err(wrong.distinct().rewritten(|text| mask.text(text).get().clone()));
    }
    let mut series = Series { parts: Vec::new(), findings: Diagnostics::new(), mask };
    for (part, definition, surveyed) in loaded {
        if !wanted.contains(&part) {
            continue;
        }
        progress(Stage::Compute(part.name()));
        let evidence = captures::evidence(project.root(), &surveyed, &series.mask, &definition.wants());
        series.findings.extend(ambiguous(&surveyed, &series.mask));
        let Some((captures, evidence)) = wrong.gather(evidence) else { continue };
        let Some((facts, findings)) = wrong.gather(facts::compute(&definition, &evidence)) else { continue };
        series.findings.extend(match options.mode {
            Mode::Publish => findings,
            Mode::Draft => findings.into_iter().map(Diagnostic::downgraded).collect(),
        });
        series.parts.push(Computed { part: part.clone(), definition, evidence, captures, facts });
    }
    wrong.or_value(series)
}

/// Makes every page in memory and verifies that nothing sensitive stands in any of them.
pub fn build(project: &Project, options: &Options, progress: Progress<'_>) -> Outcome<Build> {
    let mut wrong = Diagnostics::new();
    let languages = choose(project.languages(), &options.languages, Language::dir, "language", &mut wrong);
    // Bad captures and bad catalogues are reported in one run.
    let series = wrong.gather(compute(project, options, progress));
    let mut findings = Diagnostics::new();
    let mut locales = IndexMap::new();
    for part in choose(project.parts(), &options.parts, Part::name, "part", &mut Diagnostics::new()) {
        let set = load_locales(project, part, series.as_ref(), &mut wrong);
        let found = check_catalogues(project, part, &set, series.as_ref());
        match options.mode {
            Mode::Draft => findings.extend(found.into_iter().map(Diagnostic::downgraded).collect()),
            Mode::Publish => found.into_iter().for_each(|one| match one.severity() {
                Severity::Warning => findings.push(one),
                Severity::Error | Severity::Leak => wrong.push(one),
            }),
        }
        locales.insert(part.name().to_owned(), set);
    }
    let Some(series) = series.filter(|_| wrong.is_empty()) else { return Err(wrong) };
    findings.extend(series.findings.clone());

    let mut tree = Tree::new();
    let mut counts = Counts::default();
    let mut folders = Vec::new();
    for computed in &series.parts {
        counts.captures += computed.evidence.len();
        counts.facts += computed.facts.facts.len();
        counts.claims += computed.facts.claims.values().filter(|c| c.holds).count();
        let set = &locales[computed.part.name()];
        let Some(templates) = wrong.gather(render::Templates::load(project.root(), computed.part.name())) else {
            continue;
        };
        let others = language_names(project, set);
        let shared = Shared { project, languages: &others, templates: &templates, mode: options.mode };
        let shared = &shared;
        let pages: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = languages
                .iter()
                .map(|language| {
                    let locale = set.get(language.dir()).expect("every language is loaded");
                    scope.spawn(move || {
                        progress(Stage::Render(computed.part.name(), language.dir()));
                        make(shared, computed, locale)
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("rendering does not panic")).collect()
        });
        for (language, page) in languages.iter().zip(pages) {
            folders.push(format!("{}/{}", language.dir(), computed.part.name()));
            if let Some((files, found)) = wrong.gather(page) {
                tree.extend(files);
                findings.extend(found);
            }
        }
    }
    wrong = wrong.distinct();
    wrong.gather(series.mask.verify(&tree));
    let everything = options.parts.is_empty() && options.languages.is_empty();
    let scope = if everything { Scope::Everything } else { Scope::Folders(folders) };
    wrong.or_value(Build { tree, scope, findings: findings.distinct(), counts })
}

/// The catalogues of one part in every language of the series, by folder name. `series` gives the zone of the times and the aliases.
pub fn load_locales(
    project: &Project,
    part: &Part,
    series: Option<&Series>,
    wrong: &mut Diagnostics,
) -> BTreeMap<String, Locale> {
    let captures = series.and_then(|s| s.parts.iter().find(|p| p.part == *part)).map(|p| &p.captures);
    let zone = captures.map(Masked::get).and_then(|c| Some((c.time_zone()?, c.window()?.0.offset)));
    let mut set = BTreeMap::new();
    for language in project.languages() {
        if let Some(locale) = wrong.gather(Locale::load(project, language.dir(), part.name())) {
            let locale = match zone {
                Some((name, offset)) => locale.in_zone(name, offset),
                None => locale,
            };
            let aliases = series.iter().flat_map(|series| series.mask.aliases());
            let locale = locale.with_aliases(aliases.map(|(_, alias)| alias));
            set.insert(language.dir().to_owned(), locale);
        }
    }
    set
}

/// Files of one part in one language, and what was found on the way.
fn make(shared: &Shared<'_>, computed: &Computed, locale: &Locale) -> Outcome<(Tree, Diagnostics)> {
    let (page, mut found) = page::build(&page::Material {
        project: shared.project,
        name: computed.part.name(),
        part: &computed.definition,
        facts: &computed.facts,
        captures: &computed.evidence,
        window: computed.captures.get().window(),
        locale,
        languages: shared.languages,
        mode: match shared.mode {
            Mode::Publish => page::Mode::Final,
            Mode::Draft => page::Mode::Draft,
        },
    })?;
    let (files, more) = render::render(&Arc::new(page), shared.templates)?;
    found.extend(more);
    Ok((files, found))
}

/// What the pages of one part share.
struct Shared<'a> {
    project: &'a Project,
    languages: &'a [page::Language],
    templates: &'a render::Templates,
    mode: Mode,
}

/// The entries that were asked for by name, or all; a name that is none of them is a mistake.
fn choose<'a, T>(
    all: &'a [T],
    asked: &[String],
    name: fn(&T) -> &str,
    kind: &str,
    wrong: &mut Diagnostics,
) -> Vec<&'a T> {
    for asked in asked.iter().filter(|a| !all.iter().any(|t| name(t) == a.as_str())) {
        let names: Vec<_> = all.iter().map(name).collect();
        wrong.push(
            Diagnostic::error("no-such", format!("the series has no {kind} `{asked}`"))
                .with_place(Place::file(crate::project::FILE))
                .with_help(format!("it has {}", names.join(", "))),
        );
    }
    all.iter().filter(|t| asked.is_empty() || asked.iter().any(|a| a == name(t))).collect()
}

/// The languages of the series, each by its own name.
fn language_names(project: &Project, set: &BTreeMap<String, Locale>) -> Vec<page::Language> {
    let name = |dir: &str| set.get(dir).map_or(dir, |locale| locale.words("language.name")).to_owned();
    let language =
        |l: &Language| page::Language { dir: l.dir().to_owned(), tag: l.tag().to_owned(), name: name(l.dir()) };
    project.languages().iter().map(language).collect()
}

/// What is wrong in the catalogues of a part: each by itself, and each compared with the source language.
fn check_catalogues(
    project: &Project,
    part: &Part,
    set: &BTreeMap<String, Locale>,
    series: Option<&Series>,
) -> Diagnostics {
    let mut found = Diagnostics::new();
    if let Some(computed) = series.and_then(|s| s.parts.iter().find(|p| p.part == *part)) {
        let known = Known {
            facts: computed.definition.facts.keys().map(String::as_str).collect(),
            captures: computed.evidence.keys().map(String::as_str).collect(),
            parts: project.parts().iter().map(Part::name).collect(),
        };
        set.values().for_each(|locale| found.extend(locale::alone(locale, &known)));
    }
    let Some(source) = set.get(project.source_language()) else { return found };
    for other in set.iter().filter(|(dir, _)| *dir != project.source_language()).map(|(_, other)| other) {
        found.extend(locale::compare(source, other));
    }
    found
}
