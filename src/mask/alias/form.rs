//! The form of every alias, and the words of a text that have it.

use std::ops::Range;

/// What the alias of an address begins with; `any` stands for one that no capture holds.
const CLASSES: [&[u8]; 7] = [b"any", b"cgnat", b"ll", b"mcast", b"priv", b"pub", b"v6"];

/// Words of `text` that have the form of an alias: `[a-z][a-z0-9]*-[0-9]{2,}`, `node-[a-z]{1,3}` or `<class>-netNN.hN`, with neither an
/// ASCII letter nor a digit beside it. Two never overlap.
pub(in crate::mask) fn forms(text: &str) -> impl Iterator<Item = Range<usize>> {
    let text = text.as_bytes();
    let mut done = 0;
    // the one character that every form has
    memchr::memchr_iter(b'-', text).filter_map(move |dash| {
        let form = around(text, dash)?;
        (form.start >= done).then(|| {
            done = form.end;
            form
        })
    })
}

/// The form whose hyphen is at `dash`.
fn around(text: &[u8], dash: usize) -> Option<Range<usize>> {
    let right = word(&text[dash + 1..]);
    let kind = &text[dash - text[..dash].iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count()..dash];
    let named = kind.first()?.is_ascii_lowercase() && kind.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let form = dash - kind.len()..dash + 1 + right.len();
    let numbered = right.len() >= 2 && is_number(right);
    let lettered = kind == b"node" && matches!(right.len(), 1..=3) && right.iter().all(u8::is_ascii_lowercase);
    if named && (numbered || lettered) {
        return Some(form);
    }
    let net = right.strip_prefix(b"net").filter(|number| number.len() >= 2 && is_number(number));
    let host = word(text[form.end..].strip_prefix(b".h")?);
    (net.is_some() && is_number(host) && CLASSES.contains(&kind)).then(|| form.start..form.end + 2 + host.len())
}

/// The letters and digits with which a text begins.
fn word(text: &[u8]) -> &[u8] {
    &text[..text.iter().take_while(|b| b.is_ascii_alphanumeric()).count()]
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        forms(text).map(|form| &text[form]).collect()
    }

    #[test]
    fn forms_are_found() {
        for (text, found) in [
            ("node-a node-abc,pod-01", &["node-a", "node-abc", "pod-01"][..]),
            ("node-00 any-net00.h0 ticket-01 x9-123", &["node-00", "any-net00.h0", "ticket-01", "x9-123"]),
            ("priv-net01.h17:80 v6-net400.h1/64", &["priv-net01.h17", "v6-net400.h1"]),
            ("노드node-a가 pod-01에서 ip_priv-net01.h1", &["node-a", "pod-01", "priv-net01.h1"]),
            ("kube-proxy-node-b node-b.domain-01 node-c-x7k2p", &["node-b", "node-b", "domain-01", "node-c"]),
            ("node-ab-12 --node-ip=x", &["node-ab", "node-ip"]),
            ("pod-01-node-a", &["pod-01", "node-a"]),
        ] {
            assert_eq!(all(text), found, "{text}");
        }
    }

    #[test]
    fn what_has_another_form_is_not() {
        for text in [
            "",
            "-",
            "node-",
            "-a",
            "node-exporter",
            "node-A",
            "Node-a",
            "node-a1",
            "pod-1",
            "pod-01a",
            "1pod-01",
            "xpod-0",
            "node_a",
            "2026-10-16",
            "priv-net1.h1",
            "priv-net01.h",
            "priv-net01.h1x",
            "corp-net01.h1",
            "priv-net01",
            "가-01",
            "POD-01",
            "node-ａ",
        ] {
            assert_eq!(all(text), [""; 0], "{text}");
        }
    }

    proptest::proptest! {
        /// The oracle: what the form says, as a pattern.
        #[test]
        fn the_pattern_finds_the_same(text in "(node-|pod-|priv-net|\\.h|[a-c0-2._ -]|가)*") {
            let beside = "[^A-Za-z0-9]";
            let any = r"node-[a-z]{1,3}|[a-z][a-z0-9]*-[0-9]{2,}|(?:any|cgnat|ll|mcast|priv|pub|v6)-net[0-9]{2,}\.h[0-9]+";
            let pattern = regex::bytes::Regex::new(&format!("(?-u)(?:^|{beside})({any})(?:$|{beside})")).expect("constant");
            let (mut at, mut expected) = (0, Vec::new());
            // a neighbour may belong to two forms
            while let Some(form) = pattern.captures_at(text.as_bytes(), at).and_then(|c| c.get(1)) {
                expected.push(form.range());
                at = form.end();
            }
            proptest::prop_assert_eq!(forms(&text).collect::<Vec<_>>(), expected);
        }
    }
}
