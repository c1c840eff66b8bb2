//! The inventory: every sensitive value of all captures in its canonical form, whatever the order in which they were met.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::LazyLock;

use super::{Entry, Found, Kind, Place, basic};
use crate::project::MaskRules;

/// Words that name no one: masking them would hide nothing and harm much.
static COMMON: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words(include_str!("common_words.txt")));

/// Domains in which everybody's names lie; masking them would hide nothing.
static SHARED_DOMAINS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words(include_str!("shared_domains.txt")));

/// The words of a list; a line that begins with `#` says what follows.
fn words(list: &'static str) -> BTreeSet<&'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

/// Labels under which a country registers names: `co.kr`, `ac.jp`, `com.cn`.
const SECOND_LEVEL: &[&str] =
    &["co", "or", "ac", "go", "ne", "re", "pe", "com", "net", "org", "gov", "edu", "ad", "gr", "lg", "ed", "mil"];

/// Everything sensitive that was met.
#[derive(Default)]
pub(super) struct Inventory {
    values: BTreeSet<(Kind, String)>,
    /// Names of nodes as they were met, in lower case: short or full.
    nodes: BTreeSet<String>,
    control_plane: BTreeSet<String>,
    /// Nodes whose name is a common word or a letter: masked only where a node is due.
    typed: BTreeSet<String>,
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
        // what a person named is never too common
        let named =
            rules.nodes.iter().map(|name| plain(name)).filter(|n| !n.is_empty() && n.parse::<IpAddr>().is_err());
        inventory.nodes.extend(named);
        for domain in &rules.domains {
            inventory.insert(Kind::Domain, plain(domain.trim_start_matches("*.").trim_start_matches('.')));
        }
        rules.users.iter().for_each(|user| inventory.insert(Kind::User, plain(user)));
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
            // a key that in some captures means something else: the name of a machine has a digit, a hyphen or a domain
            Place::Host => {
                let host = without_port(value);
                if host.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.')) && !is_service(host) {
                    self.node(host);
                }
            }
            Place::Pod => {
                let pod = plain(value);
                // a made-up name has a digit; others are the names of products
                if is_name(&pod) && pod.len() >= 4 && pod.bytes().any(|b| b.is_ascii_digit()) {
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
            Place::Machine => {
                let machine = plain(value);
                if is_name(&machine) && machine.len() >= 8 && !is_uuid(&machine) {
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
        let name = plain(without_port(name));
        if is_name(&name)
            && !is_service(&name)
            && !is_number(&name)
            && !is_id(&name)
            && name.parse::<IpAddr>().is_err()
            && !self.allow.contains(&name)
        {
            let generic = COMMON.contains(name.as_str()) || name.len() < 2;
            if generic {
                self.typed.insert(name)
            } else {
                self.nodes.insert(name)
            };
        }
    }

    /// Nodes that are masked only where a node is due, in lower case.
    pub(super) fn typed(&self) -> &BTreeSet<String> {
        &self.typed
    }

    fn user(&mut self, name: &str) {
        let name = plain(name);
        let stem = name.trim_end_matches('+');
        let system = COMMON.iter().any(|word| *word == stem || (stem.len() < name.len() && word.starts_with(stem)));
        let service = stem.starts_with("systemd") || stem.starts_with("_") || stem.starts_with("system:");
        if system || service || stem.len() < 2 || is_number(stem) || !is_name(stem) {
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
        let shared = |d: &str| {
            SHARED_DOMAINS.iter().any(|s| d == *s || d.strip_suffix(s).is_some_and(|rest| rest.ends_with('.')))
        };
        if shared(&domain) || !is_name(&domain) || domain.parse::<IpAddr>().is_ok() {
            return;
        }
        let labels: Vec<&str> = domain.split('.').collect();
        let registered = match labels[..] {
            [.., second, top] if top.len() == 2 && SECOND_LEVEL.contains(&second) => 3,
            _ => 2,
        };
        for from in 0..(labels.len() + 1).saturating_sub(registered) {
            self.insert(Kind::Domain, labels[from..].join("."));
        }
    }

    /// Derives what follows from what was met so far: domains of nodes, words that nodes and domains share, names that are only known cut.
    pub(super) fn settle(&mut self) {
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
            let clear = full[short].len() <= 1 && short.len() >= 2 && !COMMON.contains(short) && !is_number(short);
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
        for (kind, value) in &self.values {
            let spelled = match kind {
                Kind::Node | Kind::Address | Kind::Mac | Kind::Uid | Kind::Mail | Kind::Host => false,
                // what is short or a word is masked where it is said to be secret, and nowhere else
                Kind::Secret => is_distinctive(value),
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
        let control_plane: BTreeSet<&String> = self.control_plane.iter().filter_map(|n| canonical.get(n)).collect();
        let rank = |name: &String| {
            let host = self.hosts.iter().position(|host| canonical.get(host).unwrap_or(host) == name);
            let is_control = control_plane.contains(name) || self.control_plane.contains(name);
            (host.unwrap_or(self.hosts.len()), !is_control)
        };
        let all: BTreeSet<&String> = canonical.values().chain(&self.typed).collect();
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

fn is_name(name: &str) -> bool {
    name.len() <= 253
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && !name.starts_with(['-', '.'])
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// A name inside the cluster, or of the machine for itself.
fn is_service(name: &str) -> bool {
    name.starts_with("localhost")
        || [".svc", ".cluster.local", ".local.", ".localdomain"].iter().any(|end| name.ends_with(end))
        || name.contains(".svc.")
}

/// An identifier in hexadecimal, e.g. of a member of etcd.
fn is_id(name: &str) -> bool {
    name.len() >= 12 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_uuid(name: &str) -> bool {
    name.len() == 36 && name.bytes().filter(|b| *b == b'-').count() == 4
}

/// Whether a name tells one thing from another everywhere.
fn is_telling(name: &str) -> bool {
    name.len() >= 3 && !COMMON.contains(name) && !is_number(name)
}

/// Whether a secret would be recognised anywhere: long enough, on one line, and no word.
fn is_distinctive(secret: &str) -> bool {
    let word = secret.len() < 16 && secret.bytes().all(|b| b.is_ascii_lowercase());
    (6..=256).contains(&secret.len()) && !secret.contains('\n') && !word && is_telling(&secret.to_ascii_lowercase())
}
