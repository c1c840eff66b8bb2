//! The rows of a table: headers with their scope, numbers aligned on the decimal, bars in cells.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Located, class};
use crate::facts::Align;
use crate::page::Table;

/// `<thead>` and `<tbody>`; `events` begin with the table's, `inline` writes those of a cell.
pub(super) fn rows(table: &Table, events: &[Located<'_>], inline: impl Fn(&[Located<'_>]) -> String) -> String {
    let decimals = decimals(table);
    let mut html = String::new();
    let (mut row, mut column, mut start) = (0usize, 0usize, 0usize);
    for (i, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::TableHead) => html.push_str("<thead>\n<tr>"),
            Event::End(TagEnd::TableHead) => html.push_str("</tr>\n</thead>\n<tbody>\n"),
            Event::Start(Tag::TableRow) => {
                (row, column) = (row + 1, 0);
                html.push_str("<tr>");
            }
            Event::End(TagEnd::TableRow) => html.push_str("</tr>\n"),
            Event::Start(Tag::TableCell) => start = i + 1,
            Event::End(TagEnd::TableCell) => {
                let content = inline(&events[start..i]);
                let align = table.align.get(column);
                let class = class(align);
                let cell = row.checked_sub(1).and_then(|r| table.rows.get(r)).and_then(|cells| cells.get(column));
                let written = match cell {
                    None => write!(html, "<th scope=\"col\"{class}>{content}</th>"),
                    Some(_) if column == 0 => write!(html, "<th scope=\"row\"{class}>{content}</th>"),
                    Some(cell) => {
                        let pad = pad(&cell.text, decimals.get(column).copied().flatten());
                        match cell.bar {
                            None => write!(html, "<td{class}>{content}{pad}</td>"),
                            Some(length) => write!(
                                html,
                                "<td{class}><span class=\"barred\"><span class=\"bar\" style=\"--length:{:.1}%\"></span>\
                                 <span>{content}{pad}</span></span></td>",
                                length * 100.0
                            ),
                        }
                    }
                };
                written.expect("a string takes everything");
                column += 1;
            }
            Event::End(TagEnd::Table) => break,
            _ => {}
        }
    }
    html.push_str("</tbody>\n");
    html
}

/// For each column of numbers, of which most stand bare: the most decimals that one has.
fn decimals(table: &Table) -> Vec<Option<usize>> {
    let most = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.text.is_empty());
        let all = cells.clone().count();
        let bare: Vec<usize> = cells.filter_map(|cell| fraction(&cell.text)).collect();
        bare.iter().max().copied().filter(|_| bare.len() * 3 >= all * 2)
    };
    let is_number = |align: &Align| *align == Align::Number;
    table.align.iter().enumerate().map(|(i, align)| is_number(align).then(|| most(i)).flatten()).collect()
}

/// How many decimals the number in a cell has, if it holds nothing but one.
fn fraction(cell: &str) -> Option<usize> {
    let text = super::super::text_of(cell);
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.'));
    is_number.then(|| text.split_once('.').map_or(0, |(_, decimals)| decimals.len()))
}

/// The room that missing decimals would take.
fn pad(cell: &str, most: Option<usize>) -> String {
    let Some(most) = most.filter(|most| *most > 0) else { return String::new() };
    match fraction(cell) {
        Some(own) if own < most => {
            let digits = if own == 0 { format!(".{}", "0".repeat(most)) } else { "0".repeat(most - own) };
            format!("<span class=\"pad\" aria-hidden=\"true\">{digits}</span>")
        }
        _ => String::new(),
    }
}
