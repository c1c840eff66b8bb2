//! A part's computed chart data, in the words of a language: the chart to draw, and the same data as a table.

mod data;

use serde_json::Value;
use serde_spanned::Spanned;

use crate::chart::{self, Axis, Body, Bucket, Chart, Tick};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Source};
use crate::facts::{Align, ChartDef};
use crate::quantity::{Precision, Quantity, Unit};

use data::{Amount, Bound, Histogram};

/// The quantiles that a `distribution` may mark, smallest first.
const QUANTILES: [&str; 2] = ["p50", "p99"];

/// A chart of part.toml with its computed data.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// `[charts.<id>]`
    pub id: &'a str,
    /// Its definition.
    pub def: &'a Spanned<ChartDef>,
    /// part.toml, in which a mistake in the data has its place.
    pub source: &'a Source,
    /// What its filter gave.
    pub data: &'a Value,
}

/// What a chart needs of a language: plain text, without Markdown and without the marks of figures.
pub trait Words {
    /// The BCP 47 tag.
    fn lang(&self) -> &str;
    /// A string that must be there; whoever answers reports it if it is not.
    fn text(&self, key: &str) -> String;
    /// A string that may be there.
    fn optional(&self, key: &str) -> Option<String>;
    /// A number with its unit.
    fn quantity(&self, quantity: &Quantity) -> String;
}

/// The data of a chart as rows of plain text.
#[derive(Clone, Debug, PartialEq)]
pub struct DataTable {
    /// The columns; the first names the row.
    pub head: Vec<Column>,
    /// One cell a column.
    pub rows: Vec<Vec<String>>,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its words.
    pub text: String,
    /// On which side its cells stand.
    pub align: Align,
}

/// Makes a chart and its table. Strings: `chart.<id>.title`, `.subtitle`, `.source`, `.description`, the heads of the table
/// `.head.key` (`.head.le` for `cumulative`), `.head.value`, `.head.share`; for `distribution` `.p50`, `.p99`; if there,
/// `.x` for the axis and `.label.<key>` for a row. What is wrong with the data is found at the filter (`chart-data`).
pub fn chart(asked: &Asked<'_>, words: &dyn Words) -> Outcome<(Chart, DataTable)> {
    let maker = Maker { asked, def: asked.def.get_ref(), words };
    let made = match maker.def.kind.get_ref().as_str() {
        "distribution" => data::histograms(asked.data).and_then(|data| maker.distribution(&data)),
        "dots" => data::amounts(asked.data).and_then(|data| maker.dots(data)),
        "bars" => data::amounts(asked.data).and_then(|data| maker.bars(&data)),
        "cumulative" => data::bounds(asked.data).and_then(|data| maker.cumulative(&data)),
        _ => {
            let message = format!("chart `{}` has a kind that does not exist", asked.id);
            return Err(Diagnostic::error("chart-kind", message)
                .with_place(asked.source.place(maker.def.kind.span()))
                .with_help("use `distribution`, `dots`, `bars` or `cumulative`")
                .into());
        }
    };
    let (body, table) = made.map_err(|wrong| maker.diagnostics(wrong))?;
    let text = |name: &str| words.text(&maker.key(name));
    let chart = Chart {
        id: asked.id.to_owned(),
        lang: words.lang().to_owned(),
        title: text("title"),
        subtitle: text("subtitle"),
        source: text("source"),
        description: text("description"),
        body,
    };
    Ok((chart, table))
}

/// A drawing and its table, or what is wrong.
type Made = Result<(Body, DataTable), Vec<String>>;

struct Maker<'a> {
    asked: &'a Asked<'a>,
    def: &'a ChartDef,
    words: &'a dyn Words,
}

