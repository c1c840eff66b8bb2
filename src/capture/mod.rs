//! `measure/<part>/capture.toml`: which raw files there are, how, where and when each was taken.

mod blocks;
mod open;
mod packing;

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::tz::Offset;
use serde::Deserialize;
use serde_spanned::Spanned;
use toml::value::Datetime;

use crate::diag::{Diagnostic, Diagnostics, Outcome, Place, Source};
use crate::project::{parse_toml, read_text};

pub use blocks::{Block, Blocks};
pub use open::open;
pub use packing::{Packed, Packing, packing};

/// The file that describes the captures of a folder.
pub const FILE: &str = "capture.toml";

/// The captures of one part, in the order of `capture.toml`.
#[derive(Clone, Debug)]
pub struct Captures {
    source: Source,
    window: Option<(Moment, Moment)>,
    time_zone: Option<String>,
    bundle: Option<Bundle>,
    remarks: Vec<String>,
    entries: IndexMap<String, Capture>,
}

/// How one raw file was taken. What it says is as sensitive as the file itself until it is masked.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The file, relative to the project's root.
    pub path: String,
    /// The name of its reader.
    pub format: String,
    /// What was asked.
    pub origin: Origin,
    /// The host on which it was taken, if it was taken on one.
    pub host: Option<String>,
    /// When it was taken.
    pub at: Option<Moment>,
}

/// What was asked to get a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A shell command.
    Command(String),
    /// A PromQL or TraceQL query.
    Query(String),
    /// Not said.
    Unknown,
}

/// An instant, with the offset from UTC in which it was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The instant, to the nanosecond.
    pub instant: Timestamp,
    /// The offset from UTC.
    pub offset: Offset,
}

#[derive(Default)]
struct File {
    window: Option<Spanned<[Datetime; 2]>>,
    time_zone: Option<String>,
    bundle: Option<Bundle>,
    captures: IndexMap<String, Spanned<Entry>>,
}

/// Three reserved names, and every other one a capture. (`#[serde(flatten)]` would lose the spans.)
impl<'de> Deserialize<'de> for File {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = File;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table of captures")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
                let mut file = File::default();
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "window" => file.window = Some(map.next_value()?),
                        "time_zone" => file.time_zone = Some(map.next_value()?),
                        "bundle" => file.bundle = Some(map.next_value()?),
                        _ => {
                            file.captures.insert(name, map.next_value()?);
                        }
                    }
                }
                Ok(file)
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// What a folder says of itself whose captures are masked already.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bundle {
    /// The version of this form.
    #[serde(rename = "form")]
    _form: Form,
    /// Kind → aliases that stand in the files.
    aliases: BTreeMap<String, Vec<String>>,
}

/// The one version of a bundle that there is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
struct Form;

impl TryFrom<u32> for Form {
    type Error = &'static str;

    fn try_from(form: u32) -> Result<Self, Self::Error> {
        if form == 1 { Ok(Self) } else { Err("this bundle is of a later form: use the factpress that made it") }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    format: String,
    command: Option<String>,
    query: Option<String>,
    host: Option<String>,
    at: Option<Datetime>,
    /// The exit status of the command, where it was written down.
    #[serde(default, rename = "exit")]
    _exit: Option<i32>,
    /// The file with what the command wrote to standard error.
    stderr: Option<String>,
}

impl Captures {
    /// Reads `measure/<part>/capture.toml`; the raw files are not opened yet.
    pub fn load(root: &Path, part: &str) -> Outcome<Self> {
        Self::in_folder(root, &format!("measure/{part}"))
    }

    /// Reads capture.toml in a folder below `root`; empty for the root itself.
    pub fn in_folder(root: &Path, folder: &str) -> Outcome<Self> {
        let path = if folder.is_empty() { FILE.to_owned() } else { format!("{folder}/{FILE}") };
        Self::parse(read_text(root, &path)?)
    }

