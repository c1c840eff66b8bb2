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
        ("host.name=alpha-1 k8s.pod.name=web-0 k8s.node.name=beta", &["Host alpha-1", "Node beta", "Pod web-0"]),
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
        (
            "Oct 16 18:01:30 a1 systemd-logind[7]: New session 3 of user jdoe.",
            &["Node a1", "User jdoe"],
        ),
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
        ("Name:             web-0\nNamespace:        x\nNode:             alpha/10.0.0.1", &["Node alpha", "Pod web-0"]),
        // tables
        ("NAME    STATUS   ROLES    AGE   VERSION\nalpha   Ready    <none>   5d    v1.34.1", &["Node alpha"]),
        (
            "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE   IP         NODE    NOMINATED NODE\nx           web-0   1/1     Running   0          1d    10.0.0.1   alpha   <none>",
            &["Node <none>", "Node alpha", "Pod web-0"],
        ),
        ("NAME    CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\nalpha   100m         1%     10Mi            1%", &["Node alpha"]),
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
        "for user: not found, node: not ready",
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