impl Maker<'_> {
    fn diagnostics(&self, wrong: Vec<String>) -> Diagnostics {
        let place = self.asked.source.place(self.def.jq.span());
        let one = |what: String| {
            Diagnostic::error("chart-data", format!("the data of chart `{}`: {what}", self.asked.id))
                .with_place(place.clone())
                .with_help(format!(
                    "a `{}` chart has its form from its `jq`: see the reference of part.toml",
                    self.def.kind.get_ref()
                ))
        };
        wrong.into_iter().map(one).collect()
    }

    fn key(&self, name: &str) -> String {
        format!("chart.{}.{name}", self.asked.id)
    }

    fn label(&self, key: &str) -> String {
        self.words.optional(&self.key(&format!("label.{key}"))).unwrap_or_else(|| key.to_owned())
    }

    fn head(&self, name: &str, align: Align) -> Column {
        Column { text: self.words.text(&self.key(&format!("head.{name}"))), align }
    }

    /// A value as the definition shows it.
    fn value(&self, value: f64) -> Result<String, Vec<String>> {
        self.shown(value, self.def.show.unwrap_or(Precision::Whole), self.def.scale.as_deref())
    }

    /// A round value, in the scale that suits.
    fn tick(&self, at: f64) -> Result<Tick, Vec<String>> {
        // as few digits as say it
        let digits = (1..4).find(|n| self.rounds_to(at, *n) == self.rounds_to(at, 4)).unwrap_or(4);
        Ok(Tick { at, label: self.shown(at, Precision::Significant(digits), None)? })
    }

    fn rounds_to(&self, value: f64, digits: u8) -> Option<f64> {
        let quantity = Quantity::new(value, self.def.unit, Precision::Significant(digits), None).ok()?;
        quantity.rounded().to_string().parse().ok()
    }

    fn shown(&self, value: f64, precision: Precision, scale: Option<&str>) -> Result<String, Vec<String>> {
        let quantity = Quantity::new(value, self.def.unit, precision, scale)
            .map_err(|_| vec![format!("`{}` has no such scale", self.def.unit.name())])?;
        Ok(self.words.quantity(&quantity))
    }

    fn share(&self, share: f64, precision: Precision) -> String {
        Quantity::new(share, Unit::Ratio, precision, None).map_or_else(|_| String::new(), |q| self.words.quantity(&q))
    }

    fn axis(&self, (from, to): (f64, f64), ticks: &[f64]) -> Result<Axis, Vec<String>> {
        let ticks = ticks.iter().map(|at| self.tick(*at)).collect::<Result<_, _>>()?;
        Ok(Axis { from, to, ticks, word: self.words.optional(&self.key("x")).unwrap_or_default() })
    }

    fn distribution(&self, data: &[Histogram]) -> Made {
        let range = range(data);
        let bounds = bounds(data, range.1);
        let decades = chart::decades(range.0, range.1).into_iter().filter(|d| (range.0..=range.1).contains(d));
        // few bounds are read on the axis; many would be a fence
        let ticks: Vec<f64> = bounds.iter().copied().filter(|_| bounds.len() <= 8).chain(decades).collect();

        let mut head = vec![self.head("key", Align::Text)];
        let number = |text| Column { text, align: Align::Number };
        head.extend(QUANTILES.map(|name| number(self.words.text(&self.key(name)))));
        for bound in &bounds {
            head.push(number(format!("≤ {}", self.tick(*bound)?.label)));
        }
        let (mut lanes, mut rows) = (Vec::new(), Vec::new());
        for histogram in data {
            let label = self.label(&histogram.key);
            let mut row = vec![label.clone()];
            let mut quantiles = Vec::new();
            for name in QUANTILES {
                let found = histogram.quantiles.iter().find(|q| q.0 == name);
                let value = found.map(|q| self.value(q.1)).transpose()?;
                if let (Some(q), Some(value)) = (found, &value) {
                    let label = format!("{} {value}", self.words.text(&self.key(name)));
                    quantiles.push(chart::Quantile { at: q.1, label });
                }
                row.push(value.unwrap_or_default());
            }
            let cell =
                |b: &f64| histogram.share(*b).map_or_else(String::new, |s| self.share(s, Precision::Decimals(2)));
            row.extend(bounds.iter().map(cell));
            lanes.push(chart::Lane { label, buckets: self.buckets(histogram, range.1), quantiles });
            rows.push(row);
        }
        let axis = self.axis(range, &ticks)?;
        Ok((Body::Distribution(chart::Distribution { axis, lanes }), DataTable { head, rows }))
    }

    /// The buckets up to the end of the axis.
    fn buckets(&self, histogram: &Histogram, end: f64) -> Vec<Bucket> {
        let (mut from, mut below) = (None, 0.0);
        let mut buckets = Vec::new();
        for (le, count) in histogram.buckets.iter().filter(|_| histogram.total() > 0.0) {
            let share = ((count - below) / histogram.total()).max(0.0);
            if from.is_none_or(|f| f < end) {
                let label = (share >= 0.01).then(|| self.share(share, Precision::Whole));
                buckets.push(Bucket { from, to: le.is_finite().then_some(*le), share, label });
            }
            (from, below) = (Some(*le), *count);
        }
        buckets
    }

    fn dots(&self, mut data: Vec<Amount>) -> Made {
        data.sort_by(|a, b| b.value.total_cmp(&a.value));
        let all = !data.iter().any(|a| a.marked);
        let above: Vec<f64> = data.iter().map(|a| a.value).filter(|v| *v > 0.0).collect();
        let decades = match (above.last(), above.first()) {
            (Some(least), Some(most)) => chart::decades(*least, *most),
            _ => chart::decades(1.0, 10.0),
        };
        let range = (decades[0], decades[decades.len() - 1]);
        let (mut dots, mut rows) = (Vec::new(), Vec::new());
        for Amount { key, value: at, marked } in data {
            let (label, value) = (self.label(&key), self.value(at)?);
            rows.push(vec![label.clone(), value.clone()]);
            dots.push(chart::Dot { label, at, value, marked: marked || all });
        }
        let head = vec![self.head("key", Align::Text), self.head("value", Align::Number)];
        let axis = self.axis(range, &decades)?;
        Ok((Body::Dots(chart::Dots { axis, rows: dots }), DataTable { head, rows }))
    }

    fn bars(&self, data: &[Amount]) -> Made {
        let all = !data.iter().any(|a| a.marked);
        let whole: f64 = data.iter().map(|a| a.value).sum();
        let (mut bars, mut rows) = (Vec::new(), Vec::new());
        for amount in data {
            let share = if whole > 0.0 { amount.value / whole } else { 0.0 };
            let (label, value) = (self.label(&amount.key), self.value(amount.value)?);
            let percent = self.share(share, Precision::Whole);
            rows.push(vec![label.clone(), value.clone(), percent.clone()]);
            bars.push(chart::Bar {
                label, share, value: format!("{value} · {percent}"), marked: amount.marked || all
            });
        }
        let head =
            vec![self.head("key", Align::Text), self.head("value", Align::Number), self.head("share", Align::Number)];
        Ok((Body::Bars(chart::Bars { bars }), DataTable { head, rows }))
    }

    fn cumulative(&self, data: &[Bound]) -> Made {
        let all = !data.iter().any(|b| b.marked);
        // the bounds beyond the one that holds everything say nothing
        let full = data.iter().position(|b| b.share >= 1.0).map_or(data.len(), |i| i + 1);
        let data = &data[..full];
        let last = &data[full - 1];
        let range = (data[0].le / 2.0, if last.share < 1.0 || full == 1 { last.le * 2.0 } else { last.le });
        let (mut steps, mut rows) = (Vec::new(), Vec::new());
        for bound in data {
            let label = format!("≤ {}", self.tick(bound.le)?.label);
            let mark =
                (bound.marked || all).then(|| format!("{label} · {}", self.share(bound.share, Precision::Whole)));
            rows.push(vec![label, self.share(bound.share, Precision::Decimals(1))]);
            steps.push(chart::Step { at: bound.le, share: bound.share, mark });
        }
        let (marked, others): (Vec<_>, Vec<_>) = data.iter().partition(|b| b.marked);
        let ticks: Vec<f64> = marked.into_iter().chain(others).map(|b| b.le).collect();
        let shares = [0.0, 0.5, 1.0].map(|at| Tick { at, label: self.share(at, Precision::Whole) }).to_vec();
        let axis = self.axis(range, &ticks)?;
        let head = vec![self.head("le", Align::Text), self.head("share", Align::Number)];
        Ok((Body::Cumulative(chart::Cumulative { axis, shares, steps }), DataTable { head, rows }))
    }
}

