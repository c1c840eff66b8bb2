//! Real files of the text formats, where they lie beside the repository: each is read right or refused.
//!
//! Rows were counted and values looked up in the files themselves, not with the readers.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use factpress::diag::Outcome;
use factpress::read::{Input, Record, Want, reader, yaml_documents};
use serde_json::{Value, json};

/// What a sample must give.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Gives {
    /// So many rows, documents or members.
    Rows(usize),
    /// A finding at this line and column first.
    Refused(u32, u32),
}
use Gives::{Refused, Rows};

/// Format, file below `samples`, and what it must give. Excerpts with prose around them are refused.
const SAMPLES: &[(&str, &str, Gives)] = &[
    ("ss", "ss/insights-ss-tupna-old.txt", Refused(17, 1)),
    ("ss", "ss/jc-centos7-ss-a.out", Rows(203)),
    ("ss", "ss/jc-ss-wide.out", Rows(155)),
    ("ss", "ss/telegraf-ss-tcp_no_sockets.txt", Rows(0)),
    ("ss", "ss/telegraf-ss-tcp_traffic.txt", Rows(3)),
    ("ss", "ss/telegraf-ss-udp_no_sockets.txt", Rows(0)),
    ("ps", "ps/insights-ps-alxwww.txt", Rows(8)),
    ("ps", "ps/insights-ps-auxww-indent.txt", Rows(8)),
    ("ps", "ps/insights-ps-ef.txt", Rows(9)),
    ("ps", "ps/jc-centos-7.7-ps-ef.out", Rows(109)),
    ("ps", "ps/jc-osx-10.14.6-ps-axu.out", Rows(377)),
    ("ps", "ps/jc-ubuntu-18.04-ps-ef.out", Rows(172)),
    ("kubectl-table", "crictl/insights-crictl-ps.txt", Rows(3)),
    ("kubectl-table", "kubectl/cilium-get-crds-table.txt", Refused(2, 4)),
    ("kubectl-table", "kubectl/kubespray-pods-wide.md", Refused(1, 1)),
    ("kubectl-table", "hubble/hubble-list-nodes-wide-rows.txt", Refused(1, 1)),
    ("cilium-status", "hubble/cilium-doc-status-short.txt", Refused(1, 1)),
    ("cilium-status", "hubble/cilium-doc-kvstore-lease.txt", Refused(1, 1)),
    ("cilium-status", "hubble/cilium-doc-kvstore-quorum-failure.txt", Refused(1, 1)),
    ("hubble-compact", "hubble/cilium-doc-hubble-observe-compact.txt", Refused(2, 4)),
    ("hubble-compact", "hubble/cilium-doc-hubble-cli.rst", Refused(2, 5)),
    ("hubble-compact", "hubble/cilium-doc-policy-verdict.txt", Refused(1, 1)),
    ("logfmt", "hubble/hubble-relay-cilium-doc.log", Rows(7)),
    ("logfmt", "hubble/cilium-doc-clustermesh-logfmt.txt", Refused(2, 5)),
    ("logfmt", "hubble/cilium-doc-agent-logs-timestamps.txt", Refused(1, 70)),
    // One line of another library stands between the others.
    ("logfmt", "klog/sonobuoy-aggregator-logrus.log", Refused(26, 7)),
    ("logfmt", "klog/sonobuoy-kube-scheduler.log", Refused(1, 7)),
    ("logfmt", "klog/ocp-node-journal.log", Refused(1, 5)),
    ("yaml", "kubeadm/containerd-KubeletConfiguration.yaml", Rows(1)),
    ("yaml", "kubeadm/etcd-apiserver-TracingConfiguration.yaml", Rows(1)),
    ("yaml", "kubeadm/etcd-kind-with-tracing.yaml", Rows(1)),
    ("yaml", "kubeadm/kind-example-config.yaml", Rows(1)),
    ("yaml", "kubeadm/kind-valid-patches.yaml", Rows(1)),
    ("yaml", "otel-config/helm-agent-configmap.yaml", Rows(1)),
    ("yaml", "otel-config/helm-internalTelemetryViaOTLP-configmap.yaml", Rows(1)),
    ("yaml", "otel-config/helm-kubernetesAttributes-configmap.yaml", Rows(1)),
    ("yaml", "otel-config/otelcol-example-k8s.yaml", Rows(5)),
    ("yaml", "otel-config/splunk-agent-configmap.yaml", Rows(1)),
];

/// The folder of that name beside the repository, or `None`, said aloud.
#[expect(clippy::print_stdout, reason = "a test that was skipped must say so")]
fn beside(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: there is no folder {name} beside the repository");
    None
}

