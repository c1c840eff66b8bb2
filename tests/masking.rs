//! Masking over the corpus of one-value cases: no value leaks in any spelling, no look-alike is harmed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use factpress::capture::{Block, Capture, Origin};
use factpress::mask::{Mask, Masked, Source, Survey};
use factpress::project::MaskRules;
use factpress::read::{Input, Layout, Record, Want, reader};
use serde_json::{Value, json};

/// A file beside the repository, if it is there.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if !path.exists() {
        eprintln!("SKIPPED: ../shared/{name} is not there");
        return None;
    }
    Some(path)
}

fn capture(format: &str, host: Option<&str>) -> Capture {
    Capture {
        path: format!("measure/x/{format}.txt"),
        format: format.to_owned(),
        origin: Origin::Unknown,
        host: host.map(str::to_owned),
        at: None,
    }
}

fn masked(rules: &MaskRules, format: &str, record: &Value) -> String {
    let mask = mask_with(rules, &[(capture(format, None), record.clone())]);
    let out = mask_record(&mask, record);
    let again = mask_record(&mask, out.get());
    assert_eq!(out.get(), again.get(), "masking what is masked changes it");
    plain(out.get())
}

/// The strings of a record, one a line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            members.iter().map(|(k, v)| format!("{k}: {}", plain(v))).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[test]
fn corpus() {
    let Some(path) = shared("corpus/masking.json") else { return };
    let corpus: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON");
    let known = |key: &str| -> Vec<String> { serde_json::from_value(corpus["known"][key].clone()).expect("a list") };
    let rules =
        MaskRules { nodes: known("nodes"), domains: known("domains"), users: known("users"), ..MaskRules::default() };
    let (mut leaks, mut harms) = (Vec::new(), Vec::new());
    for case in corpus["cases"].as_array().expect("a list") {
        let (id, text) = (case["id"].as_str().expect("id"), case["text"].as_str().expect("text"));
        let lines = json!(text.lines().collect::<Vec<_>>());
        let mut outputs = vec![masked(&rules, "lines", &lines), masked(&rules, "lines", &json!([text]))];
        for format in ["json", "yaml"].iter().filter(|format| id.contains(*format)) {
            let reader = reader(format).expect("a format");
            if let Ok(record) = reader.read(Input::new(id, text.as_bytes()), &Want::default()) {
                outputs.push(masked(&rules, format, &record));
            }
        }
        let list = |key: &str| {
            case[key].as_array().expect("a list").iter().map(|v| v.as_str().expect("text")).collect::<Vec<_>>()
        };
        for output in outputs {
            if list("must_vanish").iter().any(|value| output.contains(value)) {
                leaks.push(format!("{id}: {output:?}"));
            }
            if list("must_stay").iter().any(|value| !output.contains(value)) {
                harms.push(format!("{id}: {output:?}"));
            }
        }
    }
    // none is left, and none may come back
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    assert!(harms.is_empty(), "{} harms:\n{}", harms.len(), harms.join("\n"));
}

/// The records of a folder of captures; what is packed or broken is left out.
fn records(folder: &str) -> Option<Vec<(Capture, Value)>> {
    let folder = shared(folder)?;
    let described = std::fs::read_to_string(folder.join("capture.toml")).expect("capture.toml");
    let described: toml::Table = described.parse().expect("TOML");
    let mut all = Vec::new();
    for entry in described.values().filter_map(toml::Value::as_table) {
        let text = |key: &str| entry.get(key).and_then(toml::Value::as_str);
        let (file, format) = (text("file").expect("file"), text("format").expect("format"));
        let Ok(content) = std::fs::read_to_string(folder.join(file)) else { continue };
        let capture = Capture {
            path: format!("measure/grpc/{file}"),
            format: format.to_owned(),
            origin: text("command").map_or(Origin::Unknown, |c| Origin::Command(c.to_owned())),
            host: text("host").map(str::to_owned),
            at: None,
        };
        let record = match reader(format) {
            Some(reader) => match reader.read(Input::new(file, content.as_bytes()), &Want::default()) {
                Ok(record) => record,
                Err(_) => continue,
            },
            // a format of a later day
            None => json!(content.lines().collect::<Vec<_>>()),
        };
        all.push((capture, record));
    }
    Some(all)
}

/// A record as the block of JSON that it is read from.
fn block(record: &Value) -> Block {
    Block { line: 1, text: record.to_string() }
}

