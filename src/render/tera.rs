//! The engine: the article's template and the figures', with the functions that ask the page.
//!
//! A template gets finished values only. Text of captures and translators is never a template.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ::tera::{Context, Error, Kwargs, State, Tera, TeraResult};

use super::{CLOSE, Document, OPEN, SEP, Templates, template_errors, text_of};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};
use crate::page::{END, FIGURE, Page};

/// What the templates gave.
pub(super) struct Filled {
    /// Markdown with the marks of figures and the tokens of blocks.
    pub(super) article: String,
    /// SVG by id.
    pub(super) diagrams: BTreeMap<String, String>,
    /// Warnings.
    pub(super) wrong: Diagnostics,
}

/// What templates asked for.
#[derive(Default)]
struct Asked {
    strings: BTreeSet<String>,
    blocks: BTreeSet<(&'static str, String)>,
    /// Each with the function that found it and the argument that it is about.
    wrong: Vec<(Diagnostic, &'static str, String)>,
}

/// A template's way to the page.
#[derive(Clone)]
struct Desk {
    page: Arc<Page>,
    diagrams: Arc<BTreeSet<String>>,
    asked: Arc<Mutex<Asked>>,
}

impl Desk {
    fn note(&self, what: impl FnOnce(&mut Asked)) {
        what(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Reports what the `argument` of `function` asks for in vain.
    fn report(&self, wrong: Diagnostic, function: &'static str, argument: &str) {
        self.note(|asked| asked.wrong.push((wrong, function, argument.to_owned())));
    }

    fn string(&self, function: &'static str, key: &str) -> String {
        self.note(|asked| {
            asked.strings.insert(key.to_owned());
        });
        match self.page.string(key) {
            Some(text) => text.clone(),
            None => {
                let (wrong, note) = self.page.missing(key);
                self.report(wrong, function, key);
                note
            }
        }
    }

    /// The token of a block that must be known.
    fn block(&self, kind: &'static str, id: &str, is_known: bool) -> String {
        if !is_known {
            let wrong = Diagnostic::error("template-unknown", format!("the page has no {kind} `{id}`"))
                .with_help(format!("define it under [{kind}s.{id}], or mend the id"));
            self.report(wrong, kind, id);
            return String::new();
        }
        self.anchor(kind, id);
        token(kind, id, &[])
    }

    /// Notes that a block stands on the page; the anchors of a kind are one each.
    fn anchor(&self, kind: &'static str, id: &str) {
        let mut is_new = true;
        self.note(|asked| is_new = asked.blocks.insert((kind, id.to_owned())));
        if !is_new {
            let wrong = Diagnostic::error("template-anchor", format!("the page has the {kind} `{id}` twice"))
                .with_help("each has an anchor of its own: take one away, or give it another id");
            self.report(wrong, kind, id);
        }
    }

    fn fact(&self, id: &str) -> String {
        self.page.fact(id).cloned().unwrap_or_else(|| {
            let wrong =
                Diagnostic::error("template-unknown", format!("the page has no fact `{id}` that can be printed"))
                    .with_help("mend the id; an entry of an object is printed by each()");
            self.report(wrong, "fact", id);
            String::new()
        })
    }

    /// The findings at their places in `source`.
    fn findings(&self, source: &Source) -> Diagnostics {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let wrong = std::mem::take(&mut asked.wrong);
        let placed = |(found, function, argument): (Diagnostic, &str, String)| {
            found.with_place(argument_place(source, function, &argument))
        };
        wrong.into_iter().map(placed).collect()
    }
}

/// Where a template calls `function` with a string argument.
fn argument_place(source: &Source, function: &str, argument: &str) -> Place {
    let text = source.text();
    let call = format!("{function}(");
    let is_call = |at: &usize| text[..*at].rfind(&call).is_some_and(|start| !text[start..*at].contains(')'));
    let written = |quote: char| {
        let quoted = format!("{quote}{argument}{quote}");
        text.match_indices(&quoted).map(|(at, _)| at).find(is_call)
    };
    match written('"').or_else(|| written('\'')) {
        Some(at) => source.place(at + 1..at + 1 + argument.len()),
        None => Place::file(source.path()),
    }
}

fn token(kind: &str, id: &str, arguments: &[&str]) -> String {
    let mut token = format!("{OPEN}{kind}{SEP}{id}");
    for argument in arguments {
        token.push(SEP);
        token.push_str(argument);
    }
    token.push(CLOSE);
    token
}

/// Fills the article and every figure.
pub(super) fn fill(page: &Arc<Page>, templates: &Templates) -> Outcome<Filled> {
    let desk = Desk {
        page: page.clone(),
        diagrams: Arc::new(templates.diagrams.keys().cloned().collect()),
        asked: Arc::default(),
    };
    let mut wrong = Diagnostics::new();
    let mut filled = |source: &Source, functions: fn(&mut Tera, &Desk)| {
        let text = run(source, |tera| functions(tera, &desk));
        wrong.extend(desk.findings(source));
        wrong.gather(text)
    };
    let article = filled(&templates.article, article_functions);
    let mut diagrams = BTreeMap::new();
    for (id, source) in &templates.diagrams {
        diagrams.extend(filled(source, figure_functions).map(|svg| (id.clone(), svg)));
    }
    if wrong.has_errors() {
        return Err(wrong);
    }
    let asked = desk.asked.lock().unwrap_or_else(PoisonError::into_inner);
    let unshown = page.blocks().chain(templates.diagrams.keys().map(|id| ("diagram", id.as_str())));
    for (kind, id) in unshown.filter(|(kind, id)| !asked.blocks.contains(&(*kind, (*id).to_owned()))) {
        wrong.push(
            Diagnostic::warning("block-unused", format!("the article does not show the {kind} `{id}`"))
                .with_place(Place::file(templates.article.path()))
                .with_help(format!("write {{{{ {kind}(id=\"{id}\") }}}} where it belongs, or delete it")),
        );
    }
    wrong.extend(page.unused(&asked.strings));
    drop(asked);
    Ok(Filled { article: article.unwrap_or_default(), diagrams, wrong })
}

/// Renders one template.
fn run(source: &Source, functions: impl FnOnce(&mut Tera)) -> Outcome<String> {
    let mut tera = Tera::new();
    functions(&mut tera);
    tera.add_raw_template(source.path(), source.text()).map_err(|e| diagnostics(&e, source))?;
    tera.render(source.path(), &Context::new()).map_err(|e| diagnostics(&e, source))
}

fn diagnostics(error: &Error, source: &Source) -> Diagnostics {
    const FUNCTIONS: &str =
        "the functions are t, heading, table, chart, diagram, quote, references, callout, head, toc, each, fact";
    template_errors(error, source, FUNCTIONS)
}

/// `name` is a function whose every argument is a string and whose result is finished.
fn text_function(tera: &mut Tera, name: &'static str, desk: &Desk, give: fn(&Desk, &Kwargs) -> TeraResult<String>) {
    let desk = desk.clone();
    tera.register_function(name, move |kwargs: Kwargs, _: &State<'_>| {
        give(&desk, &kwargs).map(|text| ::tera::Value::safe_string(&text))
    });
}

fn article_functions(tera: &mut Tera, desk: &Desk) {
    tera.autoescape_on(Vec::<&str>::new());
    text_function(tera, "t", desk, |desk, args| Ok(at_line_start(&desk.string("t", args.must_get("key")?))));
    text_function(tera, "fact", desk, |desk, args| Ok(desk.fact(args.must_get("id")?)));
    text_function(tera, "heading", desk, |desk, args| {
        let level: u64 = args.must_get("level")?;
        if !(2..=4).contains(&level) {
            return Err(Error::message("the level of a heading is 2, 3 or 4; the title of the article is 1"));
        }
        let title = desk.string("heading", args.must_get("key")?);
        let numbered = args.get::<bool>("numbered")?.unwrap_or(true);
        let numbered = if numbered { "numbered" } else { "" };
        desk.anchor("heading", args.must_get("id")?);
        Ok(token("heading", args.must_get("id")?, &[&level.to_string(), numbered, &title]))
    });
    text_function(tera, "callout", desk, |desk, args| {
        let text = desk.string("callout", args.must_get("key")?);
        Ok(token("callout", "", &[&text]))
    });
    text_function(tera, "head", desk, |desk, args| {
        let entries = desk.page.head().iter();
        // a text given by name joins the entry of that name
        let more: Vec<String> = entries
            .map(|entry| Ok(args.get::<&str>(&entry.name)?.unwrap_or_default().to_owned()))
            .collect::<TeraResult<_>>()?;
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        Ok(token("head", "", &more))
    });
    text_function(tera, "toc", desk, |_, _| Ok(token("toc", "", &[])));
    text_function(tera, "references", desk, |_, _| Ok(token("references", "", &[])));
    text_function(tera, "table", desk, |desk, args| {
        let id = args.must_get("id")?;
        Ok(desk.block("table", id, desk.page.table(id).is_some()))
    });
    text_function(tera, "chart", desk, |desk, args| {
        let id = args.must_get("id")?;
        Ok(desk.block("chart", id, desk.page.chart(id).is_some()))
    });
    text_function(tera, "quote", desk, |desk, args| {
        let id = args.must_get("id")?;
        Ok(desk.block("quote", id, desk.page.quote(id).is_some()))
    });
    text_function(tera, "diagram", desk, |desk, args| {
        let id: &str = args.must_get("id")?;
        let (title, description) = (format!("diagram.{id}.title"), format!("diagram.{id}.description"));
        let block = desk.block("diagram", id, desk.diagrams.contains(id));
        if block.is_empty() {
            return Ok(block);
        }
        Ok(token("diagram", id, &[&desk.string("diagram", &title), &desk.string("diagram", &description)]))
    });
    text_function(tera, "each", desk, |desk, args| {
        let (fact, key): (&str, &str) = (args.must_get("fact")?, args.must_get("key")?);
        desk.note(|asked| {
            asked.strings.insert(key.to_owned());
        });
        let all = desk.page.each(fact, key).map(|all| all.join(desk.page.word("list.separator")));
        Ok(all.unwrap_or_else(|| {
            let wrong =
                Diagnostic::error("template-unknown", format!("`{fact}` is no object, or `{key}` says no {{key}}"));
            desk.report(
                wrong.with_help("each() says a string with `{key}` or `{value}` of each entry of a fact"),
                "each",
                key,
            );
            String::new()
        }))
    });
}

/// In a figure strings and facts are plain text; the engine escapes them for XML.
fn figure_functions(tera: &mut Tera, desk: &Desk) {
    tera.autoescape_on([".svg"]);
    let plain = |tera: &mut Tera, name: &'static str, give: fn(&Desk, &Kwargs) -> TeraResult<String>| {
        let desk = desk.clone();
        tera.register_function(name, move |kwargs: Kwargs, _: &State<'_>| {
            give(&desk, &kwargs).map(|inline| text_of(&inline))
        });
    };
    plain(tera, "t", |desk, args| Ok(desk.string("t", args.must_get("key")?)));
    plain(tera, "fact", |desk, args| Ok(desk.fact(args.must_get("id")?)));
    plain(tera, "lang", |desk, _| Ok(desk.page.language().tag.clone()));
    let desk = desk.clone();
    tera.register_function("fact_number", move |kwargs: Kwargs, _: &State<'_>| -> TeraResult<::tera::Value> {
        let id: &str = kwargs.must_get("id")?;
        let number = desk.page.number_of(id);
        let number = number.ok_or_else(|| Error::message(format!("the page has no fact `{id}` that is a number")))?;
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        Ok(if number.fract() == 0.0 && number.abs() < 9e15 { (number as i64).into() } else { number.into() })
    });
}

