//! Canonical value → alias. The aliases depend on the inventory alone: not on the order of files, not on threads.
//!
//! An alias says its kind (`node-a`, `pod-03`, `priv-net01.h17`), is a plain scalar in YAML and plain text in Markdown and URLs, and keeps
//! no octet of an address: nets and hosts are counted in the sorted inventory, so that what shares a net shares its token.
//! The number `00` stands for a value that no capture holds. A captured value that already has the form of an alias of its kind keeps it,
//! and an alias that stands anywhere in the captures is given to nothing else: two values never share one.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Kind;

/// The form of every alias.
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    let numbered = "pod|user|uid|machine|domain|cluster|mail|secret|host|mac|container|word";
    let nets = "priv|pub|ll|v6|mcast|cgnat";
    Regex::new(&format!(
        r"(?-u:\b)(?:node-[a-z]{{1,3}}|(?:{numbered})-[0-9]{{2,}}|(?:{nets})-net[0-9]{{2,}}\.h[0-9]+)(?-u:\b)"
    ))
    .expect("the pattern is constant")
});

/// Words of `text` that have the form of an alias.
pub(super) fn forms(text: &str) -> impl Iterator<Item = Range<usize>> {
    // every form has a hyphen
    let may = memchr::memchr(b'-', text.as_bytes()).is_some();
    may.then(|| FORM.find_iter(text)).into_iter().flatten().map(|m| m.range())
}

/// The alias of every value.
#[derive(Default)]
pub(super) struct Aliases(BTreeMap<Kind, BTreeMap<String, String>>);

impl Aliases {
    /// `nodes` in the order in which they get their letters, `values` sorted; `reserved` are the alias-like words of the captures.
    pub(super) fn assign(nodes: &[String], values: &BTreeSet<(Kind, String)>, reserved: &BTreeSet<String>) -> Self {
        let mut all = Self::default();
        let own = |kind: Kind, value: &str| {
            value.starts_with(kind.name()) && forms(value).any(|form| form == (0..value.len()))
        };
        let mut reserved = reserved.clone();
        reserved.extend(values.iter().filter(|(kind, value)| own(*kind, value)).map(|(_, value)| value.clone()));
        let nodes = nodes.iter().map(|n| (Kind::Node, n.clone()));
        let (addresses, others): (Vec<_>, Vec<_>) = values
            .iter()
            .filter(|(kind, _)| *kind != Kind::Node)
            .cloned()
            .partition(|(kind, _)| *kind == Kind::Address);
        let mut next: BTreeMap<Kind, usize> = BTreeMap::new();
        for (kind, value) in nodes.chain(others) {
            let alias = if own(kind, &value) {
                value.clone()
            } else {
                let number = next.entry(kind).or_insert(0);
                loop {
                    *number += 1;
                    let alias = numbered(kind, *number);
                    if !reserved.contains(&alias) {
                        break alias;
                    }
                }
            };
            all.0.entry(kind).or_default().insert(value, alias);
        }
        let addresses = addresses.into_iter().filter_map(|(_, a)| a.parse().ok()).collect();
        all.0.insert(Kind::Address, nets(&addresses, &reserved));
        all
    }

    /// The alias of a value; that of an unlisted one if no capture holds it.
    pub(super) fn get(&self, kind: Kind, value: &str) -> &str {
        self.0.get(&kind).and_then(|of_kind| of_kind.get(value)).map_or(kind.unlisted(), String::as_str)
    }

    /// Whether a capture holds the value.
    pub(super) fn has(&self, kind: Kind, value: &str) -> bool {
        self.0.get(&kind).is_some_and(|of_kind| of_kind.contains_key(value))
    }

    /// Kind and value → alias, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Kind, &str, &str)> {
        self.0.iter().flat_map(|(kind, all)| all.iter().map(|(value, alias)| (*kind, value.as_str(), alias.as_str())))
    }
}

fn numbered(kind: Kind, number: usize) -> String {
    match kind {
        Kind::Node => format!("node-{}", letters(number)),
        _ => format!("{}-{number:02}", kind.name()),
    }
}

