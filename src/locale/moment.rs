//! Dates and times by the patterns of `[dates]`, in the offset in which they were captured; zones by `[zones]`.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::Section;
use crate::capture::Moment;
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// The fields of a moment; those of the end of a window are named `to_…`.
const FIELDS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];

/// How one language writes dates.
#[derive(Debug)]
pub(super) struct Dates {
    /// In the order of [`PATTERNS`].
    patterns: [String; 4],
    zones: BTreeMap<String, String>,
    named: Option<(Offset, String)>,
}

/// A day; a moment; a window within one day; a window over several.
const PATTERNS: [&str; 4] = ["date", "moment", "window", "days"];

impl Dates {
    pub(super) fn new(dates: &Section<'_>, zones: &Section<'_>) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        for (key, entry) in &dates.entries {
            if !PATTERNS.contains(key) {
                wrong.push(
                    Diagnostic::error("site-date", format!("no date is written by `{}`", entry.key))
                        .with_place(dates.place(entry))
                        .with_help(format!("the patterns are {}", PATTERNS.join(", "))),
                );
                continue;
            }
            let window = matches!(*key, "window" | "days");
            for field in unknown_fields(&entry.value, window) {
                wrong.push(
                    Diagnostic::error("site-date", format!("`{}` has no field `{{{field}}}`", entry.key))
                        .with_place(dates.place(entry))
                        .with_help(format!(
                            "the fields are {}, zone; of the end of a window to_year and so on",
                            FIELDS.join(", ")
                        )),
                );
            }
        }
        let patterns = PATTERNS.map(|name| match dates.entries.iter().find(|(key, _)| *key == name) {
            Some((_, entry)) => entry.value.clone(),
            None => {
                wrong.push(
                    Diagnostic::error("site-date", format!("the pattern `dates.{name}` is missing"))
                        .with_place(Place::file(dates.source.path()))
                        .with_help("write for example `date = \"{year}-{month}-{day}\"` under [dates]"),
                );
                String::new()
            }
        });
        let zones = zones.entries.iter().map(|(key, e)| ((*key).to_owned(), e.value.clone())).collect();
        wrong.or_value(Self { patterns, zones, named: None })
    }

    /// Times of this offset are of the zone `name`.
    pub(super) fn name_zone(&mut self, name: &str, offset: Offset) {
        self.named = self.zones.get(name).map(|shown| (offset, shown.clone()));
    }

    pub(super) fn date(&self, at: &Moment) -> String {
        self.write(0, at, None)
    }

    pub(super) fn moment(&self, at: &Moment) -> String {
        self.write(1, at, None)
    }

    pub(super) fn window(&self, from: &Moment, to: &Moment) -> String {
        let to = Moment { offset: from.offset, ..*to };
        let one_day = civil(from).date() == civil(&to).date();
        self.write(if one_day { 2 } else { 3 }, from, Some(&to))
    }

    fn write(&self, pattern: usize, from: &Moment, to: Option<&Moment>) -> String {
        let (start, end) = (civil(from), to.map(civil));
        fill(&self.patterns[pattern], |field| match field.strip_prefix("to_") {
            Some(field) => end.and_then(|at| value(&at, field)),
            None if field == "zone" => Some(self.zone(from.offset)),
            None => value(&start, field),
        })
    }

    fn zone(&self, offset: Offset) -> String {
        match &self.named {
            Some((of, name)) if *of == offset => name.clone(),
            _ => utc(offset),
        }
    }
}

fn civil(at: &Moment) -> DateTime {
    at.offset.to_datetime(at.instant)
}

/// Years, months and days as they are said, times with two digits.
fn value(at: &DateTime, field: &str) -> Option<String> {
    match field {
        "year" => Some(at.year().to_string()),
        "month" => Some(at.month().to_string()),
        "day" => Some(at.day().to_string()),
        "hour" => Some(format!("{:02}", at.hour())),
        "minute" => Some(format!("{:02}", at.minute())),
        "second" => Some(format!("{:02}", at.second())),
        _ => None,
    }
}

