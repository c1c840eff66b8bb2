//! `factpress facts`: the figures of part grpc, for the captures of this repository and for those of another cluster.

use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What `factpress --root … facts grpc --format json` prints.
#[expect(clippy::disallowed_methods, reason = "the program under test")]
fn facts(root: &Path) -> Value {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_factpress"))
        .arg("--root")
        .arg(root)
        .args(["facts", "grpc", "--format", "json"])
        .output()
        .expect("the program starts");
    let words = String::from_utf8_lossy(&run.stderr);
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("no JSON ({error}): {words}"))
}

fn expected(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the expected values");
    serde_json::from_str(&text).expect("JSON")
}

fn compare(found: &Value, expected: &Value) {
    assert_eq!(found["part"], "grpc");
    for (id, expected) in expected.as_object().expect("an object of facts") {
        let found = found["facts"].get(id).unwrap_or_else(|| panic!("there is no fact `{id}`"));
        assert!(close(&found["value"], expected), "{id}: {} instead of {expected}", found["value"]);
        for language in ["ko", "ja", "zh"] {
            assert!(found["text"][language].is_string(), "{id} is not shown in {language}");
        }
        let from = found["from"].as_array().expect("a list of captures");
        assert!(!from.is_empty() && from.iter().all(Value::is_string), "{id} rests on no capture");
    }
}

/// Equal, numbers to a relative 1e-12.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn the_published_figures() {
    compare(&facts(root()), &expected(&root().join("tests/expect/grpc.json")));
}

/// Other names, another number of nodes, other figures, Prometheus results in another order; several claims are false there.
#[test]
#[expect(clippy::print_stderr, reason = "what is skipped says so")]
fn the_figures_of_another_cluster() {
    let shared = root().join("../shared");
    let captures = shared.join("measure-other/grpc");
    if !captures.is_dir() {
        eprintln!("SKIPPED: {} is not there", captures.display());
        return;
    }
    let other = series("facts-of-another-cluster", &captures);
    let mut expected = expected(&shared.join("expect/other-grpc.json"));
    // listed there by instance; the article wants the largest first
    if let Some(streams) = expected["apiserver_open_watch_streams"].as_array_mut() {
        streams.sort_by_key(|streams| std::cmp::Reverse(streams.as_u64()));
    }
    compare(&facts(&other), &expected);
}

/// A copy of this series with other captures of part grpc.
fn series(name: &str, captures: &Path) -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if to.exists() {
        std::fs::remove_dir_all(&to).expect("the last run's copy goes");
    }
    for folder in ["templates", "locales"] {
        copy(&root().join(folder), &to.join(folder));
    }
    copy(captures, &to.join("measure/grpc"));
    std::fs::copy(root().join("factpress.toml"), to.join("factpress.toml")).expect("copied");
    to
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).follow_links(true) {
        let entry = entry.expect("can be read");
        let target = to.join(entry.path().strip_prefix(from).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target).expect("made");
        } else {
            std::fs::copy(entry.path(), &target).expect("copied");
        }
    }
}