    /// Reads the text of a capture.toml that lies in the folder of its captures.
    pub fn parse(source: Source) -> Outcome<Self> {
        let file: File = parse_toml(&source)?;
        let folder = source.path().strip_suffix(FILE).unwrap_or_default().trim_end_matches('/').to_owned();
        let mut wrong = Diagnostics::new();
        let window = file.window.and_then(|window| {
            let [from, to] = window.get_ref();
            let moments = moment(from).zip(moment(to));
            if moments.is_none() {
                wrong.push(no_offset(&source, window.span()));
            }
            moments
        });
        let mut entries = IndexMap::new();
        let mut remarks = Vec::new();
        let within = |file: String| if folder.is_empty() { file } else { format!("{folder}/{file}") };
        let outside = |file: &str| file.starts_with('/') || file.split('/').any(|name| name == "..");
        for (name, entry) in file.captures {
            let span = entry.span();
            let entry = entry.into_inner();
            let place = || source.place(span.clone());
            let origin = match (entry.command, entry.query) {
                (Some(command), None) => Origin::Command(command),
                (None, Some(query)) => Origin::Query(query),
                (None, None) => Origin::Unknown,
                (Some(_), Some(_)) => {
                    wrong.push(
                        Diagnostic::error("capture-origin", format!("capture `{name}` has a command and a query"))
                            .with_place(place())
                            .with_help("keep the one that gave the file"),
                    );
                    Origin::Unknown
                }
            };
            if outside(&entry.file) || entry.stderr.as_deref().is_some_and(outside) {
                wrong.push(
                    Diagnostic::error("capture-path", format!("capture `{name}` lies outside {folder}"))
                        .with_place(place())
                        .with_help("copy the file beside capture.toml and name it from there"),
                );
            }
            let at = entry.at.and_then(|at| {
                let at = moment(&at);
                if at.is_none() {
                    wrong.push(no_offset(&source, span.clone()));
                }
                at
            });
            remarks.extend(entry.stderr.map(within));
            let path = within(entry.file);
            entries.insert(name, Capture { path, format: entry.format, origin, host: entry.host, at });
        }
        wrong.or_value(Self { source, window, time_zone: file.time_zone, bundle: file.bundle, remarks, entries })
    }

    /// The text of capture.toml, as sensitive as the captures.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether the captures are a bundle: masked already.
    pub fn is_bundle(&self) -> bool {
        self.bundle.is_some()
    }

    /// The aliases that stand in the captures of a bundle, each with the name of its kind.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let kinds = self.bundle.iter().flat_map(|bundle| &bundle.aliases);
        kinds.flat_map(|(kind, aliases)| aliases.iter().map(|alias| (kind.as_str(), alias.as_str())))
    }

    /// Files with what a command wrote to standard error, relative to the root as those of captures.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// What to add to a capture.toml so that it says of its captures that they are masked: these aliases stand in them.
    pub fn bundle_table(aliases: &BTreeMap<&str, Vec<&str>>) -> String {
        let mut table = String::from(
            "\n# These captures are masked. No original is in them; the aliases are kept as they are.\n[bundle]\nform = 1\n\n[bundle.aliases]\n",
        );
        for (kind, aliases) in aliases {
            let listed: Vec<String> = aliases.iter().map(|alias| format!("    \"{alias}\",\n")).collect();
            table += &format!("{kind} = [\n{}]\n", listed.concat());
        }
        table
    }

    /// The span of time in which the captures were taken.
    pub fn window(&self) -> Option<(Moment, Moment)> {
        self.window
    }

    /// The IANA name of the zone in which times are shown.
    pub fn time_zone(&self) -> Option<&str> {
        self.time_zone.as_deref()
    }

    /// Name and description of each capture, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Capture)> {
        self.entries.iter().map(|(name, capture)| (name.as_str(), capture))
    }

    /// One capture by its name.
    pub fn get(&self, name: &str) -> Option<&Capture> {
        self.entries.get(name)
    }

    /// Where a capture is described in capture.toml.
    pub fn place(&self, name: &str) -> Place {
        match self.source.text().find(&format!("[{name}]")) {
            Some(at) => self.source.place(at + 1..at + 1 + name.len()),
            None => Place::file(self.source.path()),
        }
    }

    /// The hosts on which captures were taken, each once, in the order of the file.
    pub fn hosts(&self) -> Vec<&str> {
        let mut seen = BTreeMap::new();
        let hosts = self.entries.values().filter_map(|c| c.host.as_deref());
        hosts.filter(|host| seen.insert(*host, ()).is_none()).collect()
    }
}

impl Moment {
    /// Seconds since the Unix epoch as exact decimal text, with as many decimals as the instant needs.
    pub fn epoch_seconds(&self) -> String {
        let nanos = self.instant.as_nanosecond();
        let (whole, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
        match rest {
            0 => whole.to_string(),
            _ => format!("{whole}.{rest:09}").trim_end_matches('0').to_owned(),
        }
    }
}

/// TOML's offset date-time; a local one says no instant.
fn moment(datetime: &Datetime) -> Option<Moment> {
    let offset = match datetime.offset? {
        toml::value::Offset::Z => 0,
        toml::value::Offset::Custom { minutes } => i32::from(minutes) * 60,
    };
    let instant: Timestamp = datetime.to_string().parse().ok()?;
    Some(Moment { instant, offset: Offset::from_seconds(offset).ok()? })
}

fn no_offset(source: &Source, span: std::ops::Range<usize>) -> Diagnostic {
    Diagnostic::error("capture-time", "a time has no offset from UTC")
        .with_place(source.place(span))
        .with_help("write it as 2026-10-17T03:00:07+09:00")
}