/// 1 → a, 26 → z, 27 → aa.
fn letters(mut number: usize) -> String {
    let mut out = Vec::new();
    while number > 0 {
        number -= 1;
        out.push(b'a' + u8::try_from(number % 26).expect("a remainder of 26"));
        number /= 26;
    }
    out.iter().rev().map(|b| char::from(*b)).collect()
}

/// Nets are counted by class, hosts by net, both from 1 in the order of the addresses.
fn nets(addresses: &BTreeSet<IpAddr>, reserved: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut tokens: BTreeMap<(&str, u128), (String, usize)> = BTreeMap::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = BTreeMap::new();
    for address in addresses {
        let (class, net) = net(*address);
        let (token, hosts) = tokens.entry((class, net)).or_insert_with(|| {
            let number = count.entry(class).or_insert(0);
            loop {
                *number += 1;
                let token = format!("{class}-net{number:02}");
                let taken = format!("{token}.");
                if !reserved.range(taken.clone()..).next().is_some_and(|word| word.starts_with(&taken)) {
                    break (token, 0);
                }
            }
        });
        *hosts += 1;
        out.insert(address.to_string(), format!("{token}.h{hosts}"));
    }
    out
}

/// The class of an address, and its /24 or /64.
fn net(address: IpAddr) -> (&'static str, u128) {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let class = match (a, b) {
                _ if v4.is_private() => "priv",
                (169, 254) => "ll",
                (100, 64..128) => "cgnat",
                (224..240, _) => "mcast",
                _ => "pub",
            };
            (class, u128::from(u32::from(v4) >> 8))
        }
        IpAddr::V6(v6) => {
            let class = match v6.segments()[0] {
                0xfe80..0xfec0 => "ll",
                0xff00.. => "mcast",
                _ => "v6",
            };
            // beyond any IPv4 net, which may be of the same class
            (class, (u128::from(v6) >> 64) | (1 << 64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_letters() {
        let all = [1, 2, 26, 27, 52, 53, 702, 703].map(letters);
        assert_eq!(all, ["a", "b", "z", "aa", "az", "ba", "zz", "aaa"]);
    }

    #[test]
    fn shared_nets_share_a_token_and_no_octet_is_kept() {
        let set = [
            "10.9.8.77",
            "10.9.8.12",
            "10.9.7.77",
            "203.0.113.9",
            "fd00::9",
            "fd00:0:0:1::9",
            "169.254.3.4",
            "fe80::1",
        ];
        let set: BTreeSet<IpAddr> = set.iter().map(|a| a.parse().expect("an address")).collect();
        let all = nets(&set, &BTreeSet::from(["pub-net01.h9".to_owned()]));
        let got: Vec<_> = all.iter().map(|(a, b)| format!("{a} {b}")).collect();
        assert_eq!(
            got,
            [
                "10.9.7.77 priv-net01.h1",
                "10.9.8.12 priv-net02.h1",
                "10.9.8.77 priv-net02.h2",
                "169.254.3.4 ll-net01.h1",
                "203.0.113.9 pub-net02.h1",
                "fd00:0:0:1::9 v6-net02.h1",
                "fd00::9 v6-net01.h1",
                "fe80::1 ll-net02.h1",
            ]
        );
    }

    #[test]
    fn a_value_that_has_the_form_of_an_alias_keeps_it() {
        let nodes = ["alpha".to_owned(), "node-a".to_owned(), "node-b7".to_owned()];
        let values = nodes.iter().map(|n| (Kind::Node, n.clone())).collect();
        let reserved = BTreeSet::from(["node-a".to_owned(), "node-c".to_owned()]);
        let all = Aliases::assign(&nodes, &values, &reserved);
        assert_eq!(all.get(Kind::Node, "node-a"), "node-a");
        assert_eq!(all.get(Kind::Node, "alpha"), "node-b");
        assert_eq!(all.get(Kind::Node, "node-b7"), "node-d");
    }
}
