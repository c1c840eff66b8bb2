//! The readers over real files and public test suites, which lie beside the repository in `../shared/samples`. Without
//! them the tests say that they were skipped.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use factpress::diag::{Colour, Outcome};
use factpress::read::{Input, READERS, Record, Want, reader};

/// Name → bytes of the files of a folder, `.gz` unpacked; `None` without the samples.
fn samples(folder: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples").join(folder);
    if !path.is_dir() {
        announce(&format!("SKIPPED: no samples at {}", path.display()));
        return None;
    }
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&path).sort_by_file_name() {
        let entry = entry.expect("a sample can be listed");
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(&path).expect("it lies inside").to_string_lossy().into_owned();
            let mut bytes = std::fs::read(entry.path()).expect("a sample can be read");
            if name.ends_with(".gz") {
                let packed = std::mem::take(&mut bytes);
                flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("it is gzip");
            }
            files.insert(name, bytes);
        }
    }
    assert!(!files.is_empty(), "{} is empty", path.display());
    Some(files)
}

#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn announce(text: &str) {
    eprintln!("{text}");
}

fn read(format: &str, name: &str, bytes: &[u8]) -> Outcome<Record> {
    reader(format).unwrap_or_else(|| panic!("no reader {format}")).read(Input::new(name, bytes), &Want::default())
}

fn right(format: &str, name: &str, bytes: &[u8]) -> Record {
    read(format, name, bytes).unwrap_or_else(|found| panic!("{name}:\n{}", found.to_text(Colour::Never)))
}

fn count(record: &Record) -> usize {
    record["result"].as_array().map_or(0, Vec::len)
}

/// Lines that are samples, counted without the reader.
fn sample_lines(bytes: &[u8]) -> usize {
    let text = std::str::from_utf8(bytes).expect("it is UTF-8");
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).count()
}

#[test]
fn no_reader_panics_on_any_sample() {
    for (name, bytes) in samples("").unwrap_or_default() {
        for reader in READERS {
            if let Err(found) = reader.read(Input::new(&name, bytes.as_slice()), &Want::default()) {
                assert!(!found.is_empty() && found.len() <= 21, "{name}: {} findings", found.len());
            }
        }
    }
}

#[test]
fn openmetrics_suite() {
    let Some(cases) = samples("prom-text/openmetrics-suite") else { return };
    assert_eq!(cases.len(), 211);
    let mut wrong = Vec::new();
    for (name, bytes) in &cases {
        // the suite's test.json says shouldParse: false for just these
        let bad = name.starts_with("bad_");
        match read("prometheus-text", name, bytes) {
            Ok(_) if bad => wrong.push(format!("{name}: it must be refused")),
            Err(found) if !bad => wrong.push(found.to_text(Colour::Never)),
            Ok(record) => assert_eq!(count(&record), sample_lines(bytes), "{name}"),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn openmetrics_suite_with_other_line_ends() {
    let Some(cases) = samples("prom-text/openmetrics-suite") else { return };
    for (name, bytes) in cases.iter().filter(|(name, _)| !name.starts_with("bad_")) {
        let text = std::str::from_utf8(bytes).expect("it is UTF-8");
        let record = right("prometheus-text", name, bytes);
        assert_eq!(right("prometheus-text", name, text.replace('\n', "\r\n").as_bytes()), record, "{name}");
        assert_eq!(right("prometheus-text", name, text.trim_end().as_bytes()), record, "{name}");
    }
}

#[test]
fn prometheus_fuzz_seeds() {
    let Some(cases) = samples("prom-text/prom-common-fuzz") else { return };
    assert_eq!(cases.len(), 26);
    let mut wrong = Vec::new();
    for (name, bytes) in &cases {
        let bad = name.starts_with("from_test_parse_error_");
        match read("prometheus-text", name, bytes) {
            Ok(_) if bad => wrong.push(format!("{name}: it must be refused")),
            Err(found) if !bad => wrong.push(found.to_text(Colour::Never)),
            Ok(record) => assert_eq!(count(&record), sample_lines(bytes), "{name}"),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn real_expositions() {
    let Some(files) = samples("prom-text") else { return };
    for (name, bytes) in files.iter().filter(|(name, _)| !name.contains('/')) {
        let record = right("prometheus-text", name, bytes);
        assert_eq!(count(&record), sample_lines(bytes), "{name}");
        assert_eq!(record["resultType"], "vector");
    }
}

/// Skipping finds the same samples as keeping all.
#[test]
fn wanted_series_of_real_expositions() {
    let Some(files) = samples("prom-text") else { return };
    let bytes = &files["nri-k8s134-apiserver-metrics.txt.gz"];
    let all = right("prometheus-text", "all", bytes);
    let want = Want {
        series: vec!["etcd_request_duration_seconds_*".to_owned()],
        fields: BTreeMap::from([("operation".to_owned(), "get".to_owned())]),
    };
    let reader = reader("prometheus-text").expect("it is there");
    let some = reader.read(Input::new("some", bytes.as_slice()), &want).expect("it is right");
    let expected: Vec<_> = all["result"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|s| {
            let name = s["metric"]["__name__"].as_str().expect("a name");
            name.starts_with("etcd_request_duration_seconds_") && s["metric"]["operation"] == "get"
        })
        .cloned()
        .collect();
    assert!(expected.len() > 50, "{}", expected.len());
    assert_eq!(some["result"], serde_json::Value::Array(expected));
    let families: Vec<_> = some["metadata"].as_object().expect("an object").keys().collect();
    assert_eq!(families, ["etcd_request_duration_seconds"]);
}

#[test]
fn kubernetes_documents() {
    for (name, bytes) in samples("kubectl").unwrap_or_default().iter().filter(|(name, _)| name.ends_with(".json")) {
        let record = right("kubectl-json", name, bytes);
        assert_eq!(record, right("json", name, bytes), "{name}");
        let text = std::str::from_utf8(bytes).expect("it is UTF-8");
        assert_eq!(record, serde_json::from_str::<serde_json::Value>(text).expect("it is JSON"), "{name}");
    }
}

#[test]
fn other_documents() {
    for folder in ["otlp-json", "kubeadm"] {
        for (name, bytes) in samples(folder).unwrap_or_default().iter().filter(|(name, _)| name.ends_with(".json")) {
            right("json", name, bytes);
        }
    }
    for (name, bytes) in samples("hubble").unwrap_or_default().iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let record = right("jsonl", name, bytes);
        let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        assert_eq!(record.as_array().map(Vec::len), Some(lines), "{name}");
    }
}

/// The answers in the documentation, as far as they are whole there.
#[test]
fn documented_answers() {
    let Some(files) = samples("prom-json") else { return };
    for (name, bytes) in &files {
        for document in std::str::from_utf8(bytes).expect("it is UTF-8").split("```json").skip(1) {
            let document = document.split("```").next().unwrap_or_default();
            let found = read("prometheus-api", name, document.as_bytes()).expect_err("it is cut, or of another call");
            assert!(
                found.iter().all(|d| matches!(d.code(), "json-truncated" | "json-shape" | "json-syntax")),
                "{found:?}"
            );
        }
    }
}
