//! Tera → Markdown → HTML. Returns path → bytes, writes nothing.
//!
//! 1. `tera` fills the article's template with strings; tables, charts and the like leave a token.
//! 2. `gfm` puts the Markdown of each token in its place, joins lines, and makes emphasis hold in every viewer.
//! 3. `html` makes the page from that same Markdown, `theme` puts it into the theme's templates.
//!
//! The Markdown is carried as a `Document`: its text, and beside it where figures and blocks stand in that text.

mod emphasis;
mod gfm;
mod html;
mod softbreak;
mod tera;
mod theme;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ::tera::ErrorKind;
use pulldown_cmark::Options;

use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};
use crate::page::{self, END, FIGURE, Page, SHOWN};
use crate::project::read_text;

/// Path below `output/` → bytes.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The templates of one part and of the theme.
#[derive(Debug)]
pub struct Templates {
    article: Source,
    diagrams: BTreeMap<String, Source>,
    page: Source,
    style: Source,
}

impl Templates {
    /// Reads `templates/<part>/article.md`, the figures `templates/<part>/*.svg`, and the theme in `templates/site/`.
    pub fn load(root: &Path, part: &str) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let mut read = |path: String| wrong.gather(read_text(root, &path));
        let folder = format!("templates/{part}");
        let article = read(format!("{folder}/article.md"));
        let page = read("templates/site/page.html".to_owned());
        let style = read("templates/site/style.css".to_owned());
        let mut diagrams = BTreeMap::new();
        let files = walkdir::WalkDir::new(root.join(&folder)).max_depth(1).sort_by_file_name();
        for file in files.into_iter().filter_map(Result::ok) {
            let id = file.file_name().to_str().and_then(|name| name.strip_suffix(".svg"));
            if let Some(id) = id
                && let Some(source) = read(format!("{folder}/{id}.svg"))
            {
                diagrams.insert(id.to_owned(), source);
            }
        }
        match (article, page, style) {
            (Some(article), Some(page), Some(style)) => wrong.or_value(Self { article, diagrams, page, style }),
            _ => Err(wrong),
        }
    }
}

/// Makes `<lang>/<part>/index.md`, `index.html` and a file for each drawing. Besides the files: warnings.
pub fn render(page: &Arc<Page>, templates: &Templates) -> Outcome<(Files, Diagnostics)> {
    let filled = tera::fill(page, templates)?;
    let mut wrong = filled.wrong;
    let drawings: BTreeMap<String, String> =
        filled.diagrams.into_iter().chain(page.charts().map(|(id, c)| (id.to_owned(), c.svg.clone()))).collect();
    let mut document = match gfm::document(page, &filled.article) {
        Ok(document) => document,
        Err(found) => {
            wrong.extend(found);
            return Err(wrong);
        }
    };
    document.edit(&gfm::links(&document.text));
    document.edit(&softbreak::edits(&document.text));
    document.edit(&emphasis::edits(&document.text));
    let body = html::body(&document, page, &drawings);
    let html = wrong.gather(theme::page(page, templates, &body));
    if wrong.has_errors() {
        return Err(wrong);
    }
    let folder = format!("{}/{}", page.language().dir, page.name());
    let mut files = Files::new();
    files.insert(format!("{folder}/index.md"), gfm::file(page, &document).into_bytes());
    files.insert(format!("{folder}/index.html"), html.unwrap_or_default().into_bytes());
    for (id, svg) in drawings {
        files.insert(format!("{folder}/{id}.svg"), svg.into_bytes());
    }
    Ok((files, wrong))
}

/// What of Markdown is read: GitHub's tables and strikethrough besides `CommonMark`.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_FOOTNOTES);

/// Opens a block: kind [`SEP`] id [`SEP`] content [`CLOSE`]. In what a template gives, arguments stand for the content.
const OPEN: char = '\u{E020}';
const SEP: char = '\u{E021}';
const CLOSE: char = '\u{E022}';

/// A byte range and what is to stand there instead.
type Edit = (Range<usize>, String);

/// Markdown, and what stands where in it.
#[derive(Debug, Default, PartialEq)]
struct Document {
    text: String,
    /// In order; never nested.
    figures: Vec<Span>,
    /// In order of their start, outer before inner.
    blocks: Vec<Block>,
}

/// A printed figure.
#[derive(Debug, PartialEq)]
struct Span {
    range: Range<usize>,
    evidence: String,
}

/// A part of the page that is more than Markdown says.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    range: Range<usize>,
    kind: String,
    id: String,
}

