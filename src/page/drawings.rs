//! Charts: their words, their drawing, their data as a table.

use indexmap::IndexMap;

use super::{Asked, Cell, Chart, DataTable, Desk, Inline, Table, Words, made, plain, text_of};
use crate::chart;
use crate::diag::Place;
use crate::quantity::Quantity;

/// Every chart of the part whose data was computed.
pub(super) fn build(desk: &Desk<'_>) -> IndexMap<String, Chart> {
    let material = desk.material;
    let part = material.part;
    let mut all = IndexMap::new();
    for (id, def) in &part.charts {
        let Some(data) = material.facts.charts.get(id) else { continue };
        let place = part.source.place(def.span());
        let words = Voice { desk, place: &place };
        match made(&Asked { id, def, source: &part.source, data }, &words) {
            Ok((drawn, data)) => {
                all.insert(id.clone(), with_words(&words, id, drawn, data));
            }
            Err(wrong) => wrong.into_iter().for_each(|one| desk.report(one)),
        }
    }
    all
}

fn with_words(words: &Voice<'_>, id: &str, drawn: chart::Chart, data: DataTable) -> Chart {
    let inline = |name: &str| words.inline(&format!("chart.{id}.{name}"));
    let svg = chart::draw(&drawn);
    // the page sets title, subtitle and source as text; the title stays for those who do not see the drawing
    let bare = chart::Chart { title: String::new(), subtitle: String::new(), source: String::new(), ..drawn };
    let named = format!("-title\">{}</title>", title(&svg));
    let drawing = chart::draw(&bare).replacen("-title\"></title>", &named, 1);
    let table = Table {
        caption: Inline::new(),
        align: data.head.iter().map(|column| column.align).collect(),
        head: data.head.iter().map(|column| plain(&column.text)).collect(),
        rows: data
            .rows
            .iter()
            .map(|row| row.iter().map(|text| Cell { text: plain(text), bar: None }).collect())
            .collect(),
    };
    Chart { title: inline("title"), subtitle: inline("subtitle"), source: inline("source"), svg, drawing, data: table }
}

/// The title that an SVG file says, as XML.
fn title(svg: &str) -> &str {
    let inside = svg.split_once("<title").and_then(|(_, rest)| rest.split_once('>'));
    inside.and_then(|(_, rest)| rest.split_once("</title>")).map_or("", |(title, _)| title)
}

/// The page's language as drawing knows it.
struct Voice<'a> {
    desk: &'a Desk<'a>,
    place: &'a Place,
}

impl Voice<'_> {
    fn inline(&self, key: &str) -> Inline {
        self.desk.string(key, || self.place.clone())
    }
}

impl Words for Voice<'_> {
    fn lang(&self) -> &str {
        self.desk.material.locale.tag()
    }

    fn text(&self, key: &str) -> String {
        text_of(&self.inline(key))
    }

    fn optional(&self, key: &str) -> Option<String> {
        self.desk.optional(key).map(|inline| text_of(&inline))
    }

    fn quantity(&self, quantity: &Quantity) -> String {
        self.desk.material.locale.quantity(quantity)
    }
}
