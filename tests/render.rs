//! Golden pages: each folder of `tests/golden/render/` is a small series whose facts are given; its pages are in `output/`.
//!
//! `UPDATE=1 cargo test --test render` writes what is now made: look at the difference.

#![expect(clippy::disallowed_methods, reason = "a test reads its environment and writes what it made")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use factpress::capture::{Block, Capture, Captures};
use factpress::diag::{Diagnostic, Diagnostics, Outcome};
use factpress::facts::{ChartDef, Claim, Evidence, Fact, Facts, Part, Quote, Reference, Row, Show, TableDef};
use factpress::locale::Locale;
use factpress::mask::{Source, Survey};
use factpress::page::{self, Language, Material, Mode};
use factpress::project::{Project, parse_toml, read_text};
use factpress::read::{self, Want};
use factpress::render::{self, Files, Templates};
use indexmap::IndexMap;
use serde_json::Value;
use serde_spanned::Spanned;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A copy of the case with the words of the repository's `site.toml` in it. `name` is that of the copy.
fn copy(case: &Path, name: &str) -> Project {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("render-{name}"));
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
    charts: IndexMap<String, Spanned<ChartDef>>,
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
        charts: file.charts,
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
        charts: each("charts").collect(),
    }
}

/// The captures, masked, without what they hold.
fn evidence(project: &Project, captures: &Captures) -> IndexMap<String, Evidence> {
    let mut survey = Survey::new(project.mask());
    captures.iter().for_each(|(_, capture)| survey.capture(capture));
    let mask = survey.finish(None).map_err(|e| e.to_json()).expect("a mask");
    let masked = mask.captures(captures).map_err(|e| e.to_json()).expect("TOML");
    let json = read::reader("json").expect("a format");
    let one = |(name, _): (&str, &Capture)| {
        let empty = [Block { line: 1, text: "null".to_owned() }];
        let record = mask.read(json, "x", Source::Kept(&empty), &Want::default()).expect("JSON");
        (name.to_owned(), Evidence { record, capture: masked.capture(name).expect("the same names") })
    };
    captures.iter().map(one).collect()
}

/// Every file of a draft, and what was found by language.
fn build(project: &Project) -> (Files, BTreeMap<String, String>) {
    let made = project.languages().iter().map(|l| (l.dir(), make(project, l.dir(), Mode::Draft)));
    let (mut files, mut found) = (Files::new(), BTreeMap::new());
    for (language, made) in made {
        let (some, findings) = made.map_err(|e| listed(&e)).expect("a draft is made");
        files.extend(some);
        found.insert(language.to_owned(), listed(&findings));
    }
    (files, found)
}

/// One finding a line.
fn listed(found: &Diagnostics) -> String {
    let line = |d: &Diagnostic| {
        format!("{} {}: {}\n", d.place().map_or_else(String::new, ToString::to_string), d.code(), d.message())
    };
    found.iter().map(line).collect()
}

/// The files of one language.
fn make(project: &Project, language: &str, mode: Mode) -> Outcome<(Files, Diagnostics)> {
    let name = project.parts()[0].name().to_owned();
    let (part, facts) = (part(project, &name), facts(project));
    let captures = Captures::load(project.root(), &name).expect("captures");
    let evidence = evidence(project, &captures);
    let load = |dir: &str| Locale::load(project, dir, &name).map_err(|e| e.to_json()).expect("a locale");
    let hosts = || evidence.values().filter_map(|e| e.capture.get().host.as_deref());
    let locales: Vec<Locale> = project.languages().iter().map(|l| load(l.dir()).with_aliases(hosts())).collect();
    let named = |l: &Locale| Language {
        dir: l.dir().to_owned(),
        tag: l.tag().to_owned(),
        name: l.words("language.name").to_owned(),
    };
    let languages: Vec<Language> = locales.iter().map(named).collect();
    let templates = Templates::load(project.root(), &name).map_err(|e| e.to_json()).expect("templates");
    let material = Material {
        project,
        name: &name,
        part: &part,
        facts: &facts,
        captures: &evidence,
        window: captures.window(),
        locale: locales.iter().find(|l| l.dir() == language).expect("a language"),
        languages: &languages,
        mode,
    };
    let (page, mut found) = page::build(&material)?;
    let (files, more) = render::render(&Arc::new(page), &templates)?;
    found.extend(more);
    Ok((files, found))
}

