//! `factpress facts`: the figures of a part, with what they are in every language and the captures they rest on.

use std::collections::BTreeMap;

use clap::{Args as ClapArgs, ValueEnum};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::{Console, Status, progress, progress_done};
use crate::diag::{Diagnostics, Outcome};
use crate::facts::{Fact, Show};
use crate::locale::Locale;
use crate::pipeline::{self, Computed, Mode, Options};
use crate::project::Project;

/// Prints the figures of a part, unrounded and as each language prints them
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The part
    part: String,
    /// How they are printed
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
}

/// How facts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For a person
    Table,
    /// One JSON object: `part`, and under `facts` for each id its `value`, `unit`, `text` by language, `from` captures
    Json,
}

#[derive(Serialize)]
struct View<'a> {
    part: &'a str,
    facts: IndexMap<&'a str, FactView<'a>>,
}

#[derive(Serialize)]
struct FactView<'a> {
    value: &'a Value,
    unit: &'static str,
    text: IndexMap<&'a str, String>,
    from: &'a [String],
}

pub(super) fn run(args: &Args, project: &Project, console: &mut Console<'_>) -> Status {
    match view(args, project, console) {
        Ok((text, findings)) => {
            console.print(&text);
            // A false claim does not make a figure wrong: it is told, and the figures stand.
            console.report(&findings, Status::Fine)
        }
        Err(wrong) => console.report(&wrong, Status::Bad),
    }
}

fn view(args: &Args, project: &Project, console: &Console<'_>) -> Outcome<(String, Diagnostics)> {
    let options = Options { parts: vec![args.part.clone()], mode: Mode::Draft, ..Options::default() };
    let series = pipeline::compute(project, &options, &progress(console.terminal));
    progress_done(console.terminal);
    let series = series?;
    let computed = series.parts.first().expect("the part is one of the series");
    let mut wrong = Diagnostics::new();
    let locales = pipeline::load_locales(project, &computed.part, Some(&series), &mut wrong);
    wrong.or_value(())?;
    let languages: Vec<(&str, &Locale)> =
        project.languages().iter().filter_map(|l| Some((l.dir(), locales.get(l.dir())?))).collect();
    let facts = computed.facts.facts.iter();
    let facts = facts.map(|(id, fact)| (id.as_str(), fact_view(fact, &languages))).collect();
    let view = View { part: computed.part.name(), facts };
    let text = match args.format {
        Form::Json => {
            let mut json = serde_json::to_string_pretty(&view).expect("strings and numbers always serialise");
            json.push('\n');
            json
        }
        Form::Table => table(&view, &languages, computed),
    };
    Ok((text, series.findings))
}

fn fact_view<'a>(fact: &'a Fact, languages: &[(&'a str, &Locale)]) -> FactView<'a> {
    let text = languages.iter().map(|(dir, locale)| (*dir, text(&fact.value, &fact.show, locale))).collect();
    FactView { value: &fact.value, unit: fact.show.unit.name(), text, from: &fact.from }
}

/// A fact as a language prints it; what an article prints piece by piece, here in one line.
fn text(value: &Value, show: &Show, locale: &Locale) -> String {
    match value {
        // a pair, such as a name and its count, stands close; lists are joined as an article joins them
        Value::Array(items) if items.iter().all(Value::is_array) => {
            let pair =
                |pair: &Value| pair.as_array().into_iter().flatten().map(|v| text(v, show, locale)).collect::<Vec<_>>();
            locale.join(items.iter().map(|item| pair(item).join(" ")))
        }
        Value::Array(items) => locale.join(items.iter().map(|item| text(item, show, locale))),
        Value::Object(entries) => {
            locale.join(entries.iter().map(|(key, value)| format!("{key} {}", text(value, show, locale))))
        }
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::String(plain) => locale.alias(plain),
        Value::Number(_) => locale.plain(value, show).unwrap_or_else(|_| value.to_string()),
    }
}

/// Columns padded by display width: id, text in each language (once if they agree), captures.
fn table(view: &View<'_>, languages: &[(&str, &Locale)], computed: &Computed) -> String {
    use unicode_width::UnicodeWidthStr;
    let rows: Vec<[String; 3]> = view
        .facts
        .iter()
        .map(|(id, fact)| {
            let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (dir, _) in languages {
                texts.entry(fact.text[dir].as_str()).or_default().push(dir);
            }
            let text = match texts.len() {
                1 => (*texts.keys().next().expect("one")).to_owned(),
                _ => languages.iter().map(|(d, _)| format!("{d}: {}", fact.text[d])).collect::<Vec<_>>().join("  "),
            };
            [(*id).to_owned(), text, fact.from.join(" ")]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|r| r[column].width()).max().unwrap_or(0).min(60);
    let (first, second) = (width(0), width(1));
    let mut out = String::new();
    for [id, text, from] in &rows {
        let pad = |s: &str, to: usize| " ".repeat(to.saturating_sub(s.width()));
        out.push_str(&format!("{id}{}  {text}{}  {from}\n", pad(id, first), pad(text, second)));
    }
    let claims = &computed.facts.claims;
    let hold = claims.values().filter(|c| c.holds).count();
    out.push_str(&format!("{} facts, {hold} of {} claims hold\n", view.facts.len(), claims.len()));
    out
}
