//! Footnotes: numbered in the order of their references, said at the end of the article, linked both ways.

use std::collections::BTreeMap;

use pulldown_cmark::Event;

use super::Located;

/// The footnotes of a page: the name of each, and where it is first referred to.
#[derive(Default)]
pub(super) struct Notes(Vec<(String, usize)>);

impl Notes {
    pub(super) fn of(events: &[Located<'_>]) -> Self {
        let mut notes = Self::default();
        for (event, range) in events {
            if let Event::FootnoteReference(name) = event
                && notes.number(name).is_none()
            {
                notes.0.push((name.to_string(), range.start));
            }
        }
        notes
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(known, _)| known == name).map(|i| i + 1)
    }

    /// The raised number at `at`; the first of a note is where its note leads back to.
    pub(super) fn reference(&self, name: &str, at: usize) -> String {
        let Some(number) = self.number(name) else { return String::new() };
        let anchor = if self.0[number - 1].1 == at { format!(" id=\"noteref-{number}\"") } else { String::new() };
        format!("<sup><a href=\"#note-{number}\"{anchor} role=\"doc-noteref\">{number}</a></sup>")
    }

    /// What the notes say, `said` by name; `back` is the word for the way back.
    pub(super) fn section(&self, said: &BTreeMap<String, String>, back: &str) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let note = |(i, (name, _)): (usize, &(String, usize))| {
            let text = said.get(name).map_or("", String::as_str).trim_end();
            let number = i + 1;
            let link = format!(" <a href=\"#noteref-{number}\" role=\"doc-backlink\" aria-label=\"{back}\">↩</a>");
            let text = match text.strip_suffix("</p>") {
                Some(open) => format!("{open}{link}</p>"),
                None => format!("{text}{link}"),
            };
            format!("<li id=\"note-{number}\">{text}</li>\n")
        };
        let notes: String = self.0.iter().enumerate().map(note).collect();
        format!("<section class=\"notes\" role=\"doc-endnotes\">\n<ol>\n{notes}</ol>\n</section>\n")
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Options, Parser};

    use super::*;

    #[test]
    fn notes_are_numbered_by_their_first_reference_and_lead_back_to_it() {
        let text = "b[^y] a[^x] b[^y]\n\n[^x]: one\n\n[^y]: two\n";
        let events: Vec<_> = Parser::new_ext(text, Options::ENABLE_FOOTNOTES).into_offset_iter().collect();
        let notes = Notes::of(&events);
        let references: Vec<String> = events
            .iter()
            .filter_map(|(event, range)| match event {
                Event::FootnoteReference(name) => Some(notes.reference(name, range.start)),
                _ => None,
            })
            .collect();
        assert!(references[0].contains("href=\"#note-1\" id=\"noteref-1\""), "{references:?}");
        assert!(references[1].contains("href=\"#note-2\" id=\"noteref-2\""), "{references:?}");
        assert!(references[2].contains("href=\"#note-1\" role"), "one id stands once: {references:?}");
        let said = [("x", "<p>one</p>\n"), ("y", "<p>two</p>\n")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let section = notes.section(&said.into(), "back");
        let (one, two) = (section.find("two"), section.find("one"));
        assert!(one < two && section.contains("<li id=\"note-1\"><p>two <a href=\"#noteref-1\""), "{section}");
        assert_eq!(Notes::default().section(&BTreeMap::new(), "back"), "");
    }
}
