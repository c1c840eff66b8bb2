//! Typed places: where records and texts say by a key, a flag or a column that a value is a node, a user, a pod, a secret.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};
use serde_json::{Map, Value};

use super::{Place, is_secret_name};

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is constant"));
    };
}

pattern!(
    PAIR,
    r#"(?m-u)(?:^|[\s,{(\["'&?])(-{0,2}[A-Za-z][A-Za-z0-9_./-]*)\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?([A-Za-z0-9][^\s"'\\,;{}()\[\]&]*)"#
);
pattern!(FLAG, r"(?-u)(?:^|\s)(--[a-z][a-z0-9-]*)\s+([A-Za-z0-9]\S*)");
pattern!(INITIAL_CLUSTER, r#"(?-u)initial-cluster[=\s"':]+([^\s"'=]+=[^\s"']+)"#);
pattern!(SSH_USER, r"(?-u)\bsshd?(?:-session)?: ([A-Za-z_][A-Za-z0-9_.-]*)(?:@| \[)");
pattern!(SYSTEM_NODE, r"(?-u)\bsystem:node:([A-Za-z0-9.-]+)");
pattern!(RELAY_SERVER, r"(?-u)\b([A-Za-z0-9-]+)\.([A-Za-z0-9-]+)\.hubble-(?:grpc|relay)\.cilium\.io");
pattern!(SECRET, r#"(?-u)"?kind"?\s*:\s*"?Secret\b"#);
pattern!(
    NAME_VALUE,
    r#"(?-u)name\\?["']?\s*[:=]\s*\\?["']?([A-Za-z0-9_.-]+)\\?["']?,?\s*\\?["']?value\\?["']?\s*[:=]\s*\\?(?:"([^"\\]+)|'([^']+)|([^\s,}"'\\]+))"#
);
pattern!(
    VALUE_NAME,
    r#"(?-u)value\\?["']?\s*[:=]\s*\\?(?:"([^"\\]+)\\?"|'([^']+)'|([^\s,}"'\\]+)),?\s*\\?["']?name\\?["']?\s*[:=]\s*\\?["']?([A-Za-z0-9_.-]+)"#
);

/// Whether a node is due under this key.
pub(super) fn is_of_node(key: &str) -> bool {
    let mut node = false;
    keyed(key, "a-1", &mut |place, _| node |= matches!(place, Place::Node | Place::ControlPlane | Place::Host));
    node
}

/// What is told of each value in a typed place.
type Tell<'a> = dyn FnMut(Place, &str) + 'a;

/// Visits every typed place of a record that the reader of `format` made.
pub(super) fn record(value: &Value, format: &str, tell: &mut Tell<'_>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| record(item, format, tell)),
        Value::Object(members) => {
            match format {
                "ps" => process(members, tell),
                "hubble-compact" => {
                    ["source", "destination"].iter().filter_map(|k| members.get(*k)).for_each(|end| flow(end, tell));
                }
                _ => object(members, tell),
            }
            for (key, member) in members {
                if let Value::String(value) = member {
                    keyed(key, value, tell);
                }
                record(member, format, tell);
            }
        }
        Value::String(whole) => text(whole, tell),
        _ => {}
    }
}

/// Visits the typed places of a text: flags, pairs, peers in a log line.
pub(super) fn text(text: &str, tell: &mut Tell<'_>) {
    let has = |b: u8| memchr::memchr(b, text.as_bytes()).is_some();
    if !(has(b':') || has(b'=') || text.contains("--")) {
        return;
    }
    let (peers, etcd) = (text.contains("server_name:"), text.contains("etcd"));
    let mut attribute = None;
    for [key, value] in groups(&PAIR, text) {
        match key {
            "name" if peers => tell(Place::Node, value),
            "--name" if etcd => tell(Place::Node, value),
            "key" => attribute = Some(value),
            "value" => {
                if let Some(key) = attribute.take() {
                    keyed(key, value, tell);
                }
            }
            _ => keyed(key, value, tell),
        }
    }
    if text.contains("--") {
        for [flag, value] in groups(&FLAG, text) {
            match flag {
                "--name" if etcd => tell(Place::Node, value),
                _ => keyed(flag, value, tell),
            }
        }
    }
    if text.contains("initial-cluster") {
        groups(&INITIAL_CLUSTER, text).for_each(|[members]| initial_cluster(members, tell));
    }
    if text.contains("ssh") {
        groups(&SSH_USER, text).for_each(|[user]| tell(Place::User, user));
    }
    if text.contains("system:node:") {
        groups(&SYSTEM_NODE, text).for_each(|[node]| tell(Place::Node, node));
    }
    if text.contains(".hubble-") {
        for [node, cluster] in groups(&RELAY_SERVER, text) {
            tell(Place::Node, node);
            tell(Place::Cluster, cluster);
        }
    }
    if text.contains("Secret") && SECRET.is_match(text.as_bytes()) {
        secret_data(text, tell);
    }
    if text.contains("value") && text.contains("name") {
        environment(text, tell);
    }
}

/// Every match of a pattern as its groups, one of each alternative; a match that is not whole characters is none.
fn groups<'t, const N: usize>(pattern: &'static Regex, text: &'t str) -> impl Iterator<Item = [&'t str; N]> {
    pattern.captures_iter(text.as_bytes()).filter_map(|captures: Captures<'t>| {
        let mut met = captures.iter().skip(1).flatten().filter_map(|m| std::str::from_utf8(m.as_bytes()).ok());
        let mut groups = [""; N];
        for group in &mut groups {
            *group = met.next()?;
        }
        Some(groups)
    })
}

