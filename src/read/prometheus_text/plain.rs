//! The rules over several lines of the plain format, as Prometheus' own parser (`expfmt`) has them: metadata once and
//! before the samples, bounds that are numbers. Order is free, and a histogram needs no `+Inf`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, Flaw, Keyword, Metadata, Sample, What, float};

/// Tells each mistake with its line; `at` counts characters.
pub(super) fn check(entries: &[Entry], wrong: &mut dyn FnMut(usize, Flaw)) {
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let mut helps: BTreeSet<&str> = BTreeSet::new();
    let mut sampled: BTreeSet<&str> = BTreeSet::new();
    let mut last = "";
    for entry in entries {
        match &entry.what {
            What::Metadata(metadata) => {
                if let Some(flaw) = metadata_flaw(metadata, &mut types, &mut helps, &sampled) {
                    wrong(entry.line, flaw);
                }
            }
            What::Sample(sample) => {
                if sample.name() != last {
                    last = sample.name();
                    sampled.insert(last);
                }
                if let Some(flaw) = bound_flaw(sample, &types) {
                    wrong(entry.line, flaw);
                }
            }
        }
    }
}

fn metadata_flaw<'e>(
    metadata: &'e Metadata,
    types: &mut BTreeMap<&'e str, &'e str>,
    helps: &mut BTreeSet<&'e str>,
    sampled: &BTreeSet<&str>,
) -> Option<Flaw> {
    let flaw = |message| Flaw {
        at: metadata.at,
        code: "exposition-metadata",
        message,
        help: "a family has one `# HELP` and one `# TYPE`, before its samples; do not join captures",
    };
    let family = metadata.family.as_str();
    let text = metadata.text.trim_matches([' ', '\t']);
    match metadata.keyword {
        // metadata without a text says nothing
        _ if text.is_empty() => None,
        Keyword::Unit => None,
        Keyword::Help => (!helps.insert(family)).then(|| flaw("the family has a help text already")),
        Keyword::Type => {
            if types.insert(family, text).is_some() {
                Some(flaw("the family has a type already"))
            } else {
                sampled.contains(family).then(|| flaw("the type comes after samples of the family"))
            }
        }
    }
}

/// The `le` of a bucket and the `quantile` of a summary are numbers.
fn bound_flaw(sample: &Sample, types: &BTreeMap<&str, &str>) -> Option<Flaw> {
    let name = sample.name();
    let (label, missing, message) = if let Some(family) = name.strip_suffix("_bucket")
        && types.get(family) == Some(&"histogram")
    {
        ("le", true, "a bucket's `le` is a number or +Inf")
    } else if types.get(name) == Some(&"summary") {
        ("quantile", false, "a summary's `quantile` is a number")
    } else {
        return None;
    };
    let wrong = sample.label(label).map_or(missing, |text| float(text).is_none());
    let help = "take the capture again, or mend the exporter";
    wrong.then_some(Flaw { at: sample.labels_at, code: "exposition-bound", message, help })
}