fn read(format: &str, path: &Path) -> Outcome<Record> {
    let file = BufReader::new(File::open(path).expect("a sample can be opened"));
    reader(format).expect("a format").read(Input::new("sample", file), &Want::default())
}

fn record(format: &str, folder: &Path, name: &str) -> Record {
    read(format, &folder.join(name)).unwrap_or_else(|found| panic!("{name}: {}", found.to_json()))
}

fn rows(record: &Record) -> &[Value] {
    record.as_array().expect("an array")
}

/// How many rows are `true` of `is`.
fn count(record: &Record, is: impl Fn(&Value) -> bool) -> usize {
    rows(record).iter().filter(|row| is(row)).count()
}

#[test]
fn real_files_are_read_right_or_refused() {
    let Some(folder) = beside("samples") else { return };
    let mut wrong = Vec::new();
    for (format, name, gives) in SAMPLES {
        let got = match read(format, &folder.join(name)) {
            Ok(record) => Rows(record.as_array().map_or(1, Vec::len)),
            Err(found) => {
                let place = found.iter().next().and_then(|d| d.place()).expect("a place");
                Refused(place.line().unwrap_or(0), place.column().unwrap_or(0))
            }
        };
        if got != *gives {
            wrong.push(format!("{format} {name}: expected {gives:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_makes_any_reader_panic() {
    let Some(folder) = beside("samples") else { return };
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten() {
        if entry.metadata().is_ok_and(|m| m.is_file() && m.len() < 200_000) {
            for format in ["ss", "ps", "kubectl-table", "yaml", "logfmt", "cilium-status", "hubble-compact", "lines"] {
                let _ = read(format, entry.path());
            }
        }
    }
}

#[test]
fn values_of_real_files() {
    let Some(folder) = beside("samples") else { return };
    let old = record("ss", &folder, "ss/jc-centos7-ss-a.out");
    assert_eq!(count(&old, |r| r["local_family"] == "netlink"), 42);
    assert_eq!(count(&old, |r| r["local_family"] == "unix"), 150);
    assert_eq!(count(&old, |r| r["local_address"] == "/run/systemd/journal/stdout"), 10);
    assert_eq!(rows(&old)[0]["local_port"], "dockerd-current/1220");
    assert_eq!(rows(&old)[202]["local_address"], "::1");

    let wide = record("ss", &folder, "ss/jc-ss-wide.out");
    assert_eq!(count(&wide, |r| r["netid"] == "tcp" && r["state"] == "LISTEN"), 29);
    let mail = rows(&wide).iter().find(|r| r["local_port"] == "587").expect("a row");
    assert_eq!(mail["process"][3], json!({"name": "smtpd", "pid": 319_370, "fd": 6}));

    let traffic = record("ss", &folder, "ss/telegraf-ss-tcp_traffic.txt");
    assert_eq!(rows(&traffic)[0]["info"]["bytes_received"], "532644751");
    assert_eq!(rows(&traffic)[1]["info"]["send"], "154077.6Mbps");

    let mac = record("ps", &folder, "ps/jc-osx-10.14.6-ps-axu.out");
    let daemon = rows(&mac).iter().find(|r| r["pid"] == 58).expect("a process");
    assert_eq!(daemon["started"], "12:10PM");
    assert!(daemon["args"].as_str().is_some_and(|a| a.starts_with("/Library/Application Support/JAMF/Jamf.app")));

    let containers = record("kubectl-table", &folder, "crictl/insights-crictl-ps.txt");
    assert_eq!(rows(&containers)[0]["CREATED"], "About a minute ago");
    assert_eq!(rows(&containers)[2]["POD ID"], "d2dd84f8db754");

    let relay = record("logfmt", &folder, "hubble/hubble-relay-cilium-doc.log");
    assert_eq!(rows(&relay)[2]["connection timeout"], "30s", "the blank in its key is not quoted");
    assert!(rows(&relay)[2]["error"].as_str().is_some_and(|e| e.contains("desc = \"transport: Error")));

    let kind = record("yaml", &folder, "kubeadm/etcd-kind-with-tracing.yaml");
    let patch = kind[0]["nodes"][0]["kubeadmConfigPatches"][0].as_str().expect("YAML in a string");
    assert_eq!(yaml_documents("patch", patch).expect("YAML")[0]["apiVersion"], "kubeadm.k8s.io/v1beta4");
}

/// The lines of a page that begin like flows are read, whatever stands around them.
#[test]
fn flows_inside_documentation() {
    let Some(folder) = beside("samples") else { return };
    for (name, flows) in [
        ("hubble/cilium-doc-hubble-observe-compact.txt", 12),
        ("hubble/cilium-doc-hubble-cli.rst", 7),
        ("hubble/cilium-doc-policy-verdict.txt", 1),
    ] {
        let page = std::fs::read_to_string(folder.join(name)).expect("a sample can be read");
        let is_flow =
            |line: &&str| line.trim_start().starts_with("May  4 ") || line.trim_start().starts_with("Feb  7 ");
        let lines: Vec<&str> = page.lines().filter(is_flow).collect();
        let text = lines.join("\n");
        let read =
            reader("hubble-compact").expect("a format").read(Input::new(name, text.as_bytes()), &Want::default());
        assert_eq!(rows(&read.expect("flows")).len(), flows, "{name}");
    }
}

/// The captures of an article and of another cluster: the figures are those that the article prints.
#[test]
fn captures_of_the_article() {
    for (name, sockets, peers, resources, crds, node, ring) in [
        ("measure/grpc", 247, 8, 196, 138, "4095/4095 (100.00%)", "58.50"),
        ("measure-other/grpc", 315, 6, 154, 98, "4095/4095 (100.00%)", "163.60"),
    ] {
        let Some(folder) = beside(name) else { return };
        let etcd = record("ss", &folder, "ss-etcd-2379.txt");
        let local = |r: &Value| {
            r["local_address"] == "127.0.0.1" && r["local_port"] == "2379" && r["peer_address"] == "127.0.0.1"
        };
        assert_eq!((rows(&etcd).len(), count(&etcd, local)), (sockets, sockets), "{name}");

        let unix = record("ss", &folder, "ss-unix.txt");
        let at = |path: &str| count(&unix, |r| r["state"] == "ESTAB" && r["local_address"] == path);
        if name == "measure/grpc" {
            assert_eq!(at("/run/containerd/containerd.sock"), 4);
            assert_eq!(at("/run/containerd/containerd.sock.ttrpc"), 22);
            let processes = record("ps", &folder, "ps.txt");
            assert_eq!(count(&processes, |r| r["comm"] == "containerd-shim"), 22);
        }
        let table = record("kubectl-table", &folder, "kubectl-api-resources.txt");
        assert_eq!(rows(&table).len(), resources, "{name}");
        assert_eq!(count(&table, |r| r["NAMESPACED"] == "true" || r["NAMESPACED"] == "false"), resources);
        assert_eq!(count(&table, |r| r["KIND"].as_str().is_some_and(|k| !k.contains(' '))), resources);
        assert_eq!(
            rows(&table)[0],
            json!({"NAME": "bindings", "SHORTNAMES": null, "APIVERSION": "v1", "NAMESPACED": "true", "KIND": "Binding"})
        );
        let table = record("kubectl-table", &folder, "kubectl-get-crd.txt");
        assert_eq!(count(&table, |r| r["CREATED AT"].as_str().is_some_and(|t| t.ends_with('Z'))), crds, "{name}");

        let relay = record("logfmt", &folder, "hubble-relay.log");
        assert_eq!(count(&relay, |r| r["msg"] == "Connected"), peers, "{name}");
        // The one cluster quotes its keys with blanks, the other does not.
        assert_eq!(count(&relay, |r| r["connection timeout"] == "30s"), 1, "{name}");
        let added = |r: &Value| r["change notification"].as_str().is_some_and(|c| c.contains("type:PEER_ADDED"));
        assert_eq!(count(&relay, added), peers, "{name}");

        let status = record("cilium-status", &folder, "cilium-dbg-status.txt");
        let fields = json!({"Current/Max Flows": node, "Flows/s": ring, "Metrics": "Ok"});
        assert_eq!((&status["Hubble"]["state"], &status["Hubble"]["fields"]), (&json!("Ok"), &fields));
        assert_eq!(rows(&record("hubble-compact", &folder, "hubble-observe.txt")).len(), 3);

        let outer = record("yaml", &folder, "otel-collector-config.yaml");
        let inner =
            yaml_documents("relay", outer[0]["data"]["relay"].as_str().expect("YAML in a string")).expect("YAML");
        assert_eq!(inner[0]["processors"]["batch"]["send_batch_size"], if name == "measure/grpc" { 512 } else { 1406 });
        let settings = record("yaml", &folder, "cilium-config.yaml");
        assert_eq!(settings[0]["data"]["hubble-listen-address"], ":4244");
        assert_eq!(rows(&record("lines", &folder, "otel-collector-image.txt")).len(), 1);
    }
}
