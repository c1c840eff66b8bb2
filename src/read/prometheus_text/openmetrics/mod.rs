//! The rules of OpenMetrics 1.0 over several lines: families in one piece, groups in one piece, times that do not go back,
//! what each type may hold, whole histograms. They are those of the specification and its test suite.

mod histogram;

use std::collections::BTreeSet;

use super::{Entry, Flaw, Keyword, Metadata, Sample, What, float};
use histogram::Histogram;

type Wrong<'a> = dyn FnMut(usize, Flaw) + 'a;

/// Labels that tell the metrics of a family apart, sorted.
type Group<'e> = Vec<(&'e str, &'e str)>;

/// Tells each mistake with its line; `at` counts characters. If not everything was kept, nothing can be missing.
pub(super) fn check(entries: &[Entry], everything: bool, wrong: &mut Wrong<'_>) {
    let mut names = BTreeSet::new();
    let mut family: Option<Family<'_>> = None;
    for entry in entries {
        let name = match &entry.what {
            What::Metadata(metadata) => metadata.family.as_str(),
            What::Sample(sample) => sample.name(),
        };
        let belongs = family.as_ref().is_some_and(|family| match &entry.what {
            What::Metadata(_) => family.name == name,
            What::Sample(_) => family.holds(name),
        });
        if !belongs && let Some(old) = family.take() {
            old.finish(&mut names, everything, wrong);
        }
        let family = family.get_or_insert_with(|| Family::new(name, entry.line));
        match &entry.what {
            What::Metadata(metadata) => family.describe(metadata, entry.line, wrong),
            What::Sample(sample) => family.add(sample, entry.line, everything, wrong),
        }
    }
    if let Some(last) = family {
        last.finish(&mut names, everything, wrong);
    }
}

/// What a sample's name adds to that of its family, by type.
fn endings(kind: &str) -> &'static [&'static str] {
    match kind {
        "counter" => &["_total", "_created"],
        "summary" => &["", "_count", "_sum", "_created"],
        "histogram" => &["_count", "_sum", "_bucket", "_created"],
        "gaugehistogram" => &["_gcount", "_gsum", "_bucket"],
        "info" => &["_info"],
        _ => &[""],
    }
}

/// The family being read.
struct Family<'e> {
    name: &'e str,
    line: usize,
    kind: Option<&'e str>,
    help: bool,
    unit: Option<(&'e Metadata, usize)>,
    groups: BTreeSet<Group<'e>>,
    group: Option<Group<'e>>,
    time: Option<f64>,
    histogram: Option<Histogram>,
}

impl<'e> Family<'e> {
    fn new(name: &'e str, line: usize) -> Self {
        Self {
            name,
            line,
            kind: None,
            help: false,
            unit: None,
            groups: BTreeSet::new(),
            group: None,
            time: None,
            histogram: None,
        }
    }

