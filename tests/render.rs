//! Golden pages: each folder of `tests/golden/render/` is a small series whose facts are given; its pages are in `output/`.
//!
//! `UPDATE=1 cargo test --test render` writes what is now made: look at the difference.

#![expect(clippy::disallowed_methods, reason = "a test reads its environment and writes what it made")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use factpress::capture::{Capture, Captures};
use factpress::facts::{Claim, Evidence, Fact, Facts, Part, Quote, Reference, Row, Show, TableDef};
use factpress::locale::Locale;
use factpress::mask::{Mask, Raw};
use factpress::page::{self, Language, Material, Mode};
use factpress::project::{Project, parse_toml, read_text};
use factpress::render::{self, Files, Templates};
use indexmap::IndexMap;
use serde_json::Value;
use serde_spanned::Spanned;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A copy of the case with the words of the repository's `site.toml` in it.
fn project(case: &Path) -> Project {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("render-{}", case.file_name().expect("a name").display()));
    for file in walkdir::WalkDir::new(case).into_iter().map(|f| f.expect("readable")) {
        let to = root.join(file.path().strip_prefix(case).expect("inside"));
        if file.file_type().is_dir() {
            std::fs::create_dir_all(&to).expect("a folder");
        } else {
            std::fs::copy(file.path(), &to).expect("a copy");
        }
    }
    for language in ["ko", "ja", "zh"] {
        let site = format!("locales/{language}/site.toml");
        std::fs::copy(repository().join(&site), root.join(&site)).expect("a copy");
    }
    Project::open(&root).expect("a project")
}

#[derive(serde::Deserialize)]
struct PartFile {
    #[serde(default)]
    tables: IndexMap<String, Spanned<TableDef>>,
    #[serde(default)]
    quotes: IndexMap<String, Quote>,
    #[serde(default)]
    references: Vec<Reference>,
}

fn part(project: &Project, name: &str) -> Part {
    let source = read_text(project.root(), &format!("templates/{name}/part.toml")).expect("a part");
    let file: PartFile = parse_toml(&source).map_err(|e| e.to_json()).expect("a part");
    Part {
        source,
        facts: IndexMap::new(),
        claims: IndexMap::new(),
        tables: file.tables,
        charts: IndexMap::new(),
        quotes: file.quotes,
        references: file.references,
    }
}

fn facts(project: &Project) -> Facts {
    let text = read_text(project.root(), "facts.json").expect("facts");
    let given: Value = serde_json::from_str(text.text()).expect("JSON");
    let each = |name: &str| given[name].as_object().cloned().unwrap_or_default().into_iter();
    let fact = |fact: &Value| Fact {
        value: fact["value"].clone(),
        show: Show {
            unit: serde_json::from_value(fact["unit"].clone()).expect("a unit"),
            precision: fact["show"].as_str().unwrap_or("n").parse().expect("a precision"),
            scale: fact["in"].as_str().map(str::to_owned),
        },
        from: Vec::new(),
    };
    let claim = |claim: &Value| Claim {
        holds: claim["holds"] == true,
        strings: serde_json::from_value(claim["strings"].clone()).expect("keys"),
    };
    let row = |row: &Value| Row {
        key: row["key"].as_str().expect("a key").to_owned(),
        cells: row["cells"].as_object().expect("cells").clone().into_iter().collect(),
    };
    Facts {
        facts: each("facts").map(|(id, f)| (id, fact(&f))).collect(),
        claims: each("claims").map(|(id, c)| (id, claim(&c))).collect(),
        rows: each("rows").map(|(id, r)| (id, r.as_array().expect("rows").iter().map(row).collect())).collect(),
        charts: IndexMap::new(),
    }
}

/// The captures, masked, without what they hold.
fn evidence(project: &Project, captures: &Captures) -> IndexMap<String, Evidence> {
    let nothing = Value::Null;
    let raw: Vec<Raw<'_>> = captures.iter().map(|(_, capture)| Raw { capture, record: &nothing }).collect();
    let mask = Mask::new(project.mask(), &captures.hosts(), &raw).map_err(|e| e.to_json()).expect("a mask");
    let one = |(name, capture): (&str, &Capture)| {
        (name.to_owned(), Evidence { record: mask.record(Value::Null), capture: mask.capture(capture) })
    };
    captures.iter().map(one).collect()
}

/// Every file of a case, and what was found.
fn build(project: &Project, templates_root: &Path) -> (Files, BTreeMap<String, String>) {
    let name = project.parts()[0].name().to_owned();
    let (part, facts) = (part(project, &name), facts(project));
    let captures = Captures::load(project.root(), &name).expect("captures");
    let evidence = evidence(project, &captures);
    let load = |dir: &str| Locale::load(project, dir, &name).map_err(|e| e.to_json()).expect("a locale");
    let locales: Vec<Locale> = project.languages().iter().map(|l| load(l.dir())).collect();
    let language = |l: &Locale| Language { dir: l.dir().to_owned(), tag: l.tag().to_owned(), name: l.words("language.name").to_owned() };
    let languages: Vec<Language> = locales.iter().map(language).collect();
    let mut templates = Templates::load(project.root(), &name).map_err(|e| e.to_json()).expect("templates");
    if templates_root != project.root() {
        templates = Templates::load(templates_root, &name).map_err(|e| e.to_json()).expect("templates");
    }
    let (mut files, mut found) = (Files::new(), BTreeMap::new());
    for locale in &locales {
        let material = Material {
            project,
            name: &name,
            part: &part,
            facts: &facts,
            captures: &evidence,
            window: captures.window(),
            locale,
            languages: &languages,
            mode: Mode::Draft,
        };
        let (page, mut warnings) = page::build(&material).map_err(|e| e.to_text(factpress::diag::Colour::Never)).expect("a page");
        let made = render::render(&Arc::new(page), &templates).map_err(|e| e.to_text(factpress::diag::Colour::Never));
        let (made, more) = made.expect("a rendered page");
        warnings.extend(more);
        files.extend(made);
        let line = |d: &factpress::diag::Diagnostic| {
            format!("{} {}: {}\n", d.place().map_or_else(String::new, ToString::to_string), d.code(), d.message())
        };
        found.insert(locale.dir().to_owned(), warnings.iter().map(line).collect());
    }
    (files, found)
}

#[test]
fn pages_are_as_they_were() {
    let golden = repository().join("tests/golden/render");
    let mut cases = 0;
    for case in walkdir::WalkDir::new(&golden).min_depth(1).max_depth(1).sort_by_file_name() {
        let case = case.expect("readable").into_path();
        cases += 1;
        let project = project(&case);
        let (mut files, found) = build(&project, project.root());
        for (language, text) in found {
            files.insert(format!("{language}/findings.txt"), text.into_bytes());
        }
        let output = case.join("output");
        if std::env::var_os("UPDATE").is_some() {
            let _ = std::fs::remove_dir_all(&output);
            for (path, bytes) in &files {
                let path = output.join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, bytes).expect("a file");
            }
        }
        for (path, bytes) in &files {
            let was = std::fs::read_to_string(output.join(path)).unwrap_or_default();
            let is = String::from_utf8_lossy(bytes);
            let line = was.lines().zip(is.lines()).position(|(a, b)| a != b).map_or(0, |i| i + 1);
            assert!(was == is, "{path} of {} differs, first at line {line}: UPDATE=1 writes it anew", case.display());
        }
    }
    assert!(cases > 0, "no golden folders");
}
