//! Markdown events as HTML, with `<data>` around each figure.

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

use super::{Document, Notes};
use crate::page::Page;

/// Writes events one after the other.
pub(super) struct Inlines<'a> {
    document: &'a Document,
    page: &'a Page,
    notes: &'a Notes,
    /// Only what lies within is written.
    clip: Range<usize>,
    html: String,
    /// The figure whose element is open.
    open: Option<usize>,
    /// The text of the image that is open.
    alt: Option<String>,
    /// Links whose target is not to be followed.
    unsafe_links: u32,
}

impl<'a> Inlines<'a> {
    pub(super) fn new(document: &'a Document, page: &'a Page, notes: &'a Notes, clip: Range<usize>) -> Self {
        Self { document, page, notes, clip, html: String::new(), open: None, alt: None, unsafe_links: 0 }
    }

    /// What has been written since the last time.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.html)
    }

    pub(super) fn event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let is_inside = range.start >= self.clip.start && range.end <= self.clip.end;
        if let Event::Text(shown) = event {
            self.shown(shown, range);
            return;
        }
        if !is_inside {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Code(code) => {
                self.enter(range.start);
                match &mut self.alt {
                    Some(alt) => alt.push_str(code),
                    None => {
                        self.html.push_str("<code>");
                        push_text(&mut self.html, code);
                        self.html.push_str("</code>");
                    }
                }
                self.leave(range.end);
            }
            Event::InlineHtml(tag) | Event::Html(tag) => self.tag(tag),
            Event::FootnoteReference(name) => self.html.push_str(&self.notes.reference(name, range.start)),
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            _ => {}
        }
    }

    /// Text, cut where figures begin and end.
    fn shown(&mut self, shown: &CowStr<'_>, range: &Range<usize>) {
        if let Some(alt) = &mut self.alt {
            alt.push_str(shown);
            return;
        }
        let verbatim = self.document.text.get(range.clone()) == Some(shown);
        if !verbatim {
            if range.start >= self.clip.start && range.end <= self.clip.end {
                self.enter(range.start);
                push_text(&mut self.html, shown);
                self.leave(range.end);
            }
            return;
        }
        let mut at = range.start.max(self.clip.start);
        let end = range.end.min(self.clip.end);
        while at < end {
            self.enter(at);
            let figures = &self.document.figures;
            let next = match self.open {
                Some(figure) => figures[figure].range.end,
                None => figures.get(self.figure_after(at)).map_or(end, |f| f.range.start),
            };
            let next = next.clamp(at + 1, end).min(end);
            push_text(&mut self.html, &self.document.text[at..next]);
            self.leave(next);
            at = next;
        }
    }

    /// The first figure that ends after an offset.
    fn figure_after(&self, at: usize) -> usize {
        self.document.figures.partition_point(|f| f.range.end <= at)
    }

    /// Opens the figure that the offset lies in.
    fn enter(&mut self, at: usize) {
        let index = self.figure_after(at);
        let Some(figure) = self.document.figures.get(index).filter(|f| f.range.start <= at) else { return };
        if self.open.is_some() || self.alt.is_some() {
            return;
        }
        self.open = Some(index);
        let id = attribute(&figure.evidence);
        let value = self.page.value(&figure.evidence).map(attribute);
        let written = match (figure.evidence.strip_prefix('!'), value) {
            (Some(_), _) => write!(self.html, "<mark class=\"missing\" data-key=\"{}\">", &id[1..]),
            (None, Some(value)) => {
                write!(self.html, "<data class=\"figure\" value=\"{value}\" data-evidence=\"{id}\">")
            }
            (None, None) => write!(self.html, "<data class=\"figure\" value=\"\" data-evidence=\"{id}\">"),
        };
        written.expect("a string takes everything");
    }

    /// Closes the open figure if it ends here.
    fn leave(&mut self, at: usize) {
        if let Some(figure) = self.open.map(|i| &self.document.figures[i])
            && at >= figure.range.end
        {
            self.html.push_str(if figure.evidence.starts_with('!') { "</mark>" } else { "</data>" });
            self.open = None;
        }
    }

    /// Only tags that this program writes are tags; any other is text.
    fn tag(&mut self, tag: &str) {
        const KNOWN: [&str; 8] = ["<strong>", "</strong>", "<em>", "</em>", "<del>", "</del>", "<code>", "</code>"];
        let trimmed = tag.trim();
        if KNOWN.contains(&trimmed) {
            self.html.push_str(trimmed);
        } else if !trimmed.starts_with("<a id=\"") && trimmed != "</a>" {
            push_text(&mut self.html, tag);
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let html = &mut self.html;
        match tag {
            Tag::Paragraph => html.push_str("<p>"),
            Tag::Heading { level, .. } => html.push_str(&format!("<{level}>")),
            Tag::BlockQuote(_) => html.push_str("<blockquote>\n"),
            Tag::CodeBlock(kind) => {
                html.push_str("<pre tabindex=\"0\"><code");
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    html.push_str(&format!(" class=\"language-{}\"", attribute(language)));
                }
                html.push('>');
            }
            Tag::List(Some(1)) => html.push_str("<ol>\n"),
            Tag::List(Some(start)) => html.push_str(&format!("<ol start=\"{start}\">\n")),
            Tag::List(None) => html.push_str("<ul>\n"),
            Tag::Item => html.push_str("<li>"),
            Tag::Emphasis => html.push_str("<em>"),
            Tag::Strong => html.push_str("<strong>"),
            Tag::Strikethrough => html.push_str("<del>"),
            Tag::Link { dest_url, .. } if self.alt.is_none() => match is_safe(dest_url) {
                true => html.push_str(&format!("<a href=\"{}\">", attribute(dest_url))),
                false => self.unsafe_links += 1,
            },
            Tag::Image { dest_url, .. } => {
                let source = if is_safe(dest_url) { attribute(dest_url) } else { String::new() };
                html.push_str(&format!("<img src=\"{source}\" alt=\""));
                self.alt = Some(String::new());
            }
            Tag::Table(_) => html.push_str("<table>\n"),
            Tag::TableHead | Tag::TableRow => html.push_str("<tr>"),
            Tag::TableCell => html.push_str("<td>"),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let html = &mut self.html;
        match tag {
            TagEnd::Paragraph => {
                // what held nothing but an anchor
                if html.ends_with("<p>") {
                    html.truncate(html.len() - 3);
                } else {
                    html.push_str("</p>\n");
                }
            }
            TagEnd::Heading(level) => html.push_str(&format!("</{level}>\n")),
            TagEnd::BlockQuote(_) => html.push_str("</blockquote>\n"),
            TagEnd::CodeBlock => html.push_str("</code></pre>\n"),
            TagEnd::List(true) => html.push_str("</ol>\n"),
            TagEnd::List(false) => html.push_str("</ul>\n"),
            TagEnd::Item => html.push_str("</li>\n"),
            TagEnd::Emphasis => html.push_str("</em>"),
            TagEnd::Strong => html.push_str("</strong>"),
            TagEnd::Strikethrough => html.push_str("</del>"),
            TagEnd::Link if self.alt.is_none() => match self.unsafe_links {
                0 => html.push_str("</a>"),
                _ => self.unsafe_links -= 1,
            },
            TagEnd::Image => {
                let alt = self.alt.take().unwrap_or_default();
                self.html.push_str(&attribute(&alt));
                self.html.push_str("\">");
            }
            TagEnd::Table => html.push_str("</table>\n"),
            TagEnd::TableHead | TagEnd::TableRow => html.push_str("</tr>\n"),
            TagEnd::TableCell => html.push_str("</td>"),
            _ => {}
        }
    }
}

/// Whether a link leads to a page: no scheme, or that of the web or of mail.
fn is_safe(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme).filter(|s| !s.contains(['/', '?', '#']));
    scheme.is_none_or(|s| ["http", "https", "mailto"].iter().any(|known| s.eq_ignore_ascii_case(known)))
}

fn push_text(html: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}

/// Plain text as HTML.
pub(super) fn text(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    push_text(&mut html, text);
    html
}

/// Plain text as the value of a quoted attribute.
pub(super) fn attribute(value: &str) -> String {
    text(value)
}