fn mask_with(rules: &MaskRules, records: &[(Capture, Value)]) -> Mask {
    mask_kept(rules, records, &[])
}

/// As of a bundle in which these aliases stand.
fn mask_kept(rules: &MaskRules, records: &[(Capture, Value)], kept: &[(&str, &str)]) -> Mask {
    let mut survey = Survey::new(rules);
    survey.keep(kept.iter().copied());
    for (capture, record) in records {
        survey.capture(capture);
        survey.record(&capture.format, record);
        survey.blocks(&capture.path, Layout::Json, &[block(record)]);
    }
    survey.finish(None).expect("nothing is wrong")
}

fn mask_of(records: &[(Capture, Value)]) -> Mask {
    mask_with(&MaskRules::default(), records)
}

fn masked_capture(mask: &Mask, capture: &Capture) -> Capture {
    let text = |text: &str| mask.text(text).get().clone();
    Capture { path: text(&capture.path), host: capture.host.as_deref().map(text), ..capture.clone() }
}

fn mask_record(mask: &Mask, record: &Value) -> Masked<Record> {
    let json = reader("json").expect("a format");
    mask.read(json, "x", Source::Kept(&[block(record)]), &Want::default()).expect("JSON stays JSON")
}

#[test]
fn sample() {
    for (folder, originals) in [
        (
            "measure/grpc",
            &[
                "baram", "jkim", "10.77.", "10.244.", "fd4b", "fe80", "s3lene", "eyj", "amtp", "w4697", "-ee1b-",
                "35badf20", "16a5b305",
            ][..],
        ),
        (
            "measure-other/grpc",
            &["qinghe", "shpark", "10.121.", "10.244.", "fd4b", "fe80", "s3lene", "eyj", "r8g2b"][..],
        ),
    ] {
        let Some(records) = records(folder) else { return };
        assert!(records.len() > 10, "{folder} is read");
        let mask = mask_of(&records);
        let mut staged = BTreeMap::new();
        let mut raw = BTreeMap::new();
        for (capture, record) in &records {
            let out = plain(mask_record(&mask, record).get());
            let low = out.to_lowercase();
            for original in originals {
                let line = low.lines().find(|l| l.contains(original));
                assert!(line.is_none(), "{} holds {original}: {line:?}", capture.path);
            }
            for kept in [
                "127.0.0.1",
                "cluster.local",
                "/run/containerd/containerd.sock",
                "v1.34.",
                "0.0.0.0",
                "cilium.io",
                "opentelemetry.io",
            ] {
                assert_eq!(
                    plain(record).matches(kept).count(),
                    out.matches(kept).count(),
                    "{kept} in {}",
                    capture.path
                );
            }
            staged.insert(mask.text(&capture.path).get().clone(), out.into_bytes());
            raw.insert(capture.path.clone(), plain(record).into_bytes());
        }
        if let Err(found) = mask.verify(&staged) {
            panic!("{}", found.to_text(factpress::diag::Colour::Never));
        }
        let leaks = mask.verify(&raw).expect_err("the raw captures leak");
        let text = leaks.to_text(factpress::diag::Colour::Never).to_lowercase();
        assert!(!originals.iter().any(|o| text.contains(o)), "a diagnostic quotes an original");
    }
}

/// What is masked stays as it is, and passes the verifier.
#[test]
fn masking_what_is_masked_changes_nothing() {
    for folder in ["measure/grpc", "measure-other/grpc", "measure/tracing", "measure-other/tracing", "measure/etcd-lab"]
    {
        let Some(records) = records(folder) else { return };
        assert!(records.len() > 10, "{folder} is read");
        let mask = mask_of(&records);
        let once: Vec<(Capture, Value)> =
            records.iter().map(|(c, r)| (masked_capture(&mask, c), mask_record(&mask, r).get().clone())).collect();
        let kept = mask.aliases();
        let again = mask_kept(&MaskRules::default(), &once, &kept);
        for (capture, record) in &once {
            assert_eq!(mask_record(&again, record).get(), record, "{}", capture.path);
            assert_eq!(mask_record(&mask, record).get(), record, "{}", capture.path);
            let page = BTreeMap::from([("page".to_owned(), plain(record).into_bytes())]);
            if let Err(found) = mask.verify(&page) {
                panic!("{}: {}", capture.path, found.to_text(factpress::diag::Colour::Never));
            }
        }
    }
}

