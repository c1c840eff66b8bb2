//! Line breaks of the template: nothing between Chinese and Japanese characters, a blank elsewhere; one line a paragraph.

use pulldown_cmark::{Event, Parser, Tag};

use super::{Edit, OPTIONS};
use crate::page::joint;

/// The edits that join the lines of every paragraph of `text`.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut shown = None;
    let mut open: Option<(usize, char)> = None;
    let mut in_code = false;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code = false,
            _ => {}
        }
        // what the reader sees next decides, but the break ends where anything begins
        if let Some((from, before)) = open
            && !matches!(event, Event::End(_))
        {
            if let Some(edit) = edits.last_mut()
                && edit.0.start == from
                && edit.0.is_empty()
            {
                edit.0.end = range.start;
            }
            let first = match &event {
                Event::Text(t) | Event::Code(t) => t.chars().find(|c| !is_delimiter(*c)),
                _ => None,
            };
            if let Some(after) = first {
                if let Some(edit) = edits.last_mut() {
                    edit.1 = joint(before, after).to_owned();
                }
                open = None;
            }
        }
        match event {
            Event::Text(t) if !in_code => {
                edits.extend(blanks(text, range));
                shown = t.chars().rev().find(|c| !is_delimiter(*c)).or(shown);
            }
            Event::Code(t) => shown = t.chars().next_back().or(shown),
            Event::SoftBreak => {
                let start = text[..range.start].trim_end_matches([' ', '\t']).len();
                edits.push((start..start, " ".to_owned()));
                open = shown.map(|before| (start, before));
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Heading { .. } | Tag::TableCell) => shown = None,
            _ => {}
        }
    }
    edits.retain(|(range, with)| !range.is_empty() || !with.is_empty());
    edits
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '*' | '~')
}

/// Blanks after a full-width stop, which brings its own space: two strings side by side in a template.
fn blanks(text: &str, range: std::ops::Range<usize>) -> Vec<Edit> {
    let part = &text[range.clone()];
    part.match_indices(' ')
        .filter(|(at, _)| part[..*at].ends_with(['。', '！', '？', '，', '；', '：', '、']))
        .map(|(at, _)| (range.start + at..range.start + at + 1, String::new()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        for (text, is) in [
            ("接続が\n増える", "接続が増える"),
            ("연결이\n늘어난다", "연결이 늘어난다"),
            ("接続は\ngRPC である", "接続は gRPC である"),
            ("**接続**\n増加", "**接続**増加"),
            ("接続\n**増加**", "接続**増加**"),
            ("接続を\n`ss`で", "接続を `ss`で"),
            ("- 接続が\n  増える\n- 次", "- 接続が増える\n- 次"),
            ("> 接続が\n> 増える", "> 接続が増える"),
            ("終わり。 次", "終わり。次"),
            ("終わり。 **次**", "終わり。**次**"),
            ("[文](u)\nの", "[文](u)の"),
            ("a  \nb", "a  \nb"),
            ("一\n\n二", "一\n\n二"),
            ("```\n一\n二。 三\n```", "```\n一\n二。 三\n```"),
            ("一   \\\n二", "一   \\\n二"),
        ] {
            assert_eq!(apply(text, &edits(text)), is, "{text}");
        }
    }
}
