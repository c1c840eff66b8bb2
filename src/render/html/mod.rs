//! The HTML target: made from the very Markdown that is published, block by block.

mod inline;
mod notes;
mod table;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{Block, Body, Document, OPTIONS};
use crate::facts::Align;
use crate::page::Page;

use inline::{Inlines, attribute};
use notes::Notes;

/// An event and the bytes of the Markdown that it is from.
type Located<'a> = (Event<'a>, Range<usize>);

/// Makes the parts; `drawings` are finished SVG files by id.
pub(super) fn body(document: &Document, page: &Page, drawings: &BTreeMap<String, String>) -> Body {
    let events: Vec<Located<'_>> = Parser::new_ext(&document.text, OPTIONS).into_offset_iter().collect();
    let notes = Notes::of(&events);
    let writer = Writer { document, page, drawings, notes: &notes };
    let mut body = Body::default();
    let mut inlines = writer.inlines(0..document.text.len());
    let mut said = BTreeMap::new();
    let mut at = 0;
    let mut blocks = document.blocks.iter().filter(|b| !b.id.is_empty() || is_block(&b.kind)).peekable();
    while let Some((event, range)) = events.get(at) {
        if let Event::Start(Tag::FootnoteDefinition(name)) = event {
            let inside = events[at..].iter().take_while(|(_, r)| r.start < range.end).count();
            said.insert(name.to_string(), writer.all(&events[at..at + inside], |_| true));
            at += inside;
            continue;
        }
        while blocks.next_if(|b| b.range.end <= range.start).is_some() {}
        match blocks.peek().filter(|b| b.range.start <= range.start) {
            Some(block) => {
                let inside = events[at..].iter().take_while(|(_, r)| r.start < block.range.end).count();
                body.main.push_str(&inlines.take());
                writer.block(&mut body, block, &events[at..at + inside]);
                at += inside;
            }
            None => {
                inlines.event(event, range);
                at += 1;
            }
        }
    }
    body.main.push_str(&inlines.take());
    body.main.push_str(&notes.section(&said, page.word("evidence.back")));
    body
}

/// The kinds of blocks that have no id.
fn is_block(kind: &str) -> bool {
    matches!(kind, "title" | "languages" | "draft" | "head" | "toc" | "callout" | "references")
}

struct Writer<'a> {
    document: &'a Document,
    page: &'a Page,
    drawings: &'a BTreeMap<String, String>,
    notes: &'a Notes,
}

impl<'a> Writer<'a> {
    /// A writer of what lies within `clip`.
    fn inlines(&self, clip: Range<usize>) -> Inlines<'a> {
        Inlines::new(self.document, self.page, self.notes, clip)
    }
}