/// From below the least quantile and well into the first bucket, to the bound below which everything is in every histogram.
fn range(data: &[Histogram]) -> (f64, f64) {
    let first = data.iter().filter_map(|h| h.buckets.first()).map(|b| b.0).fold(f64::INFINITY, f64::min);
    let least = data.iter().flat_map(|h| &h.quantiles).map(|q| q.1).filter(|q| *q > 0.0).fold(f64::INFINITY, f64::min);
    let from = (first / 4.0).min(least / 2.0);
    let decade = chart::decades(from, from)[0];
    let from = [5.0, 2.0].map(|n| n * decade).into_iter().find(|n| *n <= from).unwrap_or(decade);
    let end = |h: &Histogram| {
        let full = h.buckets.iter().find(|b| b.1 >= h.total() * (1.0 - 1e-9)).map_or(first, |b| b.0);
        let last = h.buckets.iter().rev().map(|b| b.0).find(|b| b.is_finite()).unwrap_or(first);
        if full.is_finite() { full } else { last * 2.0 }
    };
    (from, data.iter().map(end).fold(first, f64::max))
}

/// The finite bounds of all histograms up to `end`, ascending, each once.
fn bounds(data: &[Histogram], end: f64) -> Vec<f64> {
    let mut bounds: Vec<f64> = data.iter().flat_map(|h| &h.buckets).map(|b| b.0).filter(|b| *b <= end).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    bounds
}
