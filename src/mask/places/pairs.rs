//! Typed places of a text: flags, pairs, peers in a log line.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};
use serde_json::Value;

use super::{Place, Tell, in_prose, is_secret_name, keyed, members as urls, record};

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is constant"));
    };
}

pattern!(
    PAIR,
    r#"(?m-u)(?:^|[\s,{(\["'&?])([-_]{0,2}[A-Za-z][A-Za-z0-9_./-]*)\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?([A-Za-z0-9][^\s"'\\,;{}()\[\]&]*)"#
);
pattern!(FLAG, r"(?-u)(?:^|\s)(--[a-z][a-z0-9-]*)\s+([A-Za-z0-9]\S*)");
pattern!(INITIAL_CLUSTER, r#"(?-u)initial-cluster[=\s"':]+([^\s"'=]+=[^\s"']+)"#);
pattern!(SSH_USER, r"(?-u)\bsshd?(?:-session)?: ([A-Za-z_][A-Za-z0-9_.-]*)(?:@| \[)");
pattern!(SYSTEM_NODE, r"(?-u)\bsystem:node:([A-Za-z0-9.-]+)");
pattern!(RELAY_SERVER, r"(?-u)\b([A-Za-z0-9-]+)\.([A-Za-z0-9-]+)\.hubble-(?:grpc|relay)\.cilium\.io");
pattern!(HOME, r"(?-u)/home/([A-Za-z_][A-Za-z0-9_.-]*)");
pattern!(OBJECT, r#"(?-u)(?:^|[\s"'(]|/v1/|/namespaces/[a-z0-9-]+/)(node|pod)s?/([a-z0-9][a-z0-9.-]*[a-z0-9])"#);
pattern!(SERVER, r"(?-u)://([A-Za-z0-9.-]+):(2379|2380|6443|10250)\b");
pattern!(ACCOUNT, r"(?m-u)(?:^|\s)([A-Za-z_][A-Za-z0-9_.-]*):[x*!]?:[1-9][0-9]{3,}:[0-9]+:");
pattern!(SECRET, r#"(?-u)"?kind"?\s*:\s*"?Secret\b"#);
pattern!(
    NAME_VALUE,
    r#"(?-u)name\\?["']?\s*[:=]\s*\\?["']?([A-Za-z0-9_.-]+)\\?["']?,?\s*\\?["']?value\\?["']?\s*[:=]\s*\\?(?:"([^"\\]+)|'([^']+)|([^\s,}"'\\]+))"#
);
pattern!(
    VALUE_NAME,
    r#"(?-u)value\\?["']?\s*[:=]\s*\\?(?:"([^"\\]+)\\?"|'([^']+)'|([^\s,}"'\\]+)),?\s*\\?["']?name\\?["']?\s*[:=]\s*\\?["']?([A-Za-z0-9_.-]+)"#
);

/// Visits the typed places of a text: flags, pairs, peers in a log line.
pub(super) fn text(text: &str, tell: &mut Tell<'_>) {
    let has = |b: u8| memchr::memchr(b, text.as_bytes()).is_some();
    if has(b'/') {
        paths(text, tell);
    }
    if !(has(b':') || has(b'=') || text.contains("--")) {
        return;
    }
    let (peers, etcd) = (text.contains("server_name:"), text.contains("etcd"));
    let members_of_etcd = text.contains("ClientURLs:");
    let mut attribute = None;
    for [key, value] in groups(&PAIR, text) {
        match key {
            "name" if peers => tell(Place::Node, value),
            "--name" if etcd => tell(Place::Node, value),
            "Name" if members_of_etcd => tell(Place::Node, value),
            "key" => attribute = Some(value),
            "value" => {
                if let Some(key) = attribute.take() {
                    keyed(key, value, tell);
                }
            }
            _ => joined(key, &text[end_of(key, text)..start_of(value, text)], value, tell),
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
        groups(&INITIAL_CLUSTER, text).for_each(|[members]| urls(members, tell));
    }
    if text.contains("ssh") {
        groups(&SSH_USER, text).for_each(|[user]| tell(Place::User, user));
    }
    if text.contains(":x:") {
        groups(&ACCOUNT, text).for_each(|[user]| tell(Place::User, user));
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

/// A name and its value with what stands between them: `a: b` may be a sentence.
pub(in super::super) fn joined(name: &str, between: &str, value: &str, tell: &mut Tell<'_>) {
    let sentence = between.contains(':') && !between.contains(['"', '\'', '=']);
    if sentence { in_prose(name, value, tell) } else { keyed(name, value, tell) }
}

/// Where in a text a part of it begins.
fn start_of(part: &str, text: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

fn end_of(part: &str, text: &str) -> usize {
    start_of(part, text) + part.len()
}

/// Homes of users, servers of a cluster by their ports, and objects as kubectl and the API write them: `node/a-1`.
fn paths(text: &str, tell: &mut Tell<'_>) {
    if text.contains("/home/") {
        groups(&HOME, text).for_each(|[user]| tell(Place::User, user));
    }
    if text.contains("://") {
        let named = |host: &str| host.bytes().any(|b| b.is_ascii_alphabetic());
        for [host, port] in groups(&SERVER, text).filter(|[host, _]| named(host)) {
            tell(if port == "6443" { Place::Site } else { Place::Host }, host);
        }
    }
    if text.contains("node") || text.contains("pod") {
        for [kind, name] in groups(&OBJECT, text) {
            tell(if kind.starts_with('n') { Place::Host } else { Place::Pod }, name);
        }
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