#[test]
fn the_order_of_captures_makes_no_difference() {
    let Some(mut records) = records("measure/grpc") else { return };
    let (first, record) = (mask_of(&records), records[0].1.clone());
    let whole = |mask: &Mask, records: &[(Capture, Value)]| -> BTreeMap<String, String> {
        records.iter().map(|(c, r)| (c.path.clone(), plain(mask_record(mask, r).get()))).collect()
    };
    let expected = whole(&first, &records);
    records.reverse();
    let reversed = mask_of(&records);
    assert_eq!(whole(&reversed, &records), expected);
    assert_eq!(reversed.aliases(), first.aliases());
    assert_eq!(mask_record(&reversed, &record), mask_record(&first, &record));
}

/// Every spelling in which a value may be written.
fn spellings(value: &str, name: bool) -> Vec<String> {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let signs = |form: &dyn Fn(char) -> String| -> String {
        value.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { form(c) }).collect()
    };
    let every = |form: &dyn Fn(u8) -> String| -> String { value.bytes().map(form).collect() };
    let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_alphanumeric()).unwrap_or(c);
    let middle = value.len() / 2;
    let split = |with: &str| format!("{}{with}{}", &value[..middle], &value[middle..]);
    let mut all = vec![
        value.to_owned(),
        value.to_uppercase(),
        signs(&|c| format!("%{:02X}", u32::from(c))),
        signs(&|c| format!("\\u{:04x}", u32::from(c))),
        signs(&|c| format!("&#{};", u32::from(c))),
        signs(&|c| format!("&#x{:X};", u32::from(c))),
        every(&|b| format!("%{b:02x}")),
        every(&|b| format!("\\u{b:04x}")),
        every(&|b| format!("{b:02x}")),
        value.chars().map(wide).collect(),
        split("\u{200b}"),
        split("\u{1b}[31m"),
    ];
    for lead in ["", "a", "ab"] {
        all.push(STANDARD.encode(format!("{lead} {value} and more")));
        all.push(URL_SAFE_NO_PAD.encode(format!("{lead}:{value}")));
    }
    if name {
        all.extend([
            value.replace('-', "_"),
            value.replace('-', "."),
            format!("kube-proxy-{value}"),
            format!("{value}.default.svc"),
        ]);
    }
    all
}

/// Captures that say by type what a value is, with `lines` in which it stands again.
fn planted(kind: &str, value: &str, lines: &[String]) -> Vec<(Capture, Value)> {
    let (format, typed) = match kind {
        "node" => ("kubectl-json", json!({"kind": "Node", "metadata": {"name": value}})),
        "user" => ("ps", json!([{"pid": 1, "user": value, "comm": "bash", "args": "-bash"}])),
        "pod" => ("prometheus-api", json!({"result": [{"metric": {"pod": value}, "value": [1, 2]}]})),
        "cluster" => ("yaml", json!([{"data": {"cluster-name": value}}])),
        "machine" => ("json", json!({"nodeInfo": {"machineID": value}})),
        "secret" => {
            ("ps", json!([{"pid": 1, "user": "root", "comm": "x", "args": format!("x --sink-password={value}")}]))
        }
        _ => ("ss", json!([{"local_address": value, "local_port": "1"}])),
    };
    vec![(capture(format, None), typed), (capture("lines", None), json!(lines))]
}

fn values() -> impl proptest::strategy::Strategy<Value = (&'static str, String)> {
    use proptest::prelude::*;
    let text = |kind: &'static str, pattern: &'static str| pattern.prop_map(move |value: String| (kind, value));
    prop_oneof![
        text("node", "[b-y]{3,8}-(cp|wk|db)-[0-9]{2}"),
        text("user", "[b-y]{2}[zq][a-z]{3,6}"),
        text("pod", "[b-y]{4,8}-[0-9][a-f0-9]{8}-[bcdfghjklm]{5}"),
        text("cluster", "[b-y]{3}[zq][a-z]{2,5}"),
        text("machine", "[0-9a-f]{31}7"),
        text("secret", "[A-Z][a-z]{3,5}[0-9]{2}-[a-z0-9]{8}"),
        text("uid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{11}7"),
        text("mail", "[b-y]{4,8}@[b-y]{4,8}\\.example\\.org"),
        (1u8..=223, any::<[u8; 3]>())
            .prop_filter("an ordinary address", |(a, _)| *a >= 10 && *a != 127)
            .prop_map(|(a, [b, c, d])| ("address", format!("{a}.{b}.{c}.{d}"))),
        any::<[u16; 6]>().prop_map(|s| {
            let address = std::net::Ipv6Addr::new(0xfd00 | s[0] & 0xff, s[1], 0, 0, s[2], s[3], s[4], s[5]);
            ("address", address.to_string())
        }),
    ]
}

