//! Part grpc, from the captures of this repository.

use std::path::Path;

use serde_json::json;

use super::super::*;
use super::{close, number, wrong};
use crate::capture::{Captures, open};
use crate::quantity::Quantity;
use crate::read::{Input, READERS, reader};

type Records = IndexMap<String, (Record, Capture)>;

/// Part grpc and the records of its captures, unmasked: no fact may depend on a name. Nothing while there are no readers.
#[expect(clippy::print_stderr, reason = "what is skipped says so")]
fn published() -> Option<(Part, Records)> {
    if READERS.is_empty() {
        eprintln!("SKIPPED: there are no readers");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = Part::load(root, "grpc").unwrap_or_else(|wrong| panic!("{}", wrong.to_json()));
    let captures = Captures::load(root, "grpc").unwrap_or_else(|wrong| panic!("{}", wrong.to_json()));
    let wants = part.wants();
    let read = |(name, capture): (&str, &Capture)| {
        let stream = open(root, capture, captures.place(name)).unwrap_or_else(|wrong| panic!("{}", wrong.to_json()));
        let want = wants.get(name).cloned().unwrap_or_default();
        let reader = reader(&capture.format).expect("a reader");
        let record =
            reader.read(Input::new(&capture.path, stream), &want).unwrap_or_else(|wrong| panic!("{}", wrong.to_json()));
        (name.to_owned(), (record, capture.clone()))
    };
    Some((part, captures.iter().map(read).collect()))
}

fn compute_with(part: &Part, records: &Records) -> (Facts, Diagnostics) {
    let masked = |(name, (record, capture)): (&String, &(Record, Capture))| {
        let evidence =
            Evidence { record: Masked::for_test(record.clone()), capture: Masked::for_test(capture.clone()) };
        (name.clone(), evidence)
    };
    compute(part, &records.iter().map(masked).collect()).unwrap_or_else(|wrong| panic!("{}", wrong.to_json()))
}

#[test]
fn the_published_values() {
    let Some((part, records)) = published() else { return };
    let (facts, found_false) = compute_with(&part, &records);
    assert!(found_false.is_empty() && facts.claims.values().all(|claim| claim.holds), "{}", found_false.to_json());
    let expected = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expect/grpc.json"))
        .expect("expectations");
    let expected: IndexMap<String, Value> = serde_json::from_str(&expected).expect("JSON");
    for (id, expected) in &expected {
        let fact = facts.facts.get(id).unwrap_or_else(|| panic!("there is no fact `{id}`"));
        assert!(close(&fact.value, expected), "{id}: {} instead of {expected}", fact.value);
    }
    assert_eq!(facts.facts["etcd_other_clients"].from, ["etcd_sockets", "etcd_metrics"]);
    assert_eq!(
        facts.facts["batches_per_second"].from,
        ["collector_accepted_hour", "batch_size_sum", "batch_size_count"]
    );
    assert_eq!(
        facts.charts.keys().collect::<Vec<_>>(),
        ["etcd_latency", "cri_calls", "batch_trigger", "message_sizes"]
    );
    let bars = json!([{"key": "timeout", "value": 291_267, "mark": true}, {"key": "size", "value": 131_014}]);
    assert_eq!(facts.charts["batch_trigger"], bars);
    let keys: Vec<_> =
        facts.charts["etcd_latency"].as_array().expect("entries").iter().map(|entry| &entry["key"]).collect();
    assert_eq!(keys, ["get", "list", "create", "update", "delete"]);
}

#[test]
fn the_figures_are_shown_as_published() {
    let Some((part, records)) = published() else { return };
    let (facts, _) = compute_with(&part, &records);
    for (id, shown) in [
        ("etcd_range_per_second", "30.4"),
        ("etcd_txn_per_second", "12.0"),
        ("etcd_lease_grant_per_second", "0.31"),
        ("etcd_status_per_second", "0.18"),
        ("etcd_compact_per_second", "0.0034"),
        ("etcd_compact_interval_minutes", "5"),
        ("etcd_watch_started_per_second", "0.002"),
        ("etcd_watch_received_per_second", "181"),
        ("etcd_get_p50_seconds", "2.7 ms"),
        ("etcd_get_p99_seconds", "22 ms"),
        ("etcd_list_p50_seconds", "2.8 ms"),
        ("etcd_list_p99_seconds", "42 ms"),
        ("etcd_update_p50_seconds", "13.6 ms"),
        ("etcd_update_p99_seconds", "25 ms"),
        ("etcd_write_read_ratio", "5"),
        ("etcd_uptime_days", "58.4"),
        ("etcd_sent_bytes", "883 GiB"),
        ("etcd_received_bytes", "50 GiB"),
        ("etcd_sent_bytes_per_second", "183 KiB/s"),
        ("etcd_received_bytes_per_second", "10 KiB/s"),
        ("cri_list_containers_per_node_second", "1.55"),
        ("exec_sync_per_second", "3.1"),
        ("cri_list_share", "80 %"),
        ("hubble_flows_per_second", "58.5"),
        ("relay_retry_seconds", "30 s"),
        ("relay_connect_spread_seconds", "0.3 ms"),
        ("collector_uptime_days", "17.4"),
        ("accepted_spans", "93892856"),
        ("accepted_spans_per_hour", "180239"),
        ("accepted_spans_per_second", "50.1"),
        ("mean_batch_spans", "222.3"),
        ("batches_per_second", "0.225"),
        ("push_per_second", "0.226"),
        ("push_at_most_16kib_share", "65 %"),
        ("push_at_most_64kib_share", "97 %"),
        ("push_p99_bucket_seconds", "10 ms"),
        ("timeout_batch_share", "69 %"),
        ("health_check_per_second", "0.133"),
        ("health_check_interval_seconds", "7.5 s"),
    ] {
        let Fact { value, show, .. } = &facts.facts[id];
        let value = value.as_f64().expect("a number");
        let quantity = Quantity::new(value, show.unit, show.precision, show.scale.as_deref()).expect("can be shown");
        let text = format!("{} {}", quantity.rounded(), quantity.symbol().unwrap_or_default());
        assert_eq!(text.trim_end(), shown, "{id}");
    }
}

#[test]
fn operations_share_rows_and_nobody_is_forgotten() {
    let Some((part, mut records)) = published() else { return };
    let unknown = json!({"metric": {"operation_type": "checkpoint_container"}, "value": [0, number("60.5")]});
    let result = |records: &mut Records| records["cri_operations"].0["result"].take();
    let Value::Array(mut elements) = result(&mut records) else { panic!("a vector") };
    elements.retain(|element| element["metric"]["operation_type"] != "exec");
    elements.push(unknown);
    records["cri_operations"].0["result"] = Value::Array(elements);
    let (facts, _) = compute_with(&part, &records);
    let rows = facts.facts["cri_rows"].value.as_array().expect("rows");
    let row = |key: &str| rows.iter().position(|row| row["key"] == key).map(|at| (at, &rows[at]));
    let keys: Vec<_> = rows.iter().map(|row| row["key"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        keys.join(" "),
        "list_containers list_podsandbox exec_sync status version list_images container_status podsandbox_status image_status \
         stop_podsandbox create_container checkpoint_container run_podsandbox remove_container attach pull_image"
    );
    let (_, create) = row("create_container").expect("a row");
    assert_eq!(create["calls"], json!(["create_container", "start_container"]));
    assert_eq!(row("attach").expect("a row").1["calls"], json!(["attach"]), "a pair needs both");
    assert_eq!(row("checkpoint_container").expect("a row").1["per_hour"], json!([number("60.5")]));
    let per_node: Vec<_> = rows.iter().map(|row| row.get("per_node_second").map(Value::is_string)).collect();
    assert_eq!(per_node[..7], [Some(false), Some(false), Some(true), Some(false), Some(false), Some(false), None]);
}

#[test]
fn the_order_in_which_prometheus_answers_does_not_matter() {
    let Some((part, mut records)) = published() else { return };
    let (before, _) = compute_with(&part, &records);
    for (record, _) in records.values_mut() {
        if let Some(Value::Array(elements)) = record.get_mut("result") {
            elements.reverse();
        }
    }
    let (after, _) = compute_with(&part, &records);
    for (id, fact) in &before.facts {
        assert_eq!(fact.value, after.facts[id].value, "{id}");
    }
    assert_eq!(before.charts, after.charts);
}

#[test]
fn a_capture_that_changes_changes_its_figures_and_breaks_claims() {
    let Some((part, mut records)) = published() else { return };
    let (before, _) = compute_with(&part, &records);
    let Value::Array(sockets) = &mut records["etcd_sockets"].0 else { panic!("an array") };
    sockets.truncate(sockets.len() - 10);
    let (after, found_false) = compute_with(&part, &records);
    let changed: Vec<_> =
        before.facts.iter().filter(|(id, fact)| after.facts[*id].value != fact.value).map(|(id, _)| id).collect();
    assert_eq!(changed, ["etcd_client_connections", "etcd_other_clients"]);
    let (_, words) = wrong(found_false.or_value(()));
    assert!(words.contains("`etcd.one_stream`") && words.contains("`etcd.others`"), "{words}");
}