/// `UTC`, `UTC+9`, `UTC-3:30`.
fn utc(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (hours, minutes) = (seconds.abs() / 3600, seconds.abs() / 60 % 60);
    let sign = if seconds < 0 { '-' } else { '+' };
    match (hours, minutes) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

/// `pattern` with each `{field}` that has a value replaced; any other text stays.
fn fill(pattern: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, field, after)) = next_field(rest) {
        out.push_str(before);
        match value(field) {
            Some(text) => out.push_str(&text),
            None => out.push_str(&rest[before.len()..rest.len() - after.len()]),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn unknown_fields(pattern: &str, window: bool) -> Vec<&str> {
    let known = |field: &str| match field.strip_prefix("to_") {
        Some(field) => window && FIELDS.contains(&field),
        None => field == "zone" || FIELDS.contains(&field),
    };
    let mut unknown = Vec::new();
    let mut rest = pattern;
    while let Some((_, field, after)) = next_field(rest) {
        if !known(field) {
            unknown.push(field);
        }
        rest = after;
    }
    unknown
}

/// What stands before, in and after the first pair of braces.
fn next_field(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (field, after) = rest.split_once('}')?;
    Some((before, field, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates() -> Dates {
        Dates {
            patterns: [
                "{year}/{month}/{day}".to_owned(),
                "{year}/{month}/{day} {hour}:{minute}:{second} {zone}".to_owned(),
                "{month}/{day} {hour}:{minute}-{to_hour}:{to_minute} {zone}".to_owned(),
                "{month}/{day} {hour}:{minute} - {to_month}/{to_day} {to_hour}:{to_minute} {zone}".to_owned(),
            ],
            zones: BTreeMap::from([("Asia/Seoul".to_owned(), "KST".to_owned())]),
            named: None,
        }
    }

    fn moment(text: &str, seconds: i32) -> Moment {
        let offset = Offset::from_seconds(seconds).expect("an offset");
        Moment { instant: text.parse().expect("a time"), offset }
    }

    #[test]
    fn a_moment_is_written_in_its_own_offset() {
        let mut dates = dates();
        let at = moment("2026-10-16T18:00:07Z", 9 * 3600);
        assert_eq!(dates.date(&at), "2026/10/17");
        assert_eq!(dates.moment(&at), "2026/10/17 03:00:07 UTC+9");
        dates.name_zone("Asia/Seoul", at.offset);
        assert_eq!(dates.moment(&at), "2026/10/17 03:00:07 KST");
        assert_eq!(dates.moment(&moment("2026-10-16T18:00:07Z", 0)), "2026/10/16 18:00:07 UTC");
        dates.name_zone("Europe/Berlin", at.offset);
        assert_eq!(dates.moment(&at), "2026/10/17 03:00:07 UTC+9");
    }

    #[test]
    fn a_window_names_its_day_once() {
        let dates = dates();
        let from = moment("2026-10-16T18:00:00Z", 9 * 3600);
        assert_eq!(dates.window(&from, &moment("2026-10-16T18:05:00Z", 9 * 3600)), "10/17 03:00-03:05 UTC+9");
        assert_eq!(dates.window(&from, &moment("2026-10-16T18:05:00Z", 0)), "10/17 03:00-03:05 UTC+9");
        assert_eq!(dates.window(&from, &moment("2026-10-17T18:05:00Z", 0)), "10/17 03:00 - 10/18 03:05 UTC+9");
    }

    #[test]
    fn offsets_are_short() {
        for (seconds, text) in
            [(0, "UTC"), (32_400, "UTC+9"), (-10_800, "UTC-3"), (19_800, "UTC+5:30"), (-1_800, "UTC-0:30")]
        {
            assert_eq!(utc(Offset::from_seconds(seconds).expect("an offset")), text);
        }
    }

    #[test]
    fn fields_are_checked() {
        assert_eq!(unknown_fields("{year}년 {months} {to_day} {zone}", false), ["months", "to_day"]);
        assert_eq!(unknown_fields("{to_day} {to_zone} {", true), ["to_zone"]);
    }
}