impl Writer<'_> {
    fn block(&self, body: &mut Body, block: &Block, events: &[Located<'_>]) {
        let main = &mut body.main;
        match block.kind.as_str() {
            "languages" => Ok(()),
            "title" => {
                body.title = self.all(events, |e| !matches!(e, Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_))));
                Ok(())
            }
            "draft" => {
                body.draft = self.all(events, |e| !matches!(e, Event::Start(Tag::BlockQuote(_)) | Event::End(TagEnd::BlockQuote(_))));
                Ok(())
            }
            "head" => self.head(&mut body.head, block, events),
            "toc" => {
                let list = events.iter().position(|(e, _)| matches!(e, Event::Start(Tag::List(_)))).unwrap_or(0);
                body.toc = self.all(&events[list..], |_| true);
                Ok(())
            }
            "heading" => self.heading(main, block, events),
            "callout" => {
                let (name, says) = (self.part(block, "name", events), self.part(block, "says", events));
                writeln!(main, "<aside class=\"callout\">\n<p class=\"name\">{name}</p>\n<p>{says}</p>\n</aside>")
            }
            "references" => {
                let list = self.all(events, |_| true);
                writeln!(main, "<div class=\"references\">\n{list}</div>")
            }
            "table" => self.table(main, block, events),
            "chart" => self.chart(main, block, events),
            "diagram" => {
                let caption = self.caption(block, events);
                let drawing = self.drawing(&block.id);
                writeln!(
                    main,
                    "<figure class=\"diagram\" id=\"figure-{}\">\n<figcaption>{caption}</figcaption>\n{drawing}</figure>",
                    attribute(&block.id)
                )
            }
            _ => {
                let caption = self.part(block, "caption", events);
                let code = events.iter().position(|(e, _)| matches!(e, Event::Start(Tag::CodeBlock(_)))).unwrap_or(0);
                let code = self.all(&events[code..], |_| true);
                writeln!(main, "<figure class=\"quote\">\n<figcaption>{caption}</figcaption>\n{code}</figure>")
            }
        }
        .expect("a string takes everything");
    }

    /// The events that `keep` keeps, as HTML.
    fn all(&self, events: &[Located<'_>], keep: impl Fn(&Event<'_>) -> bool) -> String {
        let mut inlines = self.inlines(0..self.document.text.len());
        for (event, range) in events.iter().filter(|(event, _)| keep(event)) {
            inlines.event(event, range);
        }
        inlines.take()
    }

    /// The inline HTML of what is between two offsets.
    fn within(&self, range: Range<usize>, events: &[Located<'_>]) -> String {
        let mut inlines = self.inlines(range);
        for (event, range) in events {
            inlines.event(event, range);
        }
        inlines.take()
    }

    /// The parts of a kind that a block has.
    fn parts(&self, block: &Block, kind: &str) -> impl Iterator<Item = &Block> {
        let from = self.document.blocks.partition_point(|b| b.range.start < block.range.start);
        let inside = self.document.blocks[from..].iter().take_while(move |b| b.range.start < block.range.end);
        inside.filter(move |b| b.kind == kind)
    }

    /// The inline HTML of a part of a block.
    fn part(&self, block: &Block, kind: &str, events: &[Located<'_>]) -> String {
        self.parts(block, kind).next().map_or_else(String::new, |part| self.within(part.range.clone(), events))
    }

    fn heading(&self, out: &mut String, block: &Block, events: &[Located<'_>]) -> std::fmt::Result {
        let heading = events.iter().position(|(e, _)| matches!(e, Event::Start(Tag::Heading { .. }))).unwrap_or(0);
        let level = match events.get(heading) {
            Some((Event::Start(Tag::Heading { level, .. }), _)) => *level as u8,
            _ => 2,
        };
        let id = attribute(&block.id);
        write!(out, "<h{level} id=\"{id}\">")?;
        if let Some(number) = self.parts(block, "number").next() {
            write!(out, "<span class=\"number\">{}</span> ", inline::text(&self.document.text[number.range.clone()]))?;
        }
        writeln!(out, "{}</h{level}>", self.part(block, "title", events))
    }

    fn head(&self, out: &mut String, block: &Block, events: &[Located<'_>]) -> std::fmt::Result {
        out.push_str("<dl>\n");
        for (term, text) in self.parts(block, "term").zip(self.parts(block, "text")) {
            let (term, text) = (self.within(term.range.clone(), events), self.within(text.range.clone(), events));
            writeln!(out, "<div><dt>{term}</dt><dd>{text}</dd></div>")?;
        }
        out.push_str("</dl>\n");
        Ok(())
    }

    /// The number of a table or figure, and its caption.
    fn caption(&self, block: &Block, events: &[Located<'_>]) -> String {
        let (number, caption) = (self.part(block, "number", events), self.part(block, "caption", events));
        format!("<span class=\"number\">{number}</span> {caption}")
    }

    fn table(&self, out: &mut String, block: &Block, events: &[Located<'_>]) -> std::fmt::Result {
        let Some(table) = self.page.table(&block.id) else { return Ok(()) };
        let id = attribute(&block.id);
        let caption = self.caption(block, events);
        writeln!(
            out,
            "<div class=\"table\" id=\"table-{id}\" role=\"region\" aria-labelledby=\"caption-{id}\" tabindex=\"0\">\n<table>\n\
             <caption id=\"caption-{id}\"><span>{caption}</span></caption>"
        )?;
        self.rows(out, table, events);
        out.push_str("</table>\n</div>\n");
        Ok(())
    }

    /// Head and body of a table.
    fn rows(&self, out: &mut String, table: &crate::page::Table, events: &[Located<'_>]) {
        let start = events.iter().position(|(e, _)| matches!(e, Event::Start(Tag::Table(_)))).unwrap_or(events.len());
        out.push_str(&table::rows(table, &events[start..], |events| self.all(events, |_| true)));
    }

    fn chart(&self, out: &mut String, block: &Block, events: &[Located<'_>]) -> std::fmt::Result {
        let Some(chart) = self.page.chart(&block.id) else { return Ok(()) };
        let id = attribute(&block.id);
        let part = |kind| self.part(block, kind, events);
        writeln!(
            out,
            "<figure class=\"chart\" id=\"figure-{id}\">\n<figcaption>{}</figcaption>\n<p class=\"subtitle\">{}</p>\n{}\
             <p class=\"source\">{}</p>",
            self.caption(block, events),
            part("subtitle"),
            standalone(&chart.drawing),
            part("source"),
        )?;
        let label = inline::text(self.page.word("chart.data"));
        writeln!(
            out,
            "<details>\n<summary>{label}</summary>\n<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table>"
        )?;
        self.rows(out, &chart.data, events);
        out.push_str("</table>\n</div>\n</details>\n</figure>\n");
        Ok(())
    }

    fn drawing(&self, id: &str) -> &str {
        self.drawings.get(id).map_or("", |svg| standalone(svg))
    }
}

/// An SVG file without its prologue: it may stand inside HTML.
fn standalone(svg: &str) -> &str {
    svg.find("<svg").map_or("", |at| &svg[at..])
}

/// The class of a cell.
fn class(align: Option<&Align>) -> &'static str {
    match align {
        Some(Align::Number) => " class=\"n\"",
        _ => "",
    }
}
