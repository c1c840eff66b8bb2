//! `cilium-status`: what `cilium-dbg status` prints, row by row.

use serde_json::{Map, Value, json};

use super::{Fault, Input, Layout, Reader, Record, Want, walk};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// The reader of `cilium-status`.
#[derive(Debug)]
pub(super) struct CiliumStatus;

/// Rows that every agent prints: without one of them a file is something else.
const KNOWN: &[&str] =
    &["KVStore", "Kubernetes", "Cilium", "NodeMonitor", "Controller Status", "Proxy Status", "Hubble"];

/// What the agent's API calls the states of its parts.
const STATES: &[&str] = &["Ok", "Warning", "Failure", "Disabled"];

const HELP: &str =
    "this is read as the output of `cilium-dbg status`: check `format`, and take out what is no part of it";

impl Reader for CiliumStatus {
    fn format(&self) -> &'static str {
        "cilium-status"
    }

    fn about(&self) -> &'static str {
        "cilium-dbg status, or cilium status inside an agent"
    }

    fn form(&self) -> &'static str {
        "An object from the name of a row to its cell. `text` is the whole cell with runs of blanks folded to one; lines \
         that belong to the row above are joined to it by a line break. `state` is `Ok`, `Warning`, `Failure` or \
         `Disabled` where the cell begins with one, else `null`. `fields` are the `name: value` and `name=value` pairs \
         of the row's own line, outside brackets.\n\n```json\n{\"Hubble\": {\"text\": \"Ok Current/Max Flows: 4095/4095 \
         (100.00%), Flows/s: 58.50 Metrics: Ok\", \"state\": \"Ok\", \"fields\": {\"Current/Max Flows\": \"4095/4095 \
         (100.00%)\", \"Flows/s\": \"58.50\", \"Metrics\": \"Ok\"}}}\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Text
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let path = input.path();
        let mut record = Map::new();
        let mut last = String::new();
        let mut margin = None;
        let wrong = walk(input, "cilium-status-row", |line| {
            let bare = line.trim();
            if bare.is_empty() {
                return Ok(());
            }
            let indent = line.len() - line.trim_start().len();
            let fault = |message| Fault { at: indent, message, help: HELP };
            if let Some((name, cell)) = row(bare).filter(|_| indent <= *margin.get_or_insert(indent)) {
                if record.contains_key(name) {
                    return Err(fault("expected a row unlike the others"));
                }
                last = name.to_owned();
                record.insert(last.clone(), read_cell(cell));
            } else {
                let Some(Value::String(above)) = record.get_mut(&last).and_then(|cell| cell.get_mut("text")) else {
                    return Err(fault("expected the name of a row, a colon and its value"));
                };
                above.push('\n');
                above.push_str(&fold(bare));
            }
            Ok(())
        });
        if wrong.is_empty() && !KNOWN.iter().any(|name| record.contains_key(*name)) {
            return Err(Diagnostics::from(
                Diagnostic::error("cilium-status-row", "expected rows of an agent, such as `Cilium:` or `Hubble:`")
                    .with_place(Place::at(path, 1, 1))
                    .with_help(HELP),
            ));
        }
        wrong.or_value(Value::Object(record))
    }
}

/// `Name of a row:   its cell`.
fn row(line: &str) -> Option<(&str, &str)> {
    let (name, cell) = line.split_once(':')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b" ./_-()".contains(&b))
        && !name.contains("  ");
    (is_name && (cell.is_empty() || cell.starts_with([' ', '\t']))).then_some((name, cell))
}

fn read_cell(cell: &str) -> Value {
    let cell = cell.trim();
    let first = cell.split([' ', '\t']).next().unwrap_or_default();
    let state = STATES.contains(&first).then_some(first);
    let fields: Map<String, Value> = pieces(&cell[state.map_or(0, str::len)..]).into_iter().filter_map(field).collect();
    json!({"text": fold(cell), "state": state, "fields": fields})
}

fn fold(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parts a cell at `, ` and at gaps of two and more blanks, outside brackets.
fn pieces(cell: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let bytes = cell.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let next_is_blank = matches!(bytes.get(at + 1), Some(b' ' | b'\t') | None);
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b' ' | b'\t' if depth == 0 && next_is_blank => {
                found.push(cell[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(cell[start..].trim());
    found
}

fn field(piece: &str) -> Option<(String, Value)> {
    let colon = piece.find(": ");
    let (name, value) = match piece.find('=').filter(|equals| colon.is_none_or(|c| *equals < c)) {
        // Behind `has-quorum=true: ` the kvstore lists its endpoints.
        Some(at) => (&piece[..at], piece[at + 1..].split(": ").next().unwrap_or_default()),
        None => piece.split_once(": ")?,
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b" ./_-".contains(&b));
    is_name.then(|| (name.to_owned(), Value::from(fold(value))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        CiliumStatus.read(Input::new("x.txt", text.as_bytes()), &Want::default())
    }

    #[test]
    fn cells_have_state_and_fields() {
        let lease = "etcd: 1/1 connected, lease-ID=29c, lock lease-ID=29d, has-quorum=true: https://10.0.0.1:2379 - 3.4.9 (Leader)";
        let record =
            read(&format!("KVStore:  Ok   {lease}\nRouting:   Network: Tunnel [a: b]   Host: BPF\n")).expect("rows");
        assert_eq!(
            record,
            json!({
                "KVStore": {"text": format!("Ok {lease}"), "state": "Ok", "fields":
                    {"etcd": "1/1 connected", "lease-ID": "29c", "lock lease-ID": "29d", "has-quorum": "true"}},
                "Routing": {"text": "Network: Tunnel [a: b] Host: BPF", "state": null, "fields":
                    {"Network": "Tunnel [a: b]", "Host": "BPF"}},
            })
        );
    }

    #[test]
    fn lines_without_a_name_belong_to_the_row_above() {
        let record = read("  Cilium:   Ok\n  Cluster health:   1/1 reachable\n  Name   IP\n    Node-a:   10.0.0.1\n")
            .expect("rows");
        assert_eq!(record["Cluster health"]["text"], "1/1 reachable\nName IP\nNode-a: 10.0.0.1");
    }

    #[test]
    fn what_is_no_status_is_refused() {
        for (text, line, column) in [
            ("", 1, 1),
            ("apiVersion: v1\n", 1, 1),
            ("Name:   x\n", 1, 1),
            ("\n  $ cilium status\nCilium:   Ok\n", 2, 3),
            ("Cilium:   Ok\nCilium:   Ok\n", 2, 1),
        ] {
            let wrong = read(text).expect_err(text);
            let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
            assert_eq!((place.line(), place.column()), (Some(line), Some(column)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
            let _ = read(&format!("Hubble: {text}"));
        }
    }
}
