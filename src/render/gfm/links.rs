//! Bare addresses.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{Edit, OPTIONS};

/// The edits that put bare addresses in angle brackets: GitHub would take the `。` after one for its end.
pub(in crate::render) fn links(text: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    if !text.contains("://") {
        return edits;
    }
    let mut inside = 0;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { .. } | Tag::CodeBlock(_) | Tag::Image { .. } | Tag::HtmlBlock) => inside += 1,
            Event::End(TagEnd::Link | TagEnd::CodeBlock | TagEnd::Image | TagEnd::HtmlBlock) => inside -= 1,
            Event::Text(_) if inside == 0 => {
                for (at, scheme) in
                    ["https://", "http://"].iter().flat_map(|scheme| text[range.clone()].match_indices(scheme))
                {
                    let at = range.start + at;
                    let is_address = |c: char| c.is_ascii_graphic() && !"<>\"`|\\".contains(c);
                    let address = text[at..].split(|c| !is_address(c)).next().unwrap_or_default();
                    let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '*', '~']);
                    if address.len() > scheme.len() {
                        edits.push((at..at + address.len(), format!("<{address}>")));
                    }
                }
            }
            _ => {}
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    edits
}
