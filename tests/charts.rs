//! Draws every case of `tests/golden/chart/` and compares with what stands beside it; `UPDATE=1` writes that anew.
//!
//! A case is a JSON file: a chart's definition, its data, and its strings in some languages. `cargo test --test charts --
//! --ignored` writes pages with all of them to `target/charts/`, to be looked at.

#![expect(clippy::disallowed_methods, reason = "a test may write what it is told to write")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use factpress::chart;
use factpress::diag::Source;
use factpress::facts::ChartDef;
use factpress::page::charts::{Asked, DataTable, Words, chart as make};
use factpress::quantity::Quantity;
use serde::Deserialize;
use serde_json::Value;
use serde_spanned::Spanned;
use tera::{Kwargs, State, Tera};

/// `tests/golden/chart/<name>.json`
#[derive(Deserialize)]
struct Case {
    def: String,
    data: Value,
    strings: BTreeMap<String, BTreeMap<String, String>>,
}

struct Catalogue<'a> {
    lang: &'a str,
    strings: &'a BTreeMap<String, String>,
}

impl Words for Catalogue<'_> {
    fn lang(&self) -> &str {
        self.lang
    }

    fn text(&self, key: &str) -> String {
        self.optional(key).unwrap_or_else(|| panic!("{}: no {key}", self.lang))
    }

    fn optional(&self, key: &str) -> Option<String> {
        self.strings.get(key.splitn(3, '.').nth(2).expect("chart.<id>.<name>")).cloned()
    }

    fn quantity(&self, quantity: &Quantity) -> String {
        let number = quantity.rounded().to_string();
        let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
        let mut grouped = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        match quantity.symbol() {
            None => format!("{grouped}{rest}"),
            Some("%") => format!("{grouped}{rest}%"),
            Some(symbol) => format!("{grouped}{rest} {symbol}"),
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/chart")
}

fn cases() -> Vec<(String, Case)> {
    let files = walkdir::WalkDir::new(folder())
        .max_depth(1)
        .sort_by_file_name()
        .into_iter()
        .map(|f| f.expect("a readable folder"));
    let json = files.filter(|f| f.path().extension().is_some_and(|e| e == "json"));
    json.map(|f| {
        let name = f.path().file_stem().expect("a file").to_string_lossy().into_owned();
        (name, serde_json::from_slice(&fs::read(f.path()).expect("readable")).expect("a case"))
    })
    .collect()
}

/// Every drawing: case, language, chart, table.
fn drawn() -> Vec<(String, String, chart::Chart, DataTable)> {
    let mut all = Vec::new();
    for (name, case) in cases() {
        let def: Spanned<ChartDef> = toml::from_str(&format!("chart = {}", case.def))
            .map(|mut t: BTreeMap<String, Spanned<ChartDef>>| t.remove("chart").expect("just written"))
            .expect("a definition");
        let source = Source::new("part.toml", case.def.as_str());
        for (lang, strings) in &case.strings {
            let asked = Asked { id: &name, def: &def, source: &source, data: &case.data };
            let (chart, table) =
                make(&asked, &Catalogue { lang, strings }).unwrap_or_else(|d| panic!("{name}: {}", d.to_json()));
            all.push((name.clone(), lang.clone(), chart, table));
        }
    }
    all
}

fn same(file: &str, made: &str) {
    let path = folder().join(file);
    if std::env::var("UPDATE").is_ok() {
        fs::write(&path, made).expect("written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == made, "{file} differs: UPDATE=1 rewrites it; look at it then");
}

#[test]
fn charts_are_as_they_were() {
    for (name, lang, chart, table) in drawn() {
        same(&format!("{name}.{lang}.svg"), &chart::draw(&chart));
        let mut text = table.head.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join(" | ");
        for row in &table.rows {
            assert_eq!(row.len(), table.head.len(), "{name}");
            write!(text, "\n{}", row.join(" | ")).expect("a string");
        }
        same(&format!("{name}.{lang}.txt"), &(text + "\n"));
    }
}

#[test]
fn every_svg_can_stand_in_a_page() {
    let charts = drawn().into_iter().flat_map(|(n, l, c, _)| {
        let id = format!("fp-{n}-title");
        [(n.clone(), l.clone(), id.clone(), chart::draw(&c)), (n, l, id, chart::draw_bare(&c))]
    });
    let diagrams =
        ["ko", "ja", "zh-Hans"].map(|l| ("paths".to_owned(), l.to_owned(), "fp-paths-title".to_owned(), diagram(l, 8)));
    for (name, lang, id, svg) in charts.chain(diagrams) {
        let first = svg.lines().next().expect("a line");
        assert!(
            first.starts_with("<svg ") && first.ends_with('>'),
            "{name}: a Markdown block begins with one whole tag"
        );
        assert!(
            svg.lines().all(|l| !l.trim().is_empty()) && svg.ends_with("</svg>\n"),
            "{name}: a blank line ends the block"
        );
        for part in
            [format!("<title id=\"{id}\">"), format!("lang=\"{lang}\" xml:lang=\"{lang}\""), "role=\"img\"".to_owned()]
        {
            assert!(svg.contains(&part), "{name}: no {part}");
        }
        assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}

/// What no colour of a page may say alone, and what only a page may: no colour stands outside the stylesheet.
#[test]
fn marks_have_classes_and_no_colours() {
    for (name, _, chart, _) in drawn() {
        let svg = chart::draw(&chart);
        let marks = &svg[svg.find("</style>").expect("a stylesheet")..];
        assert!(!marks.contains("fill=") && !marks.contains("stroke=") && !marks.contains('#'), "{name}");
    }
}

#[test]
fn the_fan_has_a_branch_for_every_peer() {
    for (peers, branches) in [(1, 1), (6, 6), (8, 8), (12, 12), (40, 12)] {
        let svg = diagram("ko", peers);
        assert_eq!(svg.matches("<circle").count(), branches, "{peers} peers");
    }
}

/// The diagram as a page makes it, over figures of its own.
fn diagram(lang: &'static str, peers: u32) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let template = fs::read_to_string(root.join("templates/grpc/paths.svg")).expect("the template");
    let strings = fs::read(folder().join("paths/strings.json")).expect("strings");
    let strings: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_slice(&strings).expect("strings");
    let strings = strings[lang].clone();
    let mut tera = Tera::default();
    tera.autoescape_on([".svg"]);
    tera.register_function("lang", move |_: Kwargs, _: &State<'_>| lang.to_owned());
    tera.register_function("t", move |args: Kwargs, _: &State<'_>| -> tera::TeraResult<String> {
        let key: &str = args.must_get("key")?;
        let text = strings.get(key).unwrap_or_else(|| panic!("no {key}"));
        Ok(text.replace("{peers}", &peers.to_string()))
    });
    tera.register_function("fact", |_: Kwargs, _: &State<'_>| "247".to_owned());
    tera.register_function("fact_number", move |args: Kwargs, _: &State<'_>| -> tera::TeraResult<f64> {
        Ok(if args.must_get::<&str>("id")? == "relay_peers" { f64::from(peers) } else { 247.0 })
    });
    tera.add_raw_template("paths.svg", &template).expect("a template");
    tera.render("paths.svg", &tera::Context::new()).expect("rendered")
}

/// Pages to look at: every drawing of a language, inside a page's own colours and as a file beside it.
#[test]
#[ignore = "writes pages for the eye"]
fn pages() {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/charts");
    fs::create_dir_all(&out).expect("a folder");
    for lang in ["ko", "ja", "zh-Hans"] {
        let mut body = diagram(lang, 8);
        fs::write(out.join(format!("paths.{lang}.svg")), &body).expect("written");
        for (name, _, chart, table) in drawn().into_iter().filter(|d| d.1 == lang) {
            fs::write(out.join(format!("{name}.{lang}.svg")), chart::draw(&chart)).expect("written");
            write!(body, "<figure>\n{}<details><summary>{}</summary><table>", chart::draw(&chart), chart.title.len())
                .expect("a string");
            for row in &table.rows {
                write!(
                    body,
                    "<tr><td>{}</td></tr>",
                    row.join("</td><td>").replace('<', "&lt;").replace("&lt;/td>&lt;td>", "</td><td>")
                )
                .expect("a string");
            }
            body.push_str("</table></details></figure>\n");
        }
        let page = format!(
            "<!doctype html><html lang=\"{lang}\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{lang}</title><style>:root{{color-scheme:light dark;--paper:#fcfcfa;--ink:#1d2129;--muted:#5c6370;--rule:#e3e4e8;--accent:#0b62c4}}@media(prefers-color-scheme:dark){{:root{{--paper:#14161a;--ink:#e4e6eb;--muted:#9aa3b2;--rule:#2c3038;--accent:#7ab7ff}}}}body{{margin:20px auto;padding:0 20px;max-width:42rem;font:17px/1.8 'Noto Sans CJK KR','Noto Sans CJK JP',sans-serif;background:var(--paper);color:var(--ink)}}figure{{margin:2rem 0}}table{{font-size:13px;display:block;overflow-x:auto}}</style><main><h1>{lang}</h1>\n{body}</main></html>"
        );
        fs::write(out.join(format!("{lang}.html")), page).expect("written");
    }
}
