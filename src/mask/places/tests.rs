//! A table of snippets: what each place says, through the survey that a build makes, and what must not be said.

use serde_json::json;

use super::super::{Block, Layout, Survey};
use super::*;
use crate::project::MaskRules;

/// What a text says, sorted, each once.
fn told(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    super::text(text, &mut |place, value| all.push(format!("{place:?} {value}")));
    all.sort();
    all.dedup();
    all
}

fn of_record(format: &str, value: &serde_json::Value) -> Vec<String> {
    let mut all = Vec::new();
    record(value, format, &mut |place, value| all.push(format!("{place:?} {value}")));
    all.sort();
    all.dedup();
    all
}

/// What a file of this text comes to: kind and alias of each value, and the text as it is written.
fn masked(layout: Layout, text: &str) -> String {
    masked_by(&MaskRules::default(), layout, text)
}

fn masked_by(rules: &MaskRules, layout: Layout, text: &str) -> String {
    let block = Block { line: 1, text: text.to_owned() };
    let mut survey = Survey::new(rules);
    survey.blocks("measure/x/x", layout, std::slice::from_ref(&block));
    let mask = survey.finish(None).expect("nothing is wrong");
    super::super::Sweeper::new(&mask).block(layout, &block.text)
}

#[test]
fn a_text_says_by_keys_and_places() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        // keys
        ("nodeName: alpha", &["Node alpha"][..]),
        ("node_name=\"default/alpha-1\"", &["Cluster default", "Node alpha-1"]),
        ("kubernetes.io/hostname=alpha", &["Node alpha"]),
        ("label_kubernetes_io_hostname=\"alpha\"", &["Node alpha"]),
        ("volume.kubernetes.io/selected-node: alpha", &["Node alpha"]),
        ("instance=\"alpha-1:9100\"", &["Host alpha-1:9100"]),
        ("exported_instance=\"alpha-1\" exported_node=\"alpha-2\"", &["Host alpha-1", "Host alpha-2"]),
        ("host.name=alpha-1 k8s.pod.name=web-0 k8s.node.name=beta", &["Computer alpha-1", "Node beta", "Pod web-0"]),
        ("_HOSTNAME=alpha", &["Node alpha"]),
        ("--hostname-override=alpha --node-name beta", &["Node alpha", "Node beta"]),
        ("etcd --name=alpha --data-dir=/x", &["Node alpha"]),
        ("etcd --initial-cluster=a=https://10.0.0.1:2380,b=https://10.0.0.2:2380", &["Node a", "Node b"]),
        ("etcd --advertise-client-urls=https://alpha-1:2379", &["Host alpha-1"]),
        ("--tls-server-name=api.acme.dev", &["Site api.acme.dev"]),
        ("server: https://api.acme.dev:6443", &["Site api.acme.dev"]),
        ("machine-id: 0f1e2d3c4b5a69788796a5b4c3d2e1f0", &["Machine 0f1e2d3c4b5a69788796a5b4c3d2e1f0"]),
        ("providerID: aws:///eu-west-1a/i-0f1e2d3c4b5a69788", &["Machine i-0f1e2d3c4b5a69788"]),
        ("provider_id=\"gce://acme-prod/europe-west4-b/alpha-1\"", &["Cluster acme-prod", "Machine alpha-1"]),
        ("topology.kubernetes.io/zone=dc2-room4 topology.acme.dev/rack=r17", &["Zone dc2-room4", "Zone r17"]),
        ("User=jdoe", &["User jdoe"]),
        ("user: jdoe", &[]),
        ("user: jane.doe", &["User jane.doe"]),
        ("holderIdentity: alpha-1_0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", &["Host alpha-1"]),
        ("holderIdentity: web-7d9c5b8f6d-x2kqz", &["Pod web-7d9c5b8f6d-x2kqz"]),
        ("current-context: jdoe@blue", &["Cluster blue", "User jdoe"]),
        // certificates
        ("Subject: O = system:nodes, CN = system:node:alpha", &["Node alpha"]),
        ("Subject: O=system:nodes, CN=alpha-1@1700000000", &["Host alpha-1"]),
        ("DNS:alpha.dc1.acme.dev, DNS:localhost, IP Address:10.0.0.1", &["Site alpha.dc1.acme.dev"]),
        ("system:node:alpha", &["Node alpha"]),
        // paths
        ("/home/jdoe/.kube/config", &["User jdoe"]),
        ("jdoe:x:1000:1000:Jane:/srv/x:/bin/sh", &["User jdoe"]),
        ("node/alpha-1 cordoned", &["Host alpha-1"]),
        ("GET /api/v1/nodes/alpha-1/proxy", &["Host alpha-1"]),
        // lines
        ("Oct 16 18:01:30 alpha kubelet[123]: x", &["Node alpha"]),
        ("Oct 16 18:01:30 alpha kernel: x", &["Node alpha"]),
        ("Oct 16 18:01:30 alpha-1 ntp: x", &["Host alpha-1"]),
        ("2026-10-16T18:01:30.123456+09:00 alpha systemd[1]: x", &["Node alpha"]),
        ("<30>1 2026-10-16T18:01:30.123Z alpha app 12 - - x", &["Node alpha"]),
        (
            "Oct 16 18:01:30 a1 sshd[7]: Accepted publickey for jdoe from 10.0.0.1 port 5 ssh2",
            &["Node a1", "User jdoe"],
        ),
        (
            "Oct 16 18:01:30 a1 sudo[7]:     jdoe : TTY=pts/0 ; PWD=/ ; USER=root",
            &["Node a1", "User jdoe", "User root"],
        ),
        ("Oct 16 18:01:30 a1 systemd-logind[7]: New session 3 of user jdoe.", &["Node a1", "User jdoe"]),
        ("Oct 16 18:01:30 a1 CRON[7]: (jdoe) CMD (x)", &["Node a1", "User jdoe"]),
        (
            "Oct 16 18:01:17.749: a/web-0:53 (ID:9) <- alpha.dc1.acme.dev:451 (host) to-endpoint FORWARDED (UDP)",
            &["Node alpha.dc1.acme.dev", "Pod web-0"],
        ),
        (
            "Oct 16 18:01:17.749 [default/alpha]: 10.0.0.1:5 (world) -> 10.0.0.2:80 (a/web-1) x",
            &["Node alpha", "Pod web-1"],
        ),
        ("10.0.0.1 alpha-1.dc1.acme.dev alpha-1", &["Host alpha-1", "Host alpha-1.dc1.acme.dev"]),
        ("search dc1.acme.dev svc.cluster.local", &["Domain dc1.acme.dev", "Domain svc.cluster.local"]),
        ("8e9e05c52164694d, started, alpha, http://10.0.0.1:2380, http://10.0.0.1:2379, false", &["Node alpha"]),
        ("| 8e9e05c52164694d | started | alpha | http://10.0.0.1:2380 |", &["Node alpha"]),
        ("Linux alpha 6.8.0-79-generic #79-Ubuntu SMP x86_64 GNU/Linux", &["Node alpha"]),
        (" Static hostname: alpha", &["Host alpha", "Node alpha"]),
        ("uid=1000(jdoe) gid=1000(jdoe) groups=27(sudo)", &["User jdoe"]),
        ("jdoe     pts/0        2026-10-16 18:01 (10.0.0.1)", &["User jdoe"]),
        ("kube_node_info{node=\"alpha\",os_image=\"x\"} 1", &["Host alpha", "Node alpha"]),
        ("Name:               alpha\nRoles:              control-plane", &["Node alpha"]),
        (
            "Name:             web-0\nNamespace:        x\nNode:             alpha/10.0.0.1",
            &["Node alpha", "Pod web-0"],
        ),
        // tables
        ("NAME    STATUS   ROLES    AGE   VERSION\nalpha   Ready    <none>   5d    v1.34.1", &["Node alpha"]),
        (
            "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE   IP         NODE    NOMINATED NODE\nx           web-0   1/1     Running   0          1d    10.0.0.1   alpha   <none>",
            &["Node <none>", "Node alpha", "Pod web-0"],
        ),
        (
            "NAME    CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\nalpha   100m         1%     10Mi            1%",
            &["Node alpha"],
        ),
        ("USER         PID %CPU COMMAND\njdoe           7  0.0 x", &["User jdoe"]),
        ("UID          PID    PPID  C CMD\njdoe           7       1  0 x", &["User jdoe"]),
        ("    PID USER     COMMAND\n      7 jdoe     x", &["User jdoe"]),
        // manifests
        ("kind: Node\nmetadata:\n  labels:\n    name: x\n  name: alpha", &["Node alpha"]),
        ("- kind: Node\n  metadata:\n    name: alpha", &["Node alpha"]),
        ("ownerReferences:\n- kind: Node\n  name: alpha\n  uid: x", &["Node alpha"]),
    ] {
        let mut told = told(text);
        // a table is read with its header, which is no table of this test
        told.retain(|one| !one.ends_with(" NAME"));
        if told != expected {
            wrong.push(format!("{text}\n   says {told:?}\n    not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_says_nothing_where_nothing_is() {
    let mut wrong = Vec::new();
    for text in [
        "for user: not found, cluster: ready",
        "app.kubernetes.io/instance: shop-7 service.instance.id=shop-7",
        "node.kubernetes.io/instance-type: m5.large topology.kubernetes.io/region: eu-west-1",
        "zone=\"DMA32\" machine=\"x86_64\" le=\"0.5\" job=\"node-exporter\" version=\"v1.34.10\"",
        "Oct 16 18:01:30 something happened to all",
        "Oct 16 18:01:30 error: x",
        "10.0.0.1 is unreachable at last",
        "127.0.0.1 localhost.localdomain localhost",
        "search for api.acme.dev and more",
        "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\npods   po           v1           true         Pod",
        "kind: Deployment\nmetadata:\n  name: web",
        "kind: Pod\nspec:\n  containers:\n  - name: web",
        "Name:   web\nNamespace:   x\nLabels:   a=b",
        "I am a user of this host and node, and Accepted it for you from there",
        "a - b : c",
    ] {
        let mut told = told(text);
        told.retain(|one| one != "Zone eu-west-1");
        if !told.is_empty() {
            wrong.push(format!("{text}\n   says {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_record_says_by_its_structure() {
    let uuid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    let mut wrong = Vec::new();
    for (format, record, expected) in [
        ("json", json!({"kind": "Node", "metadata": {"name": "alpha"}}), &["Node alpha"][..]),
        (
            "json",
            json!({"kind": "Node", "metadata": {"name": "a", "labels": {"node-role.kubernetes.io/control-plane": ""}}}),
            &["ControlPlane a"],
        ),
        ("json", json!({"kind": "CSINode", "metadata": {"name": "alpha"}}), &["Node alpha"]),
        (
            "json",
            json!({"kind": "Pod", "metadata": {"name": "web-0"}, "spec": {"nodeName": "a"}}),
            &["Node a", "Pod web-0"],
        ),
        ("json", json!({"kind": "Deployment", "metadata": {"name": "web-0"}}), &[]),
        ("json", json!({"kind": "Lease", "metadata": {"name": "a", "namespace": "kube-node-lease"}}), &["Node a"]),
        ("json", json!({"kind": "Lease", "metadata": {"name": "x-1", "namespace": "kube-system"}}), &[]),
        (
            "json",
            json!({"ownerReferences": [{"kind": "Node", "name": "a"}, {"kind": "ReplicaSet", "name": "b-1"}]}),
            &["Node a"],
        ),
        (
            "json",
            json!({"involvedObject": {"kind": "Pod", "name": "web-0"}, "source": {"host": "a"}}),
            &["Host a", "Node a", "Pod web-0"],
        ),
        (
            "json",
            json!({"regarding": {"kind": "Node", "name": "a"}, "related": {"kind": "Pod", "name": "b-1"}}),
            &["Node a", "Pod b-1"],
        ),
        ("json", json!({"reportingComponent": "kubelet", "reportingInstance": "a"}), &["Host a", "Node a"]),
        ("json", json!({"type": "Hostname", "address": "a"}), &["Node a"]),
        (
            "json",
            json!({"key": "kubernetes.io/hostname", "operator": "In", "values": ["a", "b"]}),
            &["Node a", "Node b"],
        ),
        ("json", json!({"key": "k8s.node.name", "value": {"stringValue": "a"}}), &["Node a"]),
        (
            "json",
            json!({"key": "host.id", "value": {"stringValue": "0f1e2d3c4b5a69788796a5b4c3d2e1f0"}}),
            &["Machine 0f1e2d3c4b5a69788796a5b4c3d2e1f0"],
        ),
        ("json", json!({"name": "NODE_NAME", "value": "a"}), &["Node a"]),
        ("json", json!({"username": "system:node:a", "uid": uuid}), &["Node a", "User system:node:a"]),
        ("json", json!({"members": [{"ID": 7, "name": "a", "peerURLs": ["https://10.0.0.1:2380"]}]}), &["Node a"]),
        ("json", json!({"metric": {"__name__": "kube_node_info", "node": "alpha"}}), &["Host alpha", "Node alpha"]),
        ("json", json!({"metric": {"__name__": "up", "node": "alpha"}}), &["Host alpha"]),
        (
            "yaml",
            json!({
                "kind": "Config", "current-context": "jd@blue",
                "clusters": [{"name": "blue", "cluster": {"server": "https://api.acme.dev:6443"}}],
                "contexts": [{"name": "jd@blue", "context": {"cluster": "blue", "user": "jd"}}],
                "users": [{"name": "jd"}]
            }),
            &["Cluster blue", "Site api.acme.dev", "User jd"],
        ),
        ("ps", json!([{"user": "jdoe", "args": "x --node-ip=10.0.0.1"}]), &["User jdoe"]),
        (
            "kubectl-table",
            json!([{"NAME": "a", "STATUS": "Ready", "ROLES": "control-plane", "AGE": "1d", "VERSION": "v1.34.1"}]),
            &["ControlPlane a"],
        ),
        (
            "kubectl-table",
            json!([{"NAME": "a", "CPU(cores)": "1m", "CPU%": "1%", "MEMORY(bytes)": "1Mi"}]),
            &["Node a"],
        ),
        (
            "kubectl-table",
            json!([{"NAME": "web-0", "READY": "1/1", "RESTARTS": "0", "NODE": "a", "NOMINATED NODE": null}]),
            &["Host a", "Node a", "Pod web-0"],
        ),
        ("kubectl-table", json!([{"NAME": "web-0", "CPU(cores)": "1m", "MEMORY(bytes)": "1Mi"}]), &["Pod web-0"]),
        ("kubectl-table", json!([{"NAME": "a", "HOLDER": "a", "AGE": "1d"}]), &["Node a"]),
        ("kubectl-table", json!([{"NAME": "web-0", "TYPE": "ClusterIP", "AGE": "1d"}]), &[]),
        ("kubectl-table", json!([{"LAST SEEN": "1m", "OBJECT": "node/a"}]), &["Node a"]),
    ] {
        let told = of_record(format, &record);
        if told != expected {
            wrong.push(format!("{record}\n   says {told:?}\n    not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What places say reaches the inventory through a survey that looks at lines piece by piece.
#[test]
fn what_is_told_is_masked() {
    let mut wrong = Vec::new();
    for (layout, text, expected) in [
        (
            Layout::Lines,
            "Oct 16 18:01:30 alpha kubelet[123]: on alpha",
            "Oct 16 18:01:30 node-a kubelet[123]: on node-a",
        ),
        (Layout::Lines, "x{instance=\"alpha-1:9100\",node=\"beta\"} 1", "x{instance=\"node-a:9100\",node=\"beta\"} 1"),
        (Layout::Lines, "kube_node_info{node=\"beta\"} 1\nbeta", "kube_node_info{node=\"node-a\"} 1\nnode-a"),
        (Layout::Lines, "a,User=jdoe,b\n/srv/jdoe", "a,User=user-01,b\n/srv/user-01"),
        (Layout::Lines, "10.0.0.1 alpha-1.dc1.acme.dev alpha-1", "priv-net01.h1 node-a node-a"),
        (Layout::Lines, "server: https://api.acme.dev:6443 www.acme.dev", "server: https://host-01:6443 host-02"),
        (Layout::Lines, "DNS:api.acme.dev, DNS:etcd.svc, DNS:x", "DNS:host-01, DNS:etcd.svc, DNS:x"),
        (Layout::Lines, "instance=\"redis.cache\" redis", "instance=\"redis.cache\" redis"),
        (Layout::Lines, "host=redis-master host=kube-dns", "host=redis-master host=kube-dns"),
        (Layout::Lines, "host=web-7d9c5b8f6d-x2kqz", "host=pod-01"),
        (Layout::Lines, "host=web-0 pod=web-0", "host=pod-01 pod=pod-01"),
        (
            Layout::Lines,
            "topology.kubernetes.io/zone=eu-west-1a rack=r17",
            "topology.kubernetes.io/zone=eu-west-1a rack=zone-01",
        ),
        (Layout::Lines, "/home/jdoe/x /home/ubuntu/x jdoe", "/home/user-01/x /home/ubuntu/x user-01"),
        (
            Layout::Json,
            r#"[{"kind":"Node","metadata":{"name":"alpha"}},"x alpha"]"#,
            r#"[{"kind":"Node","metadata":{"name":"node-a"}},"x node-a"]"#,
        ),
        (
            Layout::JsonLines,
            "{\"key\":\"k8s.node.name\",\"value\":{\"stringValue\":\"alpha\"}}\n",
            "{\"key\":\"k8s.node.name\",\"value\":{\"stringValue\":\"node-a\"}}\n",
        ),
        (
            Layout::JsonLines,
            "{\"key\":\"host.name\",\"value\":{\"stringValue\":\"alpha\"}}\n",
            "{\"key\":\"host.name\",\"value\":{\"stringValue\":\"node-a\"}}\n",
        ),
    ] {
        let out = masked(layout, text);
        if out != expected {
            wrong.push(format!("{text}\n   gives {out}\n     not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nodes `a` and `master` and user `ubuntu`, which a person named.
fn words() -> MaskRules {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    MaskRules { nodes: texts(&["a", "master"]), users: texts(&["ubuntu", "jdoe"]), ..MaskRules::default() }
}

#[test]
fn a_common_word_is_masked_where_one_of_its_kind_is_due() {
    let mut wrong = Vec::new();
    for (layout, text, expected) in [
        (Layout::Lines, "node=\"a\" a node", "node=\"node-a\" a node"),
        (Layout::Lines, "x{node=\"a:9100\",b=\"a\"} 1", "x{node=\"node-a:9100\",b=\"a\"} 1"),
        (Layout::Lines, "nodeName: a", "nodeName: node-a"),
        (
            Layout::Lines,
            "--hostname-override=a -v=a --node-name a",
            "--hostname-override=node-a -v=a --node-name node-a",
        ),
        (Layout::Lines, "host = \"a\"", "host = \"node-a\""),
        (Layout::Lines, "User=ubuntu Group=ubuntu", "User=user-02 Group=ubuntu"),
        (Layout::Lines, "ubuntu 24.04 /usr/bin/ubuntu jdoe", "ubuntu 24.04 /usr/bin/ubuntu user-01"),
        (Layout::Lines, "/home/ubuntu/x ubuntu@10.0.0.1 ubuntu@x", "/home/user-02/x user-02@priv-net01.h1 user-02@x"),
        (Layout::Lines, "system:node:master is master", "system:node:node-b is master"),
        (Layout::Lines, "Oct 16 18:01:30 master kubelet[1]: master", "Oct 16 18:01:30 node-b kubelet[1]: master"),
        (
            Layout::Json,
            r#"{"node":"a","x":"a","hostname":"MASTER"}"#,
            r#"{"node":"node-a","x":"a","hostname":"node-b"}"#,
        ),
        (
            Layout::Json,
            r#"{"kind":"Node","metadata":{"name":"a"},"values":["a"],"x":"nodeName=a a"}"#,
            r#"{"kind":"Node","metadata":{"name":"node-a"},"values":["a"],"x":"nodeName=node-a a"}"#,
        ),
        (
            Layout::Json,
            r#"{"key":"kubernetes.io/hostname","values":["x-1","a","master"]}"#,
            r#"{"key":"kubernetes.io/hostname","values":["node-c","node-a","node-b"]}"#,
        ),
        (
            Layout::Json,
            r#"{"args":["--hostname-override","a","a"]}"#,
            r#"{"args":["--hostname-override","node-a","a"]}"#,
        ),
        (
            Layout::Text,
            "kind: Node\nmetadata:\n  labels: a\n  name: a\n",
            "kind: Node\nmetadata:\n  labels: a\n  name: node-a\n",
        ),
        (
            Layout::Text,
            "USER         PID COMMAND\nubuntu         7 ubuntu\n",
            "USER         PID COMMAND\nuser-02         7 ubuntu\n",
        ),
        (
            Layout::Table,
            "NAME    READY   STATUS    RESTARTS   AGE   NODE\nweb     1/1     Running   0          1d    a\n",
            "NAME    READY   STATUS    RESTARTS   AGE   NODE\nweb     1/1     Running   0          1d    node-a\n",
        ),
    ] {
        let out = masked_by(&words(), layout, text);
        if out != expected {
            wrong.push(format!("{text}\n   gives {out}\n     not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A node is one, by its short name and by the full one.
#[test]
fn a_common_word_is_the_short_name_of_a_node() {
    let text = "node=\"master\" host=\"master.dc1.acme.dev\" nodeName: master.dc1.acme.dev\nmaster\nnodeName: beta\n";
    assert_eq!(
        masked(Layout::Lines, text),
        "node=\"node-b\" host=\"node-b\" nodeName: node-b\nmaster\nnodeName: node-a\n"
    );
    let both = "nodeName: master\nnodeName: master.dc1.acme.dev\n";
    assert_eq!(masked(Layout::Lines, both), "nodeName: node-a\nnodeName: node-a\n");
}

#[test]
fn a_common_word_that_nothing_explains_is_seen() {
    let words = [(Kind::Node, "a"), (Kind::User, "ubuntu")];
    let words = TypedWords::new(words.map(|(kind, name)| ((kind, name.to_owned()), name.to_owned())).into());
    for (text, expected) in [
        ("node=\"a\" nodeName: a", None),
        ("on a node", Some(3)),
        ("node=\"a\" on a", Some(12)),
        ("ubuntu-24 /usr/ubuntu User=ubuntu", None),
        ("User=ubuntu of ubuntu", Some(15)),
        ("nothing", None),
        ("NAME   READY   RESTARTS   NODE\nx      1/1     0          a\n", None),
    ] {
        assert_eq!(words.untyped(text), expected, "{text}");
    }
    assert_eq!(TypedWords::default().untyped("a"), None);
}
