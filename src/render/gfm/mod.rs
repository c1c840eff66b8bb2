//! The Markdown target: each token of a template becomes GitHub-flavoured Markdown that a plain viewer shows right too.

mod cell;
mod file;
mod links;

use std::fmt::Write as _;

use super::{CLOSE, Document, Edit, OPEN, OPTIONS, SEP, text_of};
use crate::diag::{Diagnostic, Diagnostics, Outcome};
use crate::facts::Align;
use crate::page::{Chart, Citation, Page, Quotation, Table, code, plain};

use cell::cell;
pub(super) use file::file;
pub(super) use links::links;

/// A heading as the contents list it.
struct Heading {
    level: u32,
    id: String,
    number: String,
    title: String,
}

/// The page as Markdown with its marks, then without them.
pub(super) fn document(page: &Page, article: &str) -> Outcome<Document> {
    let lines: Vec<Vec<&str>> = article.lines().map(token).collect();
    let headings = headings(&lines);
    let mut writer =
        Writer { page, headings, marked: String::with_capacity(article.len() * 2), tables: 0, figures: 0, heading: 0 };
    let mut wrong = Diagnostics::new();
    writer.opening();
    for line in &lines {
        match line.as_slice() {
            [text] if text.contains([OPEN, CLOSE]) => wrong.push(
                Diagnostic::error("template-block", "a table, heading or the like shares its line with other text")
                    .with_help("give each {{ … }} of a block a line of its own, with a blank line before and after"),
            ),
            // a block has brought its blank line
            [text] if text.trim().is_empty() && writer.marked.ends_with("\n\n") => {}
            [text] => {
                writer.marked.push_str(text);
                writer.marked.push('\n');
            }
            [kind, id, arguments @ ..] => writer.token(kind, id, arguments),
            [] => {}
        }
    }
    wrong.or_value(Document::from_marked(writer.marked.trim_end()))
}

/// The parts of a token that has its line for itself; else the line.
fn token(line: &str) -> Vec<&str> {
    match line.trim().strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)) {
        Some(inner) if !inner.contains([OPEN, CLOSE]) => inner.split(SEP).collect(),
        _ => vec![line],
    }
}

/// The headings in order, each with its number: 3, 3.1.
fn headings(lines: &[Vec<&str>]) -> Vec<Heading> {
    let mut counts = [0u32; 3];
    let mut all = Vec::new();
    for line in lines {
        let ["heading", id, level, numbered, title] = line.as_slice() else { continue };
        let level = level.parse().unwrap_or(2);
        let depth = level as usize - 2;
        let mut number = String::new();
        if !numbered.is_empty() {
            counts[depth] += 1;
            counts[depth + 1..].fill(0);
            number = counts[..=depth].iter().map(u32::to_string).collect::<Vec<_>>().join(".");
            if depth == 0 {
                number.push('.');
            }
        }
        all.push(Heading { level, id: (*id).to_owned(), number, title: (*title).to_owned() });
    }
    all
}

struct Writer<'a> {
    page: &'a Page,
    headings: Vec<Heading>,
    marked: String,
    tables: usize,
    figures: usize,
    heading: usize,
}

