//! What a key says of its value.

use super::{Place, Tell, is_of_set, record};

/// What a key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The value is one, and nothing else.
    Just(Place),
    /// `name`, or `namespace/name`.
    In(Place),
    /// `name=url,name=url`
    Members,
    /// The URLs of machines.
    Urls,
    /// An identifier that a provider gave, with the project or the name in it.
    Provider,
    /// The common name of a certificate.
    Subject,
    /// Who leads: a name, and a UUID behind `_`.
    Holder,
    /// `user@cluster`
    Context,
    /// An object as JSON, which holds what it holds.
    Document,
}

/// A value whose key says what it is.
pub(in super::super) fn keyed(key: &str, value: &str, tell: &mut Tell<'_>) {
    // what is only digits and signs names nothing, unless it is a long identifier
    let named = value.len() >= 32 || value.bytes().any(|b| b.is_ascii_alphabetic());
    let Some(says) = says(key).filter(|_| named) else { return };
    match says {
        Says::Just(place) => tell(place, value),
        Says::In(place) => {
            let (within, name) = value.rsplit_once('/').unwrap_or(("", value));
            // a node is called by its cluster too, a pod by what `_` parts from it
            if place == Place::Node && !within.is_empty() && !within.contains('/') {
                tell(Place::Cluster, within);
            }
            tell(place, if place == Place::Pod { name.split('_').next().unwrap_or_default() } else { name });
        }
        Says::Members => members(value, tell),
        Says::Urls => value.split(',').filter_map(host_of).for_each(|host| {
            tell(if host.contains('.') { Place::Site } else { Place::Host }, host);
        }),
        Says::Provider => {
            if let Some((_, path)) = value.split_once("://") {
                if value.starts_with("gce://") {
                    tell(Place::Cluster, path.split('/').next().unwrap_or_default());
                }
                tell(Place::Machine, path.rsplit('/').next().unwrap_or_default());
            }
        }
        Says::Subject => subject(value, tell),
        Says::Holder => holder(value, tell),
        Says::Context => {
            if let Some((user, cluster)) = value.split_once('@') {
                tell(Place::User, user);
                tell(Place::Cluster, cluster);
            }
        }
        Says::Document => {
            if let Ok(document) = serde_json::from_str(value) {
                record(&document, "json", tell);
            }
        }
    }
}

/// As [`keyed`], where `key: value` may be a sentence: what is no compound word is no name.
pub(in super::super) fn in_prose(key: &str, value: &str, tell: &mut Tell<'_>) {
    let made = value.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.' | b'@'));
    keyed(key, value, &mut |place, value| {
        if made || matches!(place, Place::Node | Place::Host | Place::Machine | Place::Pod | Place::Secret) {
            tell(place, value);
        }
    });
}

/// `name=url,name=url`
pub(in super::super) fn members(members: &str, tell: &mut Tell<'_>) {
    for (name, _) in
        members.split(',').filter_map(|member| member.split_once('=')).filter(|(_, url)| url.contains("://"))
    {
        tell(Place::Node, name);
    }
}

/// The host of a URL, or of `host:port`.
fn host_of(url: &str) -> Option<&str> {
    let url = url.trim().trim_matches(['"', '\'', '[', ']']);
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    (!host.starts_with('[')).then(|| host.rsplit_once(':').map_or(host, |(host, _)| host)).filter(|h| !h.is_empty())
}

fn subject(name: &str, tell: &mut Tell<'_>) {
    if let Some(node) = name.strip_prefix("system:node:") {
        return tell(Place::Node, node);
    }
    match name.split_once('@') {
        // the kubelet signs for itself: `worker-1-ca@1700000000`
        Some((node, time)) if time.len() >= 10 && time.bytes().all(|b| b.is_ascii_digit()) => {
            tell(Place::Host, node.strip_suffix("-ca").unwrap_or(node));
        }
        None if name.len() >= 4 && name.bytes().any(|b| matches!(b, b'0'..=b'9' | b'.')) => tell(Place::Host, name),
        _ => {}
    }
}

/// Leases of nodes are held by their names, elections by pods or by what runs on a node.
fn holder(holder: &str, tell: &mut Tell<'_>) {
    let name = match holder.rsplit_once('_') {
        Some((name, id)) if id.len() == 36 => name,
        _ => holder,
    };
    tell(if is_of_set(name) { Place::Pod } else { Place::Host }, name);
}

