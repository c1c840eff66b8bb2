//! What a series calls sensitive by a pattern of its own.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use regex::{Regex, bytes};

use super::{Found, Kind};
use crate::project::MaskRules;

/// The patterns of factpress.toml under `[mask.patterns]`.
#[derive(Default)]
pub(super) struct Patterns {
    all: Vec<(Kind, Regex)>,
    any: Option<bytes::RegexSet>,
    /// Lower case.
    allow: BTreeSet<String>,
}

impl Patterns {
    pub(super) fn new(rules: &MaskRules) -> Self {
        let all: Vec<(Kind, Regex)> =
            rules.compiled().into_iter().map(|(name, pattern)| (Kind::Own(unlisted(name)), pattern)).collect();
        let any = (!all.is_empty())
            .then(|| bytes::RegexSet::new(all.iter().map(|(_, pattern)| pattern.as_str())).ok())
            .flatten();
        Self { all, any, allow: rules.allow.iter().map(|allowed| allowed.to_ascii_lowercase()).collect() }
    }

    /// Whether a pattern may match in this line.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
        self.any.as_ref().is_some_and(|any| any.is_match(line))
    }

    /// Adds what the patterns match in each line of a text: of one with a group, what the group holds. Case makes no difference between values.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        if !self.may_match(text.as_bytes()) && !text.contains('\n') {
            return;
        }
        let mut start = 0;
        for line in text.split('\n') {
            for (kind, pattern) in &self.all {
                for captures in pattern.captures_iter(line.trim_end_matches('\r')) {
                    let Some(part) = (if captures.len() > 1 { captures.get(1) } else { captures.get(0) }) else {
                        continue;
                    };
                    let value = part.as_str().to_ascii_lowercase();
                    if !part.is_empty() && !self.allow.contains(&value) {
                        found.push(Found { range: start + part.start()..start + part.end(), kind: *kind, value });
                    }
                }
            }
            start += line.len() + 1;
        }
    }
}

/// The alias of a value that no capture holds, which says the name too.
fn unlisted(name: &str) -> &'static str {
    static ALL: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let unlisted = format!("{name}-00");
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(unlisted.as_str()) {
        return known;
    }
    // a kind is copied everywhere; a series has few, and each is kept once
    let kept: &'static str = Box::leak(unlisted.into_boxed_str());
    all.insert(kept);
    kept
}
