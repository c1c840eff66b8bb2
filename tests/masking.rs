//! Masking over the corpus of one-value cases: no value leaks in any spelling, no look-alike is harmed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use factpress::capture::{Capture, Origin};
use factpress::mask::{Mask, Raw};
use factpress::project::MaskRules;
use factpress::read::{Input, Want, reader};
use serde_json::{Value, json};

/// A file beside the repository, if it is there.
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
    let capture = capture(format, None);
    let mask = Mask::new(rules, &[], &[Raw { capture: &capture, record }]).expect("nothing is wrong");
    let out = mask.record(record.clone());
    let again = mask.record(out.get().clone());
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

/// A case may leak or be harmed as long as it is known here; the list may only get shorter.
const KNOWN_LEAKS: usize = 0;
const KNOWN_HARMS: usize = 0;

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
        if let (true, Ok(document)) = (id.contains("json"), serde_json::from_str::<Value>(text)) {
            outputs.push(masked(&rules, "json", &document));
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
    assert!(leaks.len() <= KNOWN_LEAKS, "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    assert!(harms.len() <= KNOWN_HARMS, "{} harms:\n{}", harms.len(), harms.join("\n"));
}

/// Records of a folder of captures in the forms of the readers, as far as masking looks at them.
fn records(folder: &str) -> Option<Vec<(Capture, Value)>> {
    let folder = shared(folder)?;
    let described = std::fs::read_to_string(folder.join("capture.toml")).expect("capture.toml");
    let described: toml::Table = described.parse().expect("TOML");
    let mut all = Vec::new();
    for entry in described.values().filter_map(toml::Value::as_table) {
        let text = |key: &str| entry.get(key).and_then(toml::Value::as_str);
        let (file, format) = (text("file").expect("file"), text("format").expect("format"));
        let content = std::fs::read_to_string(folder.join(file)).expect("readable");
        let capture = Capture {
            path: format!("measure/grpc/{file}"),
            format: format.to_owned(),
            origin: text("command").map_or(Origin::Unknown, |c| Origin::Command(c.to_owned())),
            host: text("host").map(str::to_owned),
            at: None,
        };
        let record = match format {
            // the reader itself, once it is there
            _ if reader(format).is_some() => {
                let input = Input::new(file, content.as_bytes());
                reader(format).expect("asked before").read(input, &Want::default()).expect("readable")
            }
            "hubble-compact" => content.lines().map(flow).collect(),
            "prometheus-api" => serde_json::from_str::<Value>(&content).expect("JSON")["data"].take(),
            "kubectl-json" => serde_json::from_str(&content).expect("JSON"),
            "ps" => content.lines().skip(1).map(process).collect(),
            "ss" => content.lines().map(|l| json!({"local_address": l, "process": null})).collect(),
            _ => json!(content.lines().collect::<Vec<_>>()),
        };
        all.push((capture, record));
    }
    Some(all)
}

/// `time: end direction end …`, with an end `name:port (label)`.
fn flow(line: &str) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    let end = |at: usize| json!({"name": words[at].rsplit_once(':').expect("a port").0, "label": words[at + 1].trim_matches(['(', ')'])});
    json!({"source": end(3), "destination": end(6), "summary": line})
}

fn process(line: &str) -> Value {
    let mut cells = line.split_whitespace();
    let mut cell = || cells.next().unwrap_or_default().to_owned();
    let (pid, user, comm) = (cell(), cell(), cell());
    json!({"pid": pid.parse::<u32>().expect("a number"), "user": user, "comm": comm, "args": cells.collect::<Vec<_>>().join(" ")})
}

fn mask_of(records: &[(Capture, Value)]) -> Mask {
    let mut hosts: Vec<&str> = Vec::new();
    for host in records.iter().filter_map(|(c, _)| c.host.as_deref()) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    let raw: Vec<Raw<'_>> = records.iter().map(|(capture, record)| Raw { capture, record }).collect();
    Mask::new(&MaskRules::default(), &hosts, &raw).expect("nothing is wrong")
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
        let mask = mask_of(&records);
        let mut staged = BTreeMap::new();
        let mut raw = BTreeMap::new();
        for (capture, record) in &records {
            let out = plain(mask.record(record.clone()).get());
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
            if std::env::var_os("FACTPRESS_SHOW").is_some() {
                println!("== {}\n{out}", mask.capture(capture).get().path);
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
        if std::env::var_os("FACTPRESS_SHOW").is_some() {
            println!("{:?}", mask.aliases());
        }
    }
}

/// What a run on the masked captures would do: the aliases stay, nothing is masked twice.
#[test]
fn a_second_run_over_masked_captures_changes_nothing() {
    for folder in ["measure/grpc", "measure-other/grpc"] {
        let Some(records) = records(folder) else { return };
        let mask = mask_of(&records);
        let once: Vec<(Capture, Value)> = records
            .iter()
            .map(|(c, r)| (mask.capture(c).get().clone(), mask.record(r.clone()).get().clone()))
            .collect();
        let again = mask_of(&once);
        for (capture, record) in &once {
            assert_eq!(again.record(record.clone()).get(), record, "{}", capture.path);
            assert_eq!(mask.record(record.clone()).get(), record, "{}", capture.path);
        }
    }
}

#[test]
fn the_order_of_captures_makes_no_difference() {
    let Some(mut records) = records("measure/grpc") else { return };
    let (first, record) = (mask_of(&records), records[0].1.clone());
    let whole = |mask: &Mask, records: &[(Capture, Value)]| -> BTreeMap<String, String> {
        records.iter().map(|(c, r)| (c.path.clone(), plain(mask.record(r.clone()).get()))).collect()
    };
    let expected = whole(&first, &records);
    records.reverse();
    let reversed = mask_of(&records);
    assert_eq!(whole(&reversed, &records), expected);
    assert_eq!(reversed.aliases(), first.aliases());
    assert_eq!(reversed.record(record.clone()), first.record(record));
}
