//! The aliases that masking gives (`node-a`, `pod-01`), as a language says them.

use super::{Pattern, Section};
use crate::diag::{Diagnostics, Outcome};

/// The kind whose names are letters; all others are numbered.
const LETTERED: &str = "node";

/// Kind and pattern.
#[derive(Debug)]
pub(super) struct Aliases(Vec<(String, Pattern)>);

impl Aliases {
    pub(super) fn new(aliases: &Section<'_>) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let kinds =
            aliases.patterns(&mut wrong).into_iter().map(|(kind, pattern, _)| (kind.to_owned(), pattern)).collect();
        wrong.or_value(Self(kinds))
    }

    /// `text` with every alias in its localized form; an alias ends and begins where no ASCII letter, digit, `-` or `_` does.
    pub(super) fn localized(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        // The only character that every alias has.
        for (dash, _) in text.match_indices('-') {
            let Some((start, name, pattern)) = self.alias_at(text, done, dash) else { continue };
            out.push_str(&text[done..start]);
            out.push_str(&pattern.fill(&[&name.to_ascii_uppercase()]));
            done = dash + 1 + name.len();
        }
        out.push_str(&text[done..]);
        out
    }

    /// The alias whose dash is at `dash`: its start, the name behind the dash, the pattern of its kind.
    fn alias_at<'a>(&self, text: &'a str, done: usize, dash: usize) -> Option<(usize, &'a str, &Pattern)> {
        let (kind, pattern) = self.0.iter().find(|(kind, _)| text[done..dash].ends_with(kind.as_str()))?;
        let start = dash - kind.len();
        let rest = &text[dash + 1..];
        let name = &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()];
        let after = &rest[name.len()..];
        let free = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let bounded = free(text[..start].chars().next_back()) && free(after.chars().next());
        let named = if kind == LETTERED {
            // `node-ip` is an option, not the 250th node: two letters only as a whole name or the host of a domain.
            let whole = start == 0 && (after.is_empty() || is_domain(after));
            name.bytes().all(|b| b.is_ascii_lowercase()) && matches!((name.len(), whole), (1, _) | (2, true))
        } else {
            name.len() >= 2 && name.bytes().all(|b| b.is_ascii_digit())
        };
        (bounded && named).then_some((start, name, pattern))
    }
}

/// `.example…`
fn is_domain(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ko() -> Aliases {
        let kinds = [("node", "노드 {}"), ("pod", "파드 {}")];
        Aliases(kinds.into_iter().map(|(k, p)| (k.to_owned(), Pattern::new(p))).collect())
    }

    #[test]
    fn aliases_are_said_in_the_language() {
        for (text, said) in [
            ("node-a", "노드 A"),
            ("node-ab", "노드 AB"),
            ("pod-01", "파드 01"),
            ("node-a.default.hubble-grpc.cilium.io", "노드 A.default.hubble-grpc.cilium.io"),
            ("node-ab.default.hubble-grpc.cilium.io", "노드 AB.default.hubble-grpc.cilium.io"),
            ("node-a, node-b/node-c", "노드 A, 노드 B/노드 C"),
            ("제어node-a는", "제어노드 A는"),
            ("(pod-12:4244)", "(파드 12:4244)"),
        ] {
            assert_eq!(ko().localized(text), said);
        }
    }

    #[test]
    fn what_is_no_alias_stays() {
        for text in [
            "",
            "-",
            "node-",
            "--node-ip=x",
            "node-ip: x",
            "node-to-node",
            "a node-ab",
            "mynode-a",
            "node-a-b",
            "node-a_b",
            "x-node-a",
            "node-A",
            "node-1",
            "pod-1",
            "pod-a",
            "pod-01a",
            "worker-a",
            "node-abc",
            "노드-a",
        ] {
            assert_eq!(ko().localized(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_is_done_once(text in "(node-|pod-|[a-c0-1._-]|가| )*") {
            let once = ko().localized(&text);
            proptest::prop_assert_eq!(ko().localized(&once), once);
        }
    }
}
