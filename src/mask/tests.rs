//! Masking as a whole: aliases, what stays, and a verifier that sees what the sweep leaves.

use serde_json::{Value, json};

use super::*;

/// A record as the block of JSON that it is read from.
fn block(record: &Value) -> Block {
    Block { line: 1, text: record.to_string() }
}

fn mask_of(rules: &MaskRules, capture: &Capture, record: &Value) -> Mask {
    let mut survey = Survey::new(rules);
    survey.capture(capture);
    survey.record(&capture.format, record);
    survey.blocks(&capture.path, Layout::Json, &[block(record)]);
    survey.finish(None).expect("nothing is wrong")
}

fn mask_record(mask: &Mask, record: &Value) -> Masked<Record> {
    let json = crate::read::reader("json").expect("a format");
    mask.read(json, "x", Source::Kept(&[block(record)]), &Want::default()).expect("JSON stays JSON")
}

/// Visits every string, and every key.
fn strings(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, visit)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            visit(name);
            strings(member, visit);
        }),
        _ => {}
    }
}

fn capture(format: &str) -> Capture {
    let (path, origin) = (format!("measure/x/{format}"), Origin::Unknown);
    Capture { path, format: format.to_owned(), origin, host: Some("alpha-cp-01".to_owned()), at: None }
}

fn one_of_each() -> (Capture, Record) {
    let record = json!([
        {"pid": 1, "user": "jdoe", "comm": "x", "args": "x --sink-password=S3lene-wbb2fj --node-ip=10.9.8.7 --name=y"},
        {"pid": 2, "user": "root", "args": "shim -id 16a5b3058d881ab64f28897c52b57028ef1962bcfff9318cf7eaa4fb457591ac"},
        {"pod": "coredns-1f648bf4c-jk7z7", "id": "fbe18771-ee1b-41e9-aa62-8fe4654c3470", "cluster-name": "baramstar"},
        {"machineID": "35badf2058d935553a3e92c83f2db986", "hostname": "alpha-cp-01.dc1.alphaco.internal"},
        {"text": "registry.dc1.alphaco.internal dc1.alphaco.internal jane@corp.example.kr fd4b::7 link/ether 02:42:ac:11:00:0b"}
    ]);
    (capture("ps"), record)
}

/// The strings of a record, one a line.
fn page(record: &Record) -> Vec<u8> {
    let mut text = String::new();
    strings(record, &mut |s| text.extend([s, "\n"]));
    text.into_bytes()
}

/// A mutation of the sweep: one kind is not replaced. The verifier, which shares nothing with it, must see each.
#[test]
fn the_verifier_catches_what_the_sweep_leaves() {
    let (capture, record) = one_of_each();
    let mask = mask_of(&MaskRules::default(), &capture, &record);
    let whole = page(mask_record(&mask, &record).get());
    assert!(mask.verify(&BTreeMap::from([("page".to_owned(), whole)])).is_ok());
    let mut seen = BTreeSet::new();
    for (kind, value, _) in mask.aliases.iter() {
        let text = String::from_utf8(page(&record)).expect("text");
        let mut found = mask.detector.find(&text, "");
        found.retain(|f| (f.kind, f.value.as_str()) != (kind, value));
        let swaps: Vec<_> =
            sweep::resolve(found).into_iter().map(|f| (f.range.clone(), mask.alias(&f).into())).collect();
        let leaky = sweep::write(&text, &swaps);
        // a parent domain stands only within its child, a mail address is hidden by its halves
        if leaky.to_lowercase().replace("02:42:ac:11:00:0b", "0242ac11000b").contains(&value.to_lowercase()) {
            let leaks = mask.verify(&BTreeMap::from([("page".to_owned(), leaky.into_bytes())])).expect_err(kind.name());
            assert_eq!(leaks.worst(), Some(crate::diag::Severity::Leak));
            assert!(leaks.iter().all(|d| !d.message().contains(value)));
            seen.insert(kind.name());
        }
    }
    let expected =
        ["address", "cluster", "container", "host", "mac", "machine", "node", "pod", "secret", "uid", "user"];
    assert!(expected.iter().all(|kind| seen.contains(kind)), "not tried: {seen:?}");
}

