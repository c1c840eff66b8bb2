//! Figures against the published ones, and what a changed capture changes: that figure, everywhere, and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::copy::{Series, said};
use serde_json::Value;

const LANGUAGES: [&str; 3] = ["ko", "ja", "zh"];

fn facts(series: &Series) -> BTreeMap<String, Value> {
    let output = series.run(&["facts", "grpc", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["part"], "grpc");
    let facts = answer["facts"].as_object().expect("an object");
    facts.iter().map(|(id, fact)| (id.clone(), fact.clone())).collect()
}

/// Equal up to the rounding of doubles.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("finite"), b.as_f64().expect("finite"));
            (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| near(a, b)))
        }
        _ => a == b,
    }
}

fn compare(facts: &BTreeMap<String, Value>, expected: &str) {
    let expected: BTreeMap<String, Value> = serde_json::from_str(expected).expect("JSON");
    assert!(expected.len() > 70);
    let wrong: Vec<_> = expected
        .iter()
        .filter(|(id, value)| !facts.get(*id).is_some_and(|f| near(&f["value"], value)))
        .map(|(id, value)| format!("{id}: {} instead of {value}", facts.get(id).map_or(&Value::Null, |f| &f["value"])))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_published_figure_is_computed() {
    let facts = facts(&Series::copy("published"));
    compare(&facts, include_str!("../expect/grpc.json"));
    for (id, fact) in &facts {
        assert!(fact["unit"].is_string(), "{id} has a unit");
        assert!(fact["from"].as_array().is_some_and(|f| !f.is_empty()), "{id} rests on a capture");
        for language in LANGUAGES {
            assert!(fact["text"][language].as_str().is_some_and(|t| !t.is_empty()), "{id} in {language}");
        }
    }
    assert_eq!(facts["cri_operations_total_per_hour"]["text"]["ko"], "110,000");
    assert_eq!(facts["etcd_get_p50_seconds"]["text"]["ja"], "2.7 ms");
    assert_eq!(facts["etcd_sent_bytes"]["text"]["zh"], "883 GiB");
}

/// Captures beside the repository, if they are there.
fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn another_cluster_needs_no_change() {
    let (Some(measure), Some(expected)) = (shared("measure-other/grpc"), shared("expect/other-grpc.json")) else {
        return;
    };
    let series = Series::copy("other");
    series.measure("grpc", &measure);
    compare(&facts(&series), &std::fs::read_to_string(expected).expect("readable"));
    let build = series.run(&["build", "--draft"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    let committed = Series::copy("other-committed").output();
    let output = series.output();
    assert_eq!(output.keys().collect::<Vec<_>>(), committed.keys().collect::<Vec<_>>(), "all pages are made");
    for (path, text) in &output {
        assert!(!text.contains("qinghe") && !text.contains("shpark") && !text.contains("10.121.186"), "{path}");
        assert_ne!(Some(text), committed.get(path), "{path} shows the other figures");
    }
}

/// The lines of each page that differ between two outputs: the new ones.
fn changed(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let differing = after.iter().filter(|(path, text)| before[*path] != **text);
    differing
        .map(|(path, text)| {
            let old: Vec<&str> = before[path].lines().collect();
            let new = text.lines().filter(|line| !old.contains(line)).map(str::to_owned).collect();
            (path.clone(), new)
        })
        .collect()
}

fn changed_facts(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<String> {
    after.iter().filter(|(id, fact)| before[*id] != **fact).map(|(id, _)| id.clone()).collect()
}

#[test]
fn a_doubled_counter_changes_that_figure_in_every_language_and_format_and_nothing_else() {
    let series = Series::copy("doubled");
    let (facts_before, before) = (facts(&series), series.output());
    series.edit("measure/grpc/tempo-streams-max.json", "\"20\"", "\"40\"");
    assert_eq!(changed_facts(&facts_before, &facts(&series)), ["tempo_streams_max"]);
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    let changed = changed(&before, &series.output());
    let expected: Vec<String> = ["ja", "ko", "zh"]
        .iter()
        .flat_map(|l| [format!("{l}/grpc/index.html"), format!("{l}/grpc/index.md")])
        .collect();
    assert_eq!(changed.keys().cloned().collect::<Vec<_>>(), expected);
    for (path, lines) in changed {
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("40")), "{path}: {lines:?}");
    }
}

#[test]
fn ten_sockets_less_break_the_claim_and_the_build_names_the_string() {
    let series = Series::copy("sockets");
    let before = series.output();
    let facts_before = facts(&series);
    let sockets = series.read("measure/grpc/ss-etcd-2379.txt");
    let kept: Vec<&str> = sockets.lines().skip(10).collect();
    series.write("measure/grpc/ss-etcd-2379.txt", &(kept.join("\n") + "\n"));
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(1));
    let words = said(&build);
    assert!(words.contains("claim-false") && words.contains("etcd.one_stream"), "{words}");
    assert_eq!(series.output(), before, "nothing is written");

    assert_eq!(changed_facts(&facts_before, &facts(&series)), ["etcd_client_connections", "etcd_other_clients"]);
    let draft = series.run(&["build", "--draft"]);
    assert_eq!(draft.status.code(), Some(0), "{}", said(&draft));
    for language in LANGUAGES {
        for format in ["html", "md"] {
            let page = series.read(&format!("output/{language}/grpc/index.{format}"));
            assert!(page.contains("237") && !page.contains(">247<"), "{language} {format}");
        }
    }
}

#[test]
fn an_operation_that_nobody_named_has_its_row_in_every_language() {
    let series = Series::copy("operation");
    series.edit(
        "measure/grpc/cri-operations.json",
        r#"{"metric":{"operation_type":"pull_image"}"#,
        r#"{"metric":{"operation_type":"checkpoint_container"},"value":[1792173671.855,"1234.5"]},{"metric":{"operation_type":"pull_image"}"#,
    );
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    let check = series.run(&["check"]);
    assert!(said(&check).contains("checkpoint_container"), "check says that it has no reason: {}", said(&check));
    for language in LANGUAGES {
        let page = series.read(&format!("output/{language}/grpc/index.md"));
        let row = page.lines().find(|line| line.starts_with('|') && line.contains("checkpoint_container"));
        assert!(row.is_some_and(|row| row.contains("1,235")), "{language}: {row:?}");
        let chart = series.read(&format!("output/{language}/grpc/cri_calls.svg"));
        assert!(chart.contains("checkpoint_container"), "{language}");
    }
}
