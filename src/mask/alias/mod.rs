//! Canonical value → alias. The aliases depend on the inventory, and on what an earlier run gave: not on the order of files, not on threads.
//!
//! An alias says its kind (`node-a`, `pod-03`, `priv-net01.h17`), is a plain scalar in YAML and plain text in Markdown and URLs, and keeps
//! no octet of an address: nets and hosts are counted in the sorted inventory, so that what shares a net shares its token.
//! The number `00` stands for a value that no capture holds.
//!
//! No value gets an alias that is the name of a value, that a bundle keeps, that an earlier run gave to another, or that stands in the
//! captures without being one of these: the last is a collision, since a reader could not tell which of the two is meant.

mod form;
mod net;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::Kind;

pub(super) use form::forms;

use net::Net;

/// Never the letters of a node: with `node-` before them they are words of the field, and would stand in captures. A word more here
/// renames nodes of large clusters.
const WORDS: [&str; 42] = [
    "api", "app", "bpf", "ca", "cni", "cpu", "cri", "csi", "csr", "db", "dir", "dns", "env", "for", "gpu", "gyp", "id",
    "ids", "in", "io", "ip", "ips", "is", "key", "log", "mac", "map", "max", "net", "of", "oom", "os", "pod", "red",
    "set", "sql", "ssh", "tls", "to", "ttl", "uid", "vm",
];

/// What gets aliases, and what may not be one.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Canonical names of nodes in the order in which they get their letters.
    pub(super) nodes: &'a [String],
    /// Every value in its canonical form; of nodes those of `nodes` count.
    pub(super) values: &'a BTreeSet<(Kind, String)>,
    /// Aliases that are given from outside, as those of a bundle: they stay, and no value gets one.
    pub(super) kept: &'a BTreeSet<String>,
    /// Words of the captures that have the form of an alias; also those that are a value or kept.
    pub(super) reserved: &'a BTreeSet<String>,
}

/// What earlier runs gave.
pub(super) trait Previous {
    /// The alias that a canonical value had; `kind` is the name of its kind, or [`NET`] for a net, whose alias is its token.
    fn alias(&self, kind: &str, value: &str) -> Option<&str>;

    /// Every alias and token that was ever given, also to what is gone by now.
    fn given(&self) -> &BTreeSet<String>;
}

/// As what a net is remembered.
const NET: &str = "net";

/// The alias of every value.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    values: BTreeMap<Kind, BTreeMap<String, String>>,
    /// Canonical net → token.
    nets: BTreeMap<String, String>,
    collisions: BTreeSet<String>,
}

impl Aliases {
    /// Gives every value an alias: the one that it had, else the next that is free.
    pub(super) fn assign(wanted: &Wanted<'_>, previous: Option<&dyn Previous>) -> Self {
        let mut giver = Giver::new(wanted, previous);
        let mut all = Self::default();
        let mut next: BTreeMap<Kind, usize> = BTreeMap::new();
        let nodes = wanted.nodes.iter().map(|name| (Kind::Node, name));
        let others = wanted.values.iter().map(|(kind, value)| (*kind, value));
        let others = others.filter(|(kind, _)| !matches!(kind, Kind::Node | Kind::Address));
        for (kind, value) in nodes.chain(others) {
            let of_kind = all.values.entry(kind).or_default();
            if !of_kind.contains_key(value) {
                let alias = giver.had(kind.name(), value).unwrap_or_else(|| {
                    let number = next.entry(kind).or_insert(0);
                    giver.next(number, |number| numbered(kind, number))
                });
                of_kind.insert(value.clone(), alias);
            }
        }
        giver.addresses(&mut all);
        all.collisions = giver.collisions;
        all
    }

    /// The alias of a value; that of an unlisted one if no capture holds it.
    pub(super) fn get(&self, kind: Kind, value: &str) -> &str {
        self.values.get(&kind).and_then(|of_kind| of_kind.get(value)).map_or(kind.unlisted(), String::as_str)
    }

    /// Whether a capture holds the value.
    pub(super) fn has(&self, kind: Kind, value: &str) -> bool {
        self.values.get(&kind).is_some_and(|of_kind| of_kind.contains_key(value))
    }

    /// Kind and value → alias, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Kind, &str, &str)> {
        let all = self.values.iter();
        all.flat_map(|(kind, all)| all.iter().map(|(value, alias)| (*kind, value.as_str(), alias.as_str())))
    }

    /// What a later run must know: name of the kind, canonical value, alias; of nets too.
    pub(super) fn lasting(&self) -> impl Iterator<Item = (&'static str, &str, &str)> {
        let nets = self.nets.iter().map(|(net, token)| (NET, net.as_str(), token.as_str()));
        self.iter().map(|(kind, value, alias)| (kind.name(), value, alias)).chain(nets)
    }

    /// Words of the captures that this run would have given as aliases. Nothing may be published if there is one.
    pub(super) fn collisions(&self) -> &BTreeSet<String> {
        &self.collisions
    }
}