const NEIGHBOURS: [(&str, &str); 8] = [
    ("", ""),
    ("가 ", "에서"),
    ("接続先", "。"),
    ("主机", "的端口"),
    ("\"", "\","),
    ("(", ")"),
    ("to=", " x"),
    ("ノード「", "」は"),
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_planted_value_vanishes_in_every_spelling((kind, value) in values(), around in 0..NEIGHBOURS.len()) {
        let (before, after) = NEIGHBOURS[around];
        let name = matches!(kind, "node" | "pod");
        let spelled = spellings(&value, name);
        let lines: Vec<String> = spelled.iter().map(|s| format!("{before}{s}{after}")).collect();
        let records = planted(kind, &value, &lines);
        let mask = mask_of(&records);
        let raw = BTreeMap::from([("page".to_owned(), value.clone().into_bytes())]);
        proptest::prop_assert!(mask.verify(&raw).is_err(), "the verifier passes {value}");
        let mut staged = BTreeMap::new();
        for (i, (_, record)) in records.iter().enumerate() {
            let once = mask_record(&mask, record);
            let out = plain(once.get());
            for spelling in &spelled {
                proptest::prop_assert!(!out.contains(spelling.as_str()), "{spelling} in {out}");
            }
            proptest::prop_assert_eq!(out.lines().count(), plain(record).lines().count());
            let twice = mask_record(&mask, once.get());
            proptest::prop_assert_eq!(twice.get(), once.get());
            staged.insert(i.to_string(), out.into_bytes());
        }
        if let Err(found) = mask.verify(&staged) {
            proptest::prop_assert!(false, "{}\n{staged:?}", found.to_text(factpress::diag::Colour::Never));
        }
    }

    #[test]
    fn the_verifier_sees_every_spelling((kind, value) in values(), around in 0..NEIGHBOURS.len()) {
        let (before, after) = NEIGHBOURS[around];
        let mask = mask_of(&planted(kind, &value, &[]));
        for spelling in spellings(&value, false) {
            let page = format!("<p>{before}{spelling}{after}</p>\n");
            let staged = BTreeMap::from([("page".to_owned(), page.clone().into_bytes())]);
            let Err(found) = mask.verify(&staged) else {
                return Err(proptest::test_runner::TestCaseError::fail(format!("{kind} passes: {page}")));
            };
            let text = found.to_text(factpress::diag::Colour::Never);
            proptest::prop_assert!(!text.contains(&value), "the value is quoted: {text}");
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in "\\PC*", key in "[a-z]{0,8}") {
        let record = json!({key: text.clone(), "again": [text.clone(), "\u{1b}[", text]});
        let out = masked(&MaskRules::default(), "json", &record);
        drop(out);
    }
}

fn known() -> MaskRules {
    let texts = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
    MaskRules {
        nodes: texts(&["worker-a1.corp.example.net", "worker-a1"]),
        domains: texts(&["corp.example.net"]),
        users: texts(&["jroedel"]),
        ..MaskRules::default()
    }
}

#[test]
fn look_alikes_stay() {
    for text in [
        "255.255.255.0 0.0.0.0 127.0.0.1 ::1 :: 127.0.1.1 255.255.255.255 [::]:80",
        "quay.io/cilium/cilium@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 3d13962f0c5ad015a3bf4f1b2b0b822cd15d6c15",
        "2.21.7.14-play x-1.3.4.0-19 libssl1.1.1.1 version: 1.2.3.4 kernel 6.8.0.79",
        "users ubuntu root nobody bin www-data",
        "Basic authentication is on, Bearer token required, invalid token: expected x",
        "std::net::Ipv4Addr a::b cafe::beef core/v1::Pods",
        "networking.k8s.io/v1 monitoring.coreos.com svc.cluster.local node.default.hubble-grpc.cilium.io",
        "1.2.840.113549.1.1.11 1.3.6.1.4.1 2.5.29.17",
        "12:34 00:00:02.9 2026-01-02 03:04:05,678 2026-10-16T18:01:30Z",
        "node-exporter node_cpu_seconds_total token_bucket tokens: 5 secretName: foo password_file: /etc/x",
        "Chrome/120.0.6099.109 kube-proxy-x7k2p git@github.com:org/repo.git user@1000.service",
        "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fd00::/8 fe80::/10 2001:db8::/32 ff02::1",
        "coworker-a12 homeworker-a1x worker-a12 xjroedel 4095/4095 (100.00%)",
        "password: ${PASSWORD} token=$(TOKEN) secret: null --password-file=/x",
    ] {
        let out = masked(&known(), "lines", &json!([text, ""]));
        assert_eq!(out.trim_end(), text);
    }
}

#[test]
fn other_forms_are_masked() {
    for (text, expected) in [
        ("10.0.0.1 10.0.0.12 10.0.0.123", "priv-net01.h1 priv-net01.h2 priv-net01.h3"),
        ("10.20.30.40-10.20.30.49", "priv-net01.h1-priv-net01.h2"),
        ("IP 10.20.30.40.443 > 10.20.30.41.55000: Flags", "IP priv-net01.h1.443 > priv-net01.h2.55000: Flags"),
        ("010.020.030.046 １０.２０.３０.４６", "priv-net01.h1 priv-net01.h1"),
        ("ip_10_20_30_46 ip-10-20-30-46.ec2.internal", "ip_priv-net01.h1 ip-priv-net01.h1.ec2.internal"),
        ("2001:db8::1:49255 [2001:db8::1%eth0]:9300", "v6-net01.h1:49255 [v6-net01.h1%eth0]:9300"),
        ("net fd4b:4d::/48 and fd4b:4d:c::/64", "net v6-net01.h1/48 and v6-net02.h1/64"),
        ("02-42-ac-11-00-03 wlx0242ac110003", "mac-01 wlxmac-01"),
        ("jroede+ /home/jroedel CORP\\JRoedel", "user-01 /home/user-01 CORP\\user-01"),
        ("worker-a1.corp.exa… worker_a1", "node-a… node-a"),
        (
            "postgres://app:inv3nted@db wss://u:p@x@host/t",
            "postgres://secret-01:secret-02@db wss://secret-04:secret-03@host/t",
        ),
        (
            "curl -u app:inv3nted -H 'Authorization: Basic YXBwOmludjNudGVk'",
            "curl -u app:secret-02 -H 'Authorization: Basic secret-01'",
        ),
        ("auth: YXBwOmludjNudGVk", "auth: secret-01"),
        (
            "?token=inv3nted1&x=1 PGPASSWORD=inv3nted2 --password inv3nted3",
            "?token=secret-01&x=1 PGPASSWORD=secret-02 --password secret-03",
        ),
        ("search corp.example.net of api.corp.example.net", "search domain-01 of host-01"),
        ("pvc-3f1c0b2e-1d2c-4b5a-9f00-aa11bb22cc33", "pvc-uid-01"),
        ("pod coredns-1f648bf4c-jk7z7가", "pod pod-01가"),
    ] {
        let out = masked(&known(), "lines", &json!([text, ""]));
        assert_eq!(out.trim_end(), expected, "{text}");
    }
}

#[test]
fn many_subnets_and_nodes_each_have_an_alias_of_their_own() {
    let nodes: Vec<Value> =
        (0..10_000).map(|i| json!({"kind": "Node", "metadata": {"name": format!("rack{}-n{i:05}", i % 40)}})).collect();
    let lines: Vec<String> = (0..400)
        .map(|i| format!("podCIDR: 10.{}.{}.0/24 and 10.{}.{}.77", i / 200, i % 200, i / 200, i % 200))
        .collect();
    let records =
        vec![(capture("kubectl-json", None), json!({ "items": nodes })), (capture("lines", None), json!(lines))];
    let mask = mask_of(&records);
    let aliases = mask.aliases();
    assert_eq!(aliases.iter().filter(|(kind, _)| *kind == "node").count(), 10_000);
    assert_eq!(aliases.iter().filter(|(kind, _)| *kind == "address").count(), 800);
    let out = plain(mask_record(&mask, &records[1].1).get());
    assert!(!out.contains(" 10.") && out.contains("priv-net400.h2"), "{out}");
}
