//! One JSON document: any (`json`), or what `kubectl -o json` writes (`kubectl-json`).

use serde_json::Value;

use super::{Input, Layout, Reader, Record, Want, json_flaw};
use crate::diag::{Diagnostic, Outcome, Place};

/// Format `json`.
#[derive(Debug)]
pub(super) struct Json;

/// Format `kubectl-json`.
#[derive(Debug)]
pub(super) struct KubectlJson;

impl Reader for Json {
    fn format(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "any file that is one JSON document"
    }

    fn form(&self) -> &'static str {
        r#"The document as it is. Numbers keep their text, keys their order.

```json
{"version": "3.6.5", "members": [{"id": 10276657743932975437}]}
```"#
    }

    fn layout(&self) -> Layout {
        Layout::Json
    }

    fn read(&self, input: Input<'_>, _: &Want) -> Outcome<Record> {
        let path = input.path();
        let text = input.text()?;
        document(path, &text, "keep the whole document and nothing else; lines of JSON are `jsonl`")
    }
}

impl Reader for KubectlJson {
    fn format(&self) -> &'static str {
        "kubectl-json"
    }

    fn about(&self) -> &'static str {
        "kubectl get … -o json: an object or a List; kubectl version -o json"
    }

    fn form(&self) -> &'static str {
        r#"The document as it is: an object, or a `List` (`NodeList`, …) with `items`.

```json
{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "metadata": {"name": "node-a"}}]}
```"#
    }

    fn layout(&self) -> Layout {
        Layout::Json
    }

    fn read(&self, input: Input<'_>, _: &Want) -> Outcome<Record> {
        let path = input.path();
        let text = input.text()?;
        let document = document(path, &text, "keep what `kubectl -o json` wrote and nothing else")?;
        match refused(&document) {
            Some((code, message, help)) => {
                Err(Diagnostic::error(code, message).with_place(Place::at(path, 1, 1)).with_help(help).into())
            }
            None => Ok(document),
        }
    }
}

fn document(path: &str, text: &str, help: &str) -> Outcome<Value> {
    if text.trim().is_empty() {
        return Err(Diagnostic::error("capture-empty", "the capture is empty")
            .with_place(Place::file(path))
            .with_help("take it again; its command may have failed")
            .into());
    }
    serde_json::from_str(text).map_err(|error| json_flaw(path, (text, 0, 1), &error, help).into())
}

/// Why a document is no answer of kubectl: code, message, help.
fn refused(document: &Value) -> Option<(&'static str, &'static str, &'static str)> {
    let Value::Object(object) = document else {
        return Some(("json-shape", "expected an object of Kubernetes", "another JSON document has the format `json`"));
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("kind") == "Status" && text("status") == "Failure" {
        return Some((
            "kubernetes-error",
            "the API server answered with a Status of failure",
            "the reason stands under `message` in the file: mend the command and take the capture again",
        ));
    }
    let is_list = text("kind").ends_with("List");
    (is_list && !matches!(object.get("items"), Some(Value::Array(_) | Value::Null))).then_some((
        "json-shape",
        "expected `items` of a list to be an array",
        "take the capture again with `kubectl get … -o json`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_order_are_kept() {
        let text = r#"{"z":1.50,"a":12345678901234567890123,"m":1e+06,"é":-0.0}"#;
        let record = Json.read(Input::new("f", text.as_bytes()), &Want::default()).expect("it is JSON");
        assert_eq!(record.to_string(), text);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Json.read(Input::new("f", bytes.as_slice()), &Want::default());
            let _ = KubectlJson.read(Input::new("f", bytes.as_slice()), &Want::default());
        }
    }
}
