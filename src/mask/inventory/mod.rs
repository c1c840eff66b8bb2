//! The inventory: every sensitive value of all captures in its canonical form, whatever the order in which they were met.

mod words;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::{Entry, Found, Kind, Place, basic};
use crate::project::MaskRules;

use words::{
    is_common, is_generic, is_id, is_internet, is_made, is_name, is_number, is_own_zone, is_service, is_shared,
    is_system_user, is_uuid, is_version, registered,
};

pub(super) use words::is_of_set;

/// Everything sensitive that was met.
#[derive(Default)]
pub(super) struct Inventory {
    values: BTreeSet<(Kind, String)>,
    /// Names of nodes as they were met, in lower case: short or full.
    nodes: BTreeSet<String>,
    control_plane: BTreeSet<String>,
    /// What is a node if it is no pod.
    probable: BTreeSet<String>,
    /// Nodes, and users that a person named, whose name is a common word or a letter: masked only where one is due.
    typed: BTreeSet<(Kind, String)>,
    hosts: Vec<String>,
    pods: BTreeSet<String>,
    /// Users of which `ps` showed the beginning, with the `+`.
    cut_users: BTreeSet<String>,
    reserved: BTreeSet<String>,
    allow: BTreeSet<String>,
}

impl Inventory {
    pub(super) fn new(rules: &MaskRules, hosts: &[&str]) -> Self {
        let mut inventory = Self {
            allow: rules.allow.iter().map(|a| a.to_ascii_lowercase()).collect(),
            hosts: hosts.iter().map(|h| plain(h)).collect(),
            ..Self::default()
        };
        hosts.iter().for_each(|host| inventory.node(host));
        let named = rules.nodes.iter().map(|name| plain(name));
        for name in named.filter(|name| !name.is_empty() && name.parse::<IpAddr>().is_err()) {
            if is_typed(&name) {
                inventory.typed.insert((Kind::Node, name));
            } else {
                inventory.nodes.insert(name);
            }
        }
        for domain in &rules.domains {
            inventory.insert(Kind::Domain, plain(domain.trim_start_matches("*.").trim_start_matches('.')));
        }
        for user in rules.users.iter().map(|user| plain(user)).filter(|user| !user.is_empty()) {
            if is_typed(&user) {
                inventory.typed.insert((Kind::User, user.clone()));
            }
            inventory.insert(Kind::User, user);
        }
        rules.words.iter().for_each(|word| inventory.insert(Kind::Word, plain(word)));
        inventory
    }

    /// Takes a value that stands in a typed place.
    pub(super) fn claim(&mut self, place: Place, value: &str) {
        match place {
            Place::Node => self.node(value),
            Place::ControlPlane => {
                self.node(value);
                self.control_plane.insert(plain(value));
            }
            Place::Computer if is_of_set(value) => self.claim(Place::Pod, value),
            Place::Computer => {
                let name = plain(value);
                if self.is_fit(&name) && !is_common(&name) && !name.contains('.') {
                    self.probable.insert(name);
                } else {
                    self.host(value);
                }
            }
            Place::Host => self.host(value),
            Place::Site => self.site(&host_name(value)),
            Place::Domain => self.domain(value),
            Place::Pod => {
                let pod = plain(value);
                // a made-up name has a digit; others are the names of products
                let is_word = pod.len() < 4 || is_number(&pod) || !pod.bytes().any(|b| b.is_ascii_digit());
                if is_name(&pod) && !is_word && !is_version(&pod) && !self.allow.contains(&pod) {
                    self.pods.insert(pod);
                }
            }
            Place::User => self.user(value),
            Place::Cluster => {
                let cluster = plain(value);
                if is_name(&cluster) && is_telling(&cluster) {
                    self.insert(Kind::Cluster, cluster);
                }
            }
            Place::Zone => {
                let zone = plain(value);
                if is_name(&zone) && is_telling(&zone) && is_own_zone(&zone) {
                    self.insert(Kind::Zone, zone);
                }
            }
            Place::Machine => {
                let machine = plain(value);
                let made = machine.len() >= 8 && machine.bytes().any(|b| b.is_ascii_digit());
                if is_name(&machine) && made && !is_uuid(&machine) {
                    self.insert(Kind::Machine, machine);
                }
            }
            Place::Secret => self.secret(value),
        }
    }