impl Writer<'_> {
    /// A block: what `write` puts between the marks, with a blank line after it.
    fn block(&mut self, kind: &str, id: &str, write: impl FnOnce(&mut Self)) {
        self.marked.push_str(&format!("{OPEN}{kind}{SEP}{id}{SEP}"));
        write(self);
        let end = self.marked.trim_end().len();
        self.marked.truncate(end);
        self.marked.push(CLOSE);
        self.marked.push_str("\n\n");
    }

    /// Inline Markdown that HTML sets elsewhere than Markdown does.
    fn part(&mut self, kind: &str, inline: &str) {
        let _ = write!(self.marked, "{OPEN}{kind}{SEP}{SEP}{inline}{CLOSE}");
    }

    fn anchor(&mut self, id: &str) {
        let _ = writeln!(self.marked, "<a id=\"{id}\"></a>\n");
    }

    /// The title, the other languages, and what is wrong with a draft.
    fn opening(&mut self) {
        let page = self.page;
        let title = page.string("head.title").cloned().unwrap_or_default();
        self.block("title", "", |w| {
            let _ = writeln!(w.marked, "# {title}");
        });
        if page.languages().len() > 1 {
            let link = |l: &crate::page::Language| {
                let name = plain(&l.name);
                if l.dir == page.language().dir {
                    return name;
                }
                format!("[{name}](../../{}/{}/index.md)", l.dir, page.name())
            };
            let links = page.languages().iter().map(link).collect::<Vec<_>>().join(" · ");
            self.block("languages", "", |w| w.marked.push_str(&links));
        }
        if !page.broken().is_empty() {
            self.block("draft", "", |w| {
                let _ = writeln!(w.marked, "> {}\n>", plain(page.word("draft.notice")));
                for (claim, strings) in page.broken() {
                    let strings = strings.iter().map(|s| code(s)).collect::<Vec<_>>().join(", ");
                    let what = format!("{} → {strings}", code(claim));
                    let (before, after) = page.word("draft.claim").split_once("{}").unwrap_or_default();
                    let _ = writeln!(w.marked, "> - {}{what}{}", plain(before), plain(after));
                }
            });
        }
    }

    fn token(&mut self, kind: &str, id: &str, arguments: &[&str]) {
        let page = self.page;
        match kind {
            "heading" => self.write_heading(),
            "head" => self.head(arguments),
            "toc" => self.toc(),
            "callout" => self.callout(arguments.first().unwrap_or(&"")),
            "references" => self.references(),
            "diagram" => self.diagram(id, arguments),
            "table" => {
                if let Some(table) = page.table(id) {
                    self.table(id, table);
                }
            }
            "chart" => {
                if let Some(chart) = page.chart(id) {
                    self.chart(id, chart);
                }
            }
            "quote" => {
                if let Some(quote) = page.quote(id) {
                    self.quote(id, quote);
                }
            }
            _ => {}
        }
    }

    fn write_heading(&mut self) {
        let Some(Heading { level, id, number, title }) = self.headings.get(self.heading) else { return };
        let (level, id) = (*level as usize, id.clone());
        let (number, title) = (number.clone(), title.clone());
        self.heading += 1;
        self.block("heading", &id, |w| {
            w.anchor(&id);
            w.marked.push_str(&"#".repeat(level));
            w.marked.push(' ');
            if !number.is_empty() {
                w.part("number", &number);
                w.marked.push(' ');
            }
            w.part("title", &title);
        });
    }

    fn head(&mut self, more: &[&str]) {
        let page = self.page;
        self.block("head", "", |w| {
            for (i, entry) in page.head().iter().enumerate() {
                let more = more.get(i).filter(|text| !text.is_empty());
                let texts: Vec<&str> = entry.texts.iter().map(String::as_str).chain(more.copied()).collect();
                w.marked.push_str("- **");
                w.part("term", &entry.label);
                w.marked.push_str("**");
                w.marked.push_str(page.word("list.colon"));
                w.part("text", &texts.join(page.word("list.separator")));
                w.marked.push('\n');
            }
        });
    }

    fn toc(&mut self) {
        let mut list = String::new();
        for heading in self.headings.iter().filter(|h| h.level <= 3) {
            let indent = if heading.level == 3 { "  " } else { "" };
            let title = unmarked(&format!("{} {}", heading.number, heading.title));
            let _ = writeln!(list, "{indent}- [{}](#{})", title.trim_start(), heading.id);
        }
        let title = plain(self.page.word("nav.contents"));
        self.block("toc", "", |w| {
            let _ = write!(w.marked, "**{title}**\n\n{list}");
        });
    }

    fn callout(&mut self, text: &str) {
        let name = plain(self.page.word("callout.name"));
        self.block("callout", "", |w| {
            w.marked.push_str("> **");
            w.part("name", &name);
            w.marked.push_str("**\n>\n> ");
            w.part("says", text);
        });
    }

    /// "표 1" in bold, and the caption.
    fn caption(&mut self, number: &str, caption: &str) {
        self.marked.push_str("**");
        self.part("number", &plain(number));
        self.marked.push_str("** ");
        self.part("caption", caption);
        self.marked.push_str("\n\n");
    }

    fn table(&mut self, id: &str, table: &Table) {
        self.tables += 1;
        let number = self.page.fill("number.table", &self.tables.to_string());
        self.block("table", id, |w| {
            w.anchor(&format!("table-{id}"));
            w.caption(&number, &table.caption);
            w.grid(table);
        });
    }

    /// A table as such.
    fn grid(&mut self, table: &Table) {
        let mut row = |cells: &mut dyn Iterator<Item = String>| {
            self.marked.push('|');
            for cell in cells {
                let _ = write!(self.marked, " {cell} |");
            }
            self.marked.push('\n');
        };
        row(&mut table.head.iter().map(|h| cell(h)));
        row(&mut table.align.iter().map(|align| {
            match align {
                Align::Text => ":---",
                Align::Number => "---:",
            }
            .to_owned()
        }));
        for cells in &table.rows {
            row(&mut cells.iter().map(|c| cell(&c.text)));
        }
    }

    fn chart(&mut self, id: &str, chart: &Chart) {
        self.figures += 1;
        let number = self.page.fill("number.figure", &self.figures.to_string());
        let summary = self.page.word("chart.data").to_owned();
        self.block("chart", id, |w| {
            w.anchor(&format!("figure-{id}"));
            w.caption(&number, &chart.title);
            w.image(id, &chart.title);
            w.part("subtitle", &chart.subtitle);
            w.marked.push_str("\n\n");
            w.part("source", &chart.source);
            let summary = summary.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(w.marked, "\n\n<details>\n<summary>{summary}</summary>\n");
            w.grid(&chart.data);
            w.marked.push_str("\n</details>\n");
        });
    }

    fn diagram(&mut self, id: &str, arguments: &[&str]) {
        self.figures += 1;
        let number = self.page.fill("number.figure", &self.figures.to_string());
        let title = *arguments.first().unwrap_or(&"");
        self.block("diagram", id, |w| {
            w.anchor(&format!("figure-{id}"));
            w.caption(&number, title);
            w.image(id, title);
        });
    }

    fn image(&mut self, id: &str, title: &str) {
        let _ = writeln!(self.marked, "![{}]({id}.svg)\n", plain(&text_of(title)));
    }

    fn quote(&mut self, id: &str, quote: &Quotation) {
        let text = quote.text.trim_end();
        let longest = text.lines().map(|l| l.trim_start().bytes().take_while(|b| *b == b'`').count()).max();
        let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
        self.block("quote", id, |w| {
            w.part("caption", &format!("{} — {}", quote.caption, citation(w.page, &quote.source)));
            let _ = writeln!(w.marked, "\n\n{fence}{}\n{text}\n{fence}", quote.language);
        });
    }

    fn references(&mut self) {
        let page = self.page;
        self.block("references", "", |w| {
            for group in page.references() {
                let _ = writeln!(w.marked, "**{}**\n", group.title);
                for entry in &group.entries {
                    let _ = writeln!(
                        w.marked,
                        "- {}{}",
                        citation(page, entry),
                        page.fill("list.aside", &plain(&entry.opened))
                    );
                }
                w.marked.push('\n');
            }
        });
    }
}

/// Where something was read: repository and version as a link, path and line, licence.
fn citation(page: &Page, source: &Citation) -> String {
    let address = source.url.replace(' ', "%20").replace('<', "%3C").replace('>', "%3E");
    let mut text = format!("[{}](<{address}>)", source.title);
    if let Some(path) = &source.path {
        let _ = write!(text, " {}", code(path));
    }
    if let Some(licence) = &source.licence {
        let _ = write!(text, "{}{licence}", page.word("list.comma"));
    }
    text
}

/// Inline Markdown without the marks of its figures.
fn unmarked(inline: &str) -> String {
    Document::from_marked(inline).text
}
