//! Readers: the bytes of one format → a record, a JSON value whose numbers keep their text.
//!
//! A reader opens nothing and never panics. It reports line and column of what is wrong, and never quotes what it read:
//! nothing is masked yet. A format is one file in this folder and one line in [`READERS`].

mod findings;
mod input;
mod json_flaw;
mod number;
mod row;

mod cilium_status;
mod hubble_compact;
mod json;
mod jsonl;
mod kubectl_table;
mod lines;
mod logfmt;
mod prometheus_api;
mod prometheus_text;
mod ps;
mod ss;
mod yaml;

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::Value;

use crate::diag::Outcome;

use findings::Findings;
use json_flaw::{json_flaw, json_place};
use number::{decimal, float, milliseconds, sample_value};

pub use input::{Input, Lines};
use row::{Fault, Word, column, walk, words};
pub use yaml::parse as yaml_documents;

/// What a capture holds, in the form that its reader documents.
pub type Record = Value;

/// What the facts of a part need of one capture; a reader of a large file may skip the rest. Empty: everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// Names of series; `*` stands for any run of characters.
    pub series: Vec<String>,
    /// Labels or fields that a sample or record must have, each with its value.
    pub fields: BTreeMap<String, String>,
}

/// How the text of a format is built, for who rewrites values in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lines of which each says what it says by itself: a file of any size may be taken in blocks.
    Lines,
    /// Text that belongs together over several lines.
    Text,
    /// Columns that stand under their headings.
    Table,
    /// One JSON document.
    Json,
    /// A JSON document a line.
    JsonLines,
}

impl Layout {
    /// Whether a file may be taken in blocks of whole lines.
    pub fn by_lines(self) -> bool {
        matches!(self, Self::Lines | Self::JsonLines)
    }
}

/// The reader of one format.
pub trait Reader: Debug + Sync {
    /// The name in capture.toml, e.g. `prometheus-text`.
    fn format(&self) -> &'static str;

    /// Which files these are: the command that writes them.
    fn about(&self) -> &'static str;

    /// The form of the record, with an example, as CommonMark.
    fn form(&self) -> &'static str;

    /// How its text is built.
    fn layout(&self) -> Layout;

    /// Reads all of `input`.
    fn read(&self, input: Input<'_>, want: &Want) -> Outcome<Record>;
}

/// Every format, sorted by name.
pub const READERS: &[&dyn Reader] = &[
    &cilium_status::CiliumStatus,
    &hubble_compact::HubbleCompact,
    &json::Json,
    &jsonl::Jsonl,
    &json::KubectlJson,
    &kubectl_table::KubectlTable,
    &lines::Lines,
    &logfmt::Logfmt,
    &prometheus_api::PrometheusApi,
    &prometheus_text::PrometheusText,
    &ps::Ps,
    &ss::Ss,
    &yaml::Yaml,
];

/// The reader of a format.
pub fn reader(format: &str) -> Option<&'static dyn Reader> {
    READERS.iter().copied().find(|r| r.format() == format)
}

impl Want {
    /// Whether a series of this name is wanted.
    pub fn series(&self, name: &str) -> bool {
        self.series.is_empty() || self.series.iter().any(|pattern| matches(pattern, name))
    }
}

/// Whether a text is what masking leaves of an address: `priv-net01.h2`, `mac-03`.
fn is_masked_address(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((class, rest)) = text.split_once('-') else { return false };
    if class == "mac" {
        return digits(rest);
    }
    let host = rest.strip_prefix("net").and_then(|rest| rest.split_once(".h"));
    class.bytes().all(|b| b.is_ascii_alphanumeric()) && host.is_some_and(|(net, host)| digits(net) && digits(host))
}

/// Whether `name` is of the form of `pattern`, in which `*` stands for any run of characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last: Option<&str> = None;
    for piece in pieces {
        if let Some(middle) = last.replace(piece) {
            match rest.find(middle) {
                Some(at) => rest = &rest[at + middle.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, name, is) in [
            ("up", "up", true),
            ("up", "ups", false),
            ("etcd_*", "etcd_server_has_leader", true),
            ("*_total", "x_total", true),
            ("a*b*c", "abxbc", true),
            ("a*b", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }

    #[test]
    fn masked_addresses_are_known() {
        for (text, is) in [
            ("priv-net01.h2", true),
            ("v6-net12.h345", true),
            ("mac-03", true),
            ("node-a", false),
            ("net-01", false),
            ("priv-net.h1", false),
        ] {
            assert_eq!(is_masked_address(text), is, "{text}");
        }
    }

    #[test]
    fn readers_are_sorted_and_documented() {
        let names: Vec<_> = READERS.iter().map(|r| r.format()).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        for reader in READERS {
            assert!(reader.form().contains("```json"), "{} shows no example of its record", reader.format());
        }
    }
}