    /// Takes what detectors found in a text, and the words in it that look like aliases.
    pub(super) fn found<'a>(&mut self, forms: impl Iterator<Item = &'a str>, found: &[Found]) {
        self.reserved.extend(forms.map(str::to_ascii_lowercase));
        for one in found {
            match one.kind {
                Kind::Secret => self.secret(&one.value),
                Kind::Mail => {
                    if let Some((user, domain)) = one.value.split_once('@') {
                        self.user(user);
                        self.domain(domain);
                    }
                    self.insert(Kind::Mail, one.value.clone());
                }
                kind => self.insert(kind, one.value.clone()),
            }
        }
    }

    fn insert(&mut self, kind: Kind, value: String) {
        if !value.is_empty() && !self.allow.contains(&value.to_ascii_lowercase()) {
            self.values.insert((kind, value));
        }
    }

    fn node(&mut self, name: &str) {
        let name = host_name(name);
        if self.is_fit(&name) && !is_service(&name) {
            if is_typed(&name) {
                self.typed.insert((Kind::Node, name))
            } else {
                self.nodes.insert(name)
            };
        }
    }

    /// Whether this can be the name of a machine.
    fn is_fit(&self, name: &str) -> bool {
        let is_other = is_number(name) || is_id(name) || name.parse::<IpAddr>().is_ok();
        is_name(name) && !is_other && !self.allow.contains(name)
    }

    /// Takes what stands under a key that in some captures means something else: the name of a machine is made up, or has a domain.
    fn host(&mut self, value: &str) {
        let name = host_name(value);
        let short = name.split('.').next().unwrap_or_default();
        if is_service(&name) || is_version(&name) || is_generic(&name) || is_of_set(short) {
            return;
        }
        // a service by the name of its namespace has a dot as well
        if is_made(short) && (!is_shared(&name) || name.ends_with("internal")) {
            if self.is_fit(&name) && !is_common(&name) {
                self.probable.insert(name);
            }
        } else {
            self.site(&name);
        }
    }

    /// Takes the domain of a host.
    fn site(&mut self, name: &str) {
        let (any, name) = (name.starts_with("*."), name.trim_start_matches("*."));
        if !is_service(name) && is_internet(name) {
            let rest = name.split_once('.').map_or("", |(_, rest)| rest);
            let whole = any || name.split('.').count() <= registered(name);
            self.domain(if whole { name } else { rest });
        }
    }

    /// Names that are masked only where one of their kind is due, in lower case, each with the value that it stands for: a node of which the full
    /// name is known as well is one node.
    pub(super) fn typed(&self) -> BTreeMap<(Kind, String), String> {
        let mut full: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for (short, node) in self.nodes.iter().filter_map(|node| Some((node.split_once('.')?.0, node))) {
            if is_typed(short) {
                full.entry(short).or_default().push(node);
            }
        }
        let own = self.typed.iter().map(|typed| (typed.clone(), typed.1.clone()));
        let short = full.into_iter().filter(|(_, nodes)| nodes.len() == 1);
        own.chain(short.map(|(short, nodes)| ((Kind::Node, short.to_owned()), nodes[0].clone()))).collect()
    }

    fn user(&mut self, name: &str) {
        let name = plain(name);
        let stem = name.trim_end_matches('+');
        if is_system_user(stem, stem.len() < name.len()) || stem.len() < 2 || is_number(stem) || !is_name(stem) {
            return;
        }
        if stem.len() < name.len() {
            self.cut_users.insert(name);
        } else {
            self.insert(Kind::User, name);
        }
    }

    fn secret(&mut self, value: &str) {
        if let Some((user, password)) = basic(value) {
            self.user(&user);
            self.insert(Kind::Secret, password);
        }
        self.insert(Kind::Secret, value.to_owned());
    }

    fn domain(&mut self, domain: &str) {
        let domain = plain(domain);
        if is_shared(&domain) || !is_name(&domain) || domain.parse::<IpAddr>().is_ok() {
            return;
        }
        let labels: Vec<&str> = domain.split('.').collect();
        for from in 0..(labels.len() + 1).saturating_sub(registered(&domain)) {
            self.insert(Kind::Domain, labels[from..].join("."));
        }
    }

    /// Derives what follows from what was met so far: domains of nodes, words that nodes and domains share, names that are only known cut.
    pub(super) fn settle(&mut self) {
        let probable = std::mem::take(&mut self.probable);
        self.nodes.extend(probable.into_iter().filter(|name| !self.pods.contains(name)));
        for node in self.nodes.clone() {
            if let Some((_, domain)) = node.split_once('.') {
                self.domain(domain);
            }
        }
        let prefixes: BTreeSet<&str> = self.nodes.iter().filter_map(|n| Some(n.split_once('-')?.0)).collect();
        let domains = self.values.iter().filter(|(kind, _)| *kind == Kind::Domain);
        let words: BTreeSet<String> =
            domains.flat_map(|(_, d)| d.split('.')).filter(|w| prefixes.contains(w)).map(str::to_owned).collect();
        for word in words.into_iter().filter(|w| is_telling(w) && w.len() >= 4) {
            self.insert(Kind::Cluster, word);
        }
        // what a provider calls after its node
        self.values.retain(|(kind, name)| *kind != Kind::Machine || !self.nodes.contains(name));
        for canonical in self.canonical_nodes().into_values().collect::<BTreeSet<_>>() {
            self.insert(Kind::Node, canonical);
        }
        for cut in &self.cut_users {
            let stem = cut.trim_end_matches('+');
            let mut whole = self
                .values
                .iter()
                .filter(|(kind, name)| *kind == Kind::User && name.starts_with(stem) && !name.ends_with('+'));
            if whole.next().is_none() {
                self.values.insert((Kind::User, cut.clone()));
            }
        }
        // a static pod is called after its node, whose alias it gets
        let nodes: Vec<String> = self.nodes.iter().cloned().collect();
        for pod in self.pods.clone() {
            if !nodes
                .iter()
                .any(|node| pod == *node || pod.strip_suffix(node.as_str()).is_some_and(|rest| rest.ends_with('-')))
            {
                self.insert(Kind::Pod, pod);
            }
        }
    }

    /// Name as met → canonical name: the first label, unless nodes of several domains share it or it says nothing by itself.
    fn canonical_nodes(&self) -> BTreeMap<String, String> {
        let mut full: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for node in &self.nodes {
            let names = full.entry(node.split('.').next().unwrap_or_default()).or_default();
            if node.contains('.') {
                names.insert(node);
            }
        }
        let canonical = |node: &String| {
            let short = node.split('.').next().unwrap_or_default();
            let clear = full[short].len() <= 1 && short.len() >= 2 && !is_common(short) && !is_number(short);
            if clear { short.to_owned() } else { node.clone() }
        };
        self.nodes.iter().map(|node| (node.clone(), canonical(node))).collect()
    }

    /// Every spelling for the dictionary.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut all = Vec::new();
        for (name, canonical) in self.canonical_nodes() {
            if !name.starts_with(&format!("{canonical}.")) || name == canonical {
                all.push(Entry { spelling: name.clone(), kind: Kind::Node, value: canonical.clone() });
            } else {
                all.push(Entry { spelling: canonical.clone(), kind: Kind::Node, value: canonical.clone() });
                all.push(Entry { spelling: name, kind: Kind::Node, value: canonical });
            }
        }
        for (kind, value) in self.values.iter().filter(|value| !self.typed.contains(value)) {
            let spelled = match kind {
                Kind::Node | Kind::Address | Kind::Mac | Kind::Uid | Kind::Mail | Kind::Host => false,
                // what is short or a word is masked where it is said to be secret, and nowhere else
                Kind::Secret | Kind::Own(_) => is_distinctive(value),
                _ => true,
            };
            if spelled {
                all.push(Entry { spelling: value.clone(), kind: *kind, value: value.clone() });
            }
        }
        all
    }

    /// Every address.
    pub(super) fn addresses(&self) -> impl Iterator<Item = IpAddr> {
        self.values.iter().filter(|(kind, _)| *kind == Kind::Address).filter_map(|(_, value)| value.parse().ok())
    }

    /// Canonical names of nodes in the order of their aliases: hosts of captures as given, then control plane, then the rest by name.
    pub(super) fn nodes(&self) -> Vec<String> {
        let canonical = self.canonical_nodes();
        let typed = self.typed();
        let meant = |name: &String| {
            canonical.get(name).or_else(|| typed.get(&(Kind::Node, name.clone()))).unwrap_or(name).clone()
        };
        let hosts: Vec<String> = self.hosts.iter().map(meant).collect();
        let control_plane: BTreeSet<String> = self.control_plane.iter().map(meant).collect();
        let rank = |name: &String| {
            let host = hosts.iter().position(|host| host == name);
            (host.unwrap_or(hosts.len()), !control_plane.contains(name))
        };
        let words = typed.iter().filter(|((kind, _), _)| *kind == Kind::Node).map(|(_, name)| name);
        let all: BTreeSet<&String> = canonical.values().chain(words).collect();
        let mut all: Vec<String> = all.into_iter().cloned().collect();
        all.sort_by_key(rank);
        all
    }

    pub(super) fn values(&self) -> &BTreeSet<(Kind, String)> {
        &self.values
    }

    /// Words of the captures that look like aliases, in lower case.
    pub(super) fn reserved(&self) -> &BTreeSet<String> {
        &self.reserved
    }
}

/// A name as it is kept, without a port.
pub(super) fn host_name(host: &str) -> String {
    plain(without_port(host))
}

/// Lower case, without blanks around it and the dot of the root.
fn plain(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether a name tells one thing from another everywhere.
fn is_telling(name: &str) -> bool {
    name.len() >= 3 && !is_common(name) && !is_number(name)
}

/// Whether a secret would be recognised anywhere: long enough, on one line, and no word.
fn is_distinctive(secret: &str) -> bool {
    // words, also several: masking them would harm the names that are made of them
    let word = secret.len() < 24 && secret.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'));
    (6..=256).contains(&secret.len()) && !secret.contains('\n') && !word && is_telling(&secret.to_ascii_lowercase())
}

/// Whether a name is a word that is masked only where a name is due.
fn is_typed(name: &str) -> bool {
    is_common(name) || name.len() < 2
}