/// Whether a node is due under this key.
pub(in super::super) fn is_of_node(key: &str) -> bool {
    use Place::{Computer, Host, Node};
    matches!(says(key), Some(Says::Just(Node | Computer | Host) | Says::In(Node)))
}

/// Whether a user is due under this key.
pub(in super::super) fn is_of_user(key: &str) -> bool {
    matches!(says(key), Some(Says::Just(Place::User)))
}

fn says(key: &str) -> Option<Says> {
    match key {
        // of journald
        "_HOSTNAME" => return Some(Says::Just(Place::Node)),
        // of OpenTelemetry
        "host.name" => return Some(Says::Just(Place::Computer)),
        _ if key.len() > 80 => return None,
        _ => {}
    }
    let key = plain(key);
    let last = key.rsplit('.').next().unwrap_or_default();
    let ends = |all: &[&str]| all.iter().any(|end| ends_with(&key, end));
    let has = |all: &[&str]| all.iter().any(|part| key.contains(part));
    // the release of a chart, and what a process calls itself
    if ends(&["kubernetes.io.instance", "service.instance.id"]) {
        return None;
    }
    Some(if ends(&["last.applied.configuration"]) {
        Says::Document
    } else if ends(&["initial.cluster"]) {
        Says::Members
    } else if ends(&["node.name", "kubernetes.io.hostname", "kubernetes.node", "hostname.override", "selected.node"])
        || key.ends_with("nodename")
    {
        Says::In(Place::Node)
    } else if ends(&["pod.name"]) || matches!(last, "pod" | "podname") {
        Says::In(Place::Pod)
    } else if ends(&["cluster.name", "k8s.cluster"]) || last == "clustername" || key == "cluster" {
        Says::Just(Place::Cluster)
    } else if ends(&[
        "machine.id",
        "system.uuid",
        "boot.id",
        "host.id",
        "product.uuid",
        "product.serial",
        "instance.id",
    ]) || matches!(last, "machineid" | "systemuuid" | "bootid" | "hostid" | "instanceid")
    {
        Says::Just(Place::Machine)
    } else if ends(&["provider.id", "providerid"]) {
        Says::Provider
    } else if ends(&["holder.identity"]) || last == "holderidentity" {
        Says::Holder
    } else if ends(&["tls.server.name", "server.name", "override.authority"])
        || matches!(last, "servername" | "sni" | "authority")
    {
        Says::Just(Place::Site)
    } else if ends(&["client.urls", "peer.urls", "etcd.servers", "control.plane.endpoint"])
        || matches!(key.as_str(), "server" | "controlplaneendpoint")
    {
        Says::Urls
    } else if matches!(last, "node" | "host" | "hostname" | "peer" | "instance" | "rhost")
        || ends(&["host.name", "instance.name", "vm.name"])
    {
        Says::Just(Place::Host)
    } else if last == "rack"
        || (matches!(last, "zone" | "region" | "datacenter") && has(&["topology", "failure.domain", "availability"]))
        || key == "datacenter"
    {
        Says::Just(Place::Zone)
    } else if ends(&["user.name", "enduser.id", "login.name"])
        || matches!(last, "username" | "user" | "logname" | "ruser" | "loginuser")
    {
        Says::Just(Place::User)
    } else if matches!(key.as_str(), "cn" | "commonname" | "common.name") {
        Says::Subject
    } else if key == "dns" {
        Says::Just(Place::Site)
    } else if key == "current.context" {
        Says::Context
    } else {
        return None;
    })
}

fn ends_with(key: &str, end: &str) -> bool {
    key.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// A key as words in lower case with dots between them: `nodeName`, `node_name` and `--node-name` are `node.name`.
fn plain(key: &str) -> String {
    let mut plain = String::with_capacity(key.len() + 4);
    let mut small = false;
    for c in key.trim_start_matches(['-', '_']).chars() {
        if small && c.is_ascii_uppercase() {
            plain.push('.');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        plain.push(if matches!(c, '-' | '_' | '/') { '.' } else { c.to_ascii_lowercase() });
    }
    plain
}