    fn kind(&self) -> &'e str {
        self.kind.unwrap_or("unknown")
    }

    fn holds(&self, sample: &str) -> bool {
        sample.strip_prefix(self.name).is_some_and(|ending| endings(self.kind()).contains(&ending))
    }

    fn describe(&mut self, metadata: &'e Metadata, line: usize, wrong: &mut Wrong<'_>) {
        let twice = match metadata.keyword {
            Keyword::Help => std::mem::replace(&mut self.help, true),
            Keyword::Type => self.kind.replace(metadata.text.trim_matches([' ', '\t'])).is_some(),
            Keyword::Unit => self.unit.replace((metadata, line)).is_some(),
        };
        let message = if self.group.is_some() {
            "the metadata comes after samples of the family"
        } else if twice {
            "the family has this metadata already"
        } else {
            return;
        };
        let help = "a family has one `# TYPE`, `# UNIT` and `# HELP`, before its samples";
        wrong(line, Flaw { at: metadata.at, code: "exposition-metadata", message, help });
    }

    fn add(&mut self, sample: &'e Sample, line: usize, everything: bool, wrong: &mut Wrong<'_>) {
        let ending = &sample.name()[self.name.len()..];
        if let Some(flaw) = self.bound(sample, ending).or_else(|| self.value(sample, ending)) {
            wrong(line, flaw);
        }
        let histogram = matches!(self.kind(), "histogram" | "gaugehistogram");
        let group = self.group_of(sample, ending);
        let time = sample.time.as_deref().and_then(float);
        let flaw = |message, help| Flaw { at: 0, code: "exposition-order", message, help };
        let same = self.group.as_ref() == Some(&group);
        if !same && !self.groups.insert(group.clone()) {
            wrong(line, flaw("samples with these labels stood before others", "keep those of one metric together"));
        }
        if same && time.is_none() != self.time.is_none() {
            wrong(
                line,
                flaw("some samples of the metric have a timestamp and some have none", "give all or none of them one"),
            );
        } else if same && self.kind() != "info" && time < self.time {
            wrong(
                line,
                flaw("the timestamp is before that of the sample above", "order the samples of a metric by time"),
            );
        }
        if histogram {
            if !same || time != self.time {
                self.end_histogram(everything, wrong);
            }
            let histogram = self.histogram.get_or_insert_with(|| Histogram::new(line));
            if let Some(flaw) = histogram.add(sample, ending) {
                wrong(line, flaw);
            }
        }
        self.group = Some(group);
        self.time = time;
    }

    fn group_of(&self, sample: &'e Sample, ending: &str) -> Group<'e> {
        let aside = match (self.kind(), ending) {
            // metrics of an info cannot be told apart
            ("info", _) => return Vec::new(),
            ("summary", "") => "quantile",
            ("stateset", _) => self.name,
            ("histogram" | "gaugehistogram", "_bucket") => "le",
            _ => "__name__",
        };
        let labels = sample.metric.iter().filter(|(name, _)| *name != "__name__" && *name != aside);
        let mut group: Group<'e> = labels.map(|(n, text)| (n.as_str(), text.as_str().unwrap_or_default())).collect();
        group.sort_unstable();
        group
    }

    /// The label that a type needs.
    fn bound(&self, sample: &Sample, ending: &str) -> Option<Flaw> {
        let flaw = |message, help| Some(Flaw { at: sample.labels_at, code: "exposition-bound", message, help });
        match (self.kind(), ending) {
            ("stateset", _) if sample.label(self.name).is_none() => flaw(
                "a state has no label with the family's name",
                "`# TYPE a stateset` has samples `a{a=\"state\"} 1`",
            ),
            ("histogram" | "gaugehistogram", "_bucket") => {
                let le = sample.label("le").unwrap_or_default();
                let fits = float(le).is_some_and(|le| !le.is_nan()) && canonical(le);
                if fits { None } else { flaw("a bucket has no right `le`", "its upper bound, a number or +Inf") }
            }
            ("summary", "") => {
                let quantile = sample.label("quantile").and_then(float);
                let fits = quantile.is_some_and(|q| (0.0..=1.0).contains(&q));
                if fits { None } else { flaw("a summary has no right `quantile`", "a number from 0 to 1") }
            }
            _ => None,
        }
    }

    /// What a type says of the value and its exemplar.
    fn value(&self, sample: &Sample, ending: &str) -> Option<Flaw> {
        let value = sample.float();
        let counts = matches!(ending, "_total" | "_sum" | "_count" | "_bucket" | "_gcount");
        let (message, help) = match (self.kind(), ending) {
            ("stateset", _) if value != 0.0 && value != 1.0 => ("a state is neither 0 nor 1", "it is on or off"),
            ("info", _) if value != 1.0 => ("an info is not 1", "what it says stands in its labels"),
            ("summary", "") if value < 0.0 => ("a quantile is negative", "a summary observes nothing below 0"),
            _ if (counts || ending == "_gsum") && value.is_nan() => ("a count or sum is NaN", "it is a number"),
            _ if counts && value < 0.0 => ("a count or sum is negative", "what only grows begins at 0"),
            (_, "_bucket" | "_count" | "_gcount") if value.fract() != 0.0 || value.is_infinite() => {
                ("a count is no whole number", "observations are counted")
            }
            _ => return self.exemplar(sample, ending),
        };
        Some(Flaw { at: sample.value_at, code: "exposition-value", message, help })
    }

    fn exemplar(&self, sample: &Sample, ending: &str) -> Option<Flaw> {
        let may = matches!((self.kind(), ending), ("counter", "_total") | ("histogram" | "gaugehistogram", "_bucket"));
        (sample.exemplar.is_some() && !may).then_some(Flaw {
            at: sample.value_at,
            code: "exposition-exemplar",
            message: "this sample may have no exemplar",
            help: "only buckets and the `_total` of a counter have",
        })
    }

    fn end_histogram(&mut self, everything: bool, wrong: &mut Wrong<'_>) {
        if let Some(histogram) = self.histogram.take()
            && everything
            && let Some(message) = histogram.lacks()
        {
            let help = "a histogram has all its buckets up to le=\"+Inf\", and _count with _sum or neither";
            wrong(histogram.line, Flaw { at: 0, code: "exposition-histogram", message, help });
        }
    }

    fn finish(mut self, names: &mut BTreeSet<String>, everything: bool, wrong: &mut Wrong<'_>) {
        self.end_histogram(everything, wrong);
        let others = endings(self.kind()).iter().filter(|ending| !ending.is_empty());
        let own = std::iter::once(&"").chain(others).map(|ending| format!("{}{ending}", self.name));
        // all of them are noted, so no short cut
        if own.filter(|name| !names.insert(name.clone())).count() > 0 {
            let message = "another family has this name, or samples of this name";
            let help = "keep a family in one piece; `_total`, `_created`, `_bucket` … belong to their family";
            wrong(self.line, Flaw { at: 0, code: "exposition-order", message, help });
        }
        let Some((unit, line)) = self.unit.filter(|(unit, _)| !unit.text.is_empty()) else { return };
        let (message, help) = if matches!(self.kind(), "info" | "stateset") {
            ("a family of this type has no unit", "leave the `# UNIT` out")
        } else if !self.name.strip_suffix(unit.text.as_str()).is_some_and(|stem| stem.ends_with('_')) {
            ("the family's name does not end in its unit", "a family in seconds is called `…_seconds`")
        } else {
            return;
        };
        wrong(line, Flaw { at: unit.at, code: "exposition-unit", message, help });
    }
}

/// Whether infinity is written as OpenMetrics writes it.
fn canonical(le: &str) -> bool {
    float(le).is_some_and(f64::is_finite) || le == "+Inf" || le == "-Inf"
}