#[test]
fn a_leak_is_told_by_file_line_and_column() {
    let (capture, record) = one_of_each();
    let mask = mask_of(&MaskRules::default(), &capture, &record);
    let staged = BTreeMap::from([
        ("ko/grpc/index.md".to_owned(), "하나\n노드 alpha-cp-01에서\n".to_owned().into_bytes()),
        ("ko/jdoe.svg".to_owned(), Vec::new()),
    ]);
    let leaks = mask.verify(&staged).expect_err("two leaks");
    let places: Vec<String> = leaks.iter().filter_map(|d| Some(d.place()?.to_string())).collect();
    assert_eq!(places, ["ko/grpc/index.md:2:4", "ko/…"]);
    assert!(leaks.iter().all(|d| d.severity() == crate::diag::Severity::Leak));
}

#[test]
fn one_value_has_one_alias_and_hosts_come_first() {
    let record = json!({"items": [
        {"kind": "Node", "metadata": {"name": "b-wk-01", "labels": {"node-role.kubernetes.io/worker": ""}}},
        {"kind": "Node", "metadata": {"name": "c-cp-02", "labels": {"node-role.kubernetes.io/control-plane": ""}}},
        {"kind": "Node", "metadata": {"name": "a-wk-02", "labels": {}}},
        {"type": "InternalDNS", "address": "c-cp-02.dc1.baram.internal"},
        {"spec": {"nodeName": "alpha-cp-01"}, "address": "::ffff:10.1.2.3", "again": "10.1.2.3 0A.01 10-1-2-3.pod.cluster.local"}
    ]});
    let capture = Capture { host: Some("z-cp-01".to_owned()), ..capture("kubectl-json") };
    let mask = mask_of(&MaskRules::default(), &capture, &record);
    for (text, expected) in [
        ("z-cp-01", "node-a"),
        ("alpha-cp-01", "node-d"),
        ("C-CP-02 c_cp_02 c-cp-02.dc1.baram.internal.", "node-b node-b node-b."),
        ("a-wk-02 b-wk-01", "node-c node-e"),
        ("::ffff:10.1.2.3 ::ffff:a01:203 10.1.2.3:80", "priv-net01.h1 priv-net01.h1 priv-net01.h1:80"),
        ("x.dc1.baram.internal dc1.baram.internal", "host-00 domain-02"),
        ("10.7.7.7 never met", "any-net00.h0 never met"),
    ] {
        assert_eq!(mask.text(text).get(), expected);
    }
}

#[test]
fn what_is_allowed_stays() {
    let rules = MaskRules {
        allow: vec!["203.0.113.7".into(), "jdoe".into()],
        words: vec!["Falcon".into()],
        ..MaskRules::default()
    };
    let (capture, record) = one_of_each();
    let mask = mask_of(&rules, &capture, &record);
    let out = mask.text("203.0.113.7 jdoe falcon");
    assert_eq!(out.get(), "203.0.113.7 jdoe word-01");
    assert!(mask.verify(&BTreeMap::from([("page".to_owned(), out.get().clone().into_bytes())])).is_ok());
}

#[test]
fn keys_are_masked_and_none_is_lost() {
    let record = json!({"alpha-cp-01": 1, "ALPHA-CP-01": 2, "n": {"10.9.8.7": [1.50, "x"]}});
    let out = mask_record(&mask_of(&MaskRules::default(), &capture("json"), &record), &record);
    assert_eq!(out.get(), &json!({"node-a": 1, "node-a~": 2, "n": {"priv-net01.h1": [1.50, "x"]}}));
}

#[test]
fn a_mask_never_prints_its_originals() {
    let (capture, record) = one_of_each();
    let mask = mask_of(&MaskRules::default(), &capture, &record);
    assert!(!format!("{mask:?}").contains("jdoe"));
}
