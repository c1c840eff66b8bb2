//! Typed places of records: objects of Kubernetes, attributes, rows of tables.

use serde_json::{Map, Value};

use super::{Place, Tell, is_secret_name, keyed, text};

/// Whether a member of this name may say what others of its object are.
pub(in super::super) fn is_structural(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "kind",
        "address",
        "stringValue",
        "value",
        "values",
        "peerURLs",
        "peer-urls",
        "initial-advertise-peer-urls",
        "__name__",
        "reportingInstance",
    ];
    NAMES.contains(&name)
}

/// Visits every typed place of a record that the reader of `format` made.
pub(in super::super) fn record(value: &Value, format: &str, tell: &mut Tell<'_>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| record(item, format, tell)),
        Value::Object(members) => {
            match format {
                "ps" => process(members, tell),
                "kubectl-table" => row(members, tell),
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

fn string<'v>(members: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    members.get(key).and_then(Value::as_str)
}

/// A row of `ps`.
fn process(row: &Map<String, Value>, tell: &mut Tell<'_>) {
    const USERS: [&str; 7] = ["user", "uid", "ruser", "euser", "suser", "fuser", "owner"];
    for user in USERS.iter().filter_map(|column| string(row, column)) {
        tell(Place::User, user);
    }
}

/// A row of a table of kubectl.
fn row(row: &Map<String, Value>, tell: &mut Tell<'_>) {
    let has = |column: &str| row.contains_key(column);
    let name = string(row, "NAME").unwrap_or_default();
    if let Some(place) =
        place_of_row(has, || string(row, "ROLES").unwrap_or_default(), || string(row, "HOLDER") == Some(name))
    {
        tell(place, name);
    }
    for column in NODE_COLUMNS {
        string(row, column).into_iter().for_each(|node| tell(Place::Node, node));
    }
    if let Some((kind, name)) = string(row, "OBJECT").and_then(|object| object.split_once('/')) {
        refer(kind, name, tell);
    }
}

/// Columns in which a node stands.
pub(in super::super) const NODE_COLUMNS: [&str; 2] = ["NODE", "NOMINATED NODE"];

/// What the NAME is in a row with these columns.
pub(in super::super) fn place_of_row<'r>(
    has: impl Fn(&str) -> bool,
    roles: impl Fn() -> &'r str,
    holds_itself: impl Fn() -> bool,
) -> Option<Place> {
    let is_node = (has("ROLES") && has("VERSION"))
        || (has("CPU(cores)") && (has("CPU%") || has("CPU(%)")))
        || (has("DRIVERS") && has("AGE"))
        || has("CILIUMINTERNALIP")
        || (has("HOLDER") && holds_itself());
    if is_node {
        let controls = roles().split(',').any(|role| matches!(role, "control-plane" | "master"));
        return Some(if controls { Place::ControlPlane } else { Place::Node });
    }
    let is_pod = (has("READY") && has("RESTARTS")) || (has("CPU(cores)") && has("MEMORY(bytes)"));
    is_pod.then_some(Place::Pod)
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

/// A name of this kind.
fn refer(kind: &str, name: &str, tell: &mut Tell<'_>) {
    match kind.to_ascii_lowercase().as_str() {
        "node" | "nodes" | "ciliumnode" | "csinode" | "nodemetrics" | "machine" => tell(Place::Node, name),
        "pod" | "pods" | "podmetrics" | "ciliumendpoint" => tell(Place::Pod, name),
        _ => {}
    }
}

/// An object of Kubernetes, an attribute of a trace, an environment variable, a member of etcd.
fn object(members: &Map<String, Value>, tell: &mut Tell<'_>) {
    let metadata = members.get("metadata").and_then(Value::as_object);
    let kind = string(members, "kind");
    // of itself, or of what it refers to
    let name = metadata.and_then(|m| string(m, "name")).or_else(|| string(members, "name"));
    match (kind, name) {
        (Some("Node"), Some(name)) if metadata.is_some_and(is_control_plane) => tell(Place::ControlPlane, name),
        (Some("Lease"), Some(name)) if metadata.and_then(|m| string(m, "namespace")) == Some("kube-node-lease") => {
            tell(Place::Node, name);
        }
        (Some("Secret"), _) => {
            let data = ["data", "stringData"].iter().filter_map(|k| members.get(*k)?.as_object());
            data.flat_map(|d| d.values()).filter_map(Value::as_str).for_each(|value| tell(Place::Secret, value));
        }
        (Some("Config"), _) if members.contains_key("contexts") => kubeconfig(members, tell),
        (Some(kind), Some(name)) => refer(kind, name, tell),
        _ => {}
    }
    reporter(members, tell);
    attribute(members, tell);
    if let (Some("Hostname" | "InternalDNS" | "ExternalDNS"), Some(name)) =
        (string(members, "type"), string(members, "address"))
    {
        tell(Place::Node, name);
    }
    let is_of_etcd = ["peerURLs", "peer-urls", "initial-advertise-peer-urls"].iter().any(|k| members.contains_key(*k));
    if let (true, Some(name)) = (is_of_etcd, string(members, "name")) {
        tell(Place::Node, name);
    }
    if let (Some(node), true) =
        (string(members, "node"), string(members, "__name__").is_some_and(|name| name.starts_with("kube_node_")))
    {
        tell(Place::Node, node);
    }
}

fn is_control_plane(metadata: &Map<String, Value>) -> bool {
    let labels = metadata.get("labels").and_then(Value::as_object);
    ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"]
        .iter()
        .any(|label| labels.is_some_and(|labels| labels.contains_key(*label)))
}

/// Who reports an event: the kubelet for its node, a controller for its pod.
fn reporter(event: &Map<String, Value>, tell: &mut Tell<'_>) {
    let by = ["reportingComponent", "reportingController"].iter().find_map(|k| string(event, k));
    if let (Some(by), Some(instance)) = (by, string(event, "reportingInstance")) {
        tell(if by == "kubelet" { Place::Node } else { Place::Pod }, instance);
    }
    if !["involvedObject", "regarding"].iter().any(|k| event.contains_key(*k)) {
        return;
    }
    for host in ["source", "deprecatedSource"].iter().filter_map(|k| event.get(*k)?.get("host")?.as_str()) {
        tell(Place::Node, host);
    }
}

/// `key` and `value`, or `name` and `value`.
fn attribute(members: &Map<String, Value>, tell: &mut Tell<'_>) {
    let value = string(members, "value").or_else(|| members.get("value")?.get("stringValue")?.as_str());
    if let (Some(key), Some(value)) = (string(members, "key"), value) {
        keyed(key, value, tell);
    }
    if let (Some(name), Some(value)) = (string(members, "name"), value) {
        if is_secret_name(name) {
            tell(Place::Secret, value);
        }
        keyed(name, value, tell);
    }
    // where a volume may be used, where a pod may run
    if let (Some(key), Some(Value::Array(values))) = (string(members, "key"), members.get("values")) {
        values.iter().filter_map(Value::as_str).for_each(|value| keyed(key, value, tell));
    }
}

/// The users and clusters of a kubeconfig.
fn kubeconfig(config: &Map<String, Value>, tell: &mut Tell<'_>) {
    let named = |list: &str, place: Place, tell: &mut Tell<'_>| {
        let items = config.get(list).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.get("name")?.as_str()).for_each(|name| tell(place, name));
    };
    named("users", Place::User, tell);
    named("clusters", Place::Cluster, tell);
    for context in config.get("contexts").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = context.get("name").and_then(Value::as_str) {
            keyed("current-context", name, tell);
        }
        let member = |key: &str| context.get("context")?.get(key)?.as_str();
        member("user").into_iter().for_each(|user| tell(Place::User, user));
        member("cluster").into_iter().for_each(|cluster| tell(Place::Cluster, cluster));
    }
}