/// Pairs of name and value, in either order.
fn environment(text: &str, tell: &mut Tell<'_>) {
    let lower = text.to_ascii_lowercase();
    if !["pass", "pwd", "secret", "token", "credential", "_key", "apikey"].iter().any(|word| lower.contains(word)) {
        return;
    }
    let backward = groups(&VALUE_NAME, text).map(|[value, name]| [name, value]);
    for [_, value] in groups(&NAME_VALUE, text).chain(backward).filter(|[name, _]| is_secret_name(name)) {
        tell(Place::Secret, value);
    }
}

/// The data of a Secret that is text: as a JSON document on one line, or as the block of YAML under `data`, before or after `kind`.
fn secret_data(text: &str, tell: &mut Tell<'_>) {
    for line in text.lines().filter(|line| SECRET.is_match(line.as_bytes())) {
        if let Ok(document) = serde_json::from_str::<Value>(line.trim()) {
            record(&document, "json", tell);
        }
    }
    let mut block = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        if block.is_some_and(|outer| depth > outer) {
            tell(Place::Secret, value.trim().trim_matches(['"', '\'', ',']));
        } else {
            block = matches!(key.trim_matches('"'), "data" | "stringData").then_some(depth);
        }
    }
}

/// A row of `ps`.
fn process(row: &Map<String, Value>, tell: &mut Tell<'_>) {
    const USERS: [&str; 7] = ["user", "uid", "ruser", "euser", "suser", "fuser", "owner"];
    for user in USERS.iter().filter_map(|column| row.get(*column)?.as_str()) {
        tell(Place::User, user);
    }
}

/// One end of a flow: a pod, or a node by its full name.
fn flow(end: &Value, tell: &mut Tell<'_>) {
    let text = |key: &str| end.get(key).and_then(Value::as_str);
    let Some(name) = text("name") else { return };
    match name.split_once('/') {
        Some((_, pod)) => tell(Place::Pod, pod),
        None if matches!(text("label"), Some("host" | "remote-node" | "kube-apiserver" | "health")) => {
            tell(Place::Node, name);
        }
        None => {}
    }
}