/// Knows which aliases are free.
struct Giver<'a> {
    wanted: &'a Wanted<'a>,
    previous: Option<&'a dyn Previous>,
    /// The names of values that have the form of an alias.
    borne: BTreeSet<String>,
    /// What this run gave.
    used: BTreeSet<String>,
    collisions: BTreeSet<String>,
}

impl<'a> Giver<'a> {
    fn new(wanted: &'a Wanted<'a>, previous: Option<&'a dyn Previous>) -> Self {
        let mut borne = BTreeSet::new();
        let mut bear = |text: &str| borne.extend(forms(text).map(|form| text[form].to_owned()));
        for value in wanted.values.iter().map(|(_, value)| value).chain(wanted.nodes) {
            let value = value.to_ascii_lowercase();
            bear(&value);
            // the spelling in which the one stands for the other
            bear(&value.replace(['_', '.'], "-"));
        }
        Self { wanted, previous, borne, used: BTreeSet::new(), collisions: BTreeSet::new() }
    }

    /// The alias that a value had, if it may keep it.
    fn had(&mut self, kind: &str, value: &str) -> Option<String> {
        let alias = self.previous?.alias(kind, value)?.to_owned();
        let kept = self.wanted.kept.contains(&alias);
        if kept {
            // of another value, for all that is known
            self.collisions.insert(alias.clone());
        }
        (!kept && self.take(&alias)).then_some(alias)
    }

    /// The next free alias after `number`.
    fn next(&mut self, number: &mut usize, alias: impl Fn(usize) -> String) -> String {
        loop {
            *number += 1;
            let alias = alias(*number);
            let word = alias.strip_prefix("node-").is_some_and(|letters| WORDS.contains(&letters));
            let given = self.previous.is_some_and(|previous| previous.given().contains(&alias));
            if !word && !given && !self.wanted.kept.contains(&alias) && self.take(&alias) {
                return alias;
            }
        }
    }

    /// Whether an alias is free of names and words of the captures; then it is no longer.
    fn take(&mut self, alias: &str) -> bool {
        if self.borne.contains(alias) || self.used.contains(alias) {
            return false;
        }
        if self.wanted.reserved.contains(alias) {
            self.collisions.insert(alias.to_owned());
            return false;
        }
        self.used.insert(alias.to_owned())
    }

    /// Nets are counted by class, hosts by net, both in the order of the addresses.
    fn addresses(&mut self, all: &mut Aliases) {
        let mut addresses: BTreeMap<IpAddr, Vec<&String>> = BTreeMap::new();
        for (_, value) in self.wanted.values.iter().filter(|(kind, _)| *kind == Kind::Address) {
            if let Ok(address) = value.parse::<IpAddr>() {
                addresses.entry(address.to_canonical()).or_default().push(value);
            }
        }
        let mut tokens: BTreeMap<Net, (String, usize)> = BTreeMap::new();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        let of_kind = all.values.entry(Kind::Address).or_default();
        for (address, spelled) in addresses {
            let net = Net::of(address);
            let (token, host) =
                tokens.entry(net).or_insert_with(|| (self.token(&net, count.entry(net.class).or_insert(0)), 0));
            let had = self.had(Kind::Address.name(), &address.to_string());
            let alias = had
                .filter(|had| had.strip_prefix(token.as_str()).is_some_and(|rest| rest.starts_with('.')))
                .unwrap_or_else(|| self.next(host, |host| format!("{token}.h{host}")));
            of_kind.extend(spelled.into_iter().map(|value| (value.clone(), alias.clone())));
        }
        all.nets = tokens.into_iter().map(|(net, (token, _))| (net.canonical(), token)).collect();
    }

    /// The token of a net: the one that it had, else the next that is free.
    fn token(&mut self, net: &Net, number: &mut usize) -> String {
        let held = |token: &str| below(self.wanted.kept, token).next().is_some();
        if let Some(had) = self.previous.and_then(|previous| previous.alias(NET, &net.canonical())) {
            if !held(had) && self.take_token(had) {
                return had.to_owned();
            }
            // of another net, for all that is known
            self.collisions.extend(below(self.wanted.kept, had).cloned());
        }
        loop {
            *number += 1;
            let token = format!("{}-net{number:02}", net.class);
            let given = self.previous.is_some_and(|previous| previous.given().contains(&token));
            if !given && !held(&token) && self.take_token(&token) {
                return token;
            }
        }
    }

    /// Whether a token is free of names and words of the captures, of which one would pass for a host of the net; then it is no longer.
    fn take_token(&mut self, token: &str) -> bool {
        if below(&self.borne, token).next().is_some() {
            return false;
        }
        let words: Vec<&String> = below(self.wanted.reserved, token).collect();
        let free = words.is_empty() && self.used.insert(token.to_owned());
        self.collisions.extend(words.into_iter().cloned());
        free
    }
}

/// The aliases of the hosts of a net.
fn below<'a>(aliases: &'a BTreeSet<String>, token: &str) -> impl Iterator<Item = &'a String> + use<'a> {
    let start = format!("{token}.");
    aliases.range(start.clone()..).take_while(move |alias| alias.starts_with(&start))
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