/// A string that begins a line is a paragraph, whatever it begins with: `2026. ` is no list, `# ` no heading.
fn at_line_start(text: &str) -> String {
    let document = Document::from_marked(text);
    let shown = document.text.as_str();
    let digits = shown.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &shown.as_bytes()[digits..];
    let ends = |at: usize| rest.get(at).is_none_or(|b| *b == b' ' || *b == b'\t');
    let is_mark = match rest.first() {
        Some(b'.' | b')') if (1..=9).contains(&digits) => ends(1),
        _ if digits > 0 => false,
        Some(b'-' | b'+' | b'=' | b'>' | b'#' | b'|' | b':') => true,
        Some(b'*') => ends(1) || shown.trim_matches(['*', ' ']).is_empty(),
        Some(b'_') => shown.trim_matches(['_', ' ']).is_empty(),
        Some(b'~') => shown.starts_with("~~~"),
        Some(b'`') => shown.starts_with("```") && !shown.trim_start_matches('`').contains('`'),
        _ => false,
    };
    if !is_mark {
        return text.to_owned();
    }
    // a number before the mark may be a figure: the escape stands after it
    let at = match text.find(END).filter(|_| digits > 0 && text.starts_with(FIGURE)) {
        Some(end) => end + END.len_utf8(),
        None => digits,
    };
    format!("{}\\{}", &text[..at], &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_never_a_block() {
        for text in
            ["2026. 10", "1) x", "- x", "---", "===", "# x", "> x", "* x", "***", "~~~", "```", "+ x", "| a |", "___"]
        {
            let html = {
                let mut html = String::new();
                let text = at_line_start(text);
                pulldown_cmark::html::push_html(
                    &mut html,
                    pulldown_cmark::Parser::new_ext(&text, super::super::OPTIONS),
                );
                html
            };
            assert_eq!(html.replace("<p>", "").replace("</p>\n", "").replace("&gt;", ">"), text);
        }
        assert_eq!(at_line_start("\u{E000}n\u{E001}24\u{E002}. x"), "\u{E000}n\u{E001}24\u{E002}\\. x");
        for text in ["**굵게** 시작", "`code`", "3.5배", "1편"] {
            assert_eq!(at_line_start(text), text);
        }
    }

    #[test]
    fn an_error_of_a_template_has_its_place() {
        let source = Source::new("templates/x/article.md", "one\n  {{ nothing(x=1) }}\n");
        let found = run(&source, |_| {}).expect_err("no such function");
        let found = found.iter().next().expect("one");
        assert_eq!(found.place().expect("a place").to_string(), "templates/x/article.md:2:6");
    }
}
