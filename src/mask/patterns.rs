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

#[cfg(test)]
mod tests {
    use super::super::{Block, Layout, Survey, Sweeper};
    use super::*;
    use crate::project::KINDS;

    fn rules(patterns: &[(&str, &str)]) -> MaskRules {
        let table: toml::Table =
            patterns.iter().map(|(name, pattern)| ((*name).to_owned(), toml::Value::from(*pattern))).collect();
        let table = toml::Table::from_iter([("patterns".to_owned(), toml::Value::Table(table))]);
        toml::from_str(&table.to_string()).expect("rules")
    }

    fn masked(patterns: &[(&str, &str)], layout: Layout, text: &str) -> String {
        let block = Block { line: 1, text: text.to_owned() };
        let mut survey = Survey::new(&rules(patterns));
        survey.blocks("measure/x/x", layout, std::slice::from_ref(&block));
        let mask = survey.finish(None).expect("nothing is wrong");
        Sweeper::new(&mask).block(layout, &block.text)
    }

    #[test]
    fn what_has_a_pattern_is_masked() {
        let ticket = &[("ticket", "OPS-[0-9]+")][..];
        for (patterns, layout, text, expected) in [
            (ticket, Layout::Lines, "see OPS-12, OPS-7 and OPS-x\n", "see ticket-01, ticket-02 and OPS-x\n"),
            (ticket, Layout::Json, r#"{"a":["OPS-12"],"OPS-12":"x"}"#, r#"{"a":["ticket-01"],"ticket-01":"x"}"#),
            // what is known is known in another spelling
            (&[("ticket", "OPS-[0-9]+")], Layout::Lines, "OPS-1234 ops_1234", "ticket-01 ticket-01"),
            // over several pieces; of a group what it holds, which is masked nowhere else
            (&[("line", "cable ([0-9]+ [a-z]+)")], Layout::Lines, "cable 7 red\n7 red", "cable line-01\n7 red"),
            (&[("line", "(?i)cable ([0-9]+)")], Layout::Lines, "CABLE 7 7\ncable 8", "CABLE line-01 7\ncable line-02"),
            // two patterns, of which the longer match has the text
            (&[("a", "X1+"), ("b", "X1+Y")], Layout::Lines, "X111 X111Y", "a-01 b-01"),
            // a line by itself
            (&[("whole", "^x$")], Layout::Lines, "x\nxx\r\nx\r\n", "whole-01\nxx\r\nwhole-01\r\n"),
            (&[("both", r"a\s+b")], Layout::Lines, "a\nb a b", "a\nb both-01"),
            (&[("wide", "비밀[0-9]")], Layout::Lines, "비밀1이", "wide-01이"),
        ] {
            assert_eq!(masked(patterns, layout, text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_allowed_has_no_pattern() {
        let rules = MaskRules { allow: vec!["OPS-1".into()], ..rules(&[("ticket", "OPS-[0-9]+")]) };
        let mut found = Vec::new();
        Patterns::new(&rules).find("OPS-1 OPS-2", &mut found);
        assert_eq!(found.iter().map(|f| (f.range.clone(), f.kind.name())).collect::<Vec<_>>(), [(6..11, "ticket")]);
        assert_eq!(found[0].kind.unlisted(), "ticket-00");
    }

    #[test]
    fn no_pattern_is_called_like_a_kind() {
        use Kind::*;
        for kind in
            [Node, Domain, Host, Cluster, Zone, Pod, User, Mail, Address, Mac, Uid, Machine, Container, Secret, Word]
        {
            assert!(KINDS.contains(&kind.name()), "{}", kind.name());
            assert_ne!(kind.name(), Own("own-00").name());
        }
    }
}