/// An object of Kubernetes, an attribute of a trace, an environment variable.
fn object(members: &Map<String, Value>, tell: &mut Tell<'_>) {
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    let metadata = members.get("metadata");
    let own_name = metadata.and_then(|m| m.get("name")).and_then(Value::as_str);
    // of itself, or of what it refers to
    match (text("kind"), own_name.or_else(|| text("name"))) {
        (Some("Node" | "CiliumNode" | "CSINode" | "NodeMetrics" | "Machine"), Some(name)) => {
            let labels = metadata.and_then(|m| m.get("labels")).and_then(Value::as_object);
            let controls = |label: &String| {
                matches!(label.as_str(), "node-role.kubernetes.io/control-plane" | "node-role.kubernetes.io/master")
            };
            let control_plane = labels.is_some_and(|labels| labels.keys().any(controls));
            tell(if control_plane { Place::ControlPlane } else { Place::Node }, name);
        }
        (Some("Pod" | "PodMetrics" | "CiliumEndpoint"), Some(name)) => tell(Place::Pod, name),
        (Some("Secret"), _) => {
            let data = ["data", "stringData"].iter().filter_map(|k| members.get(*k)?.as_object());
            data.flat_map(|d| d.values()).filter_map(Value::as_str).for_each(|value| tell(Place::Secret, value));
        }
        _ => {}
    }
    if let (Some("Hostname" | "InternalDNS" | "ExternalDNS"), Some(name)) = (text("type"), text("address")) {
        tell(Place::Node, name);
    }
    let value = text("value").or_else(|| members.get("value")?.get("stringValue")?.as_str());
    if let (Some(key), Some(value)) = (text("key"), value) {
        keyed(key, value, tell);
    }
    if let (Some(name), Some(value)) = (text("name"), value)
        && is_secret_name(name)
    {
        tell(Place::Secret, value);
    }
}

/// A value whose key says what it is.
pub(super) fn keyed(key: &str, value: &str, tell: &mut Tell<'_>) {
    // what is only digits and signs names nothing, unless it is a long identifier
    let named = value.len() >= 32 || value.bytes().any(|b| b.is_ascii_alphabetic());
    if key.len() > 80 || !named {
        return;
    }
    let key = key.trim_start_matches('-');
    let lower = key.bytes().any(|b| b.is_ascii_uppercase()).then(|| key.to_ascii_lowercase());
    let key = lower.as_deref().unwrap_or(key);
    let last = key.rsplit(['.', '/', '_', '-']).next().unwrap_or_default();
    let ends = |words: &[&str]| words.iter().any(|word| key.ends_with(word));
    if key.ends_with("last-applied-configuration") {
        if let Ok(document) = serde_json::from_str::<Value>(value) {
            record(&document, "json", tell);
        }
    } else if ends(&["initial-cluster"]) {
        initial_cluster(value, tell);
    } else if ends(&[
        "nodename",
        "node.name",
        "node_name",
        "node-name",
        "kubernetes.io/hostname",
        "kubernetes_node",
        "hostname-override",
    ]) {
        tell(Place::Node, value);
    } else if ends(&["pod.name", "pod_name", "pod-name"]) || matches!(last, "pod" | "podname") {
        tell(Place::Pod, value);
    } else if ends(&["cluster-name", "cluster_name", "clustername", "cluster.name"]) || key == "cluster" {
        tell(Place::Cluster, value);
    } else if matches!(last, "node" | "host" | "hostname" | "peer" | "instance")
        || ends(&["host.name", "host_name", "host-name"])
    {
        tell(Place::Host, value);
    } else if ends(&["machineid", "machine-id", "machine_id", "systemuuid", "bootid", "host.id"]) {
        tell(Place::Machine, value);
    } else if key == "providerid" {
        tell(Place::Machine, value.rsplit('/').next().unwrap_or_default());
    } else if ends(&["username", "user.name", "user_name", "enduser.id"]) {
        tell(Place::User, value);
    }
}

/// `name=url,name=url`
fn initial_cluster(members: &str, tell: &mut Tell<'_>) {
    for (name, _) in
        members.split(',').filter_map(|member| member.split_once('=')).filter(|(_, url)| url.contains("://"))
    {
        tell(Place::Node, name);
    }
}
