//! The aliases that masking gives (`node-a`, `pod-01`), as a language says them.

use std::collections::BTreeMap;

use super::{Pattern, Section};
use crate::diag::{Diagnostics, Outcome};

/// How a language says aliases, and which there are.
#[derive(Debug)]
pub(super) struct Aliases {
    /// Kind → pattern.
    kinds: BTreeMap<String, Pattern>,
    /// Alias → what is said.
    said: BTreeMap<String, String>,
}

impl Aliases {
    pub(super) fn new(aliases: &Section<'_>) -> Outcome<Self> {
        let mut wrong = Diagnostics::new();
        let kinds = aliases.patterns(&mut wrong).into_iter();
        let kinds = kinds.map(|(kind, pattern, _)| (kind.to_owned(), pattern)).collect();
        wrong.or_value(Self { kinds, said: BTreeMap::new() })
    }

    /// Says these from now on, if there is a pattern for what stands before their hyphen.
    pub(super) fn know<'a>(&mut self, aliases: impl Iterator<Item = &'a str>) {
        for alias in aliases {
            if let Some((kind, name)) = alias.split_once('-')
                && let Some(pattern) = self.kinds.get(kind)
            {
                self.said.insert(alias.to_owned(), pattern.fill(&[&name.to_ascii_uppercase()]));
            }
        }
    }

    /// What the language says for a text that is an alias and nothing else.
    pub(super) fn alone(&self, text: &str) -> Option<&str> {
        self.said.get(text).map(String::as_str)
    }

    /// `text` with every alias in its localized form, also inside longer names: neither an ASCII letter nor a digit is beside it. A word
    /// that only looks like an alias, such as `node-ip`, stays: no value has it.
    pub(super) fn localized(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        // the one character that every alias has
        for dash in memchr::memchr_iter(b'-', text.as_bytes()) {
            let beside = |b: &u8| b.is_ascii_alphanumeric();
            let start = dash - text.as_bytes()[done..dash].iter().rev().take_while(|b| beside(b)).count();
            let end = dash + 1 + text.as_bytes()[dash + 1..].iter().take_while(|b| beside(b)).count();
            if let Some(said) = self.said.get(&text[start..end]) {
                out.push_str(&text[done..start]);
                out.push_str(said);
                done = end;
            }
        }
        out.push_str(&text[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ko() -> Aliases {
        let kinds = [("node", "노드 {}"), ("pod", "파드 {}")];
        let kinds = kinds.into_iter().map(|(k, p)| (k.to_owned(), Pattern::new(p))).collect();
        let mut ko = Aliases { kinds, said: BTreeMap::new() };
        ko.know(["node-a", "node-b", "node-ab", "pod-01", "pod-12", "user-01", "priv-net01.h1"].into_iter());
        ko
    }

    #[test]
    fn aliases_are_said_in_the_language() {
        for (text, said) in [
            ("node-a", "노드 A"),
            ("node-ab", "노드 AB"),
            ("pod-01", "파드 01"),
            ("node-a.default.hubble-grpc.cilium.io", "노드 A.default.hubble-grpc.cilium.io"),
            ("node-ab.default.hubble-grpc.cilium.io", "노드 AB.default.hubble-grpc.cilium.io"),
            ("node-a, node-b/node-ab", "노드 A, 노드 B/노드 AB"),
            ("제어node-a는", "제어노드 A는"),
            ("(pod-12:4244)", "(파드 12:4244)"),
            ("kube-proxy-node-a", "kube-proxy-노드 A"),
            ("etcd-node-b node-b.domain-01", "etcd-노드 B 노드 B.domain-01"),
            ("node-a-x7k2p x-node-a", "노드 A-x7k2p x-노드 A"),
            ("node-a_b", "노드 A_b"),
            ("node-a-b-node-b", "노드 A-b-노드 B"),
            ("node-to-node-a", "node-to-노드 A"),
            ("pod-01-node-a", "파드 01-노드 A"),
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
            "-a",
            "--node-ip=x",
            "node-ip: x",
            "node-to-node",
            "node-c",
            "mynode-a",
            "node-A",
            "node-a1",
            "node-1",
            "pod-1",
            "pod-a",
            "pod-01a",
            "pod-02",
            "worker-a",
            "노드-a",
            "user-01",
            "priv-net01.h1",
            "node_a",
        ] {
            assert_eq!(ko().localized(text), text);
        }
    }

    #[test]
    fn only_an_alias_is_one_alone() {
        assert_eq!(ko().alone("node-a"), Some("노드 A"));
        for text in ["", "node-c", "node-a ", "kube-proxy-node-a", "user-01"] {
            assert_eq!(ko().alone(text), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_is_done_once(text in "(node-|pod-|[a-c0-1._-]|가| )*") {
            let once = ko().localized(&text);
            proptest::prop_assert_eq!(ko().localized(&once), once);
        }

        /// The oracle: one alias after the other, by a pattern.
        #[test]
        fn the_pattern_says_the_same(text in "(node-|pod-0|[a-c1._-]|가| )*") {
            let mut said = text.clone();
            for (alias, word) in &ko().said {
                let pattern = regex::Regex::new(&format!("(^|[^A-Za-z0-9]){alias}($|[^A-Za-z0-9])")).expect("a pattern");
                // a neighbour may belong to two
                for _ in 0..2 {
                    said = pattern.replace_all(&said, format!("${{1}}{word}${{2}}")).into_owned();
                }
            }
            proptest::prop_assert_eq!(ko().localized(&text), said);
        }
    }
}
