//! The theme: `templates/site/page.html` and `style.css` around the parts of a page. The engine escapes what is no HTML.

use ::tera::{Context, Tera};
use serde::Serialize;

use super::{Body, Templates, template_errors, text_of};
use crate::diag::Outcome;
use crate::page::Page;

/// A language in which the page can be read.
#[derive(Serialize)]
struct Link<'a> {
    tag: &'a str,
    name: &'a str,
    /// Relative to the page; empty for the page itself.
    href: String,
}

/// The page as a self-contained file.
pub(super) fn page(page: &Page, templates: &Templates, body: &Body) -> Outcome<String> {
    let mut tera = Tera::new();
    tera.autoescape_on([".html"]);
    let source = &templates.page;
    let wrong = |error: ::tera::Error| {
        template_errors(&error, source, "`| safe` is for title, draft, head, toc, main and style")
    };
    tera.add_raw_template(source.path(), source.text()).map_err(wrong)?;
    let string = |key: &str| page.string(key).map_or_else(String::new, |inline| text_of(inline));
    let link = |l: &crate::page::Language| {
        let is_this = l.dir == page.language().dir;
        let href = if is_this { String::new() } else { format!("../../{}/{}/index.html", l.dir, page.name()) };
        serde_json::to_value(Link { tag: &l.tag, name: &l.name, href }).unwrap_or_default()
    };
    let mut context = Context::new();
    context.insert("lang", &page.language().tag);
    context.insert("name", &page.name());
    context.insert("plain_title", &string("head.title"));
    context.insert("description", &string("head.description"));
    context.insert("series", page.word("series.title"));
    context.insert("number", &page.fill("series.part", &page.number().to_string()));
    context.insert("languages", &page.languages().iter().map(link).collect::<Vec<_>>());
    context.insert("style", templates.style.text());
    for (key, html) in
        [("title", &body.title), ("draft", &body.draft), ("head", &body.head), ("toc", &body.toc), ("main", &body.main)]
    {
        context.insert(key, html);
    }
    for (key, word) in [
        ("contents", "nav.contents"),
        ("languages_label", "nav.languages"),
        ("skip", "nav.skip"),
        ("footer", "footer.figures"),
    ] {
        context.insert(key, page.word(word));
    }
    tera.render(source.path(), &context).map_err(wrong)
}