#[test]
fn pages_are_as_they_were() {
    let golden = repository().join("tests/golden/render");
    let mut cases = 0;
    for case in walkdir::WalkDir::new(&golden).min_depth(1).max_depth(1).sort_by_file_name() {
        let case = case.expect("readable").into_path();
        cases += 1;
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        let project = copy(&case, &name);
        let (mut files, found) = build(&project);
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

/// The demonstration, with one text put in place of another in one file.
fn changed(name: &str, file: &str, change: (&str, &str)) -> Project {
    let project = copy(&repository().join("tests/golden/render/demo"), name);
    let path = project.root().join(file);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains(change.0), "{file} has no {}", change.0);
    std::fs::write(&path, text.replacen(change.0, change.1, 1)).expect("a file");
    project
}

#[test]
fn mistakes_have_their_places() {
    let article = "templates/demo/article.md";
    let ko = "locales/ko/demo.toml";
    let mut wrong = String::new();
    for (name, file, change, is) in [
        (
            "no-table",
            article,
            ("table(id=\"counts\")", "table(id=\"count\")"),
            "templates/demo/article.md:12:14 template-unknown",
        ),
        (
            "no-string",
            article,
            ("key=\"count.year\"", "key=\"count.yaer\""),
            "templates/demo/article.md:14:11 string-missing",
        ),
        ("no-function", article, ("{{ toc() }}", "{{ tok() }}"), "templates/demo/article.md:3:4 template:"),
        ("no-argument", article, ("callout(key=", "callout(kee="), "templates/demo/article.md:29:4 template:"),
        ("no-syntax", article, ("{{ toc() }}", "{{ toc( }}"), "templates/demo/article.md:3:9 template-syntax"),
        ("in-a-line", article, ("{{ toc() }}", "- {{ toc() }}"), "template-block"),
        ("no-fact", ko, ("**{connections}**개", "**{conections}**개"), "locales/ko/demo.toml:22:7 placeholder-unknown"),
        ("no-capture", ko, ("{host.etcd_sockets}", "{host.etcd}"), "locales/ko/demo.toml:25:10 placeholder-capture"),
        ("no-format", ko, ("{total:approx}", "{total:rough}"), "locales/ko/demo.toml:34:34 placeholder-format"),
        ("an-object", ko, ("{total:approx}", "{containerd_versions}"), "locales/ko/demo.toml:34:34 fact-unprintable"),
        (
            "private",
            "templates/demo/part.toml",
            ("value = \"{conn", "value = \"\u{e000}{conn"),
            "templates/demo/part.toml:6:9 private-use",
        ),
        (
            "no-fact-in-figure",
            "templates/demo/paths.svg",
            ("fact(id=\"connections\")", "fact(id=\"conns\")"),
            "templates/demo/paths.svg:3:83 template-unknown",
        ),
        (
            "no-theme",
            "templates/site/page.html",
            ("{{ plain_title }}", "{{ plane_title }}"),
            "templates/site/page.html:1:35 template:",
        ),
    ] {
        let project = changed(name, file, change);
        let found = match make(&project, "ko", Mode::Draft) {
            Ok((_, found)) | Err(found) => found,
        };
        let found = listed(&found);
        if !found.contains(is) {
            wrong.push_str(&format!("{name}: {is} is not in\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn several_mistakes_are_told_at_once() {
    let project = changed(
        "several",
        "templates/demo/article.md",
        ("{{ toc() }}", "{{ table(id=\"x\") }}\n\n{{ fact(id=\"y\") }}\n\n{{ t(key=\"z\") }}"),
    );
    let found = listed(&make(&project, "ja", Mode::Final).expect_err("three mistakes"));
    for what in ["no table `x`", "no fact `y`", "no string `z`"] {
        assert!(found.contains(what), "{what} is not in\n{found}");
    }
}

#[test]
fn a_missing_string_stops_a_page_but_stands_in_a_draft() {
    let missing = ("hash = '# 제목이 아닙니다'", "");
    let project = changed("missing", "locales/ko/demo.toml", missing);
    let found = make(&project, "ko", Mode::Final).expect_err("a string is missing");
    assert!(found.has_errors());
    assert!(listed(&found).contains("templates/demo/article.md:16:13 string-missing"), "{}", listed(&found));

    let (files, found) = make(&project, "ko", Mode::Draft).map_err(|e| listed(&e)).expect("a draft");
    assert!(!found.has_errors() && listed(&found).contains("string-missing"));
    let file = |name: &str| String::from_utf8(files[&format!("ko/demo/{name}")].clone()).expect("text");
    assert!(file("index.html").contains("<mark class=\"missing\" data-key=\"count.hash\">"));
    assert!(file("index.md").contains("count.hash"));
    assert!(file("index.md").contains("`writes_slower` → `count.one`"), "the banner lists the claim");
}

#[test]
fn what_nobody_asks_for_is_told() {
    let project = changed("unused", "templates/demo/article.md", ("{{ quote(id=\"service\") }}", ""));
    let (_, found) = make(&project, "zh", Mode::Draft).map_err(|e| listed(&e)).expect("a draft");
    let found = listed(&found);
    assert!(found.contains("block-unused: the article does not show the quote `service`"), "{found}");
    assert!(found.contains("locales/zh/demo.toml:1:10 string-unused"), "{found}");
}

#[test]
fn captured_and_translated_text_is_text() {
    let project = copy(&repository().join("tests/golden/render/demo"), "injection");
    let (files, _) = build(&project);
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html") || path.ends_with(".md")) {
        let text = String::from_utf8_lossy(bytes);
        let html = if path.ends_with(".md") { as_github(&text) } else { text.into_owned() };
        assert!(!html.contains("<script") && !html.contains("<i>") && !html.contains("<b>"), "{path}");
        assert!(html.contains("{{ 7*7 }} {% raw %} &lt;script&gt;alert(1)&lt;/script&gt;"), "{path}");
        assert!(
            html.contains("<code>{{ 7*7 }} {% raw %} &lt;script&gt;alert(1)&lt;/script&gt; a|b `c` {#x#} **d**</code>"),
            "{path}"
        );
        assert!(html.contains("2026. 10"), "{path}");
        assert!(!html.contains("<ol"), "{path}: a string became a list");
        assert_eq!(html.matches("<table").count(), 3, "{path}");
    }
}

/// Markdown as a reader on GitHub has it, without CJK-friendly emphasis.
fn as_github(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.front_matter_delimiter = Some("---".to_owned());
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.render.r#unsafe = true;
    comrak::markdown_to_html(markdown, &options).replace("&quot;", "\"")
}

/// The same by pulldown-cmark.
fn as_pulldown(markdown: &str) -> String {
    use pulldown_cmark::{Options, Parser, html};
    let mut text = String::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    html::push_html(&mut text, Parser::new_ext(markdown, options));
    text
}

/// The text of every element of a kind.
fn elements<'a>(html: &'a str, tag: &str) -> Vec<String> {
    let open = format!("<{tag}>");
    let inside = |rest: &'a str| rest.split(&format!("</{tag}>")).next().unwrap_or_default();
    html.split(&open).skip(1).map(|rest| text(inside(rest))).collect()
}

fn text(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, rest)| rest));
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn the_corpus_of_cjk_markdown_is_read_as_meant() {
    let path = repository().join("../shared/corpus/cjk-markdown.json");
    let Ok(corpus) = std::fs::read(&path) else {
        eprintln!("SKIPPED: {} is not there", path.display());
        return;
    };
    let corpus: Value = serde_json::from_slice(&corpus).expect("JSON");
    let cases = corpus["cases"].as_array().expect("cases");
    let project = copy(&repository().join("tests/golden/render/demo"), "corpus");
    let part = project.root().join("templates/demo/part.toml");
    std::fs::write(part, "").expect("a file");
    std::fs::write(project.root().join("facts.json"), "{}").expect("a file");
    let _ = std::fs::remove_file(project.root().join("templates/demo/paths.svg"));
    let article: String = (0..cases.len()).map(|i| format!("{{{{ t(key=\"case.n{i}\") }}}}\n\n")).collect();
    std::fs::write(project.root().join("templates/demo/article.md"), article).expect("a file");
    for language in ["ko", "ja", "zh"] {
        // JSON's strings are TOML's
        let strings: String = cases.iter().enumerate().map(|(i, case)| format!("n{i} = {}\n", case["md"])).collect();
        let catalogue = format!("head.title = 'corpus'\n[case]\n{strings}");
        std::fs::write(project.root().join(format!("locales/{language}/demo.toml")), catalogue).expect("a file");
    }
    let (files, _) = build(&project);
    for (i, case) in cases.iter().enumerate() {
        let language = case["lang"].as_str().expect("a language");
        let file = |name: &str| String::from_utf8(files[&format!("{language}/demo/{name}")].clone()).expect("text");
        let html = file("index.html");
        let main = html.split("<!-- main -->").nth(1).expect("the main part").to_owned();
        let markdown = file("index.md");
        let after = |html: String| {
            html.split_once("</h1>").expect("a title").1.split_once("</p>").expect("languages").1.to_owned()
        };
        for html in [main, after(as_github(&markdown)), after(as_pulldown(&markdown))] {
            let paragraph = html.split("<p>").nth(i + 1).and_then(|p| p.split("</p>").next()).expect("a paragraph");
            let id = &case["id"];
            assert_eq!(case["text"], text(paragraph), "{id}: {paragraph}");
            for (kind, tag) in [("strong", "strong"), ("em", "em"), ("strikethrough", "del"), ("code", "code")] {
                assert_eq!(case[kind], Value::from(elements(paragraph, tag)), "{id}: {tag} in {paragraph}");
            }
        }
    }
    assert!(cases.len() >= 20);
}