impl Document {
    /// Takes the marks out of `marked` and keeps where they were.
    fn from_marked(marked: &str) -> Self {
        let mut document = Self { text: String::with_capacity(marked.len()), ..Self::default() };
        let mut open: Vec<usize> = Vec::new();
        let mut rest = marked;
        while let Some(at) = rest.find([FIGURE, END, OPEN, CLOSE]) {
            document.text.push_str(&rest[..at]);
            let mark = rest[at..].chars().next().unwrap_or(END);
            rest = &rest[at + mark.len_utf8()..];
            let here = document.text.len();
            let mut name = |end: char| {
                let (name, after) = rest.split_once(end).unwrap_or((rest, ""));
                rest = after;
                name.to_owned()
            };
            match mark {
                FIGURE => {
                    let evidence = name(SHOWN);
                    document.figures.push(Span { range: here..here, evidence });
                }
                END => {
                    if let Some(figure) = document.figures.last_mut() {
                        figure.range.end = here;
                    }
                }
                OPEN => {
                    let (kind, id) = (name(SEP), name(SEP));
                    open.push(document.blocks.len());
                    document.blocks.push(Block { range: here..here, kind, id });
                }
                _ => {
                    if let Some(block) = open.pop() {
                        document.blocks[block].range.end = here;
                    }
                }
            }
        }
        document.text.push_str(rest);
        document
    }

    /// Edits the text; everything keeps its place in it.
    fn edit(&mut self, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let mut grown = 0isize;
        let mut steps = Vec::with_capacity(edits.len());
        for (range, with) in edits {
            grown += with.len() as isize - range.len() as isize;
            steps.push((range.clone(), grown));
        }
        let after = |n: usize, at: usize| at.saturating_add_signed(n.checked_sub(1).map_or(0, |n| steps[n].1));
        // what is written at an end stays outside
        let start = |at: usize| after(steps.partition_point(|(range, _)| range.end <= at), at);
        let end = |at: usize| after(steps.partition_point(|(range, _)| range.start < at), at);
        for figure in &mut self.figures {
            figure.range = start(figure.range.start)..end(figure.range.end);
        }
        for block in &mut self.blocks {
            block.range = start(block.range.start)..end(block.range.end);
        }
        self.text = apply(&self.text, edits);
    }
}

/// The parts of a page that the theme puts in their places.
#[derive(Debug, Default)]
struct Body {
    title: String,
    /// What is wrong with a draft; empty if nothing is.
    draft: String,
    /// The definition list of the head.
    head: String,
    /// The list of contents.
    toc: String,
    /// Everything else.
    main: String,
}

/// `text` after `edits`, which are in order and do not overlap.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut done = String::with_capacity(text.len() + edits.len() * 8);
    let mut at = 0;
    for (range, with) in edits {
        done.push_str(&text[at..range.start]);
        done.push_str(with);
        at = range.end;
    }
    done.push_str(&text[at..]);
    done
}

/// A Tera error as diagnostics with their places; `help` says what would be right.
fn template_errors(error: &::tera::Error, source: &Source, help: &str) -> Diagnostics {
    let found =
        |code, message: &str, place| Diagnostic::error(code, sentence(message)).with_place(place).with_help(help);
    match error.kind() {
        ErrorKind::SyntaxError(report) => {
            found("template-syntax", report.message(), source.place(report.span().range.clone())).into()
        }
        ErrorKind::RenderingError(report) => {
            found("template", report.message(), source.place(report.span().range.clone())).into()
        }
        kind => {
            // several reports as one text: a message, then a line that ends in `:<line>:<column>`
            let text = kind.to_string();
            let one = |report: &str| {
                let mut lines = report.lines();
                let message = lines.next().unwrap_or_default();
                let place = lines.next().and_then(|locus| line_place(source, locus));
                found("template", message, place.unwrap_or_else(|| Place::file(source.path())))
            };
            text.split("error: ").map(str::trim).filter(|report| !report.is_empty()).map(one).collect()
        }
    }
}

/// The place that ` --> file:2:6` names in `source`.
fn line_place(source: &Source, locus: &str) -> Option<Place> {
    let mut numbers = locus.trim().rsplit(':');
    let column: usize = numbers.next()?.parse().ok()?;
    let line: usize = numbers.next()?.parse().ok()?;
    let start: usize = source.text().split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let within: usize = source.text().get(start..)?.chars().take(column.checked_sub(1)?).map(char::len_utf8).sum();
    Some(source.place(start + within..start + within))
}

/// The first line, beginning in lower case.
fn sentence(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim();
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// What a reader sees of inline Markdown, without any markup.
fn text_of(inline: &str) -> String {
    let mut document = Document::from_marked(inline);
    document.edit(&emphasis::edits(&document.text));
    page::text_of(&document.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_blocks_keep_their_places() {
        let marked = "a \u{E020}table\u{E021}x\u{E021}**\u{E000}n\u{E001}80%\u{E002}**가\u{E022} b";
        let mut document = Document::from_marked(marked);
        assert_eq!(document.text, "a **80%**가 b");
        document.edit(&emphasis::edits(&document.text));
        assert_eq!(document.text, "a <strong>80%</strong>가 b");
        assert_eq!(&document.text[document.figures[0].range.clone()], "80%");
        assert_eq!(&document.text[document.blocks[0].range.clone()], "<strong>80%</strong>가");
        assert_eq!((document.figures[0].evidence.as_str(), document.blocks[0].id.as_str()), ("n", "x"));
    }

    #[test]
    fn text_has_no_markup() {
        assert_eq!(text_of("**「語」**は `x` \u{E000}n\u{E001}8\\|0\u{E002}"), "「語」は x 8|0");
    }
}
